"""How well events reach a hall: many spectators on event streams, while a referee is at work.

Knows real connections to a real server, and how late each message arrives. Refuses to judge.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import statistics
import tempfile
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from urllib.parse import urlsplit

from webapp.clip_files import DEMO, clips
from webapp.config import Config
from webapp.refereeing import task_for
from webapp.server import served
from webapp.services import Services, services_of

#: Twice as often as in a busy round, s.
EVERY_S = 0.25
#: A stream that brings nothing for so long is taken for dead.
_PATIENCE_S = 30.0

_CONTEXT = multiprocessing.get_context("spawn")


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What was asked of the server, and what came of it.

    missing     events that some spectator never got, summed over spectators
    delays_s    of every event at every spectator, in order of size
    """

    spectators: int
    events: int
    missing: int
    delays_s: tuple[float, ...]

    @property
    def median_s(self) -> float:
        """The delay that half of all messages stay under."""
        return statistics.median(self.delays_s)

    def share_s(self, share: float) -> float:
        """The delay that this share of all messages stay under."""
        return self.delays_s[min(len(self.delays_s) - 1, int(share * len(self.delays_s)))]


def measure(spectators: int, events: int, *, with_referee: bool) -> Load:
    """Tell events to spectators, each on a connection of its own, in a process of their own."""
    with tempfile.TemporaryDirectory() as folder:
        config = Config(port=0, database=str(Path(folder) / "load.db"), is_quick=True)
        with served(config) as running:
            parts = services_of(running.app)
            ours, theirs = _CONTEXT.Pipe()
            arguments = (running.address, spectators, events, theirs)
            hall = _CONTEXT.Process(target=_sit, args=arguments, daemon=True)
            hall.start()
            theirs.close()
            _wait_for_all(parts, spectators)
            if with_referee:
                parts.runtime.start(task_for(parts, str(clips()[DEMO])))
            _tell(parts, events)
            got = ours.recv() if ours.poll(_PATIENCE_S) else [{}] * spectators
            hall.join()
    return Load(
        spectators=spectators,
        events=events,
        missing=sum(events - len(each) for each in got),
        delays_s=tuple(sorted(delay for each in got for delay in each.values())),
    )


def _wait_for_all(parts: Services, spectators: int) -> None:
    until_s = time.monotonic() + _PATIENCE_S
    while parts.hub.listeners < spectators and time.monotonic() < until_s:
        time.sleep(0.02)


def _tell(parts: Services, events: int) -> None:
    board = parts.scoreboard
    for number in range(events):
        event = {"type": "bench", "number": number, "told_s": time.monotonic()}
        board.tell_live(event, board.state["live"])
        time.sleep(EVERY_S)


def _sit(address: str, spectators: int, events: int, pipe: Connection) -> None:
    """What the spectators' process does."""
    pipe.send(asyncio.run(_watched(address, spectators, events)))


async def _watched(address: str, spectators: int, events: int) -> list[dict[int, float]]:
    got: list[dict[int, float]] = [{} for _ in range(spectators)]
    watching = [asyncio.ensure_future(_watch(address, each, events)) for each in got]
    await asyncio.wait(watching, timeout=events * EVERY_S + 2 * _PATIENCE_S)
    for each in watching:
        each.cancel()
    await asyncio.gather(*watching, return_exceptions=True)
    return got


async def _watch(address: str, got: dict[int, float], events: int) -> None:
    """Take events from one stream until all are there."""
    place = urlsplit(address)
    reader, writer = await asyncio.open_connection(place.hostname, place.port, limit=2**22)
    writer.write(f"GET /events HTTP/1.1\r\nHost: {place.netloc}\r\n\r\n".encode())
    try:
        while len(got) < events:
            line = await asyncio.wait_for(reader.readline(), _PATIENCE_S)
            if not line:
                return
            if not line.startswith(b"data: ") or b'"bench"' not in line:
                continue
            event = json.loads(line[6:])["event"]
            got[event["number"]] = time.monotonic() - event["told_s"]
    finally:
        writer.close()


def bench_serve(*, as_json: bool, spectators: int = 200, events: int = 100) -> list[str]:
    """Measure and print; returns what went wrong."""
    load = measure(spectators, events, with_referee=DEMO in clips())
    if as_json:
        told: dict[str, float] = {"spectators": load.spectators, "events": load.events}
        told |= {"missing": load.missing, "median_s": load.median_s}
        told |= {"p95_s": load.share_s(0.95), "most_s": load.delays_s[-1]}
        print(json.dumps(told, indent=1))
    else:
        print(f"{load.spectators} spectators, {load.events} events, while the referee is at work")
        print(f"missing     {load.missing}")
        print(f"median      {1000 * load.median_s:.0f} ms")
        print(f"95%         {1000 * load.share_s(0.95):.0f} ms")
        print(f"at the most {1000 * load.delays_s[-1]:.0f} ms")
    return []
