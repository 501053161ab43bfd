"""Kills a server at random moments while programs write: ``make kills KILLS=1000``.

Writers enter events over the API, into their own matches. The server's process is ended by SIGKILL
at random times, sometimes while it still starts, and started again; every fifth time, a separate
PostgreSQL server with all its processes is killed instead. At the end, every acknowledged entry
must be in the database, once and in order; a table gives the results, and the times during which
nobody could write. Exit code 1 for entries that are lost, doubled or out of order, and for any
answer of 500.

A server is forked from a process that has already loaded the program, so a start consists only of
its work with the database.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import random
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from temporary_postgres import TemporaryPostgres

from scorer.store import Store

#: Longest time until somebody can write again, s, on a busy computer.
PATIENCE_S = 60.0
#: Number of events in a match before the next begins: reading a log takes time in proportion to its
#: length.
_MATCH_EVENTS = 60
#: Longest life of a server after its first acknowledged entry, s.
_LIFE_S = 0.25
#: Every nth kill hits the PostgreSQL server, and every nth a server that is still starting.
_DATABASE_EVERY, _STARTING_EVERY = 5, 8
_PROGRESS_S = 15.0


class ForkedServer:
    """The program's server, in a process that is forked anew at every start."""

    def __init__(self, folder: Path, database: str) -> None:
        """Load the program, and start the first server."""
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = int(free.getsockname()[1])
        told = [sys.executable, __file__, "--fork", str(self.port), "--db", database]
        self.log = folder / "log.jsonl"
        with self.log.open("w") as log:
            self._parent = subprocess.Popen(
                [*told, "--folder", str(folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        self._pid = 0
        self.token = ""
        self.start()

    def start(self) -> None:
        """Start a server; returns before it answers."""
        assert self._parent.stdin is not None
        assert self._parent.stdout is not None
        self._parent.stdin.write("start\n")
        self._parent.stdin.flush()
        line = self._parent.stdout.readline()
        if not line:
            raise RuntimeError(self.log.read_text()[-2000:])
        self._pid, self.token = json.loads(line)

    def end(self, how: signal.Signals) -> None:
        """End this life."""
        os.kill(self._pid, how)

    def stop(self) -> None:
        """Stop it for good."""
        self.end(signal.SIGTERM)
        assert self._parent.stdin is not None
        self._parent.stdin.close()
        self._parent.wait(PATIENCE_S)


def fork_servers(port: int, folder: Path, database: str) -> None:
    """Fork a server at every line that comes in, and wait until it has ended."""
    from webapp.config import Config
    from webapp.factory import close_app, create_app
    from webapp.http.logs import log_to_stderr
    from webapp.http.token import Secret
    from webapp.server import serve

    secret = folder / "secret"
    token = Secret(secret).token
    config = Config(port=port, database=database, secret=secret, is_rate_limit_off=True)
    warm = create_app(replace(config, database=str(folder / "warm.db")))
    warm.test_client().get("/api/v1/state")
    close_app(warm)
    for _ in sys.stdin:
        pid = os.fork()
        if pid == 0:
            log_to_stderr()
            serve(config, on_ready=lambda _: None)
            os._exit(0)
        print(json.dumps([pid, token]), flush=True)
        os.waitpid(pid, 0)


class Writer(threading.Thread):
    """A program that enters events as fast as they are acknowledged, and remembers them."""

    def __init__(self, kills: Kills, name: str) -> None:
        super().__init__(name=name, daemon=True)
        self._kills, self._connection = kills, None
        self.acknowledged: dict[int, list[str]] = {}
        self._match, self._number = 0, 0

    def run(self) -> None:
        """Write until the time is over."""
        while not self._kills.is_over.is_set():
            begun_s = time.monotonic()
            try:
                if self._write():
                    self._kills.note_entry(begun_s)
                else:
                    time.sleep(0.02)
            except (OSError, http.client.HTTPException, ValueError):
                self._kills.count("entries cut off")
                self._forget_connection()
                time.sleep(0.02)
        self._forget_connection()

    def _write(self) -> bool:
        """Enter one event; returns whether it was acknowledged."""
        if self._number % _MATCH_EVENTS == 0:
            setup = {"rules": "nca", "players": ["Ann", "Bob"], "colours": ["black", "natural"]}
            status, told = self._ask("/api/v1/matches", setup)
            if status != 201:
                return False
            self._match = int(told["id"])
        self._number += 1
        about = f"{self.name} {self._number}"
        entry = {"type": "disputed", "about": about}
        status, _ = self._ask(f"/api/v1/matches/{self._match}/events", entry)
        if status == 201:
            self.acknowledged.setdefault(self._match, []).append(about)
        return status == 201

    def _ask(self, path: str, body: Any) -> tuple[int, Any]:
        if self._connection is None:
            self._connection = http.client.HTTPConnection(
                "127.0.0.1", self._kills.server.port, timeout=PATIENCE_S
            )
        headers = {"Authorization": f"Bearer {self._kills.server.token}"}
        headers["Content-Type"] = "application/json"
        self._connection.request("POST", path, json.dumps(body), headers)
        answer = self._connection.getresponse()
        told = json.loads(answer.read())
        self._kills.count(f"answers of {answer.status}")
        return answer.status, told

    def _forget_connection(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class Kills:
    """The attacks on a server, and their results."""

    def __init__(self, server: ForkedServer, postgres: TemporaryPostgres | None) -> None:
        self.server, self._postgres = server, postgres
        self.counts: Counter[str] = Counter()
        self.recoveries_s: dict[str, list[float]] = {"server": [], "database": []}
        self.is_over = threading.Event()
        self._entered = threading.Condition()
        self._latest_s = 0.0
        self._chance = random.Random()

    def count(self, what: str) -> None:
        """Count one more of a kind."""
        with self._entered:
            self.counts[what] += 1

    def note_entry(self, begun_s: float) -> None:
        """Note that an entry sent at a time was acknowledged."""
        with self._entered:
            self.counts["acknowledged"] += 1
            self._latest_s = max(self._latest_s, begun_s)
            self._entered.notify_all()

    def wait_for_entry(self, after_s: float) -> float:
        """The time at which an entry sent after a time was acknowledged."""
        with self._entered:
            if not self._entered.wait_for(lambda: self._latest_s > after_s, PATIENCE_S):
                raise RuntimeError(f"Nobody could write for {PATIENCE_S:.0f} s.")
        return time.monotonic()

    def kill_often(self, kills: int, minutes: float) -> None:
        """Kill a number of times, within the time limit: while entries are made, or while the
        server starts.
        """
        shown_s = time.monotonic()
        end_s = shown_s + 60 * minutes
        self.wait_for_entry(0.0)
        for number in range(1, kills + 1):
            time.sleep(self._chance.uniform(0.0, _LIFE_S))
            if time.monotonic() > end_s:
                return
            is_database = self._postgres is not None and number % _DATABASE_EVERY == 0
            killed_s = time.monotonic()
            if is_database and self._postgres is not None:
                self._postgres.kill()
                self.counts["databases killed"] += 1
            else:
                self._kill_server(is_twice=number % _STARTING_EVERY == 0)
            took_s = self.wait_for_entry(killed_s) - killed_s
            self.recoveries_s["database" if is_database else "server"].append(took_s)
            if time.monotonic() - shown_s > _PROGRESS_S:
                shown_s = time.monotonic()
                told = self.counts["acknowledged"]
                print(f"{number} of {kills}: {told} acknowledged", file=sys.stderr, flush=True)

    def _kill_server(self, *, is_twice: bool) -> None:
        for number in range(1 + is_twice):
            if number:
                time.sleep(self._chance.uniform(0.0, 0.1))
            self.server.end(signal.SIGKILL)
            self.counts["servers killed"] += 1
            self.server.start()


def compare(database: str, writers: list[Writer]) -> Counter[str]:
    """Numbers of acknowledged entries that are missing from the database, doubled, or out of
    order.
    """
    found: Counter[str] = Counter()
    with Store(database) as store:
        for writer in writers:
            for match, told in writer.acknowledged.items():
                kept = [event.about for event in store.log(match) if hasattr(event, "about")]
                found["lost"] += len(set(told) - set(kept))
                found["twice"] += len(kept) - len(set(kept))
                found["kept, not acknowledged"] += len(set(kept) - set(told))
                taken = set(told)
                found["out of order"] += [key for key in kept if key in taken] != told
    return found


def describe_times(times_s: list[float]) -> str:
    """Median, 95th percentile and longest."""
    if not times_s:
        return "–"
    ordered = sorted(times_s)
    p95_s = ordered[int(0.95 * (len(ordered) - 1))]
    return f"{statistics.median(ordered):.2f}, {p95_s:.2f}, {ordered[-1]:.2f}"


def run(kills: int, minutes: float, writers: int, database: str | None) -> int:
    """Kill, compare, and print the table; returns 1 if anything went wrong."""
    with contextlib.ExitStack() as undo:
        folder = Path(undo.enter_context(tempfile.TemporaryDirectory()))
        postgres = None
        if database == "postgresql":
            (folder / "postgres").mkdir()
            postgres = TemporaryPostgres(folder / "postgres")
            undo.callback(postgres.stop)
        url = database if postgres is None else postgres.url
        url = url or str(folder / "crokinole.db")
        server = ForkedServer(folder, url)
        undo.callback(server.stop)
        trial = Kills(server, postgres)
        threads = [Writer(trial, f"writer {k}") for k in range(writers)]
        for thread in threads:
            thread.start()
        begun_s = time.monotonic()
        try:
            trial.kill_often(kills, minutes)
        finally:
            trial.is_over.set()
            for thread in threads:
                thread.join(PATIENCE_S)
        found = compare(url, threads)
        took_s = time.monotonic() - begun_s
        faults = server.log.read_text().count('"failed"')
    rows = [
        *sorted(trial.counts.items()),
        *(
            (f"acknowledged and {fault}", found[fault])
            for fault in ("lost", "twice", "out of order")
        ),
        ("kept, but never acknowledged", found["kept, not acknowledged"]),
        ("no entry after a server's kill, s", describe_times(trial.recoveries_s["server"])),
        ("no entry after a database's kill, s", describe_times(trial.recoveries_s["database"])),
        ("failures in the log", faults),
        ("minutes", round(took_s / 60, 1)),
    ]
    for name, value in rows:
        print(f"{name:36}{value:>20}")
    bad = found["lost"] + found["twice"] + found["out of order"] + trial.counts["answers of 500"]
    return int(bad > 0)


def main() -> int:
    """Parse the command line, and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=600.0, help="end after so many, at most")
    parser.add_argument("--writers", type=int, default=4)
    parser.add_argument(
        "--db",
        metavar="URL",
        help="'postgresql' for a server of one's own, which is killed too; SQLite if left out",
    )
    parser.add_argument("--fork", type=int, metavar="PORT", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.fork is not None:
        fork_servers(chosen.fork, chosen.folder, chosen.db)
        return 0
    return run(chosen.kills, chosen.minutes, chosen.writers, chosen.db or None)


if __name__ == "__main__":
    sys.exit(main())
