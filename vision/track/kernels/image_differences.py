"""The largest difference between two images among a pixel's channels.

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
