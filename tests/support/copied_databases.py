"""New databases as copies of one that is empty and up to date, which is a fifth of the work.

Tests of the store itself make theirs by all its migrations, as users do.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from sqlalchemy import Engine

from scorer.store import Store, database
from scorer.store.connection import connect_engine


def copy_databases(patch: pytest.MonkeyPatch) -> None:
    """Let every file in which there is no database yet become that copy when it is opened."""
    empty = _empty_database()

    def connect(url: str, lock_timeout_s: float) -> Engine:
        path = Path(url)
        if "://" not in url and path.parent.is_dir() and not path.exists():
            path.write_bytes(empty)
        return connect_engine(url, lock_timeout_s)

    patch.setattr(database, "connect_engine", connect)


@cache
def _empty_database() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "matches.db"
        Store(str(path)).close()
        return path.read_bytes()
