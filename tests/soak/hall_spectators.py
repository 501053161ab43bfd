"""Many spectators on event streams, in one program: the delay of events on their pages.

A spectator whose server stops continues at another, as behind a proxy. At the end, all spectators
report the number of their match's events.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

_SENT = re.compile(rb'"sent_s":([0-9.]+)')
_EVENTS = re.compile(rb'"match":\{"id":[0-9]+,"events":([0-9]+)')
_SHOT = b'"match":{"type":"shot_played"'
#: Time before a spectator reconnects, s, as the stream instructs browsers.
_RETRY_S = 1.0
_LIMIT = 2**22


@dataclass(slots=True)
class Spectator:
    """One page: the board that it shows ("all" for the wall), and the events it has received.

    camera_s, match_s  delays from a camera's event to the page, as seen and as entered, by time
    gaps_s             times without a stream
    """

    board: str
    addresses: Sequence[tuple[str, int]]
    events: int = 0
    sent_s: float = 0.0
    camera_s: list[tuple[float, float]] = field(default_factory=list)
    match_s: list[tuple[float, float]] = field(default_factory=list)
    gaps_s: list[float] = field(default_factory=list)

    async def watch(self) -> None:
        """Watch until cancelled."""
        turn, lost_s = 0, None
        while True:
            place = self.addresses[turn % len(self.addresses)]
            turn += 1
            try:
                reader, writer = await asyncio.open_connection(*place, limit=_LIMIT)
            except OSError:
                continue
            try:
                host = f"{place[0]}:{place[1]}"
                path = f"/events?board={self.board}"
                writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
                async for line in reader:
                    if line.startswith(b"data: "):
                        if lost_s is not None:
                            self.gaps_s.append(time.monotonic() - lost_s)
                            lost_s = None
                        self._take(line)
            except OSError:
                pass
            finally:
                writer.close()
            lost_s = time.monotonic() if lost_s is None else lost_s
            await asyncio.sleep(_RETRY_S)

    def _take(self, line: bytes) -> None:
        now_s = time.monotonic()
        found = _EVENTS.search(line)
        if found is not None:
            self.events = int(found[1])
        sent = _SENT.search(line)
        if sent is not None:
            self.sent_s = float(sent[1])
            self.camera_s.append((now_s, now_s - self.sent_s))
        elif _SHOT in line[:100]:
            self.match_s.append((now_s, now_s - self.sent_s))


async def _run(spectators: Sequence[Spectator]) -> None:
    """Watch until a line arrives on standard input."""
    watching = []
    for spectator in spectators:
        watching.append(asyncio.ensure_future(spectator.watch()))
        await asyncio.sleep(0.01)  # people open pages one after the other
    print("all watch", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    for task in watching:
        task.cancel()
    await asyncio.gather(*watching, return_exceptions=True)


def main(boards: int, count: int, walls: int, addresses: Sequence[tuple[str, int]]) -> None:
    """Watch boards evenly spread over servers, some of them the wall; then report as JSON."""
    names = ["all"] * walls + [str(1 + k % boards) for k in range(count - walls)]
    spectators = []
    for place, name in enumerate(names):
        first = (place // boards) % len(addresses)
        spectators.append(Spectator(name, [*addresses[first:], *addresses[:first]]))
    asyncio.run(_run(spectators))
    told: list[dict[str, Any]] = [
        {
            "board": spectator.board,
            "events": spectator.events,
            "camera_s": spectator.camera_s,
            "match_s": spectator.match_s,
            "gaps_s": spectator.gaps_s,
        }
        for spectator in spectators
    ]
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main(
        *(int(argument) for argument in sys.argv[1:4]),
        [("127.0.0.1", int(p)) for p in sys.argv[4:]],
    )
