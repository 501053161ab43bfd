"""Disc identities: discs keep their names from one board at rest to the next.

Discs of one team are matched by the least total distance from their expected places (the linear
assignment problem). Discs that did not move keep their places, and distances beyond a few
centimetres count almost equally. Two discs of one team that swapped places unseen swap names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.board import FloatArray
from calibration.numerics.assignment import assign
from calibration.parameters import StageParameters, parameter
from calibration.phrase import DiscName
from calibration.placed_disc import PlacedDisc, Team
from vision.track.tracks.same_disc import PARAMS as SAME_DISC


class DiscIdentitiesParameters(StageParameters):
    """Parameters of ``disc_identities``."""

    #: Largest distance between a disc and its expected position: after a shot, and without one, if
    #: only hands moved discs.
    shot_reach_mm: float = parameter(
        700.0,
        unit="mm",
        source="chosen: a flicked disc may go anywhere on the surface, which is 660 mm across",
    )
    hand_reach_mm: float = parameter(
        60.0,
        unit="mm",
        source="chosen: hands slide discs less far; they lift a disc to move it farther",
    )
    #: Bonus for a disc at exactly the old position of a disc: it is less likely that another disc
    #: stopped exactly there than that a track is wrong.
    unmoved_bonus_mm: float = parameter(
        100.0,
        unit="mm",
        source="chosen: more than the largest cost of a disc, which is 40 mm plus 5 % of 660 mm",
    )
    #: A disc this far from its expected position is elsewhere: only this share of any further
    #: distance counts.
    elsewhere_mm: float = parameter(
        40.0, unit="mm", source="chosen: more than the error of a track's last frames"
    )
    beyond: float = parameter(0.05, unit="", source="chosen: enough to distinguish near from far")
    #: A disc of this certainty, or read with this confidence, is on the board.
    sure_confidence: float = parameter(
        0.9,
        unit="probability",
        source="measured: networks give more to 86% of 116 discs in photographs, and to 14 of 54 "
        "drawn marks of a disc's size; lights that were mistaken for discs have 0.8",
    )


PARAMS = DiscIdentitiesParameters()
#: Certainty of a disc that was not seen arriving, or has neither side's colour: it is as likely a
#: light or a mark.
UNSEEN_CERTAINTY = 0.5
#: Cost of an impossible match.
_FORBIDDEN = 1e6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NamedDisc:
    """A disc with a name.

    must_go         the rules remove it, or it is a 20 that was counted
    is_in_play      a shot moved it there, or it was there during a shot, off the starting line
    certainty       the chance that it is a disc: 1 once it moved; before that by its looks, and at
                    most ``UNSEEN_CERTAINTY`` if it appeared after a shot, unseen
    """

    name: str
    disc: PlacedDisc
    must_go: bool = False
    is_in_play: bool = False
    certainty: float = 1.0

    @property
    def is_sure(self) -> bool:
        """Whether it certainly is a disc, and no light or mark on the board."""
        return self.certainty > PARAMS.sure_confidence

    @property
    def place_mm(self) -> FloatArray:
        """Its place (2,), board mm."""
        return self.disc.centre_mm


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardChange:
    """The differences between two still boards.

    now        every disc on the board now
    new_names  names of the new discs
    gone       those that are no longer there
    moved_mm   distances by which the discs that stayed have moved, by name
    """

    now: tuple[NamedDisc, ...]
    new_names: tuple[str, ...]
    gone: tuple[NamedDisc, ...]
    moved_mm: Mapping[str, float]

    def find_disc(self, name: str) -> NamedDisc | None:
        """The disc of that name, as it is now."""
        return next((disc for disc in self.now if disc.name == name), None)


class DiscNamer:
    """Gives a name to every new disc: its colour and a number."""

    def __init__(self) -> None:
        self._count: Counter[str] = Counter()

    def assign_name(self, team: Team) -> str:
        """The next name of that team's discs."""
        self._count[team.colour_name] += 1
        return DiscName(f"{team.colour_name} {self._count[team.colour_name]}")


def match_discs(
    before: Sequence[NamedDisc],
    now: Sequence[PlacedDisc],
    expected_mm: Mapping[str, FloatArray],
    teams: Sequence[Team],
    namer: DiscNamer,
    *,
    after_shot: bool,
) -> BoardChange:
    """The change of the discs ``before``; unmatched new discs get names from ``namer``.

    ``expected_mm`` has the places (2,) to which discs were last seen moving, by name; others are
    expected at their old places. Without a shot, a disc at another place is the same only if that
    is its expected place, or if a hand can have pushed it there.
    """
    reach_mm = PARAMS.shot_reach_mm if after_shot else PARAMS.hand_reach_mm
    pairs = _assign_discs(before, now, expected_mm, reach_mm)
    old_of = {column: row for row, column in pairs}
    discs, new_names, moved = [], [], {}
    for column, disc in enumerate(now):
        row = old_of.get(column)
        if row is None:
            name = namer.assign_name(_find_team(teams, disc.team))
            most = UNSEEN_CERTAINTY if after_shot else 1.0
            named = NamedDisc(name=name, disc=disc, certainty=min(disc.confidence, most))
            new_names.append(named.name)
        else:
            old = before[row]
            moved[old.name] = float(np.linalg.norm(disc.centre_mm - old.place_mm))
            is_unmoved = moved[old.name] < SAME_DISC.unmoved_mm
            named = replace(old, disc=disc, certainty=old.certainty if is_unmoved else 1.0)
        discs.append(named)
    kept = {row for row, _ in pairs}
    gone = tuple(named_disc for row, named_disc in enumerate(before) if row not in kept)
    return BoardChange(now=tuple(discs), new_names=tuple(new_names), gone=gone, moved_mm=moved)


def follow_split_team(
    before: Sequence[NamedDisc], now: Sequence[PlacedDisc]
) -> tuple[NamedDisc, ...]:
    """The discs ``before``. Those that were not moved get the teams that they have ``now``, because
    a first team turned out to be two sides.
    """
    return tuple(
        next(
            (
                replace(named_disc, disc=replace(named_disc.disc, team=disc.team))
                for disc in now
                if np.linalg.norm(disc.centre_mm - named_disc.place_mm) < SAME_DISC.unmoved_mm
            ),
            named_disc,
        )
        for named_disc in before
    )


def _assign_discs(
    before: Sequence[NamedDisc],
    now: Sequence[PlacedDisc],
    expected_mm: Mapping[str, FloatArray],
    reach_mm: float,
) -> list[tuple[int, int]]:
    """(index before, index now) of the same discs."""
    if not before or not now:
        return []
    cost = np.array([[_match_cost(old, new, expected_mm) for new in now] for old in before])
    far = cost > reach_mm
    cost = np.where(
        cost > PARAMS.elsewhere_mm,
        PARAMS.elsewhere_mm + PARAMS.beyond * (cost - PARAMS.elsewhere_mm),
        cost,
    )
    cost[far] = _FORBIDDEN
    rows, columns = assign(cost)
    return [
        (int(row), int(column))
        for row, column in zip(rows, columns, strict=True)
        if cost[row, column] < _FORBIDDEN
    ]


def _match_cost(old: NamedDisc, new: PlacedDisc, expected_mm: Mapping[str, FloatArray]) -> float:
    """Distance of the new disc from the old one's expected place, mm; reduced if unmoved."""
    if old.disc.team != new.team:
        return _FORBIDDEN
    stayed = float(np.linalg.norm(new.centre_mm - old.place_mm))
    if stayed < SAME_DISC.unmoved_mm:
        return stayed - PARAMS.unmoved_bonus_mm
    if old.name not in expected_mm:
        return stayed
    return float(np.linalg.norm(new.centre_mm - expected_mm[old.name]))


def _find_team(teams: Sequence[Team], number: int) -> Team:
    return next(team for team in teams if team.number == number)
