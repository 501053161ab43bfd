"""The tables of a database of matches, and the steps that bring an older database up to date.

The database holds its version as one row of ``crokinole_schema``. A migration runs inside the
caller's transaction, so that one that fails leaves the database as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy import (
    Column,
    Connection,
    Float,
    ForeignKey,
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

from scorer.store.errors import StoreError, describe_damage

_TABLES = MetaData()
_VERSION = Table("crokinole_schema", _TABLES, Column("version", Integer, nullable=False))

#: A match by its number; ``created`` is the caller's text, ``board`` where it is played, and
#: ``came`` the order in which matches came to their boards, by their numbers where it is null.
MATCHES = Table(
    "matches",
    _TABLES,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("created", Text, nullable=False),
    Column("board", Integer, nullable=False, server_default="1", index=True),
    Column("came", Integer),
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
#: Keys under which events were entered (idempotency keys): one that comes again enters nothing.
KEYS = Table(
    "event_keys",
    _TABLES,
    Column("match_id", Integer, ForeignKey("matches.id"), primary_key=True),
    Column("key", Text, primary_key=True),
    Column("number", Integer, nullable=False),
)

#: A tournament by its number, and its log, as of matches.
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

#: A player's practice by its number, and its log, as of matches.
PRACTICES = Table(
    "practices",
    _TABLES,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("created", Text, nullable=False),
)
PRACTICE_EVENTS = Table(
    "practice_events",
    _TABLES,
    Column("practice_id", Integer, ForeignKey("practices.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("recorded", Text, nullable=False),
    Column("body", Text, nullable=False),
)

#: The practice whose shots a board's camera counts, and since when.
COUNTED_PRACTICES = Table(
    "counted_practices",
    _TABLES,
    Column("board", Integer, primary_key=True, autoincrement=False),
    Column("practice_id", Integer, ForeignKey("practices.id"), nullable=False),
    Column("since", Text, nullable=False),
)

#: The boards at which matches are played, by their numbers; the first is there without a row.
BOARDS = Table(
    "boards",
    _TABLES,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
)

#: Cameras that are to be refereed, and the lease of the worker that has each.
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
#: The newest picture of a camera that a worker has, and whether a server asks for one.
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
#: What workers tell servers; ``body`` is JSON, and the newest stay.
MESSAGES = Table(
    "board_messages",
    _TABLES,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("board", Integer, nullable=False),
    Column("body", Text, nullable=False),
)

Migration = Callable[[Connection], None]


def _create_tables(connection: Connection) -> None:
    MATCHES.create(connection)
    EVENTS.create(connection)


def _create_tournament_tables(connection: Connection) -> None:
    TOURNAMENTS.create(connection)
    TOURNAMENT_EVENTS.create(connection)


def _create_keys(connection: Connection) -> None:
    KEYS.create(connection)


def _create_practice_tables(connection: Connection) -> None:
    PRACTICES.create(connection)
    PRACTICE_EVENTS.create(connection)


def _create_boards(connection: Connection) -> None:
    """All matches so far were played at the first board."""
    columns = [each["name"] for each in inspect(connection).get_columns(MATCHES.name)]
    if MATCHES.c.board.name not in columns:
        connection.exec_driver_sql(
            "ALTER TABLE matches ADD COLUMN board INTEGER DEFAULT 1 NOT NULL"
        )
        for each in MATCHES.indexes:
            each.create(connection)
    BOARDS.create(connection)


def _create_camera_tables(connection: Connection) -> None:
    CAMERAS.create(connection)
    MESSAGES.create(connection)


def _create_counted_practices(connection: Connection) -> None:
    COUNTED_PRACTICES.create(connection)


def _add_order_at_boards(connection: Connection) -> None:
    """No match so far was moved from one board to another."""
    columns = [each["name"] for each in inspect(connection).get_columns(MATCHES.name)]
    if MATCHES.c.came.name not in columns:
        connection.exec_driver_sql("ALTER TABLE matches ADD COLUMN came INTEGER")


def _create_camera_pictures(connection: Connection) -> None:
    CAMERA_PICTURES.create(connection)


def _add_cameras_beside(connection: Connection) -> None:
    """No board so far had two cameras."""
    columns = [each["name"] for each in inspect(connection).get_columns(CAMERAS.name)]
    if CAMERAS.c.beside.name not in columns:
        connection.exec_driver_sql("ALTER TABLE cameras ADD COLUMN beside TEXT DEFAULT '' NOT NULL")


#: Step k brings a database from version k to k + 1; a released step is never changed.
MIGRATIONS: tuple[Migration, ...] = (
    _create_tables,
    _create_tournament_tables,
    _create_keys,
    _create_practice_tables,
    _create_boards,
    _create_camera_tables,
    _create_counted_practices,
    _add_order_at_boards,
    _create_camera_pictures,
    _add_cameras_beside,
)


def read_version(connection: Connection, name: str) -> int:
    """The database's version, 0 where it is empty.

    Raises ``StoreError``, naming the database ``name``, where other tables are in it, or the
    version is none that was ever written: migrations are run and counted in one transaction.
    """
    tables = inspect(connection).get_table_names()
    if _VERSION.name in tables:
        versions = connection.execute(select(_VERSION.c.version)).scalars().all()
        if len(versions) != 1 or not isinstance(versions[0], int) or versions[0] < 1:
            raise StoreError(describe_damage(name))
        return versions[0]
    if tables:
        raise StoreError(f"{name} belongs to another program; name another database.")
    return 0


def migrate(connection: Connection, name: str, migrations: Sequence[Migration]) -> None:
    """Run the migrations that the database has not seen, inside the transaction at hand.

    Raises ``StoreError``, naming the database ``name``, where it is of a newer version or not ours.
    """
    version = read_version(connection, name)
    if version > len(migrations):
        raise StoreError(
            f"{name} was written by a newer crokinole (version {version}, this one "
            f"knows {len(migrations)}); update crokinole."
        )
    if version == 0:
        _VERSION.create(connection)
        connection.execute(insert(_VERSION).values(version=0))
    for step in migrations[version:]:
        step(connection)
    connection.execute(update(_VERSION).values(version=len(migrations)))
