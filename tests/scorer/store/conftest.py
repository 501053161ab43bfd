"""Databases to test the store with: an SQLite file, and a schema on a PostgreSQL server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from match_database import SERVER, needs_server, run_statement
from sqlalchemy import make_url


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A file in which there is no database yet."""
    return str(tmp_path / "matches.db")


@pytest.fixture
def server() -> Iterator[str]:
    """A URL of an empty schema on the PostgreSQL server."""
    schema = f"test_{uuid4().hex}"
    run_statement(SERVER, f"CREATE SCHEMA {schema}")
    named = make_url(SERVER).update_query_dict({"options": f"-csearch_path={schema}"})
    yield named.render_as_string(hide_password=False)
    run_statement(SERVER, f"DROP SCHEMA {schema} CASCADE")


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=needs_server)])
def url(request: pytest.FixtureRequest) -> str:
    """An empty database: a file, or a schema on the server."""
    told: str = request.getfixturevalue("path" if request.param == "sqlite" else "server")
    return told
