"""One step of Lucas and Kanade's (1981) registration of a picture, with gain and offset of light.

The normal equations of all pixels are summed in one pass, by Cauchy's weights. What moves them, a
shift or a homography, is in the design alone (inverse compositional: Baker and Matthews 2004).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.numerics.jit import compile_kernel

FloatArray = NDArray[np.float64]
SingleArray = NDArray[np.float32]


@compile_kernel
def sum_normal_equations(
    picture: NDArray[np.uint8],
    places_px: FloatArray,
    warp: FloatArray,
    design: SingleArray,
    light: FloatArray,
    cauchy_grey: float,
    same_grey: float,
) -> tuple[FloatArray, FloatArray, int]:
    """The matrix (k, k) and the right side (k,) of the next step, and how many pixels differ by
    less than ``same_grey`` from what is expected of them.

    Pixels are seen in ``picture`` (h, w) where ``warp`` (3, 3), a homography, moves ``places_px``
    (n, 2). ``design`` (n, k) is what each grows by with each parameter; the last two are the
    ``light`` (2,): its gain, less 1, and its offset. Their columns are the pixels' grey and 1.
    """
    height, width = picture.shape
    count = design.shape[1]
    matrix, right = np.zeros((count, count)), np.zeros(count)
    same = 0
    row = np.empty(count)
    for i in range(len(design)):
        x, y = places_px[i, 0], places_px[i, 1]
        nearer = warp[2, 0] * x + warp[2, 1] * y + warp[2, 2]
        right_of = (warp[0, 0] * x + warp[0, 1] * y + warp[0, 2]) / nearer
        below_it = (warp[1, 0] * x + warp[1, 1] * y + warp[1, 2]) / nearer
        x = min(max(right_of, 0.0), width - 1.001)
        y = min(max(below_it, 0.0), height - 1.001)
        column, line = int(x), int(y)
        x, y = x - column, y - line
        above = (1 - x) * picture[line, column] + x * picture[line, column + 1]
        below = (1 - x) * picture[line + 1, column] + x * picture[line + 1, column + 1]
        grey = design[i, count - 2]
        off = grey - ((1 - y) * above + y * below)
        left = abs(off - grey * light[0] - light[1])
        same += left < same_grey
        weight = 1.0 / (1.0 + (left / cauchy_grey) ** 2)
        for j in range(count):
            row[j] = design[i, j]
        for j in range(count):
            right[j] += weight * row[j] * off
            for k in range(j + 1):
                matrix[j, k] += weight * row[j] * row[k]
    for j in range(count):
        for k in range(j):
            matrix[k, j] = matrix[j, k]
    return matrix, right, same
