"""Where matches are kept: a database that an append either reaches wholly or not at all.

The sole owner of SQL. Knows tables, versions and durability. Refuses to know what an event means
beyond whether the log still folds with it.

What ``append`` returned is on the disk: SQLite writes ahead and waits for the disk at every commit;
PostgreSQL is held to wait for its own, even where its settings would not (only a server whose
``fsync`` is off can still lose what it acknowledged). Writers of several processes take turns, and
one that waits too long gets a ``StoreError``.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlalchemy import (
    URL,
    Column,
    Connection,
    Engine,
    ForeignKey,
    Integer,
    MetaData,
    Table,
    Text,
    create_engine,
    event,
    func,
    insert,
    inspect,
    select,
    update,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError

from scorer.match.events import Event, MatchError, MatchStarted, event_from_json, event_json
from scorer.match.fold import append_event, fold
from scorer.match.state import MatchState

#: Seconds that a writer waits for another process: a commit takes milliseconds.
_LOCK_TIMEOUT_S = 5.0

#: SQLAlchemy's own choice for a plain ``postgresql://`` is this driver's older form.
_DRIVER = "postgresql+psycopg"

#: What of a PostgreSQL URL's settings chooses a database, and not how it is reached.
_PLACE_SETTINGS = ("host", "hostaddr", "port", "dbname", "user", "service", "options")

_TABLES = MetaData()
_VERSION = Table("crokinole_schema", _TABLES, Column("version", Integer, nullable=False))
_MATCHES = Table(
    "matches",
    _TABLES,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("created", Text, nullable=False),
)
_EVENTS = Table(
    "events",
    _TABLES,
    Column("match_id", Integer, ForeignKey("matches.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("recorded", Text, nullable=False),
    Column("body", Text, nullable=False),
)


class StoreError(Exception):
    """What the database cannot do; the text is one sentence that says what to do."""


def _create_tables(connection: Connection) -> None:
    _MATCHES.create(connection)
    _EVENTS.create(connection)


Migration = Callable[[Connection], None]

#: Step k brings a database from version k to k + 1; a released step is never changed.
MIGRATIONS: tuple[Migration, ...] = (_create_tables,)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMatch:
    """A match in the database: its number, when it was made, and how many events it has."""

    id: int
    created: str
    events: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabasePlace:
    """Where a database is.

    name     of its file, or of the database on its server
    file     the whole path of an SQLite database; None for a server's
    address  tells it from every other database, and holds no password
    """

    name: str
    file: Path | None
    address: str


def database_place(url: str) -> DatabasePlace:
    """Where the database is that a URL or a file's path names. Raises ``StoreError``."""
    if "://" not in url:
        return _file_place(Path(url))
    told = _parsed(url)
    if told.get_backend_name() == "sqlite":
        return _file_place(Path(told.database or ""))
    query = {name: told.query[name] for name in _PLACE_SETTINGS if name in told.query}
    address = URL.create(
        told.get_backend_name(),
        username=told.username,
        host=told.host,
        port=told.port,
        database=told.database,
        query=query,
    )
    return DatabasePlace(
        name=told.database or told.get_backend_name(),
        file=None,
        address=address.render_as_string(hide_password=True),
    )


def _file_place(path: Path) -> DatabasePlace:
    whole = path.resolve()
    return DatabasePlace(name=whole.name, file=whole, address=str(whole))


class Store:
    """A database of matches. Every method raises ``StoreError`` for trouble outside the rules."""

    def __init__(
        self,
        url: str,
        *,
        migrations: Sequence[Migration] = MIGRATIONS,
        lock_timeout_s: float = _LOCK_TIMEOUT_S,
    ) -> None:
        """Open the database that a URL or a file's path names, and bring it up to date."""
        self._name, self._migrations = _mask_password(url), migrations
        self._engine = self._made(url, lock_timeout_s)
        try:
            self._migrate()
            self._enable_write_ahead_log()
        except BaseException:
            self._engine.dispose()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the database's connections."""
        self._engine.dispose()

    def create(self, setup: MatchStarted, *, now: str) -> int:
        """The number of a new match. Raises ``MatchError`` when it cannot begin."""
        return self.take_in([setup], now=now)

    def take_in(self, log: Sequence[Event], *, now: str) -> int:
        """The number of a match with a whole log, wholly stored. Raises ``MatchError``."""
        fold(log)
        with self._write_transaction() as connection:
            made = connection.execute(insert(_MATCHES).values(created=now))
            assert made.inserted_primary_key is not None
            match_id = int(made.inserted_primary_key[0])
            rows = [_row(match_id, number, each, now) for number, each in enumerate(log)]
            connection.execute(insert(_EVENTS), rows)
        return match_id

    def append(self, match_id: int, new: Event, *, now: str) -> MatchState:
        """The state once ``new`` is stored for good. Raises ``MatchError`` when it cannot be."""
        with self._write_transaction() as connection:
            log = self._read(connection, match_id)
            state = fold(append_event(log, new))
            connection.execute(insert(_EVENTS), [_row(match_id, len(log), new, now)])
        return state

    def log(self, match_id: int) -> tuple[Event, ...]:
        """All events of a match, in order."""
        with self._read_transaction() as connection:
            return self._read(connection, match_id)

    def times(self, match_id: int) -> tuple[str, ...]:
        """When each event of a match was stored, in order."""
        query = (
            select(_EVENTS.c.recorded)
            .where(_EVENTS.c.match_id == match_id)
            .order_by(_EVENTS.c.number)
        )
        with self._read_transaction() as connection:
            return tuple(recorded for (recorded,) in connection.execute(query))

    def matches(self) -> tuple[StoredMatch, ...]:
        """All matches, the newest last."""
        query = (
            select(_MATCHES.c.id, _MATCHES.c.created, func.count(_EVENTS.c.number))
            .join(_EVENTS, _EVENTS.c.match_id == _MATCHES.c.id)
            .group_by(_MATCHES.c.id, _MATCHES.c.created)
            .order_by(_MATCHES.c.id)
        )
        with self._read_transaction() as connection:
            return tuple(
                StoredMatch(id=match_id, created=created, events=count)
                for match_id, created, count in connection.execute(query)
            )

    def _read(self, connection: Connection, match_id: int) -> tuple[Event, ...]:
        query = (
            select(_EVENTS.c.number, _EVENTS.c.body)
            .where(_EVENTS.c.match_id == match_id)
            .order_by(_EVENTS.c.number)
        )
        rows = connection.execute(query).all()
        if not rows:
            raise StoreError(f"There is no match {match_id}; `crokinole match list` lists them.")
        if [number for number, _ in rows] != list(range(len(rows))):
            raise StoreError(f"Match {match_id} has lost events; restore {self._name}.")
        try:
            return tuple(event_from_json(json.loads(body)) for _, body in rows)
        except ValueError as error:
            raise StoreError(
                f"Match {match_id} cannot be read ({error}); restore {self._name}."
            ) from None

    # The database itself

    def _made(self, url: str, lock_timeout_s: float) -> Engine:
        if "://" not in url:
            folder = Path(url).resolve().parent
            if not folder.is_dir():
                raise StoreError(f"There is no folder {folder}; make it, or name another file.")
            url = f"sqlite:///{url}"
        told = _parsed(url)
        try:
            return _create_engine(told, lock_timeout_s)
        except ImportError:
            raise StoreError(
                "PostgreSQL needs its driver; run `pip install 'crokinole-referee[postgres]'`."
            ) from None
        except (ArgumentError, NoSuchModuleError, ValueError) as error:
            raise _no_database(self._name, error) from None

    @contextmanager
    def _write_transaction(self) -> Iterator[Connection]:
        with self._told(), self._engine.connect() as plain:
            connection = plain.execution_options(writes=True)
            with connection.begin():
                yield connection

    @contextmanager
    def _read_transaction(self) -> Iterator[Connection]:
        with self._told(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Trouble of the database as one sentence."""
        try:
            yield
        except SQLAlchemyError as error:
            raise StoreError(_describe_error(self._name, error)) from error

    def _migrate(self) -> None:
        if self._version() == len(self._migrations):
            return  # nothing to write, so nobody has to wait
        with self._write_transaction() as connection:
            version = self._version_in(connection)
            if version > len(self._migrations):
                raise StoreError(
                    f"{self._name} was written by a newer crokinole (version {version}, this one "
                    f"knows {len(self._migrations)}); update crokinole."
                )
            if version == 0 and not inspect(connection).has_table(_VERSION.name):
                _VERSION.create(connection)
                connection.execute(insert(_VERSION).values(version=0))
            for step in self._migrations[version:]:
                step(connection)
            connection.execute(update(_VERSION).values(version=len(self._migrations)))

    def _enable_write_ahead_log(self) -> None:
        """Let readers read while one writes; only now, since the database is known to be ours."""
        if self._engine.dialect.name != "sqlite":
            return
        with self._told(), self._engine.connect() as connection:
            plain = connection.connection.dbapi_connection
            assert plain is not None
            try:
                plain.cursor().execute("PRAGMA journal_mode=WAL")
            except sqlite3.Error as error:
                raise StoreError(_describe_reason(self._name, str(error))) from error

    def _version(self) -> int:
        with self._read_transaction() as connection:
            return self._version_in(connection)

    def _version_in(self, connection: Connection) -> int:
        """The database's version, 0 where it is empty."""
        tables = inspect(connection).get_table_names()
        if _VERSION.name in tables:
            return int(connection.execute(select(_VERSION.c.version)).scalar_one())
        if tables:
            raise StoreError(f"{self._name} belongs to another program; name another database.")
        return 0


def _row(match_id: int, number: int, new_event: Event, now: str) -> dict[str, Any]:
    body = json.dumps(event_json(new_event))  # ASCII, which every database's encoding holds
    return {"match_id": match_id, "number": number, "recorded": now, "body": body}


def _mask_password(url: str) -> str:
    """The database as sentences name it: without its password."""
    try:
        return make_url(url).render_as_string() if "://" in url else url
    except (ArgumentError, ValueError):
        return "This URL"


def _parsed(url: str) -> URL:
    """The parts of a URL whose database can keep matches. Raises ``StoreError``."""
    try:
        told = make_url(url)
        kind = told.get_backend_name()
    except (ArgumentError, ValueError) as error:
        raise _no_database(_mask_password(url), error) from None
    if kind == "sqlite" and told.database in (None, "", ":memory:"):
        raise StoreError("This database would keep nothing; name a file.")
    if kind not in ("sqlite", "postgresql"):
        raise StoreError(f"Matches cannot be kept in {kind}; name SQLite or PostgreSQL.")
    return told


def _no_database(name: str, error: Exception) -> StoreError:
    return StoreError(f"{name} names no database ({str(error).splitlines()[0]}).")


def _create_engine(url: URL, lock_timeout_s: float) -> Engine:
    if url.get_backend_name() == "sqlite":
        engine = create_engine(url, connect_args={"timeout": lock_timeout_s})
        event.listen(engine, "connect", _set_durable_pragmas)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    if url.drivername == url.get_backend_name():
        url = url.set(drivername=_DRIVER)
    # libpq counts whole seconds, and no fewer than 2
    waiting = {"connect_timeout": max(2, round(lock_timeout_s))}
    engine = create_engine(url, connect_args=waiting, pool_pre_ping=True)
    event.listen(engine, "begin", _begin_postgresql(lock_timeout_s))
    return engine


def _set_durable_pragmas(connection: Any, _record: Any) -> None:
    """Wait for the disk at every commit, and begin transactions ourselves."""
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in ("synchronous=FULL", "fullfsync=ON", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    """A writer is alone from its first statement, so that what it read still holds."""
    writes = connection.get_execution_options().get("writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _begin_postgresql(lock_timeout_s: float) -> Callable[[Connection], None]:
    """As for SQLite: one writer at a time in a schema, and commits that wait for the disk."""
    statements = (
        f"SET LOCAL lock_timeout = {max(1, round(1000 * lock_timeout_s))}",
        "SELECT set_config('synchronous_commit', 'on', true)"
        " WHERE current_setting('synchronous_commit') = 'off'",
        "SELECT pg_advisory_xact_lock(hashtext('crokinole'), hashtext(current_schema()))",
    )

    def begin(connection: Connection) -> None:
        if connection.get_execution_options().get("writes"):
            for each in statements:
                connection.exec_driver_sql(each)

    return begin


_LOCKED = "Another program is writing to {name}; close it, or try again."
_FULL = "The disk is full, so nothing was saved; make room and try again."
_READ_ONLY = "{name} cannot be written; allow it, or name another database."
_LOST = "The connection to {name} was lost; see with `crokinole match show` what was saved."

#: What SQLite says, and what a person can do about it.
_SENTENCES = (
    ("file is not a database", "{name} is no crokinole database; name another file."),
    ("malformed", "{name} is damaged; restore it from an export."),
    ("locked", _LOCKED),
    ("disk is full", _FULL),
    ("readonly", _READ_ONLY),
    ("unable to open", "{name} cannot be opened; name a file in a folder that can be written."),
)

#: The same by PostgreSQL's codes, since its words come in the server's language.
_CODES = {
    "55P03": _LOCKED,
    "53100": _FULL,
    "25006": _READ_ONLY,
    "42501": _READ_ONLY,
    "57P01": _LOST,
    "57P02": _LOST,
    "XX001": "{name} is damaged; restore it from an export.",
    "XX002": "{name} is damaged; restore it from an export.",
}


def _describe_error(name: str, error: SQLAlchemyError) -> str:
    if not isinstance(error, DBAPIError):
        return _describe_reason(name, str(error))
    code = getattr(error.orig, "sqlstate", None)
    if code in _CODES:
        return _CODES[code].format(name=name)
    if error.connection_invalidated:
        return _LOST.format(name=name)
    if code is None and not isinstance(error.orig, sqlite3.Error):
        return (
            f"{name} is not reached ({_server_reason(error)}); start its server, or check the URL."
        )
    return _describe_reason(name, str(error.orig))


def _server_reason(error: DBAPIError) -> str:
    """Why the server was not reached, without the driver's own words and hints around it."""
    lines = str(error.orig).strip().splitlines() or ["no reason given"]
    reason = next((line for line in lines if "failed: " in line), lines[0])
    return reason.rsplit("failed: ", 1)[-1].strip(" .")


def _describe_reason(name: str, reason: str) -> str:
    for words, sentence in _SENTENCES:
        if words in reason:
            return sentence.format(name=name)
    return f"The database {name} refused ({reason.splitlines()[0]}); check it and try again."


__all__ = [
    "MIGRATIONS",
    "DatabasePlace",
    "MatchError",
    "Store",
    "StoreError",
    "StoredMatch",
    "database_place",
]
