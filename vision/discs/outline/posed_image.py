"""A picture with its camera's pose, and its colours at points of the board."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.pose import View


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PosedImage:
    """A picture whose camera and pose are known.

    image      (h, w, 3) BGR uint8
    whitening  (3, 3), from BGR to sigmas of the board's grain (``estimate_grain_whitening``)
    """

    image: np.ndarray
    view: View
    whitening: FloatArray

    @property
    def camera_mm(self) -> FloatArray:
        """The camera's centre (3,) in the board frame, mm."""
        return self.view.cam_from_board.camera_board_mm


def sample_colours(picture: PosedImage, points_mm: FloatArray) -> FloatArray:
    """BGR colours (..., 3) float32 at board points (..., 3), mm, interpolated bilinearly.

    Points outside the picture get the colour of its nearest border pixel.
    """
    if points_mm.size == 0:
        return np.zeros(points_mm.shape, np.float32)
    px = picture.view.project(points_mm).astype(np.float32).reshape(-1, points_mm.shape[-2], 2)
    colours = cv2.remap(
        picture.image, px[..., 0], px[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return colours.astype(np.float32).reshape(*points_mm.shape[:-1], 3)
