"""One step of Lucas and Kanade's (1981) registration by translation, with gain and offset.

The normal equations of all pixels are summed in one pass, by Huber's weights.
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
    places_px: SingleArray,
    slopes: SingleArray,
    grey: SingleArray,
    state: FloatArray,
    huber_grey: float,
    same_grey: float,
) -> tuple[FloatArray, FloatArray, int]:
    """The matrix (4, 4) and the right side (4,) of the next step from ``state`` (4,), and how many
    pixels differ by less than ``same_grey``.

    The state is a shift in x and y and the light's gain, less 1, and offset. Pixels that were at
    ``places_px`` (n, 2), ``grey`` (n,) with ``slopes`` (n, 2), are seen in ``picture`` (h, w).
    """
    height, width = picture.shape
    matrix, right = np.zeros((4, 4)), np.zeros(4)
    same = 0
    row = np.empty(4)
    for i in range(len(grey)):
        x = min(max(places_px[i, 0] + state[0], 0.0), width - 1.001)
        y = min(max(places_px[i, 1] + state[1], 0.0), height - 1.001)
        column, line = int(x), int(y)
        x, y = x - column, y - line
        above = (1 - x) * picture[line, column] + x * picture[line, column + 1]
        below = (1 - x) * picture[line + 1, column] + x * picture[line + 1, column + 1]
        off = grey[i] - ((1 - y) * above + y * below)
        left = abs(off - grey[i] * state[2] - state[3])
        same += left < same_grey
        weight = huber_grey / max(left, huber_grey)
        row[0], row[1], row[2], row[3] = slopes[i, 0], slopes[i, 1], grey[i], 1.0
        for j in range(4):
            right[j] += weight * row[j] * off
            for k in range(j + 1):
                matrix[j, k] += weight * row[j] * row[k]
    for j in range(4):
        for k in range(j):
            matrix[k, j] = matrix[j, k]
    return matrix, right, same
