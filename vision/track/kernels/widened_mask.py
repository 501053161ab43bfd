"""A mask dilated by a shape whose rows are spans around its middle, such as a disc.

For every row, the distance to the nearest mark in it is measured once, and then marks every row
that the shape reaches from it. A processor word handles many pixels at once, so a disc of 17 pixels
takes a third of the time of its 200 pixels one by one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.numerics.jit import compile_kernel

ByteArray = NDArray[np.uint8]

#: No gap is told from one so wide.
FARTHEST = 255


@compile_kernel
def _is_marked(row: ByteArray) -> bool:
    marks = np.uint8(0)
    for x in range(len(row)):
        marks |= row[x]
    return bool(marks > 0)


@compile_kernel
def _measure_gaps(row: ByteArray, gaps: ByteArray) -> None:
    """Fill ``gaps`` (n,) with the distances to the nearest mark in a row (n,)."""
    gap = FARTHEST
    for x in range(len(row)):
        gap = 0 if row[x] else min(gap + 1, FARTHEST)
        gaps[x] = gap
    for x in range(len(row) - 1, -1, -1):
        gap = 0 if row[x] else min(gap + 1, FARTHEST)
        gaps[x] = min(gap, gaps[x])


@compile_kernel
def _mark_near(gaps: ByteArray, reach: int, row: ByteArray) -> None:
    limit = np.uint8(reach)
    for x in range(len(row)):
        row[x] |= np.uint8(gaps[x] <= limit)


@compile_kernel
def widen_mask(mask: ByteArray, reaches: NDArray[np.int64], wide: ByteArray) -> None:
    """Fill ``wide`` (h, w) with 1 where a shape around the pixel contains any of a mask (h, w),
    else with 0.

    The shape has 2k + 1 rows around its middle; ``reaches`` (2k + 1,), all below ``FARTHEST``, are
    their lengths to both sides.
    """
    half = len(reaches) // 2
    gaps = np.empty(mask.shape[1], np.uint8)
    wide[:] = 0
    for y in range(len(mask)):
        if _is_marked(mask[y]):
            _measure_gaps(mask[y], gaps)
            for k in range(len(reaches)):
                if 0 <= y + k - half < len(mask):
                    _mark_near(gaps, reaches[k], wide[y + k - half])
