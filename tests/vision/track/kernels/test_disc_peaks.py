"""Compiled peaks beside filters over the whole picture."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.track.kernels.disc_peaks import find_disc_peaks

FULL, LEAST, COVERED, REACH = 4, 0.15, 0.8, 6


def _ring(inner: float, outer: float) -> np.ndarray:
    step = np.arange(-6, 7)
    away = np.hypot(step[:, None], step[None])
    return ((away >= inner) & (away < outer)).astype(np.float32)


@pytest.mark.parametrize("seed", range(4))
def test_compiled_peaks_are_those_of_whole_pictures(seed: int) -> None:
    random = np.random.default_rng(seed)
    mask = np.zeros((90, 90), np.uint8)
    for x, y in random.integers(2, 88, (9, 2)):
        cv2.circle(mask, (int(x), int(y)), 4, FULL, -1)
    mask[40:60, 70:] = random.integers(0, FULL + 1, (20, 20))
    face, ring = _ring(0, 3.5), _ring(4.5, 6.0)
    filtered = (
        cv2.filter2D(mask / np.float32(FULL), cv2.CV_32F, each / each.sum(), borderType=0)
        for each in (face, ring)
    )
    coverage, around = filtered
    at = np.flatnonzero(coverage > COVERED)
    offsets = np.argwhere(ring) - len(ring) // 2
    peaks, score = find_disc_peaks(mask, coverage, at, offsets, FULL, LEAST, REACH)
    whole = np.where(coverage > COVERED, coverage - around, 0.0).round(5)
    highest = cv2.dilate(whole, np.ones((2 * REACH + 1, 2 * REACH + 1), np.uint8))
    expected = np.flatnonzero((whole >= highest) & (whole > LEAST))
    assert set(peaks.tolist()) <= set(expected.tolist())  # of equal ones rounding may choose
    assert {round(float(each), 4) for each in score} == {
        round(float(each), 4) for each in whole.ravel()[expected]
    }
    assert len(peaks) > 2
