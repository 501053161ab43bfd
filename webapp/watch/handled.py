"""What hands did between shots that they should not have, or did not do that they should.

Knows which discs must go, whose turn it is and where sides sit. Refuses to know who did it.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from calibration.board import BoardSpec
from calibration.state import DiscState
from scorer.places import Sizes
from scorer.rules.sets import RuleSet
from webapp.watch.book import UNMOVED_MM, Change, NamedDisc
from webapp.watch.seats import Seats

#: A disc lies on the starting line, ready to be shot, within this of it, mm.
_READY_MM = 22.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Handled:
    """What changed between two boards with no shot between.

    names   of the discs that lay there before
    gone    those of them that were taken off, but not from the starting line
    ready   new ones that lie on the starting line
    """

    change: Change
    names: Container[str]
    gone: Sequence[NamedDisc]
    ready: Sequence[NamedDisc]


def is_ready(each: NamedDisc, board: BoardSpec) -> bool:
    """Whether the disc lies on the starting line, to be shot."""
    away_mm = float(np.linalg.norm(each.place_mm))
    return abs(away_mm - board.line_radii_mm[2]) < _READY_MM


def is_twenty(each: NamedDisc) -> bool:
    """Whether the disc lies in the hole."""
    return each.disc.state is DiscState.IN_HOLE


def handled(change: Change, before: Sequence[NamedDisc], board: BoardSpec) -> Handled:
    """What hands changed."""
    return Handled(
        change=change,
        names={each.name for each in before},
        gone=[each for each in change.gone if not is_ready(each, board)],
        ready=[each for each in change.now if each.name in change.came and is_ready(each, board)],
    )


def warnings(
    what: Handled, seats: Seats, turn_after: int | None, rules: RuleSet, sizes: Sizes
) -> Iterator[str]:
    """One sentence each; ``turn_after`` is the team whose turn it is not, if there is one."""
    unasked = [each for each in what.gone if not each.must_go]
    for each in unasked:
        yield f"{each.name} was taken off, though no rule asks for it."
    for each in what.change.now:
        if each.must_go and (what.ready or unasked):
            why = "is a 20 that was counted" if is_twenty(each) else "must be removed"
            yield f"{each.name} {why} and still lies there."
        moved_mm = what.change.moved_mm.get(each.name, 0.0)
        if moved_mm > UNMOVED_MM and each.name in what.names:
            yield f"{each.name} was moved by hand, {moved_mm:.0f} mm."
    for each in what.ready:
        if each.disc.team == turn_after:
            yield f"{each.name} is about to be shot, but it is the other side's turn."
        if seats.is_outside(each.disc.team, each.place_mm, rules, sizes):
            yield f"{each.name} lies outside its player's quadrant."
    for name in what.change.came:
        named = what.change.named(name)
        if named is not None and not is_ready(named, sizes.board):
            yield f"{name} was put on the board by hand, away from the starting line."
