"""A tournament's trouble in a few minutes: ``make soak``.

One writer plays on a server, spectators watch event streams, and pictures are sent, while its
processes are killed at random: the server, the worker and the referee. Meanwhile another program
locks its database, or, on PostgreSQL, its connections are cut. At the end, a table gives the
acknowledged and the lost entries, and other faults; exit code 1 for lost entries, missed events,
answers of 500, tracebacks, and spectators left behind.
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
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from scorer.store import Store

#: Longest time until a server runs again and a spectator has a state again, s, on a busy computer.
PATIENCE_S = 60.0
#: Number of events in a match before the next begins: reading a log takes time in proportion to its
#: length.
_MATCH_EVENTS = 200
#: Interval of progress reports, s.
_PROGRESS_S = 30.0
_STILL = Path(__file__).parents[2] / "sample_images" / "stills" / "twenty_in_the_hole.jpg"


class Server:
    """The program ``crokinole serve``, restarted whenever it ends."""

    def __init__(self, folder: Path, database: str | None, arguments: Sequence[str] = ()) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = int(free.getsockname()[1])
        self._command = [sys.executable, "-m", "webapp", "serve", "--port", str(self.port)]
        self._command += ["--data", str(folder), *(["--db", database] if database else [])]
        self._command += arguments
        self.log = folder / "log.jsonl"
        self.token = ""
        self.recoveries_s: list[float] = []
        self.process = self._start()

    def _start(self) -> subprocess.Popen[str]:
        with self.log.open("a") as log:
            process = subprocess.Popen(self._command, stdout=subprocess.PIPE, stderr=log, text=True)
        assert process.stdout is not None
        process.stdout.readline()
        self.token = process.stdout.readline().strip().rpartition("#")[2]
        return process

    def end(self, how: signal.Signals) -> None:
        """End it, and start it again."""
        self.process.send_signal(how)
        self.process.wait(PATIENCE_S)
        ended_s = time.monotonic()
        self.process = self._start()
        self.recoveries_s.append(time.monotonic() - ended_s)

    def stop(self) -> None:
        """Stop it for good."""
        self.process.terminate()
        self.process.wait(PATIENCE_S)

    def children(self) -> list[int]:
        """The processes that it started and that are still running."""
        found = []
        for path in Path(f"/proc/{self.process.pid}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                found += [int(word) for word in path.read_text().split()]
        return [pid for pid in found if b"spawn_main" in _read(f"/proc/{pid}/cmdline")]

    def memory_mb(self) -> int:
        """Resident memory of the server's own process."""
        pages = _read(f"/proc/{self.process.pid}/statm").split()
        return int(pages[1]) * os.sysconf("SC_PAGE_SIZE") // 2**20 if len(pages) > 1 else 0

    def handles(self) -> int:
        """Its open file handles."""
        with contextlib.suppress(OSError):
            return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))
        return 0

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """The status and JSON of an answer. Raises ``OSError`` and ``HTTPException``."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        sent = body if isinstance(body, bytes) or body is None else json.dumps(body)
        with contextlib.closing(connection):
            connection.request(method, path, sent, headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())


class Soak:
    """The attacks on a server, and the counts of their results."""

    def __init__(self, server: Server, seconds: float) -> None:
        self.server, self.end_s = server, time.monotonic() + seconds
        self.counts: Counter[str] = Counter()
        self.acknowledged: dict[int, list[str]] = {}
        self.longest_gap_s = 0.0
        self.slowest_health_s = 0.0
        self.is_over = threading.Event()
        self._chance = random.Random()

    def goes_on(self) -> bool:
        """Whether there is time left."""
        return time.monotonic() < self.end_s and not self.is_over.is_set()

    def write(self) -> None:
        """Play: enter events, each with a unique text; start a new match now and then."""
        match, number = 0, 0
        while self.goes_on():
            try:
                if number % _MATCH_EVENTS == 0:
                    setup = {"rules": "nca", "players": ["Ann", "Bob"]}
                    setup["colours"] = ["black", "natural"]  # type: ignore[assignment]
                    status, told = self.server.ask("POST", "/api/v1/matches", setup)
                    self._count_status(status)
                    if status != 201:
                        time.sleep(0.2)
                        continue
                    match = int(told["id"])
                about = f"entry {number}"
                status, _ = self.server.ask(
                    "POST", f"/api/v1/matches/{match}/events", {"type": "disputed", "about": about}
                )
            except (OSError, http.client.HTTPException, ValueError):
                self.counts["writes cut off"] += 1
                number += number % _MATCH_EVENTS != 0
                time.sleep(0.05)
                continue
            self._count_status(status)
            number += 1
            if status == 201:
                self.counts["writes acknowledged"] += 1
                self.acknowledged.setdefault(match, []).append(about)

    def send_pictures(self) -> None:
        """Send photos, whole and broken, and wait for their results."""
        whole = _STILL.read_bytes()
        while self.goes_on():
            content = whole if self._chance.random() < 0.2 else whole[: len(whole) // 9]
            with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
                status, told = self.server.ask("POST", "/api/v1/photos", content)
                self._count_status(status)
                self.counts["photographs handed in"] += status == 202
                key = told.get("key")
                while key and self.goes_on():
                    status, told = self.server.ask("GET", f"/api/v1/photos/{key}")
                    if status == 404 or told["is_done"]:
                        self.counts["photographs answered"] += status == 200
                        break
                    time.sleep(0.5)
            time.sleep(1.0)

    def referee(self) -> None:
        """Let the referee watch a clip in a loop."""
        while self.goes_on():
            with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
                _, facts = self.server.ask("GET", "/api/v1/referee")
                if not facts["is_running"]:
                    source = {"kind": "clip", "clip": "round"}
                    status, _ = self.server.ask("POST", "/api/v1/referee", source)
                    self._count_status(status)
                    self.counts["clips begun"] += status == 200
            self.is_over.wait(3.0)

    def watch_health(self) -> None:
        """Check the server's health all the time."""
        while self.goes_on():
            asked_s = time.monotonic()
            with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
                status, _ = self.server.ask("GET", "/healthz")
                self._count_status(status)
                self.slowest_health_s = max(self.slowest_health_s, time.monotonic() - asked_s)
            self.is_over.wait(0.3)

    def spectate(self) -> None:
        """Follow the event stream; reconnect with the last id whenever it is cut."""
        last, cut_s = "", time.monotonic()
        while self.goes_on():
            with contextlib.suppress(OSError):
                for message_id in self._follow(last):
                    self.counts["events missed"] += _count_missed(last, message_id)
                    last = message_id
                    self.longest_gap_s = max(self.longest_gap_s, time.monotonic() - cut_s)
                    cut_s = time.monotonic() + 1e6
                    self.counts["events seen"] += 1
                    if not self.goes_on():
                        return
            cut_s = min(cut_s, time.monotonic())
            self.counts["streams cut"] += 1
            time.sleep(0.2)

    def _follow(self, last: str) -> Iterator[str]:
        """The ids of the stream's messages."""
        with socket.create_connection(("127.0.0.1", self.server.port), PATIENCE_S) as opened:
            head = f"GET /events HTTP/1.1\r\nHost: [::]\r\nLast-Event-ID: {last}\r\n\r\n"
            opened.sendall(head.encode())
            for line in opened.makefile("rb"):
                if line.startswith(b"id: "):
                    yield line[4:].decode().strip()

    def disturb(self, every_s: float, database: Path | str) -> None:
        """Kill a process, or lock the database, at random moments."""
        ways = ("server", "server", "worker", "database", "restart")
        told_s = time.monotonic()
        while self.goes_on():
            if time.monotonic() - told_s > _PROGRESS_S:
                told_s = time.monotonic()
                self._tell_progress()
            self.is_over.wait(self._chance.uniform(0.1, 2 * every_s))
            way = self._chance.choice(ways) if every_s > 1 else "server"
            children = self.server.children()
            if way == "worker" and children:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self._chance.choice(children), signal.SIGKILL)
                self.counts["workers and referees killed"] += 1
            elif way == "database":
                _cut_database(database, self._chance.uniform(0.5, 7.0))
                self.counts["databases held or cut"] += 1
            elif way in ("server", "restart"):
                how = signal.SIGKILL if way == "server" else signal.SIGTERM
                self.server.end(how)
                self.counts["servers killed" if way == "server" else "servers stopped"] += 1

    def _tell_progress(self) -> None:
        """Print a line of progress on standard error."""
        left_min = max(0.0, self.end_s - time.monotonic()) / 60
        told = ("writes acknowledged", "servers killed", "events seen", "events missed")
        words = ", ".join(f"{self.counts[kind]} {kind}" for kind in told)
        print(f"{left_min:.1f} min left: {words}, {self.server.memory_mb()} MB", file=sys.stderr)

    def _count_status(self, status: int) -> None:
        self.counts["answers"] += 1
        if status >= 500:
            self.counts[f"answers of {status}"] += 1

    def count_lost(self, database: str) -> int:
        """The number of acknowledged entries missing from the database."""
        lost = 0
        with Store(database) as store:
            for match, told in self.acknowledged.items():
                kept = {getattr(event, "about", None) for event in store.log(match)}
                lost += sum(key not in kept for key in told)
        return lost


def _count_missed(last: str, current: str) -> int:
    """Number of messages between two ids of one run of the server; a new run begins with its whole
    state.
    """
    (run, _, number), (other_run, _, other) = last.rpartition("-"), current.rpartition("-")
    return max(0, int(other) - int(number) - 1) if run == other_run else 0


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


def _cut_database(database: Path | str, seconds: float) -> None:
    """Hold SQLite's only write lock for a while; or end every connection of a PostgreSQL server."""
    if isinstance(database, Path):
        with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as held:
            with contextlib.suppress(sqlite3.OperationalError):
                held.execute("BEGIN IMMEDIATE")
            time.sleep(seconds)
        return
    import psycopg

    with psycopg.connect(database.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def _count_tracebacks(log: Path) -> tuple[int, list[str]]:
    """The number of failures in the log without a sentence, and of lines that are not records."""
    found = []
    for line in log.read_text().splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            found.append(line)
            continue
        if entry["event"] == "failed" or "Exception" in entry["event"]:
            found.append(str(entry.get("trace", entry))[-500:])
    return len(found), found


def _describe_times(times_s: list[float]) -> str:
    """The median and the longest of some times."""
    return f"{median(times_s):.1f} {max(times_s):.1f}" if times_s else "-"


def main() -> int:
    """Run, and print the table; returns 1 if anything went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--spectators", type=int, default=20)
    parser.add_argument("--kill-every", type=float, default=8.0, metavar="S", help="on average")
    parser.add_argument("--db", metavar="URL", help="PostgreSQL; SQLite if left out")
    parser.add_argument("--writes-only", action="store_true", help="no referee and no pictures")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        database: Path | str = chosen.db or Path(folder) / "crokinole.db"
        server = Server(Path(folder), chosen.db)
        soak = Soak(server, 60 * chosen.minutes)
        work = [soak.write, soak.watch_health, *[soak.spectate] * chosen.spectators]
        work += [] if chosen.writes_only else [soak.send_pictures, soak.referee]
        threads = [threading.Thread(target=job, daemon=True) for job in work]
        memory_mb, handles = server.memory_mb(), server.handles()
        for thread in threads:
            thread.start()
        soak.disturb(chosen.kill_every, database)
        soak.is_over.set()
        for thread in threads:
            thread.join(PATIENCE_S)
        _, state = server.ask("GET", "/api/v1/state")
        server_mb, server_handles = server.memory_mb(), server.handles()
        server.stop()
        lost = soak.count_lost(str(database))
        failures, traces = _count_tracebacks(server.log)
        newest = max(soak.acknowledged, default=0)
        is_behind = state["match"] is None or state["match"]["id"] < newest
    rows = [
        *sorted(soak.counts.items()),
        ("acknowledged and lost", lost),
        ("tracebacks in the log", failures),
        ("server back, s, median and longest", _describe_times(server.recoveries_s)),
        ("longest gap of a spectator, s", round(soak.longest_gap_s, 1)),
        ("slowest answer of /healthz, s", round(soak.slowest_health_s, 2)),
        ("memory of the server, MB, first and last", f"{memory_mb} {server_mb}"),
        ("file handles, first and last", f"{handles} {server_handles}"),
        ("scoreboard behind the database", is_behind),
    ]
    for name, value in rows:
        print(f"{name:44}{value:>12}")
    for trace in traces[:20]:
        print(trace, file=sys.stderr)
    is_bad = lost or failures or is_behind or soak.counts["answers of 500"]
    is_bad = is_bad or soak.counts["events missed"]
    return int(bool(is_bad) or soak.longest_gap_s > PATIENCE_S)


if __name__ == "__main__":
    sys.exit(main())
