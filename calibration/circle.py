"""Points on a circle in the board plane, such as a disc's base or rim."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from calibration.camera import FloatArray


def circle_mm(centre_mm: ArrayLike, radius_mm: float, count: int) -> FloatArray:
    """Points (count, 2), mm, evenly spaced on a circle, counter-clockwise from +x."""
    angle = np.arange(count) * (2 * np.pi / count)
    unit = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    return np.asarray(centre_mm, dtype=np.float64) + radius_mm * unit
