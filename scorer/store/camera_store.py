"""The cameras to be refereed and their workers, decided by the database.

A worker with a camera increases its lease's ``beat``. In PostgreSQL it also holds the camera's
advisory lock, which the server releases as soon as the worker's connection ends. A worker that only
lost its connection gets the lock again before its beat stands still for ``LOCK_LEASE_S``. In
SQLite, a lease is taken over if its beat stands still for ``LEASE_S`` of the observer's own clock.
In both cases it changes hands by compare-and-set in one transaction, so no two workers have it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from sqlalchemy import Connection, delete, insert, select, text, update
from sqlalchemy.exc import SQLAlchemyError

from scorer.store.database import Database
from scorer.store.errors import StoreError
from scorer.store.schema import CAMERAS

#: A worker counts on every second, so this many were missed: it is gone, or its machine hangs.
LEASE_S = 5.0
#: In PostgreSQL, where the lock says whether it is there.
LOCK_LEASE_S = 2.0
_KEY = "hashtext('crokinole camera ' || current_schema()), :board"
_TRY_LOCK = text(f"SELECT pg_try_advisory_lock({_KEY})")
_UNLOCK = text(f"SELECT pg_advisory_unlock({_KEY})")


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedCamera:
    """A board's camera to be refereed.

    profile   a board's profile as a file; "" to measure in the picture
    revision  number of times that it was chosen anew
    worker    its worker; None if it has none
    beat      its lease's count
    beside    a second camera's source on the same board; "" if there is none
    """

    board: int
    source: str
    profile: str
    revision: int
    worker: str | None
    beat: int
    beside: str = ""


class CameraStore:
    """The cameras of a database. All methods raise ``StoreError`` for trouble with it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def watch(self, board: int, source: str, profile: str = "", beside: str = "") -> None:
        """Have a board's camera refereed from now on; a worker that had it starts again."""
        with self._database.write_transaction() as connection:
            old = _read(connection, board)
            values = {"source": source, "profile": profile, "beside": beside}
            if old is None:
                connection.execute(insert(CAMERAS).values(board=board, **values))
            else:
                changed = values | {"revision": old.revision + 1}
                connection.execute(update(CAMERAS).where(CAMERAS.c.board == board).values(changed))

    def stop(self, board: int, revision: int | None = None) -> None:
        """Stop refereeing it; if ``revision`` is given, only if that is still current."""
        chosen = delete(CAMERAS).where(CAMERAS.c.board == board)
        if revision is not None:
            chosen = chosen.where(CAMERAS.c.revision == revision)
        with self._database.write_transaction() as connection:
            connection.execute(chosen)

    def get(self, board: int) -> WatchedCamera | None:
        """A board's camera; None if none is refereed."""
        with self._database.read_transaction() as connection:
            return _read(connection, board)

    def list_cameras(self) -> tuple[WatchedCamera, ...]:
        """All cameras, by board."""
        with self._database.read_transaction() as connection:
            rows = connection.execute(select(CAMERAS).order_by(CAMERAS.c.board)).mappings()
            return tuple(WatchedCamera(**row) for row in rows)


class CameraLeases:
    """The cameras of one worker. All methods raise ``StoreError``."""

    def __init__(
        self, database: Database, worker: str, clock: Callable[[], float] = monotonic
    ) -> None:
        """Starts without cameras; ``worker`` is a unique name."""
        self._database, self._worker, self._clock = database, worker, clock
        self._seen: dict[int, tuple[str | None, int, float]] = {}
        self._locks: Connection | None = None
        self._locked: set[int] = set()

    def take(self, camera: WatchedCamera) -> bool:
        """Take the camera; returns whether it now belongs to this worker."""
        if not self._is_free(camera):
            return False
        if self._database.is_postgresql and not self._lock(camera.board):
            return False
        same = (CAMERAS.c.board == camera.board, CAMERAS.c.beat == camera.beat)
        with self._database.write_transaction() as connection:
            taken = connection.execute(
                update(CAMERAS).where(*same).values(worker=self._worker, beat=camera.beat + 1)
            )
        if not taken.rowcount:
            self._unlock(camera.board)
        return bool(taken.rowcount)

    def beat(self) -> frozenset[int]:
        """Increase the beats of this worker's cameras; returns their boards."""
        if self._database.is_postgresql and not self._keep_locks():
            return frozenset()
        own = CAMERAS.c.worker == self._worker
        with self._database.write_transaction(is_hasty=True) as connection:
            boards = connection.execute(select(CAMERAS.c.board).where(own)).scalars().all()
            if boards:
                connection.execute(update(CAMERAS).where(own).values(beat=CAMERAS.c.beat + 1))
        held = frozenset(boards)
        return held & self._locked if self._database.is_postgresql else held

    def release(self, board: int) -> None:
        """Leave a camera to other workers."""
        own = (CAMERAS.c.board == board, CAMERAS.c.worker == self._worker)
        with self._database.write_transaction() as connection:
            connection.execute(update(CAMERAS).where(*own).values(worker=None))
        self._unlock(board)

    def close(self) -> None:
        """Release all locks."""
        locks, self._locks, self._locked = self._locks, None, set()
        if locks is not None:
            self._database.drop_connection(locks)

    def _is_free(self, camera: WatchedCamera) -> bool:
        """Whether nobody has it, or its beat has stood still for long enough."""
        if camera.worker in (None, self._worker):
            return True
        now_s, state = self._clock(), (camera.worker, camera.beat)
        seen = self._seen.get(camera.board)
        if seen is None or seen[:2] != state:
            self._seen[camera.board] = (*state, now_s)
            return False
        return now_s - seen[2] >= (LOCK_LEASE_S if self._database.is_postgresql else LEASE_S)

    def _lock(self, board: int) -> bool:
        if self._locks is None:
            self._locks = self._database.open_connection()
        if not self._execute(_TRY_LOCK, board):
            return False
        self._locked.add(board)
        return True

    def _unlock(self, board: int) -> None:
        self._locked.discard(board)
        if self._locks is not None:
            self._execute(_UNLOCK, board)

    def _keep_locks(self) -> bool:
        """Whether the database is reachable; locks whose connection broke are taken again, unless
        another worker was faster.
        """
        if self._locks is None:
            return True
        boards = set(self._locked)
        try:
            self._locks.execute(text("SELECT 1"))
        except SQLAlchemyError:
            self.close()
            try:
                for board in boards:
                    self._lock(board)
            except StoreError:
                self.close()
                return False
        return True

    def _execute(self, statement: object, board: int) -> object:
        assert self._locks is not None
        try:
            return self._locks.execute(statement, {"board": board}).scalar()  # type: ignore[call-overload]
        except SQLAlchemyError as error:
            self.close()
            raise self._database.describe(error) from error


def _read(connection: Connection, board: int) -> WatchedCamera | None:
    row = connection.execute(select(CAMERAS).where(CAMERAS.c.board == board)).mappings().first()
    return None if row is None else WatchedCamera(**row)
