"""A hall of many boards on PostgreSQL: ``make hall``.

Two servers, workers whose cameras each see a shot every 8 s, and spectators on event streams, from
few boards to many: the delay of events on pages, and the processor time and memory. At the largest
size, a worker, a server and every connection to the database are ended in the middle: lost shots,
and the time until others continue. Exit code 1 for a lost shot or an outdated page.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import psycopg
from soak import Server
from temporary_postgres import TemporaryPostgres

from scorer.match.events import BoardCorrected, MatchStarted, ShotPlayed
from scorer.rules.choices import Format
from scorer.store import Store
from scorer.store.board_store import BoardStore
from scorer.store.camera_store import CameraStore
from scorer.store.message_store import MessageStore
from webapp.live.scoreboard import now

HERE = Path(__file__).parent
PATIENCE_S = 240.0
SETUP = MatchStarted(
    rules="cogitate",
    format=Format.TWO,
    players=("Ann", "Bob"),
    options=(("game_points", 10_000), ("formats", ("two", "teams"))),
    colours=("black", "natural"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """The size of the hall; ``walls`` of the spectators watch all boards."""

    boards: int
    spectators: int
    walls: int = 10
    workers: int = 4
    seconds: float = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The numbers of shots played, in the logs, and asked about as missed; and of pages that show
    less than their match's log at the end.
    """

    played: int
    entered: int
    asked: int
    behind: int

    @property
    def lost(self) -> int:
        """Shots that no log contains."""
        return self.played - self.entered - self.asked


class Hall:
    """A database, its servers, workers and spectators."""

    def __init__(self, folder: Path, url: str, size: Size) -> None:
        self.folder, self.url, self.size = folder, url, size
        self.store = Store(url)
        BoardStore(self.store.database).provide([f"Board {k + 1}" for k in range(size.boards)])
        self.cameras = CameraStore(self.store.database)
        self.messages = MessageStore(self.store.database)
        self.tables = folder / "tables"
        self.tables.mkdir()
        numbers = range(1, size.boards + 1)
        self.matches = {
            k: self.store.create(replace(SETUP, at_board=k), now=now()) for k in numbers
        }
        self.servers = [Server(folder, url, ["--workers", "0"]) for _ in range(2)]
        self.workers = {name: self._start_worker(name) for name in self._names()}
        for k in numbers:
            self.cameras.watch(k, f"hall://{self.tables / str(k)}")
        self._wait(lambda: len(list(self.tables.glob("*.shots"))) == size.boards, "all play")
        ports = [str(server.port) for server in self.servers]
        command = [HERE / "hall_spectators.py", size.boards, size.spectators, size.walls, *ports]
        self.spectators = subprocess.Popen(
            [sys.executable, *map(str, command)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.spectators.stdout is not None
        self.spectators.stdout.readline()

    def kill_worker(self) -> None:
        """End the first worker; print the time until all its cameras have another worker and see
        again.
        """
        name, process = next(iter(self.workers.items()))
        boards = {camera.board for camera in self.cameras.list_cameras() if camera.worker == name}
        last, begun_s = self.messages.find_newest(), time.monotonic()
        process.kill()
        process.wait()
        waiting, taken_s = set(boards), 0.0
        while waiting and time.monotonic() - begun_s < PATIENCE_S:
            for message in self.messages.read_after(last):
                last = message.number
                if (message.content.get("event") or {}).get("type") == "board":
                    waiting.discard(message.board)
            if not taken_s and all(camera.worker != name for camera in self.cameras.list_cameras()):
                taken_s = time.monotonic() - begun_s
            time.sleep(0.05)
        seen_s = time.monotonic() - begun_s
        print(
            f"  a worker with {len(boards)} cameras killed: all taken over after {taken_s:.1f} s,"
        )
        print(f"  and seen again, by a referee's process that starts, after {seen_s:.1f} s")
        self.workers[name] = self._start_worker(f"{name}-again")

    def cut_connections(self) -> int:
        """Let the database end every connection; returns their number."""
        with psycopg.connect(self.url, autocommit=True) as own:
            ended = own.execute(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
            ).fetchone()
        assert ended is not None
        return int(ended[0])

    def usage(self) -> dict[str, tuple[float, int]]:
        """Seconds of processor time and MB of memory so far, by user."""
        trees = {
            "servers": [server.process.pid for server in self.servers],
            "workers": [worker.pid for worker in self.workers.values()],
            "spectators": [self.spectators.pid],
            "PostgreSQL": _find_postgres(self.url),
        }
        used = {name: _measure(pids) for name, pids in trees.items()}
        cameras = _measure([k for pid in trees["workers"] for k in _children(pid)])
        used["cameras"] = cameras
        used["workers"] = tuple(a - b for a, b in zip(used["workers"], cameras, strict=True))
        return used

    def finish(self) -> tuple[list[dict[str, Any]], Outcome]:
        """Collect the spectators' results, and the fate of the shots that were played."""
        (self.tables / "stop").touch()
        time.sleep(3.0)
        logs = {board: self.store.log(match) for board, match in self.matches.items()}
        self._wait(lambda: logs == self._read_again(logs), "all is entered")
        assert self.spectators.stdin is not None
        told, _ = self.spectators.communicate("end\n")
        views: list[dict[str, Any]] = json.loads(told)
        behind = sum(
            view["events"] != len(logs[int(view["board"])])
            for view in views
            if view["board"] != "all"
        )
        tables = [self.tables / f"{board}.shots" for board in logs]
        entries = [event for log in logs.values() for event in log]
        return views, Outcome(
            played=sum(len(table.read_text().splitlines()) for table in tables),
            entered=sum(isinstance(entry, ShotPlayed) for entry in entries),
            asked=sum(entry.missed for entry in entries if isinstance(entry, BoardCorrected)),
            behind=behind,
        )

    def close(self) -> None:
        """End everything."""
        for worker in (*self.workers.values(), self.spectators):
            worker.terminate()
        for worker in (*self.workers.values(), self.spectators):
            worker.wait(PATIENCE_S)
        for server in self.servers:
            server.stop()
        self.store.close()

    def _names(self) -> list[str]:
        return [f"worker {k + 1}" for k in range(self.size.workers)]

    def _start_worker(self, name: str) -> subprocess.Popen[bytes]:
        most = -(-self.size.boards // max(1, self.size.workers - 1))  # one worker may be missing
        command = [HERE / "hall_worker.py", self.url, self.folder / "shots", name, most]
        return subprocess.Popen([sys.executable, *map(str, command)], stdin=subprocess.DEVNULL)

    def _read_again(self, logs: dict[int, Any]) -> dict[int, Any]:
        before = dict(logs)
        time.sleep(1.0)
        logs |= {board: self.store.log(match) for board, match in self.matches.items()}
        return before

    def _wait(self, is_reached: Any, what: str) -> None:
        until_s = time.monotonic() + PATIENCE_S
        while not is_reached():
            if time.monotonic() > until_s:
                raise TimeoutError(what)
            time.sleep(0.2)


def run(folder: Path, size: Size, *, with_kills: bool) -> bool:
    """Measure and print one size; returns whether nothing was lost."""
    print(f"\n{size.boards} boards, {size.spectators} spectators", flush=True)
    with _postgres(folder) as url:
        hall = Hall(folder, url, size)
        try:
            time.sleep(5.0)
            before, begun_s = hall.usage(), time.monotonic()
            time.sleep(size.seconds)
            after, ended_s = hall.usage(), time.monotonic()
            gaps = _end_some(hall) if with_kills else {}
            views, outcome = hall.finish()
        finally:
            hall.close()
    _print_delays(views, begun_s, ended_s)
    for name, (cpu_s, memory_mb) in after.items():
        share = 100 * (cpu_s - before[name][0]) / (ended_s - begun_s)
        print(f"  {name:<12} {share:5.1f}% of a core, {memory_mb} MB")
    for name, moment_s in gaps.items():
        print(f"  {name}: longest time without news of any page {_gap(views, moment_s):.1f} s")
    print(f"  {outcome}; lost {outcome.lost}", flush=True)
    return not (outcome.lost or outcome.behind)


def _end_some(hall: Hall) -> dict[str, float]:
    """End a worker, a server and all connections, some time apart; returns the times."""
    moments = {"a worker killed": time.monotonic()}
    hall.kill_worker()
    time.sleep(20.0)
    moments["a server killed"] = time.monotonic()
    hall.servers[0].end(signal.SIGKILL)
    print(f"  a server killed: it serves again after {hall.servers[0].recoveries_s[-1]:.1f} s")
    time.sleep(20.0)
    moments["all database connections cut"] = time.monotonic()
    print(f"  {hall.cut_connections()} connections to the database cut")
    time.sleep(20.0)
    return moments


def _gap(views: Sequence[dict[str, Any]], moment_s: float) -> float:
    """The longest wait of any page between the last event before a disturbance and the first after
    it.
    """
    longest_s = 0.0
    for view in views:
        times = [told_s for told_s, _ in view["camera_s"]]
        near = [k for k in times if moment_s - 20.0 < k < moment_s + 30.0]
        steps = [b - a for a, b in pairwise(near) if b > moment_s]
        longest_s = max([longest_s, *steps])
    return longest_s


def _print_delays(views: Sequence[dict[str, Any]], begun_s: float, ended_s: float) -> None:
    for name, what in (("camera_s", "camera to page"), ("match_s", "camera to entered to page")):
        delays = sorted(
            delay for view in views for told_s, delay in view[name] if begun_s < told_s < ended_s
        )
        if delays:
            worst = delays[int(0.95 * len(delays))]
            figures = f"median {1000 * median(delays):.0f} ms, 95% {1000 * worst:.0f} ms"
            print(f"  {what}: {figures}, most {1000 * delays[-1]:.0f} ms of {len(delays)}")


@contextlib.contextmanager
def _postgres(folder: Path) -> Iterator[str]:
    place = folder / "postgres"
    place.mkdir()
    server = TemporaryPostgres(place)
    try:
        yield server.url
    finally:
        server.stop()


def _find_postgres(url: str) -> list[int]:
    with psycopg.connect(url) as own:
        told = own.execute("SHOW data_directory").fetchone()
    assert told is not None
    return [int((Path(str(told[0])) / "postmaster.pid").read_text().split()[0])]


def _children(pid: int) -> list[int]:
    """The processes below a process."""
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for word in path.read_text().split():
                found += [int(word), *_children(int(word))]
    return found


def _measure(pids: Sequence[int]) -> tuple[float, int]:
    """Processor seconds and MB (shared pages counted once) of processes and all their children."""
    ticks = memory_kb = 0
    for pid in {child for top in pids for child in (top, *_children(top))}:
        with contextlib.suppress(OSError, StopIteration):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            memory_kb += int(next(line for line in lines if line.startswith("Pss:")).split()[1])
    return ticks / os.sysconf("SC_CLK_TCK"), memory_kb // 1024


def main() -> int:
    """Run the sizes; returns 0 if nothing was lost."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--boards", type=int, nargs="+", default=[5, 20, 50])
    parser.add_argument("--spectators", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=60.0)
    arguments = parser.parse_args()
    is_well = True
    for count in arguments.boards:
        size = Size(
            boards=count,
            spectators=round(arguments.spectators * count / max(arguments.boards)),
            walls=max(1, 10 * count // max(arguments.boards)),
            workers=2 if count <= 8 else 4,
            seconds=arguments.seconds,
        )
        folder = Path(tempfile.mkdtemp(prefix="hall-"))
        folder.chmod(0o711)
        try:
            is_well &= run(folder, size, with_kills=count == max(arguments.boards))
            load = os.getloadavg()
            print(f"  load of the machine {load[0]:.1f} on {os.cpu_count()} cores", flush=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())
