"""The part of a still board that may have changed since it was last read.

A disc cannot appear on a board, or leave it, without a change of the picture there. A disc without
any change around it has not moved. Thin changes are trembling edges and do not count, except around
a disc, because a nudged disc shows no other change.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import PlacedDisc
from vision.discs.detector_input import BoardPart
from vision.rectify.frame_rectifier import RECTIFIED_MM_PER_PX, FrameRectifier
from vision.track.background.background_model import NormalisedFrame, subtract_images
from vision.track.background.connected_components import OPENING
from vision.track.motion.motion_gate import PARAMS as MOTION_GATE
from vision.track.motion.motion_gate import SMOOTH_PX


class ChangedPartParameters(StageParameters):
    """Parameters of ``changed_part``."""

    #: Changes this close to a disc's rim may be the disc's own.
    beside_rim_mm: float = parameter(
        4.0,
        unit="mm",
        source="chosen: two pixels: one of blur, and one for the position of the rim",
    )
    #: If a square around all changes covers more than this share of the board, all of it is read.
    most_share: float = parameter(
        0.5,
        unit="share",
        source="chosen: reading a larger part saves little, and the light may have changed",
    )


PARAMS = ChangedPartParameters()


def find_unchanged(
    now: NormalisedFrame, before: NormalisedFrame, threshold: int, hidden: Sequence[np.ndarray]
) -> np.ndarray:
    """Pixels (side, side bool) that are the same in two frames and ``hidden`` (side, side uint8) in
    neither.

    Pixels are compared in the background's light; in a moving shadow none are the same.
    """
    if now.is_shaded or before.is_shaded:
        return np.zeros(now.difference.shape, dtype=bool)
    same = cv2.blur(subtract_images(now.image, before.image), SMOOTH_PX) <= threshold
    for mask in hidden:
        same &= mask == 0
    return np.asarray(same)


def find_changed_part(
    unchanged: np.ndarray,
    discs: Sequence[PlacedDisc],
    rectifier: FrameRectifier,
    radius_mm: float,
) -> BoardPart | None:
    """The part of a board with these ``discs`` whose picture is not ``unchanged`` (side, side
    bool); it has no extent if nothing has changed. None if so much has changed that the whole board
    must be read.
    """
    near = rectifier.radius_mm < rectifier.surface_radius_mm + MOTION_GATE.beyond_edge_mm
    changed = (~unchanged & near).view(np.uint8)
    about = [
        rectifier.disc_mask(disc.centre_mm, radius_mm + PARAMS.beside_rim_mm) for disc in discs
    ]
    stayed = [not (changed & mask).any() for mask in about]
    clear = cv2.morphologyEx(changed, cv2.MORPH_OPEN, OPENING)
    for has_stayed, mask in zip(stayed, about, strict=True):
        if not has_stayed:
            clear = cv2.bitwise_or(clear, mask)
    x, y, width, height = cv2.boundingRect(clear)
    if width * height > PARAMS.most_share * _measure_square_px(rectifier):
        return None
    low_mm, high_mm = rectifier.to_mm([(x, y + height - 1), (x + width - 1, y)])
    kept = tuple(disc for disc, has_stayed in zip(discs, stayed, strict=True) if has_stayed)
    return BoardPart(low_mm=low_mm, high_mm=high_mm, stayed=kept)


def _measure_square_px(rectifier: FrameRectifier) -> float:
    """The area of the square around the playing surface."""
    return float((2 * rectifier.surface_radius_mm / RECTIFIED_MM_PER_PX) ** 2)
