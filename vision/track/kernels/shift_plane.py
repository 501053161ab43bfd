"""A plane of a picture read a part of a pixel farther on: cubic convolution (Keys 1981) each way.

In whole numbers, with taps of 1/256: a level errs by less than its rounding.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.numerics.jit import compile_kernel

ByteArray = NDArray[np.uint8]

#: What the taps of an axis add up to; a product of two of them is one of 2 ** ``_BITS``.
TAPS_SUM = 256
_BITS = 16


@compile_kernel
def _pad_row(source: ByteArray, step: int, left: int, padded: ByteArray) -> None:
    """Write a row from its pixel ``left`` on into ``padded``; its first and last one go on outside.

    Both hold ``step`` levels a pixel.
    """
    size, wanted = len(source), len(padded)
    low = min(max(-left * step, 0), wanted)
    high = max(min(size - left * step, wanted), low)
    for x in range(low):
        padded[x] = source[x % step]
    for x in range(low, high):  # a slice would take seconds to compile
        padded[x] = source[x + left * step]
    for x in range(high, wanted):
        padded[x] = source[size - step + x % step]


@compile_kernel
def _weigh_across(
    padded: ByteArray, step: int, taps: NDArray[np.int32], row: NDArray[np.int32]
) -> None:
    """Fill ``row`` (n,) with each four pixels of a padded row, weighted."""
    a, b, c, d = taps[0], taps[1], taps[2], taps[3]
    second, third, fourth = padded[step:], padded[2 * step :], padded[3 * step :]
    for x in range(len(row)):  # 32 bits hold it, and more would halve how many are done at once
        row[x] = np.int32(a * padded[x] + b * second[x] + c * third[x] + d * fourth[x])


@compile_kernel
def _weigh_down(
    rows: NDArray[np.int32], first: int, taps: NDArray[np.int32], levels: ByteArray
) -> None:
    """Fill ``levels`` (n,) with four ``rows`` (4, n) from ``first`` on, in turn, weighted."""
    a, b, c, d = taps[0], taps[1], taps[2], taps[3]
    one, two = rows[first % 4], rows[(first + 1) % 4]
    three, four = rows[(first + 2) % 4], rows[(first + 3) % 4]
    half = 1 << (_BITS - 1)
    for x in range(len(levels)):
        level = int(np.int32(a * one[x] + b * two[x] + c * three[x] + d * four[x] + half))
        levels[x] = min(max(level >> _BITS, 0), 255)


@compile_kernel
def shift_plane(
    plane: ByteArray,
    step: int,
    left: int,
    across: NDArray[np.int32],
    above: int,
    down: NDArray[np.int32],
    shifted: ByteArray,
) -> None:
    """Fill ``shifted`` (n, m) from ``plane`` (h, w), which has ``step`` levels a pixel.

    Its first pixel is ``across`` (4,) times those from column ``left`` on (negative: outside), and
    so ``down`` (4,) those from row ``above`` on. Both arrays are contiguous.
    """
    height, width = plane.shape[0], shifted.shape[1]
    padded = np.empty(width + 3 * step, np.uint8)
    rows = np.empty((4, width), np.int32)
    for number in range(shifted.shape[0] + 3):
        _pad_row(plane[min(max(number + above, 0), height - 1)], step, left, padded)
        _weigh_across(padded, step, across, rows[number % 4])
        if number >= 3:
            _weigh_down(rows, number + 1, down, shifted[number - 3])
