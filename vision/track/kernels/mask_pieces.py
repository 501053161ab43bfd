"""The pieces of a mask (connected components), measured along and across their principal axes.

Pieces are connected by edges, not by corners. They are filled one after another from their first
pixel (Rosenfeld and Pfaltz 1966). The principal axis comes from the second moments in closed form.
A mask has few pieces and is mostly empty.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.numerics.jit import compile_kernel

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: What a piece's row holds: its pixels' count and mean, the unit vector of its longer axis, the
#: least and greatest place along it from the mean, the spread across it (one sigma), and from where
#: to where its middle reaches across.
AREA, X, Y, AXIS_X, AXIS_Y, LEAST, GREATEST, SPREAD, WAIST = range(9)
ROW_SIZE = 9


@compile_kernel
def _fill_piece(left: NDArray[np.bool_], row: int, column: int, piece: IntArray) -> int:
    """Write the flat places of the piece at (row, column) into ``piece``; returns their number.

    They are removed from ``left`` (h, w), the rest of the mask.
    """
    height, width = left.shape
    left[row, column] = False
    piece[0], count, done = row * width + column, 1, 0
    while done < count:
        y, x = piece[done] // width, piece[done] % width
        done += 1
        for step in range(4):
            j, i = y + (step == 0) - (step == 1), x + (step == 2) - (step == 3)
            if 0 <= j < height and 0 <= i < width and left[j, i]:
                left[j, i] = False
                piece[count] = j * width + i
                count += 1
    return count


@compile_kernel
def _measure_piece(piece: IntArray, width: int, row: FloatArray) -> None:
    """Fill ``row`` (9,) with the measurements of a piece's flat places (n,) in rows of
    ``width``.
    """
    sum_x, sum_y, sum_xx, sum_yy, sum_xy = 0, 0, 0, 0, 0
    for each in piece:
        y, x = each // width, each % width
        sum_x, sum_y = sum_x + x, sum_y + y
        sum_xx, sum_yy, sum_xy = sum_xx + x * x, sum_yy + y * y, sum_xy + x * y
    count = len(piece)
    mean_x, mean_y = sum_x / count, sum_y / count
    xx, yy = sum_xx / count - mean_x**2, sum_yy / count - mean_y**2
    xy = sum_xy / count - mean_x * mean_y
    turn = 0.5 * np.arctan2(2 * xy, xx - yy)
    axis_x, axis_y = np.cos(turn), np.sin(turn)
    least, greatest = np.inf, -np.inf
    for each in piece:
        along = (each % width - mean_x) * axis_x + (each // width - mean_y) * axis_y
        least, greatest = min(least, along), max(greatest, along)
    low, high = np.inf, -np.inf
    for each in piece:
        x, y = each % width - mean_x, each // width - mean_y
        if abs(x * axis_x + y * axis_y - (least + greatest) / 2) < 1.0:
            across = y * axis_x - x * axis_y
            low, high = min(low, across), max(high, across)
    row[AREA], row[X], row[Y], row[AXIS_X], row[AXIS_Y] = count, mean_x, mean_y, axis_x, axis_y
    row[LEAST], row[GREATEST], row[WAIST] = least, greatest, high - low
    row[SPREAD] = np.sqrt(max((xx + yy) / 2 - np.hypot((xx - yy) / 2, xy), 0.0))


@compile_kernel
def measure_pieces(mask: NDArray[np.bool_], least_area: int) -> FloatArray:
    """Rows (n, 9) of the pieces of ``mask`` (h, w) with at least that many pixels, in order of
    their first pixels.
    """
    height, width = mask.shape
    left = mask.copy()
    full = 0
    for row in range(height):  # ``np.sum`` would load SciPy with it
        for column in range(width):
            full += mask[row, column]
    rows = np.empty((full // max(least_area, 1), ROW_SIZE))
    piece = np.empty(mask.size, np.int64)
    count = 0
    for row in range(height):
        for column in range(width):
            if left[row, column]:
                area = _fill_piece(left, row, column, piece)
                if area >= least_area:
                    _measure_piece(piece[:area], width, rows[count])
                    count += 1
    return rows[:count]
