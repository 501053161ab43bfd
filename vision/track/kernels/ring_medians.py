"""Medians of grey levels along circles, by counting: a picture's level at every radius.

A level counts if it was seen. Two ranks are looked up, because the median of an even number is
between two levels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.numerics.jit import compile_kernel

ByteArray = NDArray[np.uint8]


@compile_kernel
def _find_middle(count: NDArray[np.int32], seen: int) -> int:
    """The median, rounded down, of the levels with their ``count`` (256,), ``seen`` in all."""
    low, below = -1, 0
    for level in range(256):
        below += count[level]
        if low < 0 and below > (seen - 1) // 2:
            low = level
        if below > seen // 2:
            return (low + level) // 2
    return 0


@compile_kernel
def find_ring_medians(polar: ByteArray, inside: NDArray[np.bool_]) -> ByteArray:
    """Medians (radii, 3), rounded down, of ``polar`` (angles, radii, 3) over the angles.

    Only samples ``inside`` (angles, radii) count; 0 if there are none.
    """
    angles, radii = inside.shape
    count = np.zeros((radii, 3, 256), np.int32)
    seen = np.zeros(radii, np.int64)
    for angle in range(angles):
        for ring in range(radii):
            if inside[angle, ring]:
                seen[ring] += 1
                for channel in range(3):
                    count[ring, channel, polar[angle, ring, channel]] += 1
    medians = np.zeros((radii, 3), np.uint8)
    for ring in range(radii):
        if seen[ring]:
            for channel in range(3):
                medians[ring, channel] = _find_middle(count[ring, channel], seen[ring])
    return medians
