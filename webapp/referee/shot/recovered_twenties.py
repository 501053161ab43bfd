"""Recover twenties: discs tracked into the hole where none is read in it, dark ones mostly.

A track that ends over the hole, or a frame's way before it and heading for it, belongs to a disc
that fell in, unless one of its team came to lie near or a disc lies over the hole. A disc that a
hand took off there would be taken for a 20.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from calibration.board import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import DiscState, PlacedDisc
from vision.track.at_rest.missed_discs import PARAMS as MISSED_DISCS
from vision.track.at_rest.still_board import StillBoard
from vision.track.events import BoardAtRest
from vision.track.motion.disc_tracker import DiscTrack
from webapp.referee.disc_identities import UNMOVED_MM, NamedDisc


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveredTwentiesParameters(StageParameters):
    """What ``recovered_twenties`` takes for granted."""

    stage: ClassVar[str] = "referee.shot.recovered_twenties"

    #: A disc that was last seen this near to the hole's middle, and nowhere after, fell in; so did
    #: one last seen a frame's way off it, going so that it passed it this near.
    fell_in_mm: float = parameter(
        12.0, unit="mm", source="chosen: two thirds of the hole's radius, beyond which discs lean"
    )
    frame_step_mm: float = parameter(
        50.0, unit="mm", source="1.5 m/s at 30 frames a second, above which discs pass the hole"
    )
    #: How sure a 20 is that was seen to fall in, but not to lie there: a dark disc in a dark hole.
    recovered_confidence: float = parameter(
        0.9, unit="", source="chosen: below a disc that is read"
    )


PARAMS = RecoveredTwentiesParameters.active()


def add_recovered_twenty(
    at_rest: BoardAtRest, discs: Sequence[NamedDisc], tracks: Mapping[str, DiscTrack]
) -> BoardAtRest:
    """The board with the disc that was seen to fall into the hole, where none was read in it.

    Of several that may have, the first of ``discs``; the board as it is where there is none.
    """
    hole_mm = np.array(at_rest.fit.spec.hole_centre_mm)
    board = at_rest.board
    room_mm = 2 * board.disc.radius_mm - MISSED_DISCS.hole_clearance_mm
    if any(np.linalg.norm(each.centre_mm - hole_mm) < room_mm for each in board.discs):
        return at_rest
    for each in discs:
        track = tracks.get(each.name)
        if track is None or not _fell_in(track, hole_mm) or _lies_near(track, each, discs, board):
            continue
        recovered = PlacedDisc(
            centre_mm=hole_mm,
            covariance_mm2=np.eye(2),
            team=each.disc.team,
            state=DiscState.IN_HOLE,
            confidence=PARAMS.recovered_confidence,
        )
        return replace(at_rest, board=replace(board, discs=(*board.discs, recovered)))
    return at_rest


def _lies_near(
    track: DiscTrack, each: NamedDisc, before: Sequence[NamedDisc], board: StillBoard
) -> bool:
    """Whether a disc of that team came to lie near where the track ends."""
    for disc in board.discs:
        near = np.linalg.norm(disc.centre_mm - track.last.place_mm) < 2 * PARAMS.frame_step_mm
        lay = any(np.linalg.norm(old.place_mm - disc.centre_mm) < UNMOVED_MM for old in before)
        if near and not lay and disc.team == each.disc.team:
            return True
    return False


def _fell_in(track: DiscTrack, hole_mm: FloatArray) -> bool:
    """Whether a disc that lies nowhere now went into the hole at ``hole_mm`` (2,)."""
    to_hole = hole_mm - track.last.place_mm
    away_mm = float(np.hypot(*to_hole))
    if away_mm < PARAMS.fell_in_mm:
        return True
    velocity = track.velocity_mm_s()
    speed = max(float(np.hypot(*velocity)), 1.0)
    along_mm = float(to_hole @ velocity) / speed
    past_mm = abs(float(to_hole[0] * velocity[1] - to_hole[1] * velocity[0])) / speed
    return away_mm < PARAMS.frame_step_mm and along_mm > 0 and past_mm < PARAMS.fell_in_mm
