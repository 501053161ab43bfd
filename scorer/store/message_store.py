"""The messages between a database's servers and workers, in order: a short log of the newest.

Messages are written in the same transaction as the data, so no reader learns of unsaved data, and
one that lost its connection continues where it stopped.

PostgreSQL wakes waiting readers with LISTEN/NOTIFY. For SQLite, the data version of the file is
checked, which needs no disk access. Writers take turns, so numbers rise in the order in which
messages become readable.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from threading import Event
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, text
from sqlalchemy.exc import SQLAlchemyError

from calibration.json_text import load_json, store_json
from scorer.store.database import Database, insert_row
from scorer.store.errors import StoreError
from scorer.store.schema import MESSAGES

#: Number of messages kept: minutes of a busy hall, for a server that was delayed.
KEPT = 2000
_PRUNE_EVERY = 100
_CHANNEL = "crokinole"
_POLL_S = 0.1
_TRY_SPEAK = text(
    "SELECT pg_try_advisory_lock(hashtext('crokinole speaker ' || current_schema()), 0)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardMessage:
    """A message; ``content`` is JSON.

    board   the board it concerns; 0 for all boards
    is_own  whether it was written through the same ``Database``
    """

    number: int
    board: int
    content: dict[str, Any]
    is_own: bool


class MessageStore:
    """The messages of a database. All methods raise ``StoreError`` if it fails."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._listening: Connection | None = None
        self._version: int | None = None
        self.has_lock = False

    def send(self, board: int, content: dict[str, Any]) -> None:
        """Add a message for every server."""
        self.send_all(((board, content),))

    def send_all(self, messages: Iterable[tuple[int, dict[str, Any]]]) -> None:
        """Add messages for every server, with their boards, in order."""
        with self._database.write_transaction(is_hasty=True) as connection:
            for board, content in messages:
                _leave(self._database, connection, content, board)

    def find_newest(self) -> int:
        """The number of the newest message; 0 if there is none."""
        return self._database.read_value(select(func.max(MESSAGES.c.id))) or 0

    def read_after(self, number: int) -> tuple[BoardMessage, ...]:
        """The messages after the one with this number, in order."""
        query = select(MESSAGES).where(MESSAGES.c.id > number).order_by(MESSAGES.c.id)
        return tuple(
            self._read(row.id, row.board, load_json(row.body))
            for row in self._database.read_rows(query)
        )

    def find_oldest(self) -> int:
        """The number of the oldest stored message; 0 if there is none."""
        return self._database.read_value(select(func.min(MESSAGES.c.id))) or 0

    def _read(self, number: int, board: int, content: dict[str, Any]) -> BoardMessage:
        is_own = content.pop("origin", None) == self._database.origin
        return BoardMessage(number=number, board=board, content=content, is_own=is_own)

    def wait(self, timeout_s: float, stop: Event) -> None:
        """Wait until a message may have come, ``stop`` is set, or the time is over."""
        try:
            if self._listening is None:
                self._listening = self._database.open_connection()
                if self._database.is_postgresql:
                    self._listening.execute(text(f"LISTEN {_CHANNEL}"))
            if self._database.is_postgresql:
                self._wait_for_notice(self._listening, timeout_s)
            else:
                self._poll(self._listening, timeout_s, stop)
        except SQLAlchemyError as error:
            self.close()
            raise self._database.describe(error) from error

    def try_lock(self) -> bool:
        """Whether this listener is the only one in PostgreSQL that acts for all of them.

        The server releases the lock as soon as the listening connection ends.
        """
        if self._listening is not None and not self.has_lock:
            try:
                self.has_lock = bool(self._listening.execute(_TRY_SPEAK).scalar())
            except SQLAlchemyError as error:
                self.close()
                raise self._database.describe(error) from error
        return self.has_lock

    def close(self) -> None:
        """Stop listening."""
        listening, self._listening, self.has_lock = self._listening, None, False
        if listening is not None:
            self._database.drop_connection(listening)

    def _wait_for_notice(self, connection: Connection, timeout_s: float) -> None:
        plain: Any = connection.connection.dbapi_connection
        assert connection.dialect.dbapi is not None
        try:
            for _ in plain.notifies(timeout=timeout_s, stop_after=1):
                return
        except connection.dialect.dbapi.Error as error:  # the server is gone or was restarted
            self.close()
            raise StoreError(f"The connection to {self._database.name} was lost.") from error

    def _poll(self, connection: Connection, timeout_s: float, stop: Event) -> None:
        for _ in range(max(1, round(timeout_s / _POLL_S))):
            version = connection.execute(text("PRAGMA data_version")).scalar()
            is_new, self._version = version != self._version, version
            if is_new or stop.wait(_POLL_S):
                return


def announce(
    database: Database, connection: Connection, content: dict[str, Any], board: int = 0
) -> None:
    """Announce a transaction's writes to other servers, if there can be any."""
    if database.announces:
        _leave(database, connection, content, board)


def _leave(database: Database, connection: Connection, content: dict[str, Any], board: int) -> None:
    row = {"board": board, "body": store_json(content | {"origin": database.origin})}
    added = insert(MESSAGES).values(row)
    if database.is_postgresql:
        left = added.returning(MESSAGES.c.id).cte()
        number = int(
            connection.execute(select(left.c.id, func.pg_notify(_CHANNEL, ""))).scalar_one()
        )
    else:
        number = insert_row(connection, MESSAGES, **row)
    if number % _PRUNE_EVERY == 0:
        connection.execute(delete(MESSAGES).where(MESSAGES.c.id <= number - KEPT))
