"""Writers that are killed at any moment, and processes that write or open at the same time."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from match_database import NOW, SETUP
from paths import ROOT

from scorer.match.fold import fold
from scorer.store import Store
from scorer.store.errors import StoreError

_WRITES = 100
_KILLS = 3

_WRITER = """
import sys
from scorer.match.events import RoundScored
from scorer.store import Store
with Store(sys.argv[1]) as store:
    for _ in range(int(sys.argv[2])):
        store.append(1, RoundScored(points=(60, 45), twenties=(1, 0)), now="now")
        print(len(store.log(1)), flush=True)
"""


def _write_until_killed(path: str, writes: int, kill_after: int, delay_s: float) -> int:
    """The number of events that a writer acknowledged before it was killed, or finished.

    The delay, of up to a few writes, lets the kill fall anywhere inside a write.
    """
    with subprocess.Popen(
        [sys.executable, "-c", _WRITER, path, str(writes)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as writer:
        assert writer.stdout is not None
        acknowledged = 0
        for line in writer.stdout:
            acknowledged = int(line) if line.endswith("\n") else acknowledged
            kill_after -= 1
            if kill_after == 0:
                threading.Event().wait(delay_s)
                os.kill(writer.pid, signal.SIGKILL)
    return acknowledged


def test_everything_acknowledged_survives_being_killed(url: str) -> None:
    """100 writes in total, by processes killed at random points; every one finds all acknowledged
    events.
    """
    chance = random.Random(20)
    with Store(url) as store:
        store.create(SETUP, now=NOW)
    events = 1
    for kill in range(_KILLS + 1):
        left = _WRITES + 1 - events
        is_last = kill == _KILLS
        after = 0 if is_last else chance.randint(1, max(1, left // 3))
        acknowledged = _write_until_killed(url, left, after, chance.uniform(0.0, 0.02))
        with Store(url) as store:
            log = store.log(1)
            assert len(log) >= acknowledged
            assert len(fold(log).rounds) == len(log) - 1
            events = len(log)
    assert events == _WRITES + 1
    if "://" not in url:
        with sqlite3.connect(url) as plain:
            assert plain.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        plain.close()


def test_processes_that_write_at_once_lose_nothing(url: str) -> None:
    with Store(url) as store:
        store.create(SETUP, now=NOW)
    command = [sys.executable, "-c", _WRITER, url, "25"]
    writers = [subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=ROOT) for _ in range(2)]
    assert [writer.wait() for writer in writers] == [0, 0]
    with Store(url) as store:
        assert len(fold(store.log(1)).rounds) == 50


_OPENER = """
import sys
from scorer.store import Store
with Store(sys.argv[1]) as store:
    print(store.count())
"""


def test_processes_that_open_an_empty_database_at_once_agree(url: str) -> None:
    command = [sys.executable, "-c", _OPENER, url]
    openers = [subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) for _ in range(2)]
    assert [opener.communicate()[0] for opener in openers] == [b"0\n", b"0\n"]


def test_a_database_that_another_writes_to_for_a_moment_is_waited_for(tmp_path: Path) -> None:
    path = str(tmp_path / "matches.db")
    Store(path).close()
    with contextlib.closing(
        sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    ) as other:
        other.execute("PRAGMA journal_mode=DELETE")  # as before any write-ahead log exists
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="Another program is writing"):
            Store(path, lock_timeout_s=0.0)
        end = threading.Timer(0.05, other.execute, ["COMMIT"])
        end.start()
        with Store(path) as store:
            assert store.count() == 0
        end.join()
