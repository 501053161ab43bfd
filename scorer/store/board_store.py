"""The boards of a server, in its database: numbered from 1, with names.

The first board always exists, so a database without boards has one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select, update

from calibration.phrase import Phrase
from scorer.board_names import default_name, name_board
from scorer.match.events import MatchError
from scorer.match.fold import MAX_BOARDS
from scorer.store.database import DatabaseTables
from scorer.store.message_store import announce
from scorer.store.schema import BOARDS
from scorer.texts import MAX_NAME_LETTERS, describe_text_fault


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedBoard:
    """A board: its number, permanent because addresses contain it, and its name."""

    number: int
    name: str


class BoardStore(DatabaseTables):
    """The boards of a database. All methods raise ``StoreError`` if it fails."""

    def list_boards(self) -> tuple[NamedBoard, ...]:
        """All boards by number; the first always exists."""
        with self._database.read_transaction() as connection:
            names = _read_names(connection)
        return tuple(NamedBoard(number=number, name=names[number]) for number in sorted(names))

    def add(self, name: str = "") -> NamedBoard:
        """A new board with the lowest free number. Raises ``MatchError``."""
        with self._database.write_transaction() as connection:
            names = _read_names(connection)
            free = (number for number in range(2, MAX_BOARDS + 1) if number not in names)
            number = next(free, None)
            if number is None:
                raise MatchError(Phrase("A server has at most %(most)s boards.", most=MAX_BOARDS))
            board = NamedBoard(number=number, name=_check_name(name or default_name(number)))
            connection.execute(insert(BOARDS).values(number=board.number, name=board.name))
            self._announce(connection)
        return board

    def provide(self, names: Sequence[str]) -> None:
        """Make sure that boards 1, 2, … exist; a new one gets its name from ``names``."""
        with self._database.write_transaction() as connection:
            known = _read_names(connection)
            rows = [
                {"number": number, "name": _check_name(name)}
                for number, name in enumerate(names, start=1)
                if number not in known
            ]
            if rows:
                connection.execute(insert(BOARDS), rows)
                self._announce(connection)

    def rename(self, number: int, name: str) -> None:
        """Give a board another name. Raises ``MatchError`` if the board does not exist, or the name
        is not allowed.
        """
        checked = _check_name(name)
        with self._database.write_transaction() as connection:
            if number not in _read_names(connection):
                raise MatchError(Phrase("There is no board %(board)s.", board=number))
            done = connection.execute(
                update(BOARDS).where(BOARDS.c.number == number).values(name=checked)
            )
            if not done.rowcount:
                connection.execute(insert(BOARDS).values(number=number, name=checked))
            self._announce(connection)

    def remove(self, number: int) -> None:
        """Remove a board; its matches stay. Raises ``MatchError`` for the first board."""
        if number == 1:
            raise MatchError(
                Phrase("The first board cannot be removed. A server needs at least one.")
            )
        with self._database.write_transaction() as connection:
            connection.execute(delete(BOARDS).where(BOARDS.c.number == number))
            self._announce(connection)

    def _announce(self, connection: Connection) -> None:
        announce(self._database, connection, {"kind": "boards"})


def _read_names(connection: Connection) -> dict[int, str]:
    rows = connection.execute(select(BOARDS.c.number, BOARDS.c.name))
    return {1: default_name(1)} | {row.number: name_board(row.number, row.name) for row in rows}


def _check_name(text: str) -> str:
    name = " ".join(text.split())
    fault = describe_text_fault(name, MAX_NAME_LETTERS) if name else Phrase("is empty. Enter one")
    if fault is not None:
        raise MatchError(Phrase("The name of a board %(fault)s.", fault=fault))
    return name
