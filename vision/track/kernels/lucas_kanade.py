"""Differences of a picture's pixels from the expected ones, and their weights.

A step of Lucas and Kanade's (1981) registration is computed from these, with gain and offset of
light, by Cauchy's weights.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.numerics.jit import compile_kernel

FloatArray = NDArray[np.float64]
SingleArray = NDArray[np.float32]


@compile_kernel
def compare_pixels(
    picture: NDArray[np.uint8],
    places_px: FloatArray,
    warp: FloatArray,
    grey: SingleArray,
    light: FloatArray,
    cauchy_grey: float,
    same_grey: float,
    off: SingleArray,
    weight: SingleArray,
) -> int:
    """Fill ``off`` (n,) with the pixels' differences from their ``grey`` (n,), and ``weight`` (n,);
    returns how many differ by less than ``same_grey`` from the expected ones.

    Pixels are read in ``picture`` (h, w), bilinear, where ``warp`` (3, 3), a homography, moves
    ``places_px`` (n, 2). By ``light`` (2,), its gain minus 1 and its offset, a difference is
    expected.
    """
    height, width = picture.shape
    cauchy2 = cauchy_grey**2
    same = 0
    for i in range(len(grey)):
        x, y = places_px[i, 0], places_px[i, 1]
        farther = 1.0 / (warp[2, 0] * x + warp[2, 1] * y + warp[2, 2])
        right_of = (warp[0, 0] * x + warp[0, 1] * y + warp[0, 2]) * farther
        below_it = (warp[1, 0] * x + warp[1, 1] * y + warp[1, 2]) * farther
        x = min(max(right_of, 0.0), width - 1.001)
        y = min(max(below_it, 0.0), height - 1.001)
        column, line = int(x), int(y)
        x, y = x - column, y - line
        above = (1 - x) * picture[line, column] + x * picture[line, column + 1]
        below = (1 - x) * picture[line + 1, column] + x * picture[line + 1, column + 1]
        off[i] = grey[i] - ((1 - y) * above + y * below)
        left = abs(off[i] - grey[i] * light[0] - light[1])
        same += left < same_grey
        weight[i] = cauchy2 / (cauchy2 + left**2)
    return same
