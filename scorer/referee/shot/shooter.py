"""The disc that was shot, and its owner: by its track, by the disc placed ready, or by its colour.

The turn alone proves nothing, because players shoot out of turn. A disc that was not seen at rest,
or whose team was unclear at rest, gets the team of the disc at its track's end, otherwise the team
with the nearest colour. In flight the colour is blurred with the board's, so the owner is then
uncertain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.board import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import DiscState, PlacedDisc, Team
from scorer.referee.disc_identities import DiscNamer, NamedDisc
from scorer.referee.manual_moves import is_ready
from scorer.referee.shot.flick import Flick
from vision.discs.teams.team_colours import find_nearest_team, get_team_colours_lab
from vision.track.events import BoardAtRest
from vision.track.tracks.disc_track import DiscTrack
from vision.track.tracks.same_disc import PARAMS as SAME_DISC


class ShooterParameters(StageParameters):
    """Parameters of ``shooter``."""

    #: A flight's start is matched with a disc that waited within this distance.
    waited_rad: float = parameter(
        np.pi / 6,
        unit="rad",
        source="chosen: 160 mm of the line: the distance of a frame at 4 m/s and 25 frames a "
        "second",
    )


PARAMS = ShooterParameters()
#: A disc that left before any team was known is shown grey.
UNKNOWN_TEAM = Team(number=0, colour_rgb=(128, 128, 128), colour_name="unknown")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shooter:
    """The disc that was shot, at its place before the shot, and whether it was read there at rest.

    is_team_doubtful  whether it may be another side's disc
    """

    disc: NamedDisc
    was_placed: bool
    is_team_doubtful: bool = False


def find_shooter(
    at_rest: BoardAtRest,
    flick: Flick,
    discs: Sequence[NamedDisc],
    teams: Sequence[Team],
    namer: DiscNamer,
) -> Shooter:
    """The disc of a flick, among the ``discs`` on the board or one that was not seen at rest.

    An unknown disc gets a name from ``namer``, and ``UNKNOWN_TEAM`` if no team is known.
    """
    known = find_known_disc(flick.track, at_rest, discs)
    if known is not None and known.disc.has_clear_team:
        return Shooter(disc=known, was_placed=True)
    if known is not None:
        return _tell_team(known, _find_end(at_rest, flick))
    team, is_doubtful = _infer_team(at_rest, flick, teams)
    waiting = _find_waiting_disc(at_rest, flick, discs)
    if waiting is not None and (is_doubtful or waiting.disc.team == team.number):
        return Shooter(disc=waiting, was_placed=True)
    disc = PlacedDisc(
        centre_mm=flick.place_mm,
        covariance_mm2=np.eye(2),
        team=team.number,
        state=DiscState.FLAT,
    )
    return Shooter(
        disc=NamedDisc(name=namer.assign_name(team), disc=disc),
        was_placed=False,
        is_team_doubtful=is_doubtful,
    )


def find_known_disc(
    track: DiscTrack, at_rest: BoardAtRest, discs: Sequence[NamedDisc]
) -> NamedDisc | None:
    """The disc that a track began with, if it was on the board before."""
    if track.name is None:
        return None
    place = at_rest.before[int(track.name)].centre_mm
    near = (disc for disc in discs if np.linalg.norm(disc.place_mm - place) < SAME_DISC.unmoved_mm)
    return next(near, None)


def _find_waiting_disc(
    at_rest: BoardAtRest, flick: Flick, discs: Sequence[NamedDisc]
) -> NamedDisc | None:
    """The disc that was ready on the starting line, near the flick's start, and is gone.

    In play no disc is there, so it was put there to be shot. The fastest discs are first seen two
    diameters or more from their start, blurred with the board, even after a bounce. Their waiting
    position is better evidence than their visible flight.
    """
    now = [disc.centre_mm for disc in at_rest.board.discs]
    left = [
        disc
        for disc in discs
        if is_ready(disc, at_rest.fit.spec)
        and _angle_between(disc.place_mm, flick.place_mm) < PARAMS.waited_rad
        and all(np.linalg.norm(place - disc.place_mm) > SAME_DISC.unmoved_mm for place in now)
    ]
    return min(left, key=lambda disc: _angle_between(disc.place_mm, flick.place_mm), default=None)


def _angle_between(one: FloatArray, other: FloatArray) -> float:
    """The angle of two places (2,) around the middle of the board, rad."""
    across = one[0] * other[1] - one[1] * other[0]
    return float(abs(np.arctan2(across, one @ other)))


def _infer_team(at_rest: BoardAtRest, flick: Flick, teams: Sequence[Team]) -> tuple[Team, bool]:
    """The team of the disc that was shot, and whether that is uncertain: from the disc at the
    track's end, otherwise by its blurred colour.
    """
    lies = _find_end(at_rest, flick)
    if lies is not None:
        return next(team for team in teams if team.number == lies.team), False
    if not teams:
        return UNKNOWN_TEAM, False
    (nearest,), _ = find_nearest_team(flick.track.lab[None], get_team_colours_lab(teams))
    return teams[int(nearest)], len(teams) > 1


def _tell_team(known: NamedDisc, lies: PlacedDisc | None) -> Shooter:
    """The shooter. If its team was unclear where it waited, in shadow or glare, it gets the team of
    the disc at its track's end (``lies``).
    """
    is_told = lies is not None and lies.has_clear_team
    told = replace(known.disc, team=lies.team, has_clear_team=True) if lies else known.disc
    return Shooter(disc=replace(known, disc=told), was_placed=True, is_team_doubtful=not is_told)


def _find_end(at_rest: BoardAtRest, flick: Flick) -> PlacedDisc | None:
    """The disc at rest at the end of the flick's track."""
    end_mm = flick.track.last.place_mm
    reach_mm = at_rest.board.disc.radius_mm / 2
    near = (d for d in at_rest.board.discs if np.linalg.norm(d.centre_mm - end_mm) < reach_mm)
    return next(near, None)
