"""Hands over a board that was never seen without them: pixels that differ from the rest of their
circles.

A board looks the same all around its middle. The method fails if half of a circle is covered.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from calibration.parameters import StageParameters, parameter
from vision.rectify.frame_rectifier import FrameRectifier
from vision.track.background.background_model import normalise_frame
from vision.track.background.radial_background import make_radial_background
from vision.track.motion.hands_and_occluders import find_hands_and_occluders, widen
from vision.track.motion.occlusion import PARAMS as OCCLUSION


class HandsBySymmetryParameters(StageParameters):
    """Parameters of ``hands_by_symmetry``."""

    #: A hand's fingers over the surface begin within this of its edge.
    from_edge_mm: float = parameter(
        6.0,
        unit="mm",
        source="chosen: three pixels: erosion removes two, and one is the error of the edge's "
        "position",
    )


PARAMS = HandsBySymmetryParameters()


def find_hands_by_symmetry(
    rectifier: FrameRectifier, image: np.ndarray, hole_radius_mm: float
) -> np.ndarray:
    """Pixels (side, side bool) of hands that reach over the board in a rectified ``image`` (side,
    side, 3).

    A hand of the ditch's colour is noticed only on the surface, so hands count from the edge on.
    """
    radial = make_radial_background(rectifier, image)
    alike = normalise_frame(radial, rectifier, image)
    nothing = np.empty((0, 2))
    find = partial(find_hands_and_occluders, rectifier, radial, alike, nothing, hole_radius_mm)
    hidden = np.zeros(rectifier.surface.shape, dtype=bool)
    for mask in (find()[0], find(beyond_edge_mm=-PARAMS.from_edge_mm)[1]):
        if mask is not None:
            hidden |= widen(mask, OCCLUSION.hidden_mm) > 0
    return hidden
