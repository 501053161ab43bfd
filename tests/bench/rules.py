"""Processor time for judging a shot on a full board and for folding a long match."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import process_time

from calibration.placed_disc import DiscState
from scorer.match.events import DiscInZone, Event, MatchStarted, RoundScored, ShotPlayed
from scorer.match.fold import fold
from scorer.rules.choices import Format
from scorer.rules.judge_shot import judge
from scorer.rules.names import RuleSetName
from scorer.rules.sets import RULE_SETS
from scorer.rules.shot import FinalPosition, ShotFacts, StartPosition

#: Number of one side's discs on the judged board: one less than a full set.
_DISCS = 11
#: Number of events of the folded match.
_EVENTS = 1_000
#: Number of runs, of which the fastest counts.
_RUNS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesSpeed:
    """Milliseconds for one shot, by the slowest rule set, and for folding 1,000 events."""

    judge_seen_ms: float
    judge_unseen_ms: float
    fold_ms: float


def measure_rules_speed() -> RulesSpeed:
    """The times on this computer."""
    log = build_long_log()
    return RulesSpeed(
        judge_seen_ms=_slowest_ms(full_board_shot(is_seen=True)),
        judge_unseen_ms=_slowest_ms(full_board_shot(is_seen=False)),
        fold_ms=_least_ms(partial(fold, log)),
    )


def full_board_shot(*, is_seen: bool) -> ShotFacts:
    """A miss among 22 discs that moved four own discs."""
    names = [f"{side}{k}" for side in "ox" for k in range(_DISCS)]
    places = {name: _place(130.0 + 7.0 * k, 2.4 * k) for k, name in enumerate(names)}
    before = {"s": _place(304.8, -math.pi / 2), **places}
    moved = {"s": _place(120.0, 1.0), **{f"o{k}": _place(90.0, float(k)) for k in range(4)}}
    return ShotFacts(
        shooter="s",
        team="o",
        teams={name: "x" if name[0] == "x" else "o" for name in before},
        before=tuple(StartPosition(id=name, x_mm=x, y_mm=y) for name, (x, y) in before.items()),
        after=tuple(
            FinalPosition(id=name, state=DiscState.FLAT, x_mm=x, y_mm=y)
            for name, (x, y) in {**before, **moved}.items()
        ),
        contacts=(("s", "o0"), ("o0", "o1"), ("s", "o2"), ("o2", "o3")) if is_seen else None,
    )


def build_long_log() -> tuple[Event, ...]:
    """A match of two players with as many events as are timed."""
    log: list[Event] = [
        MatchStarted(
            rules=RuleSetName.NCA,
            format=Format.TWO,
            players=("Ann", "Bob"),
            options=(("game_points", 10_000),),
        )
    ]
    board = tuple(DiscInZone(id=name, side=k, zone=10) for k, name in enumerate("ab"))
    for starter in range(_EVENTS):
        for shot in range(16):
            log.append(
                ShotPlayed(
                    player=(starter + shot) % 2,
                    verdict="legal",
                    board=board if shot > 0 else (),
                    twenties=(0, 0),
                )
            )
        log.append(RoundScored())
        if len(log) >= _EVENTS:
            break
    return tuple(log[:_EVENTS])


def _place(distance_mm: float, angle_rad: float) -> tuple[float, float]:
    return distance_mm * math.cos(angle_rad), distance_mm * math.sin(angle_rad)


def _slowest_ms(shot: ShotFacts) -> float:
    return max(_least_ms(partial(judge, shot, rules)) for rules in RULE_SETS.values())


def _least_ms(work: Callable[[], object]) -> float:
    times = []
    for _ in range(_RUNS):
        start = process_time()
        work()
        times.append(process_time() - start)
    return 1e3 * min(times)
