"""Floods a server from one loopback address and from 200, and measures the effect on others.

Kinds of requests: long pages, unfinished uploads, photos, event streams, slow readers, half heads;
one kind at a time, then all at once. Meanwhile one client requests /healthz, one scorer enters 20s,
and one spectator follows the stream. A table gives medians and 99th percentiles, lost entries,
missed events and the server's memory. Connections, threads and time are limited.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import itertools
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
_FLOODERS, _PATIENCE_S = 24, 30.0


class Flood:
    """One server, and all clients that send requests to it."""

    def __init__(self, port: int, token: str, addresses: int) -> None:
        self.port, self.token = port, token
        self._addresses = itertools.cycle([f"127.0.1.{k + 1}" for k in range(addresses)])
        self._lock, self.over = threading.Lock(), threading.Event()

    def connect(self, address: str | None = None) -> socket.socket:
        """A connection from the next address."""
        with self._lock:
            address = address or next(self._addresses)
        opened = socket.socket()
        opened.settimeout(5)
        opened.bind((address, 0))
        opened.connect(("127.0.0.1", self.port))
        return opened

    def send(
        self, head: str, body: bytes = b"", *, holds_s: float = 0.0, reads: bool = True
    ) -> None:
        """Send bytes, then wait or read, and hang up."""
        with contextlib.suppress(OSError), contextlib.closing(self.connect()) as opened:
            opened.sendall(head.encode() + body)
            if reads:
                while opened.recv(65536):
                    pass
            self.over.wait(holds_s)

    def pages(self) -> None:
        head = "GET /api/v1/matches?q=player HTTP/1.1\r\nHost: localhost\r\n"
        self.send(head + "Connection: close\r\n\r\n")

    def uploads(self) -> None:
        head = "POST /score HTTP/1.1\r\nHost: localhost\r\nContent-Length: 33000000\r\n\r\n"
        self.send(head, b"x" * 4_000_000, holds_s=5, reads=False)

    def photographs(self) -> None:
        data = next((ROOT / "sample_images" / "stills").glob("*.jpg")).read_bytes()
        part = (
            b'--b\r\nContent-Disposition: form-data; name="photo"; filename="a.jpg"\r\n\r\n'
            + data
            + b"\r\n--b--\r\n"
        )
        head = (
            "POST /score HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            f"Content-Type: multipart/form-data; boundary=b\r\nContent-Length: {len(part)}\r\n\r\n"
        )
        self.send(head, part)

    def streams(self) -> None:
        self.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n", holds_s=5, reads=False)

    def readers(self) -> None:
        head = "GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
        self.send(head, holds_s=5, reads=False)

    def halves(self) -> None:
        self.send("GET / HTTP/1.1\r\nHost: loc", holds_s=2, reads=False)

    KINDS = ("pages", "uploads", "photographs", "streams", "readers", "halves")

    def run(self, kinds: tuple[str, ...]) -> list[threading.Thread]:
        """Start threads that flood until the time is over."""

        def go_on(act: Callable[[], None]) -> None:
            while not self.over.is_set():
                act()
                self.over.wait(0.02)

        acts = [getattr(self, kind) for kind in kinds]
        threads = [
            threading.Thread(target=go_on, args=(acts[k % len(acts)],), daemon=True)
            for k in range(_FLOODERS)
        ]
        for thread in threads:
            thread.start()
        return threads

    def ask(self, method: str, path: str, body: str | None = None) -> tuple[int, float]:
        """The status of an answer to the scorer, and how long it took, ms."""
        asked = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_PATIENCE_S)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        began_s = time.perf_counter()
        with contextlib.closing(asked):
            try:
                asked.request(method, path, body, {} if path == "/healthz" else headers)
                answer = asked.getresponse()
                content = answer.read()
                status = answer.status
            except OSError:
                status, content = 0, b""
        self.last = content
        return status, 1000 * (time.perf_counter() - began_s)


def watch(flood: Flood, seen: list[int]) -> None:
    """Count the 20s that a spectator's stream reports."""
    asked = http.client.HTTPConnection("127.0.0.1", flood.port, timeout=_PATIENCE_S)
    with contextlib.closing(asked), contextlib.suppress(OSError):
        asked.request("GET", "/events")
        answer = asked.getresponse()
        while not flood.over.is_set():
            line = answer.readline()
            if not line:
                return
            if b'"twenty_counted"' in line:
                seen.append(1)


def measure(flood: Flood, kinds: tuple[str, ...], duration_s: float) -> str:
    """One row of the table."""
    flood.over = threading.Event()
    setup = json.dumps({"rules": "nca", "players": ["Ann", "Bob"], "colours": ["red", "black"]})
    flood.ask("POST", "/api/v1/matches", setup)
    match = json.loads(flood.last)["id"]
    seen: list[int] = []
    spectator = threading.Thread(target=watch, args=(flood, seen), daemon=True)
    spectator.start()
    time.sleep(0.3)
    threads = flood.run(kinds)
    health, entries, entered = [], [], 0
    until_s = time.monotonic() + duration_s
    change = 1
    while time.monotonic() < until_s:
        status, taken_ms = flood.ask("GET", "/healthz")
        health.append(taken_ms if status == 200 else 1000 * _PATIENCE_S)
        body = json.dumps({"type": "twenty_counted", "side": 0, "change": change})
        status, taken_ms = flood.ask("POST", f"/api/v1/matches/{match}/events", body)
        entries.append(taken_ms)
        entered += status == 201
        change = -change
        time.sleep(0.05)
    time.sleep(1.0)
    flood.over.set()
    for thread in threads:
        thread.join(timeout=10)
    lost, missed = len(entries) - entered, entered - len(seen)
    numbers = [*map(percentiles, (health, entries))]
    told = "  ".join(f"{low:7.0f} {high:7.0f}" for low, high in numbers)
    name = kinds[0] if len(kinds) == 1 else "all at once"
    return f"{name:14} {told} {len(entries):7} {lost:5} {missed:7}"


def percentiles(times_ms: list[float]) -> tuple[float, float]:
    """The median and the 99th percentile."""
    ordered = sorted(times_ms)
    return statistics.median(ordered), ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]


def main() -> None:
    """Start a server, flood it, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0, help="all rows together")
    parser.add_argument("--addresses", type=int, nargs="+", default=[1, 200])
    parser.add_argument("--db", help="a database that is there already")
    told = parser.parse_args()
    rows = [*((kind,) for kind in Flood.KINDS), Flood.KINDS]
    each_s = told.seconds / (len(rows) * len(told.addresses))
    with tempfile.TemporaryDirectory() as folder:
        database = told.db or str(Path(folder) / "m.db")
        command = [sys.executable, "-m", "webapp", "serve", "--port", "0", "--db", database]
        command += ["--data", folder]
        with (
            (Path(folder) / "log").open("w") as log,
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True) as program,
        ):
            assert program.stdout is not None
            port = int(program.stdout.readline().strip().rstrip("/").rpartition(":")[2])
            token = program.stdout.readline().partition("#")[2].strip()
            print("                healthz med  99%   entry med  99%  entries  lost  missed  MB")
            for addresses in told.addresses:
                print(f"from {addresses} address(es), {each_s:.0f} s each")
                flood = Flood(port, token, addresses)
                for kinds in rows:
                    row = measure(flood, kinds, each_s)
                    pages = int(Path(f"/proc/{program.pid}/statm").read_text().split()[1])
                    print(row, f"{pages * os.sysconf('SC_PAGE_SIZE') / 1e6:5.0f}", flush=True)
            program.terminate()


if __name__ == "__main__":
    main()
