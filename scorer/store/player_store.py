"""Players by name, with how many matches they played; counted as matches are entered."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, func, insert, select, update

from scorer.store.database import Database
from scorer.store.schema import PLAYERS


class PlayerStore:
    """The players of a database. Every method raises ``StoreError`` for trouble with it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def count(self) -> int:
        """How many there are."""
        with self._database.read_transaction() as connection:
            return int(connection.execute(select(func.count()).select_from(PLAYERS)).scalar_one())

    def list_by_name(self, *, skipped: int, most: int) -> list[tuple[str, int]]:
        """Names in order after so many, with how many matches of each; 0 for practice alone."""
        query = select(PLAYERS.c.name, PLAYERS.c.matches).order_by(PLAYERS.c.name)
        with self._database.read_transaction() as connection:
            rows = connection.execute(query.offset(skipped).limit(most)).all()
        return [(row.name, row.matches) for row in rows]


def count_players(connection: Connection, names: Iterable[str], matches: int) -> None:
    """Count so many more matches of players, who are then listed."""
    for name in names:
        more = update(PLAYERS).where(PLAYERS.c.name == name)
        if not connection.execute(more.values(matches=PLAYERS.c.matches + matches)).rowcount:
            connection.execute(insert(PLAYERS), [{"name": name, "matches": matches}])
