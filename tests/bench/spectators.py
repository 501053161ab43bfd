"""Delay of events to many spectators on event streams while a referee is working.

Spectators are real connections to a real server, in a separate process.
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

from support.served_thread import serve_in_thread

from webapp.config import Config
from webapp.jobs.referee_task import make_task
from webapp.sample_clips import DEMO_CLIP, list_clips
from webapp.services import Services, services_of

#: Interval of events, s: twice as often as in a busy round.
INTERVAL_S = 0.25
#: A stream without messages for this long is considered dead.
_TIMEOUT_S = 30.0
#: Number of simultaneous connection attempts: a server closes the oldest of too many idle
#: connections.
_CONNECTING = 50

_CONTEXT = multiprocessing.get_context("spawn")


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadResult:
    """Requests to the server, and their results.

    missing     events that spectators never received, summed over spectators
    delays_s    of every event at every spectator, sorted
    """

    spectators: int
    events: int
    missing: int
    delays_s: tuple[float, ...]

    @property
    def median_s(self) -> float:
        """The delay under which half of all messages stay."""
        return statistics.median(self.delays_s)

    def quantile_s(self, share: float) -> float:
        """The delay under which this share of all messages stays."""
        return self.delays_s[min(len(self.delays_s) - 1, int(share * len(self.delays_s)))]


def measure_delays(spectators: int, events: int, *, with_referee: bool) -> LoadResult:
    """Publish events to spectators, each with its own connection, in a separate process."""
    with tempfile.TemporaryDirectory() as folder:
        config = Config(port=0, database=str(Path(folder) / "load.db"), is_rate_limit_off=True)
        with serve_in_thread(config) as running:
            services = services_of(running.app)
            ours, theirs = _CONTEXT.Pipe()
            arguments = (running.address, spectators, events, theirs)
            process = _CONTEXT.Process(target=_run_spectators, args=arguments, daemon=True)
            process.start()
            theirs.close()
            _wait_for_listeners(services, spectators)
            if with_referee:
                board = services.boards.first()
                board.supervisor.start(make_task(services, board, str(list_clips()[DEMO_CLIP])))
            _publish_events(services, events)
            received = ours.recv() if ours.poll(_TIMEOUT_S) else [{}] * spectators
            process.join()
    return LoadResult(
        spectators=spectators,
        events=events,
        missing=sum(events - len(delays) for delays in received),
        delays_s=tuple(sorted(delay for delays in received for delay in delays.values())),
    )


def _wait_for_listeners(services: Services, spectators: int) -> None:
    until_s = time.monotonic() + _TIMEOUT_S
    while services.boards.first().broker.listeners < spectators and time.monotonic() < until_s:
        time.sleep(0.02)


def _publish_events(services: Services, events: int) -> None:
    board = services.scoreboard
    for number in range(events):
        event = {"type": "motion", "t_s": 0.0, "number": number, "told_s": time.monotonic()}
        board.publish_live(event, board.state.live)
        time.sleep(INTERVAL_S)


def _run_spectators(address: str, spectators: int, events: int, pipe: Connection) -> None:
    """Run the spectators' process."""
    pipe.send(asyncio.run(_collect_events(address, spectators, events)))


async def _collect_events(address: str, spectators: int, events: int) -> list[dict[int, float]]:
    received: list[dict[int, float]] = [{} for _ in range(spectators)]
    turn = asyncio.Semaphore(_CONNECTING)
    watching = [
        asyncio.ensure_future(_read_stream(address, pipe, events, turn)) for pipe in received
    ]
    await asyncio.wait(watching, timeout=events * INTERVAL_S + 2 * _TIMEOUT_S)
    for task in watching:
        task.cancel()
    await asyncio.gather(*watching, return_exceptions=True)
    return received


async def _read_stream(
    address: str, received: dict[int, float], events: int, turn: asyncio.Semaphore
) -> None:
    """Take events from one stream until all have arrived."""
    place = urlsplit(address)
    async with turn:
        reader, writer = await asyncio.open_connection(place.hostname, place.port, limit=2**22)
        writer.write(f"GET /events HTTP/1.1\r\nHost: {place.netloc}\r\n\r\n".encode())
        await reader.readline()
    try:
        while len(received) < events:
            line = await asyncio.wait_for(reader.readline(), _TIMEOUT_S)
            if not line:
                return
            if not line.startswith(b"data: ") or b'"told_s"' not in line:
                continue
            event = json.loads(line[6:])["event"]
            received[event["number"]] = time.monotonic() - event["told_s"]
    finally:
        writer.close()


def bench_serve(*, as_json: bool, spectators: int = 200, events: int = 100) -> list[str]:
    """Measure and print; returns the errors."""
    load = measure_delays(spectators, events, with_referee=DEMO_CLIP in list_clips())
    if as_json:
        figures: dict[str, float] = {"spectators": load.spectators, "events": load.events}
        figures |= {"missing": load.missing, "median_s": load.median_s}
        figures |= {"p95_s": load.quantile_s(0.95), "most_s": load.delays_s[-1]}
        print(json.dumps(figures, indent=1))
    else:
        print(f"{load.spectators} spectators, {load.events} events, while the referee is at work")
        print(f"missing     {load.missing}")
        print(f"median      {1000 * load.median_s:.0f} ms")
        print(f"95%         {1000 * load.quantile_s(0.95):.0f} ms")
        print(f"at the most {1000 * load.delays_s[-1]:.0f} ms")
    return [f"{load.missing} messages did not come"] if load.missing else []
