"""A still board under an object that the frame was not known to have.

The object is noticed only after the discs of the frame have been read. A disc covered by a hand is
remembered. A disc surrounded by the object is part of it, such as a round part of a graphic that
fades in. Other cases are uncertain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from calibration.camera import FloatArray
from calibration.fit import BoardFit
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import PlacedDisc
from vision.reading import UnexplainedObject, UnexplainedReason
from vision.rectify.frame_rectifier import FrameRectifier
from vision.track.at_rest.same_disc import is_of_disc
from vision.track.at_rest.still_board import StillBoard
from vision.track.at_rest.still_frame import measure_share
from vision.track.motion.occlusion import Occlusion
from vision.track.tracks.disc_track import DiscTrack
from vision.track.tracks.sliding_discs import (
    find_moved_discs,
    find_untouched,
    list_outcome_places,
)


class CoveredBoardParameters(StageParameters):
    """Parameters of ``covered_board``."""

    stage: ClassVar[str] = "track.at_rest.covered_board"

    #: What came, and has this share of what lies around it covered, is no disc.
    surrounded: float = parameter(
        0.5, unit="share", source="discs beside fingers in films: up to 0.33; a graphic's: 0.84"
    )
    #: It is covered around it between these, beyond a disc's rim.
    around_mm: tuple[float, float] = parameter(
        (4.0, 12.0), unit="mm", source="from what is counted as the disc's own to half a disc more"
    )


PARAMS = CoveredBoardParameters()


def doubt_covered(board: StillBoard, rectifier: FrameRectifier) -> StillBoard:
    """The board with its unexpected occluder marked as uncertain, as far as it reaches."""
    if board.occluder is None:
        return board
    away_mm = np.where(board.occluder > 0, rectifier.radius_mm, np.inf)
    row, column = np.unravel_index(int(away_mm.argmin()), away_mm.shape)
    place_mm = rectifier.to_mm(np.array([column, row]))
    covered = UnexplainedObject(centre_mm=place_mm, reason=UnexplainedReason.COVERED)
    return replace(board, unexplained=(*board.unexplained, covered))


def drop_surrounded(
    board: StillBoard, before: Sequence[PlacedDisc], rectifier: FrameRectifier
) -> StillBoard:
    """The board without discs that its occluder surrounds and that were not there ``before``."""
    if board.occluder is None:
        return board
    kept = tuple(
        disc
        for disc in board.discs
        if is_of_disc(disc.centre_mm, before)
        or _measure_cover(board.occluder, disc.centre_mm, board.disc.radius_mm, rectifier)
        < PARAMS.surrounded
    )
    return board if len(kept) == len(board.discs) else replace(board, discs=kept)


def explain_cover(
    board: StillBoard,
    before: Sequence[PlacedDisc],
    tracks: Sequence[DiscTrack],
    occlusion: Occlusion,
    fit: BoardFit,
    rectifier: FrameRectifier,
) -> StillBoard | None:
    """The board and those of the discs ``before`` that a person hides and that no disc can have
    touched; None if hidden discs may have moved.
    """
    radius_mm, lay = board.disc.radius_mm, (*before, *board.discs)
    if not occlusion.hides_disc(rectifier, list_outcome_places(tracks, lay, fit), radius_mm):
        return board
    moved = find_moved_discs(tracks, fit)
    untouched = find_untouched(before, moved, fit, radius_mm)
    remembered = remember_covered(board, untouched, occlusion, rectifier)
    if not moved:
        return None if remembered is board else remembered
    places_mm = list_outcome_places(tracks, lay, fit, radius_mm)
    return None if occlusion.hides_disc(rectifier, places_mm, radius_mm) else remembered


def remember_covered(
    board: StillBoard, before: Sequence[PlacedDisc], occlusion: Occlusion, rectifier: FrameRectifier
) -> StillBoard:
    """The board and those of the discs ``before`` that an occlusion hides, at their old places."""
    hidden = tuple(
        disc
        for disc in before
        if occlusion.hides_disc(rectifier, [disc.centre_mm], board.disc.radius_mm)
        and not is_of_disc(disc.centre_mm, board.discs)
    )
    return replace(board, discs=(*board.discs, *hidden)) if hidden else board


def _measure_cover(
    occluder: np.ndarray, place_mm: FloatArray, radius_mm: float, rectifier: FrameRectifier
) -> float:
    """The share of the surface around a disc that an occluder (side, side uint8) covers."""
    inner, outer = (
        rectifier.disc_mask(place_mm, radius_mm + each) > 0 for each in PARAMS.around_mm
    )
    return measure_share(occluder > 0, outer & ~inner & rectifier.surface)
