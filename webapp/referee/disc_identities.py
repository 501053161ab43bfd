"""Disc identities: each disc keeps its name from one still board to the next.

Knows which disc of a new reading is which of an old one. Refuses to know rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy.optimize import linear_sum_assignment

from calibration.board import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.state import PlacedDisc, Team


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscIdentitiesParameters(StageParameters):
    """What ``disc_identities`` takes for granted."""

    stage: ClassVar[str] = "referee.disc_identities"

    forbidden: float = parameter(1e6, unit="", source="")
    #: A shot disc may be found this far from where it lay, mm: anywhere on the board.
    farthest_mm: float = parameter(700.0, unit="mm", source="")
    #: That another disc of the team comes to lie so exactly where one lay is less likely than any
    #: track is mistaken, mm: more than two discs can be astray by, as counted below.
    same_place_mm: float = parameter(100.0, unit="mm", source="")
    #: A disc this far from where it is expected is simply elsewhere, mm, and how far hardly
    #: matters.
    elsewhere_mm: float = parameter(40.0, unit="mm", source="")
    beyond: float = parameter(0.05, unit="", source="")


PARAMS = DiscIdentitiesParameters.active()
#: A disc that nothing moved is found within this of its place, mm.
UNMOVED_MM = 3.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NamedDisc:
    """A disc with a name.

    must_go      the rules take it off, or it is a 20 that was counted
    is_unconfirmed  it lies there since a shot that nobody saw bring it, and nothing moved it since:
                 what looks like a disc may be none
    """

    name: str
    disc: PlacedDisc
    must_go: bool = False
    is_unconfirmed: bool = False

    @property
    def place_mm(self) -> FloatArray:
        """(2,)"""
        return self.disc.centre_mm


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardChange:
    """What differs between two still boards.

    now     every disc that lies there now
    new_names  names of those that were not there
    gone    those that are no longer there
    moved_mm how far each that stayed lies from where it lay, for all that stayed
    """

    now: tuple[NamedDisc, ...]
    new_names: tuple[str, ...]
    gone: tuple[NamedDisc, ...]
    moved_mm: Mapping[str, float]

    def find_disc(self, name: str) -> NamedDisc | None:
        """The disc of that name as it lies now."""
        return next((each for each in self.now if each.name == name), None)


class DiscNamer:
    """Gives every new disc a name: its colour and a number."""

    def __init__(self) -> None:
        self._count: dict[int, int] = {}

    def assign_name(self, team: Team) -> str:
        """The next name of that team's discs."""
        self._count[team.number] = self._count.get(team.number, 0) + 1
        return f"{team.colour_name} {self._count[team.number]}"


def match_discs(
    before: Sequence[NamedDisc],
    now: Sequence[PlacedDisc],
    expected_mm: Mapping[str, FloatArray],
    teams: Sequence[Team],
    namer: DiscNamer,
    *,
    after_shot: bool,
) -> BoardChange:
    """What became of the discs ``before``.

    ``expected_mm`` says where a disc was last seen going, by name; others are expected where they
    lay. Without a shot a disc that lies elsewhere is the same only when the expectation says so, or
    when a hand can have pushed it a little.
    """
    pairs = _assign_discs(before, now, expected_mm, PARAMS.farthest_mm if after_shot else 60.0)
    old_of = {column: row for row, column in pairs}
    discs, came, moved = [], [], {}
    for column, disc in enumerate(now):
        row = old_of.get(column)
        if row is None:
            name = namer.assign_name(_find_team(teams, disc.team))
            named = NamedDisc(name=name, disc=disc, is_unconfirmed=after_shot)
            came.append(named.name)
        else:
            old = before[row]
            moved[old.name] = float(np.linalg.norm(disc.centre_mm - old.place_mm))
            is_unmoved = moved[old.name] < UNMOVED_MM
            named = replace(old, disc=disc, is_unconfirmed=old.is_unconfirmed and is_unmoved)
        discs.append(named)
    kept = {row for row, _ in pairs}
    gone = tuple(each for row, each in enumerate(before) if row not in kept)
    return BoardChange(now=tuple(discs), new_names=tuple(came), gone=gone, moved_mm=moved)


def _assign_discs(
    before: Sequence[NamedDisc],
    now: Sequence[PlacedDisc],
    expected_mm: Mapping[str, FloatArray],
    farthest_mm: float,
) -> list[tuple[int, int]]:
    """(index before, index now) of the discs that are the same."""
    if not before or not now:
        return []
    cost = np.array([[_match_cost(old, new, expected_mm) for new in now] for old in before])
    far = cost > farthest_mm
    cost = np.where(
        cost > PARAMS.elsewhere_mm,
        PARAMS.elsewhere_mm + PARAMS.beyond * (cost - PARAMS.elsewhere_mm),
        cost,
    )
    cost[far] = PARAMS.forbidden
    rows, columns = linear_sum_assignment(cost)
    return [
        (int(row), int(column))
        for row, column in zip(rows, columns, strict=True)
        if cost[row, column] < PARAMS.forbidden
    ]


def _match_cost(old: NamedDisc, new: PlacedDisc, expected_mm: Mapping[str, FloatArray]) -> float:
    if old.disc.team != new.team:
        return PARAMS.forbidden
    stayed = float(np.linalg.norm(new.centre_mm - old.place_mm))
    if stayed < UNMOVED_MM:
        return stayed - PARAMS.same_place_mm
    if old.name not in expected_mm:
        return stayed
    return float(np.linalg.norm(new.centre_mm - expected_mm[old.name]))


def _find_team(teams: Sequence[Team], number: int) -> Team:
    return next(each for each in teams if each.number == number)
