"""Pieces' extents, against a count of each by itself."""

from __future__ import annotations

import cv2
import numpy as np

from vision.track.kernels.piece_extents import measure_extents

RANDOM = np.random.default_rng(7)


def test_each_piece_is_measured_by_itself() -> None:
    mask = (RANDOM.random((40, 50)) < 0.3).astype(np.uint8)
    surface = RANDOM.random((60, 60)) < 0.5
    away_mm = (400 * RANDOM.random((60, 60))).astype(np.float32)
    count, label = cv2.connectedComponents(mask)
    over, is_far = measure_extents(label, count, (8, 5), surface, away_mm, np.float32(380.0))
    assert (over[0], is_far[0]) == (0, False)
    for number in range(1, count):
        piece = label == number
        assert over[number] == np.count_nonzero(surface[8:48, 5:55][piece])
        assert is_far[number] == (away_mm[8:48, 5:55][piece] > 380.0).any()
    assert 0 < np.count_nonzero(is_far) < count - 1
