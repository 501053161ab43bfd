"""Shared by tests of the server's pages; a file that needs another server makes its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from copied_databases import copy_databases
from flask import Flask
from kept_process import keep_process

from webapp.config import Config
from webapp.factory import close_app, create_app


@pytest.fixture(autouse=True)
def _databases_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    copy_databases(monkeypatch)


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Flask]:
    """A server with an empty database and without rate limits."""
    keep_process(monkeypatch)
    made = create_app(Config(database=str(tmp_path / "matches.db"), is_rate_limit_off=True))
    yield made
    close_app(made)
