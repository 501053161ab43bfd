"""Differences of two images, level by level: the largest of a pixel's channels, and whether more
than noise differs anywhere.

Levels are bytes, and so are their differences, so one processor word holds many.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.numerics.jit import compile_kernel

ByteArray = NDArray[np.uint8]


@compile_kernel
def find_largest_differences(one: ByteArray, other: ByteArray, largest: ByteArray) -> None:
    """Fill ``largest`` (n,) with the largest difference of every three levels of two arrays
    (3n,).
    """
    for i in range(len(largest)):
        most = np.uint8(0)
        for channel in range(3):
            a, b = one[3 * i + channel], other[3 * i + channel]
            most = max(most, np.uint8(np.uint8(max(a, b)) - np.uint8(min(a, b))))
        largest[i] = most


@compile_kernel
def has_changed_cell(
    now: ByteArray,
    before: ByteArray,
    cells: ByteArray,
    tall: int,
    wide: int,
    least: int,
    most_levels: int,
) -> bool:
    """Whether, in any of the ``cells`` (rows, columns; 1 or 0) of two planes (h, w), more than
    ``most_levels`` levels differ by more than ``least``.

    Cells have ``tall`` rows, at most 255, and ``wide`` columns of the planes, and fill these.
    """
    count = np.empty(wide * cells.shape[1], np.uint8)
    for row in range(cells.shape[0]):
        count[:] = 0
        for y in range(tall * row, tall * (row + 1)):
            line, line_before = now[y], before[y]
            for x in range(len(count)):
                a, b = line[x], line_before[x]
                differs = np.uint8(np.uint8(max(a, b)) - np.uint8(min(a, b))) > least
                count[x] = np.uint8(count[x] + np.uint8(differs))
        for column in range(cells.shape[1]):
            if cells[row, column]:
                levels = 0
                for x in range(wide * column, wide * (column + 1)):
                    levels += count[x]
                if levels > most_levels:
                    return True
    return False
