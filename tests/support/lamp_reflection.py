"""A lamp reflected in a board, as cameras see it: light added in linear space, blurred and
clipped.
"""

from __future__ import annotations

import cv2
import numpy as np

from calibration.pose import View
from vision.rectify.luminance import decode_gamma, encode_gamma

_BLUR_MM = 1.5


def add_ring_light(
    image: np.ndarray,
    view: View,
    centre_mm: tuple[float, float],
    radius_mm: float,
    width_mm: float,
    strength: float,
    blur_mm: float = _BLUR_MM,
) -> np.ndarray:
    """The picture (h, w, 3) uint8 with a ring light over it, whose light is ``strength`` times the
    saturation level. A radius of 0 makes a bulb ``width_mm`` wide.
    """
    px = 1 / view.mm_per_px(centre_mm)
    x, y = np.rint(view.project_plane([centre_mm])[0]).astype(int).tolist()
    light = np.zeros(image.shape[:2], np.float32)
    if radius_mm == 0:
        cv2.circle(light, (x, y), round(width_mm / 2 * px), 1.0, cv2.FILLED)
    else:
        cv2.circle(light, (x, y), round(radius_mm * px), 1.0, round(width_mm * px))
    light = cv2.GaussianBlur(light, (0, 0), blur_mm * px)
    lit = decode_gamma(image) + strength * light[..., None]
    return np.rint(np.clip(encode_gamma(lit), 0, 255)).astype(np.uint8)
