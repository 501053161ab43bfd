"""Databases to test the store with: an SQLite file, and a schema on a PostgreSQL server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from match_database import make_schema, needs_server


@pytest.fixture
def path(tmp_path: Path) -> str:
    """The path of a file that does not exist yet."""
    return str(tmp_path / "matches.db")


@pytest.fixture
def server() -> Iterator[str]:
    """A URL of an empty schema on the PostgreSQL server."""
    with make_schema() as made:
        yield made


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=needs_server)])
def url(request: pytest.FixtureRequest) -> str:
    """An empty database: a file, or a schema on the server."""
    told: str = request.getfixturevalue("path" if request.param == "sqlite" else "server")
    return told
