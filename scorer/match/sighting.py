"""Events seen by a camera, with colours instead of sides: a shot, a 20, or the end of a round.

The side of a colour may become known later or be corrected; the camera's events in a match's log
are then read again. Positions are (x, y) in the board frame, mm. Databases store this JSON, so a
field is never renamed or removed; fields at their defaults are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from scorer.match.seen_shot import Place, SeenShot, read_length


class SightingKind(StrEnum):
    """The kind of observation."""

    SHOT = "shot"
    TWENTY = "twenty"
    ROUND = "round"


@dataclass(frozen=True, slots=True, kw_only=True)
class SightedDisc:
    """A disc on the board: its colour, its zone, and its place at rest.

    sigma_mm  one standard deviation of the place; None in logs of earlier versions
    """

    id: str
    colour: str
    zone: int
    place_mm: Place
    sigma_mm: Annotated[float, read_length] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SightedTotal:
    """A colour's points including 20s, and its 20s, in a round."""

    colour: str
    points: int
    twenties: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """One event of the live referee, with the facts that a match needs.

    teams      the colours of all discs that the camera knows
    colour     of the disc that was shot, or fell into the hole
    number     of the shot in its round, from 1, as the camera counts
    before     the discs on the board before a shot, without the one that was shot
    after      the discs on the board after it, without those removed by the rules
    question   the question about the shot for a person; "" for none
    path       path of the shot's disc
    clip       the name under which the shot is saved
    totals     of a round, by colour
    is_cleared whether the round ended by clearing the board
    is_over    whether a person said that the round ended, with discs still to be shot
    is_film_over  whether a recording ended during the round, so that no more of it can be seen
    questions  the reasons why a round's score is uncertain
    """

    what: SightingKind
    teams: tuple[str, ...] = ()
    colour: str = ""
    number: int = 0
    before: tuple[SightedDisc, ...] = ()
    after: tuple[SightedDisc, ...] = ()
    verdict: str = ""
    faults: tuple[str, ...] = ()
    question: str = ""
    path: SeenShot | None = None
    clip: str = ""
    totals: tuple[SightedTotal, ...] = ()
    is_cleared: bool = False
    is_over: bool = False
    is_film_over: bool = False
    questions: tuple[str, ...] = ()

    @property
    def colours(self) -> tuple[str, ...]:
        """The colours whose sides must be known to enter it, the shooter's first."""
        totals = [total.colour for total in self.totals if total.points or total.twenties]
        used = [self.colour, *(disc.colour for disc in (*self.before, *self.after)), *totals]
        return tuple(dict.fromkeys(colour for colour in used if colour))
