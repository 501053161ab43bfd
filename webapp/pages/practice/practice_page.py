"""A practice for its page: the count so far, the places of discs, and the best to beat.

Every figure has its number of shots.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scorer.match.events import MatchStarted
from scorer.practice.events import USUAL_SHOTS, Drill, Outcome
from scorer.practice.figures import (
    MissComparison,
    RestSpread,
    SuccessRate,
    compare_misses,
    find_best,
    measure_spread,
    rate_success,
)
from scorer.practice.fold import PracticeState
from scorer.store.practice_store import StoredPractice

#: Number of names offered: as many as fit on a phone.
_MOST_NAMES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class PracticeDot:
    """A disc at rest as the player sees it, in a drawing: mm to the right, and downwards."""

    x_mm: float
    y_mm: float
    is_success: bool
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PracticeView:
    """The contents of the page of a practice.

    rate      of this practice; whole: of the player's earlier practices and this one
    best      the most successes of an earlier complete practice; None if there was none
    to_beat   number of further successes that beat the best; None if that is impossible, or already
              achieved
    is_record whether this practice beats the best already, or is the first complete one
    """

    shots_left: int
    rate: SuccessRate
    whole: SuccessRate
    runs: int
    spread: RestSpread | None
    dots: tuple[PracticeDot, ...]
    best: int | None
    to_beat: int | None
    is_record: bool


def describe_practice(held: StoredPractice, all_held: Sequence[StoredPractice]) -> PracticeView:
    """A practice after the earlier ones of the same drill among all those of its player."""
    state = held.state
    earlier = [
        other.state
        for other in all_held
        if other.id < held.id and other.state.setup.drill is state.setup.drill
    ]
    left = 0 if state.is_over else state.setup.shots - len(state.shots)
    best = find_best(earlier, state.setup.shots)
    needed = None if best is None else best + 1 - state.successes
    return PracticeView(
        shots_left=left,
        rate=rate_success([state]),
        whole=rate_success([*earlier, state]),
        runs=len(earlier) + 1,
        spread=measure_spread(state.shots) if state.setup.drill is Drill.OPEN_TWENTIES else None,
        dots=place_dots([state]),
        best=best,
        to_beat=needed if needed is not None and 0 < needed <= left else None,
        is_record=best is not None and state.successes > best,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DrillRecord:
    """A player's results in all practices of one drill, the newest first.

    best  the most successes of a complete practice of the usual length; None if there was none
    """

    drill: Drill
    practices: tuple[StoredPractice, ...]
    rate: SuccessRate
    spread: RestSpread | None
    misses: MissComparison | None
    best: int | None


def summarise_drills(held: Sequence[StoredPractice]) -> tuple[DrillRecord, ...]:
    """A player's practices, given the newest last, drill by drill."""
    records = []
    for drill in Drill:
        own = [
            practice
            for practice in held[::-1]
            if practice.state.setup.drill is drill and practice.state.shots
        ]
        if not own:
            continue
        states = [practice.state for practice in own]
        shots = [shot for state in states for shot in state.shots]
        records.append(
            DrillRecord(
                drill=drill,
                practices=tuple(own),
                rate=rate_success(states),
                spread=measure_spread(shots) if drill is Drill.OPEN_TWENTIES else None,
                misses=compare_misses(shots) if drill is Drill.OPEN_TWENTIES else None,
                best=find_best(states, USUAL_SHOTS),
            )
        )
    return tuple(records)


def place_dots(runs: Sequence[PracticeState]) -> tuple[PracticeDot, ...]:
    """The resting places of the discs of practices; a 20 is in the hole."""
    dots = []
    for run in runs:
        for number, shot in enumerate(run.shots, start=1):
            is_success = run.setup.drill.is_success(shot.outcome)
            if shot.outcome is Outcome.TWENTY:
                dots.append(PracticeDot(x_mm=0, y_mm=0, is_success=True, number=number))
            elif shot.right_mm is not None and shot.beyond_mm is not None:
                dots.append(
                    PracticeDot(
                        x_mm=shot.right_mm,
                        y_mm=-shot.beyond_mm,
                        is_success=is_success,
                        number=number,
                    )
                )
    return tuple(dots)


def list_practice_players(
    held: Sequence[StoredPractice], setups: Sequence[MatchStarted]
) -> list[str]:
    """Names to tap: those of practices, the newest first, then those of matches."""
    practised = [practice.state.setup.player for practice in held]
    played = [name for setup in setups for name in setup.players]
    return list(dict.fromkeys((*practised, *played)))[:_MOST_NAMES]
