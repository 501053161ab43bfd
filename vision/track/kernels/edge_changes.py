"""The number of pixels that differ by more than edges shifted by a fraction of a pixel do.

The contrast around a pixel is computed only for pixels that differ, and only until there are
enough.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.numerics.jit import compile_kernel

ByteArray = NDArray[np.uint8]

#: Weights of BGR in grey levels, so many bits to the left (BT.601, as OpenCV rounds it).
_BLUE, _GREEN, _RED, _BITS = 3735, 19235, 9798, 15


@compile_kernel
def _measure_grey(image: ByteArray, row: int, column: int, grey: NDArray[np.int64]) -> None:
    """Fill ``grey`` (n, n) with the levels of an image (h, w, 3), starting at a pixel."""
    for y in range(len(grey)):
        for x in range(len(grey)):
            blue, green, red = image[row + y, column + x]
            weighted = _BLUE * blue + _GREEN * green + _RED * red
            grey[y, x] = (weighted + (1 << (_BITS - 1))) >> _BITS


@compile_kernel
def _average_contrast(grey: NDArray[np.int64], side: int) -> int:
    """The mean range of ``side`` by ``side`` grey levels in all squares of ``grey`` (n, n),
    rounded."""
    total, squares = 0, (len(grey) - side + 1) ** 2
    for top in range(len(grey) - side + 1):
        for left in range(len(grey) - side + 1):
            low = high = grey[top, left]
            for y in range(top, top + side):
                for x in range(left, left + side):
                    low, high = min(low, grey[y, x]), max(high, grey[y, x])
            total += high - low
    return (2 * total + squares) // (2 * squares)


@compile_kernel
def count_beyond_edges(
    difference: ByteArray,
    changed: NDArray[np.bool_],
    image: ByteArray,
    threshold: int,
    edge_share: float,
    sides: tuple[int, int],
    enough: int,
) -> int:
    """The number of pixels that have ``changed`` (h, w), by a ``difference`` (h, w), by more than
    ``threshold`` and ``edge_share`` of the contrast of ``image`` (h, w, 3) around them; counted up
    to ``enough``.

    Contrast is the range over squares of the first of two ``sides``, odd numbers of pixels,
    averaged over squares of the second. Pixels nearer to the image's borders do not count.
    """
    height, width = changed.shape
    reach = sides[0] // 2 + sides[1] // 2
    grey = np.empty((2 * reach + 1, 2 * reach + 1), np.int64)
    count = 0
    for row in range(reach, height - reach):
        for column in range(reach, width - reach):
            if changed[row, column]:
                _measure_grey(image, row - reach, column - reach, grey)
                tolerance = edge_share * _average_contrast(grey, sides[0])
                count += difference[row, column] > threshold + tolerance
                if count >= enough:
                    return count
    return count
