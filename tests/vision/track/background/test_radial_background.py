"""The background that a board's symmetry predicts."""

import numpy as np
import pytest

from vision.track.background.radial_background import _find_medians_around


@pytest.mark.parametrize("hidden_share", [0.0, 0.4, 0.8])
def test_medians_around_are_of_what_is_seen_alone(hidden_share: float) -> None:
    rng = np.random.default_rng(3)
    polar = rng.integers(0, 256, (72, 20, 3), dtype=np.uint8)
    inside = rng.random((72, 20)) >= hidden_share
    inside[:, 5], inside[:, 6] = False, np.arange(72) == 9
    medians = _find_medians_around(polar, inside)
    for radius in range(20):
        seen = polar[inside[:, radius], radius]
        expected = np.median(seen, axis=0) if len(seen) else np.zeros(3)
        assert np.array_equal(medians[radius], expected)
