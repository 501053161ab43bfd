"""Compiled medians along circles beside those of plain arrays."""

from __future__ import annotations

import numpy as np
import pytest

from vision.track.kernels.ring_medians import find_ring_medians


@pytest.mark.parametrize("hidden_share", [0.0, 0.4, 0.8])
def test_medians_along_circles_are_of_what_is_seen_alone(hidden_share: float) -> None:
    random = np.random.default_rng(3)
    polar = random.integers(0, 256, (72, 20, 3), dtype=np.uint8)
    polar[:, 10:] //= 60  # many levels alike
    inside = random.random((72, 20)) >= hidden_share
    inside[:, 5], inside[:, 6] = False, np.arange(72) == 9
    medians = find_ring_medians(polar, inside)
    for radius in range(20):
        seen = polar[inside[:, radius], radius]
        expected = np.floor(np.median(seen, axis=0)) if len(seen) else np.zeros(3)
        np.testing.assert_array_equal(medians[radius], expected)
