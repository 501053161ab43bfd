"""Light's ratios and what is left without them are what plain array operations say."""

from __future__ import annotations

import numpy as np
import pytest

from vision.track.kernels.light_ratios import divide_light, find_median_ratios

RANDOM = np.random.default_rng(3)


@pytest.mark.parametrize("count", [1, 2, 7, 200])
def test_the_median_ratio_is_of_levels_that_are_not_too_bright(count: int) -> None:
    image, background = RANDOM.integers(0, 256, (2, 300, 3), dtype=np.uint8)
    at = RANDOM.permutation(300)[:count]
    medians, counts = np.zeros((3, 2), np.float32), np.zeros(3, np.int64)
    find_median_ratios(image.ravel(), background.ravel(), at, 250, medians, counts)
    for channel in range(3):
        seen, empty = image[at, channel], background[at, channel]
        known = np.maximum(seen, empty) <= 250
        ratio = np.sort((seen[known] + np.float32(1)) / (empty[known] + np.float32(1)))
        assert counts[channel] == len(ratio)
        if len(ratio):
            assert medians[channel].tolist() == [
                ratio[(len(ratio) - 1) // 2],
                ratio[len(ratio) // 2],
            ]


@pytest.mark.parametrize("brightest", [245, 255])
def test_light_is_divided_out_and_what_is_blown_out_stays_as_bright(brightest: int) -> None:
    image, background = RANDOM.integers(0, 256, (2, 20, 30, 3), dtype=np.uint8)
    gain = np.array([0.8, 1.0, 1.3], np.float32)
    same, difference = np.empty_like(image), np.empty((20, 30), np.uint8)
    rows = (each.reshape(20, -1) for each in (image, background))
    divide_light(*rows, gain, brightest, same.reshape(20, -1), difference)
    expected = np.clip(np.rint(image * gain), 0, 255).astype(np.uint8)
    burnt = image > brightest
    expected[burnt] = np.maximum(expected, background)[burnt]
    assert (same == expected).all()
    off = np.abs(expected.astype(int) - background).max(axis=-1)
    assert (difference == off).all()
