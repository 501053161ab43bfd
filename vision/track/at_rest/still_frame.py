"""A still frame compared with the background of its view: the differences, also under a disc and in
the hole.

The "core" is the part of a round object that shows only the object: a face without its rounded rim,
and the hole without its wall.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from calibration.fit import BoardFit
from calibration.parameters import StageParameters, parameter
from vision.discs.detector_input import BoardPart
from vision.rectify.frame_rectifier import FrameRectifier
from vision.track.background.background_model import BackgroundModel, NormalisedFrame
from vision.track.background.texture_match import matches_background


class StillFrameParameters(StageParameters):
    """Parameters of ``still_frame``."""

    #: The core of a disc or of the hole, as a share of its radius.
    core: float = parameter(
        0.7,
        unit="share",
        source="chosen: 5 of 16 mm are left out: the rounding, the wall and two pixels of blur",
    )
    #: The hole is occupied if this share of its core differs from the empty hole's.
    hole_filled: float = parameter(0.5, unit="share", source="chosen: most of the core")


PARAMS = StillFrameParameters()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StillFrame:
    """A frame of a still board, and its comparison with the background.

    image       (h, w, 3) uint8 BGR, the mean of the last frames
    normalised  the newest frame, rectified, in the background's light
    hidden      (side, side) uint8: covered parts; None if there are none
    changed     the part that may have changed since the last reading; None: all of it
    """

    image: np.ndarray
    fit: BoardFit
    rectifier: FrameRectifier
    background: BackgroundModel
    normalised: NormalisedFrame
    hidden: np.ndarray | None = None
    changed: BoardPart | None = None

    @property
    def difference(self) -> np.ndarray:
        """Pixels (side, side) bool that differ from the background."""
        return self.normalised.difference > self.background.threshold

    def is_hidden(self, centre_mm: ArrayLike, radius_mm: float) -> bool:
        """Whether part of a round object is covered."""
        if self.hidden is None:
            return False
        return bool((self.rectifier.disc_mask(centre_mm, radius_mm) & self.hidden).any())

    def shows_empty_board(self, where: np.ndarray) -> bool:
        """Whether the board's own texture shows in all of ``where`` (side, side bool), although it
        differs.
        """
        return matches_background(self.background, self.normalised.image, where, self.difference)


def mask_core(rectifier: FrameRectifier, centre_mm: ArrayLike, radius_mm: float) -> np.ndarray:
    """The core (side, side) bool of a round object."""
    return rectifier.disc_mask(centre_mm, PARAMS.core * radius_mm) > 0


def mask_hole(rectifier: FrameRectifier, fit: BoardFit) -> np.ndarray:
    """The core (side, side) bool of the hole."""
    return mask_core(rectifier, fit.spec.hole_centre_mm, fit.spec.hole_radius_mm)


def measure_share(mask: np.ndarray, where: np.ndarray) -> float:
    """The share of ``where`` that a mask covers; 0 if ``where`` is empty. Both are (side, side)
    bool.
    """
    return float(mask[where].mean()) if where.any() else 0.0
