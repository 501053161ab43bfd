"""A server that is killed at any moment while programs write: what it acknowledged is kept."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_a_server_that_is_killed_loses_nothing_that_it_acknowledged() -> None:
    told = [sys.executable, str(Path(__file__).with_name("soak.py")), "--writes-only"]
    told += ["--minutes", "0.2", "--kill-every", "0.5", "--spectators", "2"]
    done = subprocess.run(told, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    figures = {line[:44].strip(): line[44:].strip() for line in done.stdout.splitlines()}
    assert int(figures["servers killed"]) > 0
    assert int(figures["writes acknowledged"]) > 0
    assert figures["acknowledged and lost"] == "0"
