"""The cameras to be refereed, and the workers that have them, as leases in the database.

A worker with a camera increases its lease's ``beat``. Another worker may take over a lease whose
beat has not changed for ``LEASE_S`` by that worker's own clock. A lease changes hands by
compare-and-set in one transaction, so no two workers have it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from sqlalchemy import Connection, delete, insert, select, update

from scorer.store.database import Database, DatabaseTables
from scorer.store.schema import CAMERAS

#: A worker counts up every second. After this time without a count, it is gone or its machine
#: hangs.
LEASE_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedCamera:
    """A board's camera to be refereed.

    profile   a board's profile as a file; "" to measure in the picture
    revision  number of times that a camera was chosen
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


class CameraStore(DatabaseTables):
    """The cameras of a database. All methods raise ``StoreError`` if it fails."""

    def watch(self, board: int, source: str, profile: str = "", beside: str = "") -> None:
        """Start refereeing a board's camera; a worker that already has it starts again."""
        with self._database.write_transaction() as connection:
            old = _read(connection, board)
            values = {"source": source, "profile": profile, "beside": beside}
            if old is None:
                connection.execute(insert(CAMERAS).values(board=board, **values))
            else:
                changed = values | {"revision": old.revision + 1}
                connection.execute(update(CAMERAS).where(CAMERAS.c.board == board).values(changed))

    def stop(self, board: int, revision: int | None = None) -> None:
        """Stop refereeing it; with ``revision`` given, only if that is still current."""
        chosen = delete(CAMERAS).where(CAMERAS.c.board == board)
        if revision is not None:
            chosen = chosen.where(CAMERAS.c.revision == revision)
        self._database.write(chosen)

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

    def take(self, camera: WatchedCamera) -> bool:
        """Take the camera; returns whether it now belongs to this worker."""
        if not self._is_free(camera):
            return False
        same = (CAMERAS.c.board == camera.board, CAMERAS.c.beat == camera.beat)
        own = update(CAMERAS).where(*same).values(worker=self._worker, beat=camera.beat + 1)
        return self._database.write(own)

    def beat(self) -> frozenset[int]:
        """Increase the beat of this worker's cameras; returns their boards."""
        own = CAMERAS.c.worker == self._worker
        with self._database.write_transaction(is_hasty=True) as connection:
            boards = connection.execute(select(CAMERAS.c.board).where(own)).scalars().all()
            if boards:
                connection.execute(update(CAMERAS).where(own).values(beat=CAMERAS.c.beat + 1))
        return frozenset(boards)

    def release(self, board: int) -> None:
        """Give up a camera, so that another worker can take it."""
        own = (CAMERAS.c.board == board, CAMERAS.c.worker == self._worker)
        self._database.write(update(CAMERAS).where(*own).values(worker=None))

    def _is_free(self, camera: WatchedCamera) -> bool:
        """Whether no worker has it, or its beat has not changed for long enough."""
        if camera.worker in (None, self._worker):
            return True
        now_s, state = self._clock(), (camera.worker, camera.beat)
        seen = self._seen.get(camera.board)
        if seen is None or seen[:2] != state:
            self._seen[camera.board] = (*state, now_s)
            return False
        return now_s - seen[2] >= LEASE_S


def _read(connection: Connection, board: int) -> WatchedCamera | None:
    row = connection.execute(select(CAMERAS).where(CAMERAS.c.board == board)).mappings().first()
    return None if row is None else WatchedCamera(**row)
