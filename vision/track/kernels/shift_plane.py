"""A plane of a picture read a part of a pixel farther on: cubic convolution (Keys 1981) each way.

In single precision, and in the same order for each level, so that a part is as the whole has it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.numerics.jit import compile_kernel

ByteArray = NDArray[np.uint8]
SingleArray = NDArray[np.float32]


@compile_kernel
def _weigh_across(levels: ByteArray, step: int, taps: SingleArray, row: SingleArray) -> None:
    """Fill ``row`` (n,) with each four levels, ``step`` apart, weighted."""
    a, b, c, d = taps[0], taps[1], taps[2], taps[3]
    second, third, fourth = levels[step:], levels[2 * step :], levels[3 * step :]
    for x in range(len(row)):
        row[x] = (
            a * np.float32(levels[x])
            + b * np.float32(second[x])
            + c * np.float32(third[x])
            + d * np.float32(fourth[x])
        )


@compile_kernel
def _weigh_down(rows: SingleArray, first: int, taps: SingleArray, levels: ByteArray) -> None:
    """Fill ``levels`` (n,) with four ``rows`` (4, n) from ``first`` on, in turn, weighted."""
    a, b, c, d = taps[0], taps[1], taps[2], taps[3]
    one, two = rows[first % 4], rows[(first + 1) % 4]
    three, four = rows[(first + 2) % 4], rows[(first + 3) % 4]
    half, low, high = np.float32(0.5), np.float32(0), np.float32(255)
    for x in range(len(levels)):
        level = a * one[x] + b * two[x] + c * three[x] + d * four[x] + half
        levels[x] = np.uint8(np.int32(min(max(level, low), high)))


@compile_kernel
def shift_plane(
    plane: ByteArray, step: int, across: SingleArray, down: SingleArray, shifted: ByteArray
) -> None:
    """Fill ``shifted`` (n, m) from ``plane`` (n + 3, m + 3 steps), of ``step`` levels a pixel.

    A level is ``across`` (4,) times those from its own column on, and so ``down`` (4,).
    """
    rows = np.empty((4, shifted.shape[1]), np.float32)
    for number in range(len(plane)):
        _weigh_across(plane[number], step, across, rows[number % 4])
        if number >= 3:
            _weigh_down(rows, number + 1, down, shifted[number - 3])
