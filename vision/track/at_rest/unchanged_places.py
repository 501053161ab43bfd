"""Places of a still board that look unchanged since the last reading.

A disc cannot come without a change of the picture at its place. A new disc at an unchanged place
was overlooked before. Pictures are compared pixel by pixel, in the background's light. In a moving
shadow the comparison is not possible, and no place is unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import DiscState, PlacedDisc
from vision.rectify.frame_rectifier import FrameRectifier
from vision.track.at_rest.still_frame import measure_share
from vision.track.background.background_model import NormalisedFrame, subtract_images
from vision.track.motion.motion_gate import SMOOTH_PX
from vision.track.tracks.same_disc import is_of_disc


class UnchangedPlacesParameters(StageParameters):
    """Parameters of ``unchanged_places``."""

    #: A place is unchanged if no more than this share of a disc's face differs.
    changed_share: float = parameter(
        0.25,
        unit="share",
        source="chosen: below the 0.35 by which a disc of nearly the wood's colour differs; "
        "measured in films: 0 to 0.15 where nothing came or left, 0.98 elsewhere",
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
    same = cv2.blur(subtract_images(now.image, before.image), SMOOTH_PX) <= threshold
    for each in hidden:
        same &= each == 0
    return np.asarray(same)


def find_overlooked(
    discs: Sequence[PlacedDisc],
    before: Sequence[PlacedDisc],
    unchanged: np.ndarray,
    rectifier: FrameRectifier,
    radius_mm: float,
) -> tuple[PlacedDisc, ...]:
    """The discs that were not among those ``before``, though their places are ``unchanged`` (side,
    side bool).

    Discs over the hole are left out, because the light changes there.
    """

    def is_same(disc: PlacedDisc) -> bool:
        face = rectifier.disc_mask(disc.centre_mm, radius_mm) > 0
        return measure_share(~unchanged, face) <= PARAMS.changed_share

    flat = [disc for disc in discs if disc.state is DiscState.FLAT]
    return tuple(d for d in flat if not is_of_disc(d.centre_mm, before) and is_same(d))
