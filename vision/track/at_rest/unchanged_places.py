"""Places of a still board that look unchanged since the last reading keep their discs.

A little noise may change the reading of the same picture: a disc that leans on the hole's edge, or
whose colour is nearly the wood's, comes and goes. A disc cannot come or go without a change of the
picture at its place. Pictures are compared pixel by pixel, in the background's light. In a moving
shadow the comparison is not possible, and readings are kept unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import DiscState, PlacedDisc
from vision.rectify.frame_rectifier import FrameRectifier
from vision.track.at_rest.still_board import PARAMS as STILL_BOARD
from vision.track.at_rest.still_board import StillBoard, doubt_places
from vision.track.at_rest.still_frame import mask_core, measure_share
from vision.track.background.background_model import NormalisedFrame, subtract_images
from vision.track.motion.motion_gate import PARAMS as MOTION_GATE
from vision.track.tracks.same_disc import is_of_disc


class UnchangedPlacesParameters(StageParameters):
    """Parameters of ``unchanged_places``."""

    #: A place is unchanged if no more than this share of a disc's face differs.
    changed_share: float = parameter(
        0.25,
        unit="share",
        source="below what a disc of nearly the wood's colour differs by, 0.35; films: 0 to 0.15 "
        "where nothing came or went, else 0.98",
    )
    #: A disc that was overlooked and has no more confidence than this may not be one.
    overlooked_confidence: float = parameter(
        0.75,
        unit="probability",
        source="chosen: half way from being asked about, 0.5, to being sure",
    )


PARAMS = UnchangedPlacesParameters()


def find_unchanged(
    now: NormalisedFrame, before: NormalisedFrame, threshold: int, hidden: Sequence[np.ndarray]
) -> np.ndarray:
    """Pixels (side, side bool) that are the same in two frames and ``hidden`` (side, side uint8) in
    neither.
    """
    if now.is_shaded or before.is_shaded:
        return np.zeros(now.difference.shape, dtype=bool)
    same = cv2.blur(subtract_images(now.image, before.image), MOTION_GATE.smooth_px) <= threshold
    for each in hidden:
        same &= each == 0
    return np.asarray(same)


def keep_unchanged(
    board: StillBoard,
    before: Sequence[PlacedDisc],
    unchanged: np.ndarray,
    stands: np.ndarray,
    rectifier: FrameRectifier,
) -> tuple[StillBoard, tuple[PlacedDisc, ...]]:
    """The board with those of the discs ``before`` that were not read again though their places are
    ``unchanged`` (side, side bool), which become questions; and discs that must have been
    overlooked before. A disc that was overlooked and is hardly readable now becomes only a
    question.

    Over the hole, the light changes and a disc may have been there from the start, so new discs
    there are decided elsewhere. A disc stays only if an object ``stands`` (side, side bool) where
    the surface was seen bare before. A mark that was already in the first picture is not a disc.
    """

    def is_same(each: PlacedDisc) -> bool:
        face = rectifier.disc_mask(each.centre_mm, board.disc.radius_mm) > 0
        return measure_share(~unchanged, face) <= PARAMS.changed_share

    def is_there(each: PlacedDisc) -> bool:
        core = mask_core(rectifier, each.centre_mm, board.disc.radius_mm)
        return is_same(each) and measure_share(stands, core) > STILL_BOARD.least_different

    stayed = tuple(
        disc for disc in before if not is_of_disc(disc.centre_mm, board.discs) and is_there(disc)
    )
    flat = [disc for disc in board.discs if disc.state is DiscState.FLAT]
    new = [disc for disc in flat if not is_of_disc(disc.centre_mm, before) and is_same(disc)]
    hardly = [disc for disc in new if disc.confidence <= PARAMS.overlooked_confidence]
    if stayed or hardly:
        read = tuple(disc for disc in board.discs if not any(disc is one for one in hardly))
        board = replace(board, discs=(*read, *stayed))
        board = doubt_places(board, [disc.centre_mm for disc in (*stayed, *hardly)])
    return board, tuple(disc for disc in new if disc.confidence > PARAMS.overlooked_confidence)
