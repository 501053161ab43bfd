"""Players by name, with counts of their matches, which every entry updates."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, insert, select, update

from scorer.store.database import Database
from scorer.store.schema import PLAYERS


class PlayerStore:
    """The players of a database. All methods raise ``StoreError`` if it fails."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def has(self, name: str) -> bool:
        """Whether a player with exactly this name has played or practised."""
        query = select(PLAYERS.c.name).where(PLAYERS.c.name == name)
        return self._database.read_value(query) is not None

    def spell(self, names: Sequence[str]) -> tuple[str, ...]:
        """Names in the spelling of known players, ignoring differences in capitals and accents.

        If several known names match, the one with the most matches is chosen.
        """
        query = select(PLAYERS.c.name).order_by(PLAYERS.c.matches)
        known = [row.name for row in self._database.read_rows(query)]
        exact, spelled = set(known), {_fold_name(name): name for name in known}
        return tuple(
            name if name in exact else spelled.get(_fold_name(name), _compose(name))
            for name in names
        )

    def list_by_name(self, words: str = "") -> list[tuple[str, int]]:
        """Names that contain all the words, in order, with their numbers of matches; 0 for players
        who only practised.

        Capitals and accents are ignored.
        """
        query = select(PLAYERS.c.name, PLAYERS.c.matches).order_by(PLAYERS.c.name)
        wanted = _strip_accents(words).split()
        return [
            (row.name, row.matches)
            for row in self._database.read_rows(query)
            if all(word in _strip_accents(row.name) for word in wanted)
        ]


def _compose(name: str) -> str:
    """A name with accented letters as single characters (Unicode's form NFC)."""
    return unicodedata.normalize("NFC", name)


def _fold_name(name: str) -> str:
    return _compose(_compose(name).casefold())


def _strip_accents(name: str) -> str:
    """A name in lower case without accents."""
    letters = unicodedata.normalize("NFD", name.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def count_players(connection: Connection, names: Iterable[str], matches: int) -> None:
    """Change the match counts of players, and list them."""
    for name in names:
        more = update(PLAYERS).where(PLAYERS.c.name == name)
        if not connection.execute(more.values(matches=PLAYERS.c.matches + matches)).rowcount:
            connection.execute(insert(PLAYERS), [{"name": name, "matches": matches}])
