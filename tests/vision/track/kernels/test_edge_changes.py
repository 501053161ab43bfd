"""What edges beside may differ by is what filters over the whole image say."""

from __future__ import annotations

import cv2
import numpy as np

from vision.track.kernels.edge_changes import count_beyond_edges

RANDOM = np.random.default_rng(4)


def test_as_many_differ_by_more_than_edges_as_filters_say() -> None:
    image = cv2.resize(RANDOM.integers(0, 256, (12, 15, 3), dtype=np.uint8), (60, 48))
    difference = RANDOM.integers(0, 40, (48, 60), dtype=np.uint8)
    changed = difference > 12
    changed[:2] = changed[-2:] = changed[:, :2] = changed[:, -2:] = False
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    contrast = cv2.morphologyEx(grey, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))
    expected = int((changed & (difference > 12 + 0.12 * cv2.blur(contrast, (3, 3)))).sum())

    assert 0 < expected < changed.sum()
    for enough in (1, expected, 10_000):
        count = count_beyond_edges(difference, changed, image, 12, 0.12, (3, 3), enough)
        assert count == min(expected, enough)
