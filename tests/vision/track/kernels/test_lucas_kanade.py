"""Compiled differences and weights of pixels beside those of plain arrays."""

from __future__ import annotations

import cv2
import numpy as np

from vision.track.kernels.lucas_kanade import compare_pixels

CAUCHY_GREY, SAME_GREY = 4.0, 14.0


def test_compiled_differences_and_weights_are_those_of_plain_arrays() -> None:
    random = np.random.default_rng(2)
    picture = cv2.GaussianBlur(random.integers(0, 256, (60, 80), dtype=np.uint8), (7, 7), 1.5)
    places = random.uniform(5, 50, (200, 2)).astype(np.float32)
    warp = np.array([[1.01, -0.02, 0.7], [0.03, 0.98, -0.4], [1e-4, -2e-4, 1.0]])
    grey = random.uniform(90, 150, 200).astype(np.float32)
    light = np.array([0.05, 2.0])
    off, weight = np.empty_like(grey), np.empty_like(grey)
    same = compare_pixels(
        picture,
        places.astype(np.float64),
        warp,
        grey,
        light,
        CAUCHY_GREY,
        SAME_GREY,
        off,
        weight,
    )
    # OpenCV reads at places rounded to 1/32 px.
    at = cv2.perspectiveTransform(places[:, None], warp)[:, 0].T
    seen = cv2.remap(picture.astype(np.float32), *at, cv2.INTER_LINEAR).ravel()
    np.testing.assert_allclose(off, grey - seen, atol=0.5)
    left = np.abs(off - grey * light[0] - light[1])
    np.testing.assert_allclose(weight, 1 / (1 + (left / CAUCHY_GREY) ** 2), rtol=1e-5)
    assert same == np.count_nonzero(left < SAME_GREY)
