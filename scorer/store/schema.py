"""The tables of a match database, and the steps that upgrade an older database.

The database stores its version as one row of ``crokinole_schema``. A migration runs inside the
caller's transaction, so a failed migration leaves the database unchanged.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    insert,
    inspect,
    select,
    update,
)

from scorer.local_day import find_day
from scorer.store.errors import StoreError, describe_damage
from scorer.texts import strip_accents

_TABLES = MetaData()
_VERSION = Table("crokinole_schema", _TABLES, Column("version", Integer, nullable=False))

#: Matches by number: ``created`` is the caller's text, ``board`` the match's board, ``came`` the
#: order in which matches came to their boards, and ``words`` the text for searches: players and
#: teams in lower case without accents, and the date.
MATCHES = Table(
    "matches",
    _TABLES,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("created", Text, nullable=False),
    Column("board", Integer, nullable=False, server_default="1", index=True),
    Column("came", Integer, index=True),
    Column("words", Text, nullable=False, server_default=""),
    Index("ix_matches_board_came", "board", "came"),
)
#: A match's summary for lists, after the log with this number of events and this CRC-32 of their
#: bodies; it is invalid for any other log.
MATCH_SUMMARIES = Table(
    "match_summaries",
    _TABLES,
    Column("match_id", Integer, ForeignKey("matches.id"), primary_key=True),
    Column("crc", BigInteger, nullable=False),
    Column("body", Text, nullable=False),
)
#: The players of each match.
MATCH_PLAYERS = Table(
    "match_players",
    _TABLES,
    Column("match_id", Integer, ForeignKey("matches.id"), primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Index("ix_match_players_name", "name", "match_id"),
)
#: All players who played or practised, with their numbers of matches.
PLAYERS = Table(
    "players",
    _TABLES,
    Column("name", Text, primary_key=True),
    Column("matches", Integer, nullable=False),
)
#: Players' pictures, as JPEG; ``key`` is a hash of the picture.
PLAYER_PICTURES = Table(
    "player_pictures",
    _TABLES,
    Column("name", Text, primary_key=True),
    Column("key", Text, nullable=False, index=True),
    Column("jpeg", LargeBinary, nullable=False),
)
#: The log of each match: events numbered from 0 without gaps, ``body`` their JSON.
EVENTS = Table(
    "events",
    _TABLES,
    Column("match_id", Integer, ForeignKey("matches.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("recorded", Text, nullable=False),
    Column("body", Text, nullable=False),
)
#: Keys under which events were entered (idempotency keys); a repeated key enters nothing.
KEYS = Table(
    "event_keys",
    _TABLES,
    Column("match_id", Integer, ForeignKey("matches.id"), primary_key=True),
    Column("key", Text, primary_key=True),
    Column("number", Integer, nullable=False),
    Index("ix_event_keys_key", "key"),
)

#: Tournaments by number, and their logs, as for matches.
TOURNAMENTS = Table(
    "tournaments",
    _TABLES,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("created", Text, nullable=False),
)
TOURNAMENT_EVENTS = Table(
    "tournament_events",
    _TABLES,
    Column("tournament_id", Integer, ForeignKey("tournaments.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("recorded", Text, nullable=False),
    Column("body", Text, nullable=False),
)

#: Practices by number, and their logs, as for matches; ``key`` belongs to an event.
PRACTICES = Table(
    "practices",
    _TABLES,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("created", Text, nullable=False),
    Column("player", Text, nullable=False, server_default="", index=True),
)
PRACTICE_EVENTS = Table(
    "practice_events",
    _TABLES,
    Column("practice_id", Integer, ForeignKey("practices.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("recorded", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("key", Text, index=True),
)

#: The practice for which a board's camera counts shots, and the time from which it counts.
COUNTED_PRACTICES = Table(
    "counted_practices",
    _TABLES,
    Column("board", Integer, primary_key=True, autoincrement=False),
    Column("practice_id", Integer, ForeignKey("practices.id"), nullable=False),
    Column("since", Text, nullable=False),
)

#: Boards by number; the first board exists even without a row.
BOARDS = Table(
    "boards",
    _TABLES,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
)

#: Cameras to be refereed, each with the lease of its worker.
CAMERAS = Table(
    "cameras",
    _TABLES,
    Column("board", Integer, primary_key=True, autoincrement=False),
    Column("source", Text, nullable=False),
    Column("profile", Text, nullable=False),
    Column("revision", Integer, nullable=False, server_default="1"),
    Column("worker", Text),
    Column("beat", Integer, nullable=False, server_default="0"),
    Column("beside", Text, nullable=False, server_default=""),
)
#: The newest picture of a worker's camera, and whether a server has asked for one.
CAMERA_PICTURES = Table(
    "camera_pictures",
    _TABLES,
    Column("board", Integer, primary_key=True, autoincrement=False),
    Column("is_asked", Integer, nullable=False, server_default="0"),
    Column("answered", Integer, nullable=False, server_default="0"),
    Column("t_s", Float),
    Column("jpeg", LargeBinary),
    Column("facts", Text),
)
#: Messages from workers to servers; ``body`` is JSON, and only the newest are kept.
MESSAGES = Table(
    "board_messages",
    _TABLES,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("board", Integer, nullable=False),
    Column("body", Text, nullable=False),
)

Migration = Callable[[Connection], None]


#: The version before the first migration, which brings all earlier ones up to date.
BASE_VERSION = 14

#: Columns that 1.2.0 or an earlier version did not have.
_ADDED_COLUMNS = (
    (MATCHES.c.board, "INTEGER DEFAULT 1 NOT NULL"),
    (MATCHES.c.came, "INTEGER"),
    (CAMERAS.c.beside, "TEXT DEFAULT '' NOT NULL"),
    (MATCHES.c.words, "TEXT DEFAULT '' NOT NULL"),
    (PRACTICES.c.player, "TEXT DEFAULT '' NOT NULL"),
    (PRACTICE_EVENTS.c.key, "TEXT"),
)


def _keep_what_lists_show(connection: Connection) -> None:
    """Fill in the players, and the order of matches on boards, row by row; a match gets its summary
    with its next entry.
    """
    for column, definition in _ADDED_COLUMNS:
        table = column.table.name
        if column.name not in {known["name"] for known in inspect(connection).get_columns(table)}:
            connection.exec_driver_sql(f"ALTER TABLE {table} ADD COLUMN {column.name} {definition}")
    for index in chain.from_iterable(table.indexes for table in _TABLES.sorted_tables):
        index.create(connection, checkfirst=True)
    if connection.execute(select(PLAYERS)).first() is not None:
        return  # a version that was not released has filled them in
    connection.exec_driver_sql("UPDATE matches SET came = id WHERE came IS NULL")
    counts: Counter[str] = Counter()
    setups = (
        select(MATCHES.c.id, MATCHES.c.created, EVENTS.c.body)
        .join(EVENTS, EVENTS.c.match_id == MATCHES.c.id)
        .where(EVENTS.c.number == 0)
    )
    for number, created, body in connection.execute(setups).all():
        names = _read_names(body, "players")
        counts.update(names)
        row = MATCHES.c.id == number
        connection.execute(update(MATCHES).where(row).values(words=make_words(names, created)))
        rows = [{"match_id": number, "seat": k, "name": name} for k, name in enumerate(names)]
        if rows:
            connection.execute(insert(MATCH_PLAYERS), rows)
    setups = select(PRACTICE_EVENTS.c.practice_id, PRACTICE_EVENTS.c.body)
    for number, body in connection.execute(setups.where(PRACTICE_EVENTS.c.number == 0)).all():
        for name in _read_names(body, "player"):
            counts[name] += 0
            row = PRACTICES.c.id == number
            connection.execute(update(PRACTICES).where(row).values(player=name))
    if counts:
        rows = [{"name": name, "matches": count} for name, count in counts.items()]
        connection.execute(insert(PLAYERS), rows)


def make_words(names: Sequence[str], created: str) -> str:
    """The text of a match in which searches look."""
    return strip_accents(" ".join((*names, find_day(created))))


def _read_names(body: Any, field: str) -> tuple[str, ...]:
    """The names in a setup; none if it is damaged, which is reported when it is displayed."""
    try:
        value = json.loads(body)[field]
    except (ValueError, TypeError, KeyError, RecursionError):
        return ()
    names = [value] if isinstance(value, str) else value
    is_sound = isinstance(names, list) and all(isinstance(name, str) for name in names)
    return tuple(names) if is_sound and all(name.isprintable() for name in names) else ()


#: Step k upgrades a database from version ``BASE_VERSION`` + k to the next, and must also run on
#: the tables above when they are new; released steps never change.
MIGRATIONS: tuple[Migration, ...] = (_keep_what_lists_show,)


def read_version(connection: Connection, name: str) -> int:
    """The database's version, 0 if it is empty.

    Raises ``StoreError``, naming the database ``name``, if it has other tables or an unknown
    version.
    """
    tables = inspect(connection).get_table_names()
    if _VERSION.name in tables:
        versions = connection.execute(select(_VERSION.c.version)).scalars().all()
        if len(versions) != 1 or not isinstance(versions[0], int) or versions[0] < 1:
            raise StoreError(describe_damage(name))
        return versions[0]
    if tables:
        raise StoreError(f"{name} belongs to another program. Choose another database.")
    return 0


def migrate(connection: Connection, name: str, migrations: Sequence[Migration]) -> None:
    """Create the missing tables, and run the migrations that the database has not had, inside the
    current transaction.

    Raises ``StoreError``, naming the database ``name``, if its version is newer, or it is not
    ours.
    """
    version, newest = read_version(connection, name), BASE_VERSION + len(migrations)
    if version > newest:
        raise StoreError(
            f"{name} was written by a newer version of crokinole ({version}; this one supports "
            f"{newest}). Update crokinole."
        )
    _TABLES.create_all(connection)
    if version == 0:
        connection.execute(insert(_VERSION).values(version=0))
    for step in migrations[max(0, version - BASE_VERSION) :]:
        step(connection)
    connection.execute(update(_VERSION).values(version=newest))
