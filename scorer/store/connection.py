"""Database connections on which a completed commit is on the disk.

SQLite uses a write-ahead log and waits for the disk at every commit (``synchronous=FULL``).
PostgreSQL is made to wait for its disk, whatever its settings are; only a server with ``fsync`` off
can still lose acknowledged writes. In both, a transaction with the execution option ``writes``
takes the only write lock with its first statement, so the data that it reads are still current when
it writes. With ``is_hasty`` as well, it does not wait for PostgreSQL's disk; this is for writes
that a crash may lose.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from scorer.store.database_url import mask_password, no_database, parse_url
from scorer.store.errors import StoreError, describe_reason

#: For a plain ``postgresql://``, SQLAlchemy would choose the older form of this driver.
_DRIVER = "postgresql+psycopg"
#: Interval of retries to enable SQLite's write-ahead log while another connection writes, s.
_AGAIN_S = 0.02

#: A client machine that loses power is detected within about 7 s, which frees its locks on the
#: server.
_KEEPALIVES = {"keepalives_idle": 3, "keepalives_interval": 2, "keepalives_count": 2}


def connect_engine(url: str, lock_timeout_s: float) -> Engine:
    """An engine for the database at a URL or a file's path; nothing is opened yet.

    A transaction that waits longer than ``lock_timeout_s`` for another writer fails. Raises
    ``StoreError`` if no such database is possible, or its driver is missing.
    """
    name = mask_password(url)
    if "://" not in url:
        folder = Path(url).resolve().parent
        if not folder.is_dir():
            raise StoreError(f"Folder {folder} not found. Create it, or choose another file.")
        url = f"sqlite:///{url}"
    parsed = parse_url(url)
    try:
        return _create_engine(parsed, lock_timeout_s)
    except ImportError:
        raise StoreError(
            "PostgreSQL needs its driver. Run `pip install 'crokinole-referee[postgres]'`."
        ) from None
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise no_database(name, error) from None


def enable_write_ahead_log(connection: Connection, name: str, lock_timeout_s: float) -> None:
    """Let readers read during a write; for SQLite, call it only once the database is known to be
    ours.

    SQLite's own timeout does not apply here: if another connection is writing, it fails at once.
    """
    plain = connection.connection.dbapi_connection
    assert plain is not None
    until_s = time.monotonic() + lock_timeout_s
    while True:
        try:
            plain.cursor().execute("PRAGMA journal_mode=WAL")
        except sqlite3.Error as error:
            if "locked" not in str(error) or time.monotonic() > until_s:
                raise StoreError(describe_reason(name, str(error))) from error
            time.sleep(_AGAIN_S)
        else:
            return


def _create_engine(url: URL, lock_timeout_s: float) -> Engine:
    if url.get_backend_name() == "sqlite":
        engine = create_engine(url, connect_args={"timeout": lock_timeout_s})
        event.listen(engine, "connect", _set_durable_pragmas)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    if url.drivername == url.get_backend_name():
        url = url.set(drivername=_DRIVER)
    # libpq takes whole seconds, and at least 2
    waiting: dict[str, int] = {"connect_timeout": max(2, round(lock_timeout_s))}
    waiting |= _KEEPALIVES
    engine = create_engine(url, connect_args=waiting, pool_pre_ping=True)
    event.listen(engine, "begin", _begin_postgresql(lock_timeout_s))
    return engine


def _set_durable_pragmas(connection: Any, _record: Any) -> None:
    """Wait for the disk at every commit, begin transactions explicitly, and read only committed
    data.
    """
    connection.isolation_level = None
    # Bytes that are not UTF-8 become lone surrogates, so a damaged row does not affect others.
    connection.text_factory = lambda content: content.decode(errors="surrogateescape")
    cursor = connection.cursor()
    for pragma in ("synchronous=FULL", "fullfsync=ON", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    """Give a writer sole access from its first statement, so that the data it read stay current.

    Statements outside transactions must not begin one, because it would keep reading old data.
    """
    options = connection.get_execution_options()
    if options.get("isolation_level") == "AUTOCOMMIT":
        return
    writes = options.get("writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _begin_postgresql(lock_timeout_s: float) -> Callable[[Connection], None]:
    """As for SQLite: one writer at a time in a schema, and commits that wait for the disk.

    It is a single statement, because all other statements wait for a waiting writer.
    """
    usual = "CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting"
    statement = (
        f"SELECT set_config('lock_timeout', '{max(1, round(1000 * lock_timeout_s))}', true),"
        " set_config('synchronous_commit', {}, true),"
        " pg_advisory_xact_lock(hashtext('crokinole'), hashtext(current_schema()))"
    )
    durable = statement.format(f"{usual}('synchronous_commit') END")
    hasty = statement.format("'off'")

    def begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        if options.get("writes"):
            connection.exec_driver_sql(hasty if options.get("is_hasty") else durable)

    return begin
