"""The factor by which an image is lighter than its background: the median ratio of the levels in
every channel.

Medians are found by bisection over the bits of the numbers. Positive numbers have the same order as
their bits, and counting the smaller ones needs no branch.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.numerics.jit import compile_kernel
from vision.track.kernels.image_differences import find_largest_differences

ByteArray = NDArray[np.uint8]

#: As bits, no finite number in single precision is greater.
_GREATEST_BITS = 0x7F7FFFFF


@compile_kernel
def _select(bits: NDArray[np.int32], rank: int) -> int:
    """The bits after ``rank`` others in the order of ``bits`` (n,)."""
    low, high = 0, _GREATEST_BITS
    while low < high:
        middle = (low + high) // 2
        limit, count = np.int32(middle), np.int32(0)
        for i in range(len(bits)):
            count += np.int32(bits[i] <= limit)
        if count > rank:
            high = middle
        else:
            low = middle + 1
    return low


@compile_kernel
def find_median_ratios(
    image: ByteArray,
    background: ByteArray,
    at: NDArray[np.int64],
    brightest: int,
    medians: NDArray[np.float32],
    counts: NDArray[np.int64],
) -> None:
    """Fill ``medians`` (3, 2) with the lower and the upper median, per channel, of the ratios of
    two images (3n,) at pixels ``at`` (m,), both a level brighter; and ``counts`` (3,) with the
    number of ratios. Levels above ``brightest`` give no ratio.
    """
    ratio = np.empty((3, len(at)), np.float32)
    counts[:] = 0
    for pixel in at:
        for channel in range(3):
            a, b = image[3 * pixel + channel], background[3 * pixel + channel]
            if a <= brightest and b <= brightest:
                lighter = (np.float32(a) + np.float32(1)) / (np.float32(b) + np.float32(1))
                ratio[channel, counts[channel]] = lighter
                counts[channel] += 1
    bits, of_medians = ratio.view(np.int32), medians.view(np.int32)
    for channel in range(3):
        known = bits[channel, : counts[channel]]
        of_medians[channel, 0] = _select(known, (len(known) - 1) // 2)
        of_medians[channel, 1] = _select(known, len(known) // 2)


@compile_kernel
def _multiply_levels(levels: ByteArray, gains: NDArray[np.float32], made: ByteArray) -> None:
    """Fill ``made`` (n,) with ``levels`` (n,) times ``gains`` (n,), rounded, halves to even."""
    zero, most = np.float32(0), np.float32(255)
    whole = np.float32(12582912)  # 1.5 · 2^23: numbers of that size have no fractions
    for x in range(len(made)):
        level = min(max(np.float32(levels[x]) * gains[x], zero), most)
        made[x] = np.uint8(np.int32((level + whole) - whole))


@compile_kernel
def _raise_burnt(levels: ByteArray, empty: ByteArray, brightest: int, made: ByteArray) -> None:
    """Let ``made`` (n,) be at least as bright as ``bare`` (n,) where ``levels`` (n,) are above
    ``brightest``."""
    limit = np.uint8(brightest)
    for x in range(len(made)):
        least = empty[x] if levels[x] > limit else np.uint8(0)
        made[x] = max(made[x], least)


@compile_kernel
def divide_light(
    image: ByteArray,
    background: ByteArray,
    gain: NDArray[np.float32],
    brightest: int,
    same: ByteArray,
    difference: ByteArray,
) -> None:
    """Fill ``same`` (h, w) with the levels of an image (h, w) times ``gain`` (3,), by channel; and
    ``difference`` (h, w / 3) with the largest to ``background`` (h, w) of each three.

    Levels above ``brightest`` count as at least as bright as the background's.
    """
    gains = np.empty(image.shape[1], np.float32)
    for x in range(len(gains)):
        gains[x] = gain[x % 3]
    for row in range(len(image)):
        _multiply_levels(image[row], gains, same[row])
        if brightest < 255:
            _raise_burnt(image[row], background[row], brightest, same[row])
        find_largest_differences(same[row], background[row], difference[row])
