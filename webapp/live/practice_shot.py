"""A shot of practice, read from the referee's event.

An open 20 depends on the resting place of the shot's disc, a take-out on the other side's discs
that were on the board and are gone. Without such a disc, a shot does not belong to the drill: None.
"""

from __future__ import annotations

from collections.abc import Sequence

from scorer.practice.events import Drill, Outcome, PracticeShot
from scorer.practice.figures import see_from_seat
from scorer.referee.events import SeenDisc, ShotEvent

_TWENTY = 20


def read_practice_shot(event: ShotEvent, drill: Drill, key: str | None) -> PracticeShot | None:
    """The shot as an entry of a practice; ``key`` is its stored name.

    None if the shot does not belong to the drill.
    """
    own = next((disc for disc in event.after if disc.id == event.disc), None)
    if drill is Drill.OPEN_TWENTIES:
        outcome = _judge_open_twenty(own)
    else:
        targets = [disc for disc in event.before if disc.team != event.team]
        if not targets:
            return None
        outcome = _judge_take_out(targets, event.after, own)
    right_mm, beyond_mm = _see_rest(event, own)
    return PracticeShot(
        outcome=outcome, right_mm=right_mm, beyond_mm=beyond_mm, source="camera", shot=key
    )


def _judge_open_twenty(own: SeenDisc | None) -> Outcome:
    if own is None:
        return Outcome.OFF_BOARD
    return Outcome.TWENTY if own.zone == _TWENTY else Outcome.ON_BOARD


def _judge_take_out(
    targets: Sequence[SeenDisc], after: Sequence[SeenDisc], own: SeenDisc | None
) -> Outcome:
    left = {disc.id for disc in after}
    if all(disc.id in left for disc in targets):
        return Outcome.MISSED
    return Outcome.OUT if own is None else Outcome.OUT_AND_STAYED


def _see_rest(event: ShotEvent, own: SeenDisc | None) -> tuple[float | None, float | None]:
    """The disc's resting place as its shooter sees it, mm; None and None if unknown."""
    start = next((disc for disc in event.before if disc.id == event.disc), None)
    if own is None or start is None:
        return None, None
    right_mm, beyond_mm = see_from_seat(start.place_mm, own.place_mm)
    return round(right_mm, 1), round(beyond_mm, 1)
