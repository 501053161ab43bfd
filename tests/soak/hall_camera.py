"""A board on which play never ends, seen by a camera without a picture: the messages of its
referee's process to the worker, with the times of the events.

The board is stored in a file, so it outlasts the process that films it. Every shot is written to a
file next to it before it is sent, so lost shots can be found afterwards.
"""

from __future__ import annotations

import json
import random
import time
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from webapp.live.referee_process import EventMessage, RefereeTask

#: Time between shots, and time before a shot at which a hand and the disc are seen, s.
PERIOD_S, HAND_S, MOTION_S = 8.0, 3.0, 1.0
#: Shots of a round of two players with 12 discs each.
ROUND_SHOTS = 24
TEAMS = (
    {"team": 0, "colour": "#26262b", "colour_name": "black"},
    {"team": 1, "colour": "#d9a766", "colour_name": "natural"},
)
#: Final place of a disc: x is random, y is well inside its zone, mm.
_Y_MM = {15: 55.0, 10: 145.0, 5: 245.0}


@dataclass(slots=True)
class Table:
    """A board in the middle of a round; ``rounds`` were played before it."""

    file: Path
    rounds: int = 0
    shots: int = 0
    discs: list[dict[str, Any]] = field(default_factory=list)

    def shoot(self) -> dict[str, Any]:
        """The event of the next shot; the round's first is by the side that did not start the last.

        A disc stays where it came to rest, one in three goes to the ditch.
        """
        team = (self.rounds + self.shots) % 2
        shooter = _disc("shooter", team, (0.0, -304.8), 0)
        before = [*self.discs, shooter]
        if random.random() < 0.67:
            zone = random.choice(list(_Y_MM))
            place = (random.uniform(-20.0, 20.0), _Y_MM[zone])
            self.discs = [*self.discs, _disc(f"d{self.shots}", team, place, zone)]
        event = {
            "t_s": 1.0,
            "type": "shot",
            "index": self.shots,
            "team": team,
            "disc": "shooter",
            "t_start_s": 0.5,
            "t_rest_s": 0.9,
            "verdict": "legal",
            "faults": [],
            "doubts": [],
            "question": None,
            "remove": [],
            "before": before,
            "after": self.discs,
            "contacts": [],
            "evidence": {
                "moved_mm": {},
                "track": [],
                "longest_gap_s": 0.1,
                "hand_over_board": False,
                "account": "it touched one",
            },
            "teams": list(TEAMS),
        }
        self.shots += 1
        self._write(f"{self.rounds} {self.shots}\n")
        return event

    def clear(self) -> dict[str, Any]:
        """The event of the round's end; the board is then empty."""
        totals = [
            {**team, "points": self._points(int(str(team["team"]))), "twenties": 0}
            for team in TEAMS
        ]
        event = {"t_s": 2.0, "type": "round", "shots": self.shots, "needs_review": False}
        event |= {"doubts": [], "questions": [], "totals": totals, "is_cleared": True}
        self.rounds, self.shots, self.discs = self.rounds + 1, 0, []
        self._write("")
        return event

    def see(self, kind: str) -> dict[str, Any]:
        """The event of a hand, of motion, or of the board at rest."""
        event: dict[str, Any] = {"t_s": 1.0, "type": kind}
        if kind == "board":
            event |= {"discs": self.discs, "teams": list(TEAMS), "warnings": [], "next_team": None}
        return event

    def _points(self, team: int) -> int:
        return sum(disc["zone"] for disc in self.discs if disc["team"] == team)

    def _write(self, shot: str) -> None:
        with self.file.with_suffix(".shots").open("a") as log:
            log.write(shot)
        fresh = self.file.with_suffix(".new")
        fresh.write_text(json.dumps({**asdict(self), "file": ""}))
        fresh.replace(self.file)


def find_table(file: Path) -> Table:
    """The board as stored; an empty one if nobody has played yet."""
    if not file.exists():
        return Table(file)
    return Table(**{**json.loads(file.read_text()), "file": file})


def film_table(task: RefereeTask, pipe: Connection) -> None:
    """Play and film the board that the source names (``hall://FILE``) until told to end."""
    table = find_table(Path(str(task.source).removeprefix("hall://")))
    stop = table.file.parent / "stop"
    _send(pipe, table.see("board"))
    if _is_closed(pipe, random.uniform(0.0, PERIOD_S)):  # boards do not play in step
        return
    pauses = (("hand", PERIOD_S - HAND_S), ("motion", HAND_S - MOTION_S), ("shot", MOTION_S))
    while True:
        for what, pause_s in pauses:
            if _is_closed(pipe, pause_s):
                return
            if stop.exists():
                while not _is_closed(pipe, None):
                    pass
                return
            _send(pipe, table.shoot() if what == "shot" else table.see(what))
        if table.shots == ROUND_SHOTS:
            _send(pipe, table.clear())


def _is_closed(pipe: Connection, wait_s: float | None) -> bool:
    """Whether to end the film, after that time or after a request, which is not answered."""
    try:
        if pipe.poll(wait_s):
            pipe.recv()
    except (EOFError, OSError):
        return True
    return False


def _send(pipe: Connection, event: dict[str, Any]) -> None:
    pipe.send(EventMessage(event={**event, "sent_s": time.monotonic()}))


def _disc(name: str, team: int, at_mm: tuple[float, float], zone: int) -> dict[str, Any]:
    place = {"id": name, "team": team, "x_mm": round(at_mm[0], 1), "y_mm": at_mm[1]}
    sure = {"state": "flat", "zone": zone, "margin_mm": 41.6, "sigma_mm": 1.2, "call": "certain"}
    return place | sure
