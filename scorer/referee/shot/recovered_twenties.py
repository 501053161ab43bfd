"""Unread twenties: recovered if the disc was seen to fall in, otherwise possible.

A track that ends over the hole, or a frame's movement before it and heading for it, belongs to a
disc that fell in, unless a disc of its team came to rest nearby or a disc is over the hole. A disc
that a hand took off there would be taken for a 20. If a disc struck hard was lost from sight, it
continues in a track that begins soon after. A disc that was lost for good, not at the edge, may be
in a hole that it could reach and that looks like it; these are mostly dark discs in dark holes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from calibration.board import FloatArray
from calibration.circle import circle_mm
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import DiscState, PlacedDisc
from scorer.physics.parameters import PhysicsSpec
from scorer.referee.disc_identities import NamedDisc
from scorer.referee.shot.flick import starting_line_mm
from vision.discs.teams.team_colours import (
    bgr_to_weighted_lab,
    find_nearest_team,
    get_team_colours_lab,
)
from vision.track.at_rest.missed_discs import PARAMS as MISSED_DISCS
from vision.track.at_rest.same_disc import PARAMS as SAME_DISC
from vision.track.at_rest.still_board import StillBoard
from vision.track.events import BoardAtRest
from vision.track.motion.blob_appearance import PARAMS as APPEARANCE
from vision.track.read_at_rest import PARAMS as READ_AT_REST
from vision.track.tracks.disc_track import PARAMS as TRACKS
from vision.track.tracks.disc_track import WEAK_ROUNDNESS, DiscTrack
from vision.track.tracks.disc_tracker import PARAMS as TRACKER


class RecoveredTwentiesParameters(StageParameters):
    """Parameters of ``recovered_twenties``."""

    stage: ClassVar[str] = "referee.shot.recovered_twenties"

    #: A disc that was last seen this near to the hole's middle, and nowhere after, fell in; so did
    #: one last seen a frame's way off it, so fast that it came there unseen, and that near.
    fell_in_mm: float = parameter(
        12.0, unit="mm", source="chosen: two thirds of the hole's radius, beyond which discs lean"
    )
    #: How sure a 20 is that was seen to fall in, but not to lie there: a dark disc in a dark hole.
    recovered_confidence: float = parameter(
        0.9, unit="probability", source="chosen: below a disc that is read"
    )
    #: Where the colour of what is in the hole is measured, as shares of its radius.
    hole_radii: tuple[float, ...] = parameter(
        (0.2, 0.4, 0.6), unit="share", source="chosen: within a disc that lies in it"
    )


PARAMS = RecoveredTwentiesParameters()
_PHYSICS = PhysicsSpec()
#: So many places on each circle.
_HOLE_DIRECTIONS = 16


def add_recovered_twenty(
    at_rest: BoardAtRest, discs: Sequence[NamedDisc], tracks: Mapping[str, DiscTrack]
) -> BoardAtRest:
    """The board with the disc that was seen to fall into the hole, if none was read in it.

    Of several candidates it is the first of ``discs``; without one the board is unchanged.
    """
    hole_mm = np.array(at_rest.fit.spec.hole_centre_mm)
    board = at_rest.board
    room_mm = 2 * board.disc.radius_mm - MISSED_DISCS.hole_clearance_mm
    if any(np.linalg.norm(disc.centre_mm - hole_mm) < room_mm for disc in board.discs):
        return at_rest
    for disc in discs:
        track = tracks.get(disc.name)
        if track is None:
            continue
        whole = _follow_lost(track, disc, at_rest)
        if len(whole) > 1 and _is_missing(disc, discs, board) and _looks_filled(disc, at_rest):
            track = whole[-1]
        if not _fell_in(track, hole_mm) or _lies_near(track, disc, discs, board):
            continue
        if _moved_away(track, at_rest):
            continue
        recovered = PlacedDisc(
            centre_mm=hole_mm,
            covariance_mm2=np.eye(2),
            team=disc.disc.team,
            state=DiscState.IN_HOLE,
            confidence=PARAMS.recovered_confidence,
        )
        return replace(at_rest, board=replace(board, discs=(*board.discs, recovered)))
    return at_rest


def _moved_away(track: DiscTrack, at_rest: BoardAtRest) -> bool:
    """Whether a disc that was never seen to move, such as one leaning over the hole whose colour
    was misread, was seen to slide away in another track.
    """
    if len(track.samples) > 1:
        return False
    away_mm = [disc_track.places_mm - track.last.place_mm for disc_track in at_rest.tracks]
    return any(
        disc_track is not track
        and disc_track.has_moved_freely()
        and np.linalg.norm(way[0]) < READ_AT_REST.frame_step_mm < np.linalg.norm(way[-1])
        and disc_track.samples[0].t_s - track.last.t_s < TRACKS.unseen_s
        for disc_track, way in zip(at_rest.tracks, away_mm, strict=True)
    )


def _is_missing(each: NamedDisc, before: Sequence[NamedDisc], board: StillBoard) -> bool:
    """Whether fewer discs of that disc's team are read than before."""
    count = sum(old.disc.team == each.disc.team for old in before)
    return sum(disc.team == each.disc.team for disc in board.discs) < count


def _lies_near(
    track: DiscTrack, each: NamedDisc, before: Sequence[NamedDisc], board: StillBoard
) -> bool:
    """Whether a disc of that team came to rest near the track's end, or it rests there itself."""
    others = [old for old in before if old.name != each.name]
    for disc in board.discs:
        near = np.linalg.norm(disc.centre_mm - track.last.place_mm) < 2 * READ_AT_REST.frame_step_mm
        lay = any(
            np.linalg.norm(old.place_mm - disc.centre_mm) < SAME_DISC.unmoved_mm for old in others
        )
        if near and not lay and disc.team == each.disc.team:
            return True
    return False


def _fell_in(track: DiscTrack, hole_mm: FloatArray) -> bool:
    """Whether a disc that is nowhere now went into the hole at ``hole_mm`` (2,)."""
    to_hole = hole_mm - track.last.place_mm
    away_mm = float(np.hypot(*to_hole))
    if away_mm < PARAMS.fell_in_mm:
        return True
    velocity = track.velocity_mm_s()
    speed = max(float(np.hypot(*velocity)), 1.0)
    along_mm = float(to_hole @ velocity) / speed
    past_mm = abs(float(to_hole[0] * velocity[1] - to_hole[1] * velocity[0])) / speed
    ahead_mm = min(READ_AT_REST.frame_step_mm, PARAMS.fell_in_mm + TRACKS.unseen_s * speed)
    return away_mm < ahead_mm and along_mm > 0 and past_mm < PARAMS.fell_in_mm


def may_have_fallen_in(each: NamedDisc, track: DiscTrack | None, at_rest: BoardAtRest) -> bool:
    """Whether a disc that is nowhere now may be in the hole without being visible there.

    It slid, and was lost from sight where friction let it reach the hole but it was not about to
    leave the board. No disc was read in the hole, and the hole has its team's colour.
    """
    if track is None or not track.has_moved_freely() or not _looks_filled(each, at_rest):
        return False
    if any(disc.state is DiscState.IN_HOLE for disc in at_rest.board.discs):
        return False
    last = _follow_lost(track, each, at_rest)[-1]
    velocity = last.velocity_mm_s()
    ahead_mm = last.last.place_mm + TRACKS.unseen_s * velocity
    if max(np.hypot(*ahead_mm), np.hypot(*last.last.place_mm)) > starting_line_mm(at_rest):
        return False
    spec = at_rest.fit.spec
    away_mm = float(np.linalg.norm(last.last.place_mm - np.array(spec.hole_centre_mm)))
    slides_mm = float(velocity @ velocity) / (2 * _PHYSICS.friction * _PHYSICS.gravity_mm_s2)
    return away_mm - spec.hole_radius_mm < slides_mm


def _follow_lost(track: DiscTrack, disc: NamedDisc, at_rest: BoardAtRest) -> list[DiscTrack]:
    """The track as long as it shows a disc, and those of no known disc in which it continued.

    A piece of a hand that takes a track over is not round. A disc is never faster than when it was
    lost, and keeps its team's colour.
    """
    found = [_drop_hand(track)]
    others = [
        disc_track
        for disc_track in at_rest.tracks
        if disc_track.name is None and disc_track.has_moved_freely()
    ]
    for other in sorted(others, key=lambda one: one.samples[0].t_s):
        lost, first = found[-1], other.samples[0]
        since_s = first.t_s - lost.last.t_s
        way_mm = float(np.linalg.norm(first.place_mm - lost.last.place_mm))
        speed = float(np.hypot(*lost.velocity_mm_s()))
        can_be = 0 < since_s < TRACKER.lost_s and way_mm < speed * since_s
        if can_be and _has_team_colour(other.lab, disc, at_rest):
            found.append(_drop_hand(other))
    return found


def _drop_hand(track: DiscTrack) -> DiscTrack:
    """The track up to its last round sample."""
    seen = [i for i, sample in enumerate(track.samples) if sample.roundness > WEAK_ROUNDNESS]
    return replace(track, samples=track.samples[: seen[-1] + 1]) if seen else track


def _looks_filled(each: NamedDisc, at_rest: BoardAtRest) -> bool:
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
    return _has_team_colour(bgr_to_weighted_lab(np.median(colours, axis=0)), each, at_rest)


def _has_team_colour(lab: FloatArray, each: NamedDisc, at_rest: BoardAtRest) -> bool:
    """Whether a colour (3,), weighted Lab, may be that of the disc's team, and of no other."""
    teams = at_rest.board.teams
    if not teams:
        return False
    nearest, away = find_nearest_team(lab[None], get_team_colours_lab(teams))
    is_own = teams[int(nearest[0])].number == each.disc.team
    return is_own and float(away[0]) < APPEARANCE.same_colour_lab
