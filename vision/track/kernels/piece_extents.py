"""The area of a board that the pieces of a mask cover, and whether they reach far from its
middle.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.numerics.jit import compile_kernel


@compile_kernel
def measure_extents(
    label: np.ndarray,
    count: int,
    corner: tuple[int, int],
    surface: NDArray[np.bool_],
    away_mm: NDArray[np.float32],
    least_mm: np.float32,
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """For ``count`` pieces, numbered in ``label`` (h, w) int32: the number of pixels (count,) of
    the ``surface`` (side, side) that they cover, and whether (count,) they reach farther
    ``away_mm`` (side, side) than ``least_mm``. Labels begin at the row and column ``corner`` of
    both arrays. Label 0 marks pixels without a piece, which cover nothing.
    """
    over, is_far = np.zeros(count, np.int64), np.zeros(count, np.bool_)
    top, left = corner
    for row in range(label.shape[0]):
        for column in range(label.shape[1]):
            number = label[row, column]
            if number > 0:
                over[number] += surface[top + row, left + column]
                is_far[number] |= away_mm[top + row, left + column] > least_mm
    return over, is_far
