"""Which disc was shot, and whose it is: by its track, by what lay ready, else by its colour.

Whose turn it is says nothing: players shoot out of turn. A disc that nobody saw at rest is given
the team of the disc where its track ends, else the team nearest in colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.placed_disc import DiscState, PlacedDisc, Team
from vision.discs.team_colours import find_nearest_team, get_team_colours_lab
from vision.track.events import BoardAtRest
from vision.track.motion.disc_tracker import DiscTrack
from webapp.referee.disc_identities import UNMOVED_MM, DiscNamer, NamedDisc
from webapp.referee.shot.flick import Flick

#: A disc that waited to be shot is first seen moving within this of its place, mm: a frame's way
#: at 2.7 m/s and 30 frames a second.
_WAITED_MM = 90.0
#: A disc that left before any team was known is shown grey.
UNKNOWN_TEAM = Team(number=0, colour_rgb=(128, 128, 128), colour_name="unknown")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shooter:
    """The disc that was shot, as it lay before, and whether it was read there at rest."""

    disc: NamedDisc
    was_placed: bool


def find_shooter(
    at_rest: BoardAtRest,
    flick: Flick,
    discs: Sequence[NamedDisc],
    teams: Sequence[Team],
    namer: DiscNamer,
) -> Shooter:
    """The disc of a flick, among the ``discs`` that lay there or one that nobody saw at rest.

    That one gets a name from ``namer``, and is of ``UNKNOWN_TEAM`` where no team is known.
    """
    known = find_known_disc(flick.track, at_rest, discs)
    if known is not None:
        return Shooter(disc=known, was_placed=True)
    team = _infer_team(at_rest, flick, teams)
    waiting = _find_waiting_disc(at_rest, flick, team, discs)
    if waiting is not None:
        return Shooter(disc=waiting, was_placed=True)
    disc = PlacedDisc(
        centre_mm=flick.place_mm,
        covariance_mm2=np.eye(2),
        team=team.number,
        state=DiscState.FLAT,
    )
    return Shooter(disc=NamedDisc(name=namer.assign_name(team), disc=disc), was_placed=False)


def find_known_disc(
    track: DiscTrack, at_rest: BoardAtRest, discs: Sequence[NamedDisc]
) -> NamedDisc | None:
    """The disc that a track began with, if it was on the board before."""
    if track.name is None:
        return None
    place = at_rest.before[int(track.name)].centre_mm
    near = (each for each in discs if np.linalg.norm(each.place_mm - place) < UNMOVED_MM)
    return next(near, None)


def _find_waiting_disc(
    at_rest: BoardAtRest, flick: Flick, team: Team, discs: Sequence[NamedDisc]
) -> NamedDisc | None:
    """The disc of that team that lay ready near the flick's start and no longer does."""
    now = [each.centre_mm for each in at_rest.board.discs]
    for each in discs:
        away_mm = float(np.linalg.norm(each.place_mm - flick.place_mm))
        left = all(np.linalg.norm(place - each.place_mm) > UNMOVED_MM for place in now)
        if each.disc.team == team.number and away_mm < _WAITED_MM and left:
            return each
    return None


def _infer_team(at_rest: BoardAtRest, flick: Flick, teams: Sequence[Team]) -> Team:
    """Whose disc was shot: by the disc that lies where the track ends, else by its colour."""
    end = flick.track.last.place_mm
    near = [
        each
        for each in at_rest.board.discs
        if np.linalg.norm(each.centre_mm - end) < at_rest.board.disc.radius_mm / 2
    ]
    if near:
        return next(team for team in teams if team.number == near[0].team)
    return _match_track_team(flick.track, teams) or UNKNOWN_TEAM


def _match_track_team(track: DiscTrack, teams: Sequence[Team]) -> Team | None:
    """The team whose colour is nearest to the tracked disc's; None without teams."""
    if not teams:
        return None
    return teams[int(find_nearest_team(track.lab[None], get_team_colours_lab(teams))[0][0])]
