"""Differences of images equal those computed by NumPy."""

from __future__ import annotations

import numpy as np

from vision.track.kernels.image_differences import find_largest_differences


def test_largest_difference_of_a_pixels_channels_is_found() -> None:
    random = np.random.default_rng(1)
    one, other = random.integers(0, 256, (2, 40, 3), dtype=np.uint8)
    largest = np.empty(40, np.uint8)

    find_largest_differences(one.ravel(), other.ravel(), largest)

    assert np.array_equal(largest, np.abs(one.astype(int) - other).max(axis=1))
