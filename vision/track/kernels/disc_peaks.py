"""Peaks of a mask's likeness to a disc: its share on a face minus that on the ring around it.

It is computed only at the few pixels whose face is covered. A peak is highest in a square around it
(non-maximum suppression).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.numerics.jit import compile_kernel

IntArray = NDArray[np.int64]


@compile_kernel
def find_disc_peaks(
    mask: NDArray[np.uint8],
    coverage: NDArray[np.float32],
    at: IntArray,
    ring: IntArray,
    full: int,
    least: float,
    reach: int,
) -> tuple[IntArray, NDArray[np.float32]]:
    """The peaks (m,) among the flat pixels ``at`` (n,), and their likeness (m,).

    ``mask`` (h, w) is 0 to ``full``, and ``coverage`` (h, w) its share on a face. ``ring`` (k, 2)
    holds the rows and columns from a middle to its ring's pixels. Peaks are above ``least``, and no
    peak is higher within ``reach`` rows and columns.
    """
    height, width = mask.shape
    score = np.zeros((height, width), np.float32)
    for i in range(len(at)):
        row, column = at[i] // width, at[i] % width
        around = 0
        for k in range(len(ring)):
            y, x = row + ring[k, 0], column + ring[k, 1]
            if 0 <= y < height and 0 <= x < width:
                around += mask[y, x]
        score[row, column] = coverage[row, column] - np.float32(around / (full * len(ring)))
    peaks, height_of = np.empty(len(at), np.int64), np.empty(len(at), np.float32)
    count = 0
    for i in range(len(at)):
        row, column = at[i] // width, at[i] % width
        here = score[row, column]
        is_peak = here > least
        for y in range(max(row - reach, 0), min(row + reach + 1, height)):
            if not is_peak:
                break
            for x in range(max(column - reach, 0), min(column + reach + 1, width)):
                if score[y, x] > here:
                    is_peak = False
                    break
        if is_peak:
            peaks[count], height_of[count] = at[i], here
            count += 1
    return peaks[:count], height_of[:count]
