"""The database named by a user: a file's path, or a URL for SQLite or PostgreSQL."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from scorer.store.errors import StoreError

#: The settings in a PostgreSQL URL that select a database; others only affect how it is reached.
_PLACE_SETTINGS = ("host", "hostaddr", "port", "dbname", "user", "service", "options")


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabasePlace:
    """The place of a database.

    name     of its file, or of the database on its server
    file     the full path of an SQLite database; None for one on a server
    address  a text that identifies the database and contains no password
    """

    name: str
    file: Path | None
    address: str


def database_place(url: str) -> DatabasePlace:
    """The place of the database at a URL or a file's path. Raises ``StoreError``."""
    if "://" not in url:
        return _file_place(Path(url))
    parsed = parse_url(url)
    if parsed.get_backend_name() == "sqlite":
        return _file_place(Path(parsed.database or ""))
    query = {name: parsed.query[name] for name in _PLACE_SETTINGS if name in parsed.query}
    address = URL.create(
        parsed.get_backend_name(),
        username=parsed.username,
        host=parsed.host,
        port=parsed.port,
        database=parsed.database,
        query=query,
    )
    return DatabasePlace(
        name=parsed.database or parsed.get_backend_name(),
        file=None,
        address=address.render_as_string(hide_password=True),
    )


def _file_place(path: Path) -> DatabasePlace:
    whole = path.resolve()
    return DatabasePlace(name=whole.name, file=whole, address=str(whole))


def parse_url(url: str) -> URL:
    """The parts of a match database's URL. Raises ``StoreError``."""
    try:
        parsed = make_url(url)
        kind = parsed.get_backend_name()
    except (ArgumentError, ValueError) as error:
        raise no_database(mask_password(url), error) from None
    if kind == "sqlite" and parsed.database in (None, "", ":memory:"):
        raise StoreError("This database would not store anything. Choose a file.")
    if kind not in ("sqlite", "postgresql"):
        raise StoreError(f"Matches cannot be stored in {kind}. Use SQLite or PostgreSQL.")
    return parsed


def mask_password(url: str) -> str:
    """The database's name for messages, without its password."""
    try:
        return make_url(url).render_as_string() if "://" in url else url
    except (ArgumentError, ValueError):
        return "This URL"


def no_database(name: str, error: Exception) -> StoreError:
    """The error for a text that does not name a database."""
    return StoreError(f"{name} is not a database URL ({str(error).splitlines()[0]}).")
