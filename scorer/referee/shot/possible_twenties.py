"""Possible twenties: discs lost from sight that may be in the hole, although no disc was read
there. A disc that was lost permanently, away from the edge, may be in the hole if it could reach it
and the hole shows its team's colour; these are mostly dark discs in dark holes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from calibration.board import FloatArray
from calibration.circle import circle_mm
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import DiscState
from scorer.physics.parameters import PhysicsSpec
from scorer.referee.disc_identities import NamedDisc
from scorer.referee.shot.flick import starting_line_mm
from vision.discs.teams.team_colours import (
    bgr_to_weighted_lab,
    find_nearest_team,
    get_team_colours_lab,
)
from vision.track.events import BoardAtRest
from vision.track.motion.blob_appearance import PARAMS as APPEARANCE
from vision.track.motion.blob_appearance import WEAK_ROUNDNESS
from vision.track.tracks.disc_track import PARAMS as TRACKS
from vision.track.tracks.disc_track import DiscTrack


class PossibleTwentiesParameters(StageParameters):
    """Parameters of ``possible_twenties``."""

    #: Circles on which the colour in the hole is measured, as shares of its radius.
    hole_radii: tuple[float, ...] = parameter(
        (0.2, 0.4, 0.6), unit="share", source="chosen: all within a disc that rests in the hole"
    )


PARAMS = PossibleTwentiesParameters()
_PHYSICS = PhysicsSpec()
#: Number of points on each circle.
_HOLE_DIRECTIONS = 16


def may_have_fallen_in(named: NamedDisc, track: DiscTrack | None, at_rest: BoardAtRest) -> bool:
    """Whether a disc that disappeared may be in the hole without being visible there.

    It slid, and was lost from sight at a place from which it could reach the hole but was not about
    to leave the board. No disc was read in the hole, and the hole has its team's colour.
    """
    if track is None or not track.has_moved_freely() or not _looks_filled(named, at_rest):
        return False
    if any(disc.state is DiscState.IN_HOLE for disc in at_rest.board.discs):
        return False
    last = _drop_hand(track)
    velocity = last.velocity_mm_s()
    ahead_mm = last.last.place_mm + TRACKS.unseen_s * velocity
    if max(np.hypot(*ahead_mm), np.hypot(*last.last.place_mm)) > starting_line_mm(at_rest):
        return False
    spec = at_rest.fit.spec
    away_mm = float(np.linalg.norm(last.last.place_mm - np.array(spec.hole_centre_mm)))
    slides_mm = float(velocity @ velocity) / (2 * _PHYSICS.friction * _PHYSICS.gravity_mm_s2)
    return away_mm - spec.hole_radius_mm < slides_mm


def _drop_hand(track: DiscTrack) -> DiscTrack:
    """The track up to its last round sample."""
    seen = [i for i, sample in enumerate(track.samples) if sample.roundness > WEAK_ROUNDNESS]
    return replace(track, samples=track.samples[: seen[-1] + 1]) if seen else track


def _looks_filled(disc: NamedDisc, at_rest: BoardAtRest) -> bool:
    """Whether the hole has the colour of that disc's team."""
    spec = at_rest.fit.spec
    places_mm = np.concatenate(
        [
            circle_mm(spec.hole_centre_mm, share * spec.hole_radius_mm, _HOLE_DIRECTIONS)
            for share in PARAMS.hole_radii
        ]
    )
    x, y = at_rest.fit.view.project_plane(places_mm, 0.0).round().astype(int).T
    height, width = at_rest.image.shape[:2]
    colours = at_rest.image[y.clip(0, height - 1), x.clip(0, width - 1)]
    return _has_team_colour(bgr_to_weighted_lab(np.median(colours, axis=0)), disc, at_rest)


def _has_team_colour(lab: FloatArray, disc: NamedDisc, at_rest: BoardAtRest) -> bool:
    """Whether a colour (3,), weighted Lab, may be that of the disc's team, and of no other."""
    teams = at_rest.board.teams
    if not teams:
        return False
    nearest, away = find_nearest_team(lab[None], get_team_colours_lab(teams))
    is_own = teams[int(nearest[0])].number == disc.disc.team
    return is_own and float(away[0]) < APPEARANCE.same_colour_lab
