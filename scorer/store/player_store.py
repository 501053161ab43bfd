"""Players by name, with counts of their matches, which every entry updates, and their pictures."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, delete, insert, select, update

from scorer.store.database import DatabaseTables
from scorer.store.schema import PLAYER_PICTURES, PLAYERS
from scorer.texts import strip_accents

_KEY_LETTERS = 16


class PlayerStore(DatabaseTables):
    """The players of a database. All methods raise ``StoreError`` if it fails."""

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
        wanted = strip_accents(words).split()
        return [
            (row.name, row.matches)
            for row in self._database.read_rows(query)
            if all(word in strip_accents(row.name) for word in wanted)
        ]

    def set_picture(self, name: str, jpeg: bytes) -> None:
        """Replace a player's picture; an empty one removes it."""
        key = hashlib.sha256(jpeg).hexdigest()[:_KEY_LETTERS]
        with self._database.write_transaction() as connection:
            connection.execute(delete(PLAYER_PICTURES).where(PLAYER_PICTURES.c.name == name))
            if jpeg:
                row = {"name": name, "key": key, "jpeg": jpeg}
                connection.execute(insert(PLAYER_PICTURES), [row])

    def find_pictures(self, names: Iterable[str]) -> dict[str, str]:
        """The keys of players' pictures, by name; players without a picture are left out."""
        query = select(PLAYER_PICTURES.c.name, PLAYER_PICTURES.c.key)
        rows = self._database.read_rows(query.where(PLAYER_PICTURES.c.name.in_(tuple(names))))
        return {row.name: row.key for row in rows}

    def read_pictures(self, names: Iterable[str]) -> dict[str, bytes]:
        """Players' pictures, by name."""
        query = select(PLAYER_PICTURES.c.name, PLAYER_PICTURES.c.jpeg)
        rows = self._database.read_rows(query.where(PLAYER_PICTURES.c.name.in_(tuple(names))))
        return {row.name: row.jpeg for row in rows}

    def read_picture(self, key: str) -> bytes | None:
        """The picture with this key; None if no player has it."""
        query = select(PLAYER_PICTURES.c.jpeg).where(PLAYER_PICTURES.c.key == key)
        return self._database.read_value(query)


def rename_picture(connection: Connection, old: str, new: str) -> None:
    """Give a renamed player's picture to the new name, unless that already has one."""
    pictures, names = PLAYER_PICTURES, select(PLAYER_PICTURES.c.name)
    if connection.execute(names.where(pictures.c.name == new)).first() is None:
        connection.execute(update(pictures).where(pictures.c.name == old).values(name=new))
    connection.execute(delete(pictures).where(pictures.c.name == old))


def _compose(name: str) -> str:
    """A name with accented letters as single characters (Unicode's form NFC)."""
    return unicodedata.normalize("NFC", name)


def _fold_name(name: str) -> str:
    return _compose(_compose(name).casefold())


def count_players(connection: Connection, names: Iterable[str], matches: int) -> None:
    """Change the match counts of players, and list them."""
    for name in names:
        more = update(PLAYERS).where(PLAYERS.c.name == name)
        if not connection.execute(more.values(matches=PLAYERS.c.matches + matches)).rowcount:
            connection.execute(insert(PLAYERS), [{"name": name, "matches": matches}])
