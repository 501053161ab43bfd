"""Servers that are killed at any moment while programs write keep all acknowledged entries."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

_HERE = Path(__file__).parent
_HAS_POSTGRES = find_spec("psycopg") is not None and shutil.which("postgres") is not None


def run(program: str, *words: str, column: int) -> dict[str, str]:
    """The table printed by a program that succeeded."""
    told = [sys.executable, str(_HERE / program), *words]
    done = subprocess.run(told, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return {line[:column].strip(): line[column:].strip() for line in done.stdout.splitlines()}


def test_a_tournament_loses_nothing_that_was_acknowledged() -> None:
    words = ["--writes-only", "--minutes", "0.05", "--kill-every", "0.8", "--spectators", "2"]
    figures = run("soak.py", *words, column=44)
    assert figures["acknowledged and lost"] == "0"
    assert figures["tracebacks in the log"] == "0"


@pytest.mark.parametrize(
    ("database", "kills"),
    [
        ([], 2),
        pytest.param(
            ["--db", "postgresql"],
            5,
            marks=pytest.mark.skipif(not _HAS_POSTGRES, reason="needs PostgreSQL and its driver"),
        ),
    ],
    ids=["sqlite", "postgresql"],
)
def test_a_server_that_is_killed_loses_nothing_that_it_acknowledged(
    database: list[str], kills: int
) -> None:
    figures = run("kills.py", "--kills", str(kills), "--writers", "2", *database, column=36)
    killed = kills - int(figures.get("databases killed", "0"))
    assert int(figures["servers killed"]) == killed
    assert int(figures["acknowledged"]) > kills
    assert figures["acknowledged and lost"] == "0"
    assert figures.get("databases killed", "1") == "1"
