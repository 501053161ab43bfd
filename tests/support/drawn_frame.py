"""A board seen from straight above, drawn flat and with grain."""

from __future__ import annotations

import cv2
import numpy as np
from drawn_discs import SIZE_PX, board_fit, view_at

from vision.rectify.frame_rectifier import FrameRectifier, make_rectifier


def sheet_from_above() -> FrameRectifier:
    fit = board_fit(view_at(0.0))
    return make_rectifier(fit.view, fit.spec, (SIZE_PX[1], SIZE_PX[0], 3))


def grained_board(
    sheet: FrameRectifier, wood: np.ndarray, grain_grey: float, blur_px: float
) -> np.ndarray:
    """Wood (3,) with grain and three ring lines, in the sheet's pixels."""
    noise = np.random.default_rng(3).normal(0, grain_grey, sheet.radius_mm.shape)
    grain = cv2.GaussianBlur(noise.astype(np.float32), (0, 0), blur_px)
    image = wood + 2 * grain[..., None]
    for radius in (101.6, 203.2, 304.8):
        image[np.abs(sheet.radius_mm - radius) < 1.5] = 40
    return np.clip(image, 0, 255).astype(np.uint8)
