"""A disc as a cylinder: which curves of it a camera sees, and where its foot is.

Knows the top rim and the lower arc of a disc under a view. Refuses to know pixels' colours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from calibration.board import DiscSpec
from calibration.camera import FloatArray
from calibration.pose import View


def circle_mm(centre_mm: ArrayLike, radius_mm: float, count: int) -> FloatArray:
    """Points (count, 2) evenly spaced on a circle, counter-clockwise from +x."""
    angle = np.arange(count) * (2 * np.pi / count)
    unit = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    return np.asarray(centre_mm, dtype=np.float64) + radius_mm * unit


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outline:
    """The curves of one disc in an image, in pixels.

    top_px   the rim of the top face, all of it visible: (n, 2)
    foot_px  the bottom circle: (n, 2)
    near     which of the n bottom points are the visible lower arc: (n,) bool
    """

    top_px: FloatArray
    foot_px: FloatArray
    near: np.ndarray


def outline(view: View, centre_mm: ArrayLike, disc: DiscSpec, count: int = 72) -> Outline:
    """The outline of a flat disc whose bottom face is centred at ``centre_mm`` (2,)."""
    foot = circle_mm(centre_mm, disc.radius_mm, count)
    outward = circle_mm((0.0, 0.0), 1.0, count)
    towards_camera = view.cam_from_board.camera_board_mm[:2] - foot
    return Outline(
        top_px=view.project_plane(foot, disc.height_mm),
        foot_px=view.project_plane(foot),
        near=np.sum(outward * towards_camera, axis=-1) > 0,
    )
