"""Compiled normal equations beside those of plain arrays."""

from __future__ import annotations

import cv2
import numpy as np

from vision.track.kernels.lucas_kanade import sum_normal_equations

CAUCHY_GREY, SAME_GREY = 4.0, 14.0


def test_compiled_normal_equations_are_those_of_plain_arrays() -> None:
    random = np.random.default_rng(2)
    picture = cv2.GaussianBlur(random.integers(0, 256, (60, 80), dtype=np.uint8), (7, 7), 1.5)
    places = random.uniform(5, 50, (200, 2)).astype(np.float32)
    warp = np.array([[1.01, -0.02, 0.7], [0.03, 0.98, -0.4], [1e-4, -2e-4, 1.0]])
    slopes, grey = random.normal(0, 9, (200, 2)), random.uniform(90, 150, 200)
    light = np.array([0.05, 2.0])
    design = np.column_stack([slopes, grey, np.ones(200)]).astype(np.float32)
    matrix, right, same = sum_normal_equations(
        picture, places.astype(np.float64), warp, design, light, CAUCHY_GREY, SAME_GREY
    )
    # OpenCV reads at places rounded to 1/32 px; numbers that are summed differ by as little.
    at = cv2.perspectiveTransform(places[:, None], warp)[:, 0].T
    seen = cv2.remap(picture.astype(np.float32), *at, cv2.INTER_LINEAR).ravel()
    off = grey - seen
    left = np.abs(off - grey * light[0] - light[1])
    weight = 1 / (1 + (left / CAUCHY_GREY) ** 2)
    np.testing.assert_allclose(matrix, (design * weight[:, None]).T @ design, rtol=0.02, atol=60)
    np.testing.assert_allclose(
        right, (design * weight[:, None]).T @ off, rtol=0.02, atol=0.02 * np.abs(right).max()
    )
    assert abs(same - np.count_nonzero(left < SAME_GREY)) <= 2
