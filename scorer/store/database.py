"""A database at its newest version, and transactions whose errors are one sentence.

A write transaction is on the disk when it ends. Writers in several processes take turns; a wait
that is too long fails.
"""

from __future__ import annotations

import secrets
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from sqlalchemy import Connection, Delete, Select, Table, Update, insert
from sqlalchemy.exc import SQLAlchemyError

from scorer.store.connection import connect_engine, enable_write_ahead_log
from scorer.store.database_url import mask_password
from scorer.store.errors import StoreError, describe_error
from scorer.store.schema import BASE_VERSION, MIGRATIONS, Migration, migrate, read_version

#: How long a writer waits for another process; a commit takes milliseconds.
LOCK_TIMEOUT_S = 5.0
#: The range of integer columns in every database.
MAX_ID = 2**31 - 1
Value = TypeVar("Value")


class Database:
    """An open database, closed when nothing uses it any more.

    All methods raise ``StoreError`` if it fails.
    """

    def __init__(
        self,
        url: str,
        *,
        migrations: Sequence[Migration] = MIGRATIONS,
        lock_timeout_s: float = LOCK_TIMEOUT_S,
        announces: bool = False,
    ) -> None:
        """Open the database at a URL or a file's path, and upgrade it.

        announces  whether servers are notified of every write; in PostgreSQL they always are
        """
        self.name = mask_password(url)
        self._engine = connect_engine(url, lock_timeout_s)
        # Python warns if an open SQLite connection is garbage-collected (since 3.13).
        weakref.finalize(self, self._engine.dispose).atexit = False
        self.announces = announces or self.is_postgresql
        self.origin = secrets.token_hex(8)  # identifies this connection's own messages
        try:
            self._migrate(migrations)
            self._enable_write_ahead_log(lock_timeout_s)
        except BaseException:
            self._engine.dispose()
            raise

    def close(self) -> None:
        """Release the connections."""
        self._engine.dispose()

    @property
    def is_postgresql(self) -> bool:
        """Whether the database is on a PostgreSQL server, which wakes listeners and knows its
        connections.
        """
        return self._engine.dialect.name == "postgresql"

    def open_connection(self) -> Connection:
        """A separate connection for the caller, outside transactions; the caller closes it."""
        with self._described_errors():
            return self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")

    @staticmethod
    def drop_connection(connection: Connection) -> None:
        """Close a separate connection and release its locks, instead of returning it to the
        pool.
        """
        if not connection.invalidated:  # otherwise it is already closed
            connection.detach()
        connection.close()

    def describe(self, error: SQLAlchemyError) -> StoreError:
        """One sentence about an error of a separate connection."""
        return StoreError(describe_error(self.name, error))

    @contextmanager
    def write_transaction(self, *, is_hasty: bool = False) -> Iterator[Connection]:
        """A connection with exclusive write access; all its writes are kept, or none if it raises.

        is_hasty  do not wait for PostgreSQL's disk, so a crash may lose the writes
        """
        with self._described_errors(), self._engine.connect() as plain:
            connection = plain.execution_options(writes=True, is_hasty=is_hasty)
            with connection.begin():
                yield connection

    @contextmanager
    def read_transaction(self) -> Iterator[Connection]:
        """A connection that sees one consistent state of the database."""
        with self._described_errors(), self._engine.connect() as connection:
            yield connection

    def read_rows(self, query: Select[Any]) -> Sequence[Any]:
        """The rows of a query, in a transaction of its own."""
        with self.read_transaction() as connection:
            return connection.execute(query).all()

    def read_value(self, query: Select[Value]) -> Value | None:
        """The first value of a query's first row, read in a separate transaction; None if there is
        no row.
        """
        with self.read_transaction() as connection:
            return connection.execute(query).scalar()

    def write(self, statement: Update | Delete, *, is_hasty: bool = False) -> bool:
        """Change rows, as in ``write_transaction``; returns whether there were any to change."""
        with self.write_transaction(is_hasty=is_hasty) as connection:
            return bool(connection.execute(statement).rowcount)

    @contextmanager
    def _described_errors(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            raise StoreError(describe_error(self.name, error)) from error

    def _migrate(self, migrations: Sequence[Migration]) -> None:
        with self.read_transaction() as connection:
            if read_version(connection, self.name) == BASE_VERSION + len(migrations):
                return  # nothing to write, so no other writer has to wait
        with self.write_transaction() as connection:
            migrate(connection, self.name, migrations)

    def _enable_write_ahead_log(self, lock_timeout_s: float) -> None:
        if self._engine.dialect.name == "sqlite":
            with self._described_errors(), self._engine.connect() as connection:
                enable_write_ahead_log(connection, self.name, lock_timeout_s)


class DatabaseTables:
    """Some tables of a database; its subclasses read and write them."""

    def __init__(self, database: Database) -> None:
        self._database = database


def insert_row(connection: Connection, table: Table, **values: object) -> int:
    """The number of a new row."""
    made = connection.execute(insert(table).values(**values)).inserted_primary_key
    assert made is not None
    return int(made[0])


def read_time(value: object) -> str:
    """A stored creation time; empty if the row is damaged."""
    return value if isinstance(value, str) and value.isprintable() else ""
