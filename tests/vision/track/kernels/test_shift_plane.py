"""Compiled cubic convolution beside the same in floating point."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.track.kernels.shift_plane import TAPS_SUM, shift_plane

PICTURE = cv2.GaussianBlur(
    np.random.default_rng(1).integers(0, 256, (50, 70, 3), dtype=np.uint8), (5, 5), 1.0
)
ACROSS, DOWN = ((-16, 200, 80, -8), (-9, 73, 210, -18))


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("corner", [(10, 20), (-3, -2), (62, 44)], ids=["inside", "left", "right"])
def test_a_part_shifted_is_that_of_the_picture_shifted_in_floating_point(
    channels: int, corner: tuple[int, int]
) -> None:
    picture = PICTURE if channels == 3 else PICTURE[..., 0].copy()
    size = (16, 24)
    shifted = np.empty((*size, channels), np.uint8)
    shift_plane(
        picture.reshape(len(picture), -1),
        channels,
        corner[0],
        np.array(ACROSS, np.int32),
        corner[1],
        np.array(DOWN, np.int32),
        shifted.reshape(len(shifted), -1),
    )
    wide = np.pad(np.atleast_3d(picture).astype(np.float64), ((9, 30), (9, 30), (0, 0)), "edge")
    x, y = corner[0] + 9, corner[1] + 9
    kernel = np.outer(DOWN, ACROSS) / TAPS_SUM**2
    exact = sum(
        kernel[i, j] * wide[y + i : y + i + size[0], x + j : x + j + size[1]]
        for i in range(4)
        for j in range(4)
    )
    assert np.abs(shifted - np.clip(exact, 0, 255)).max() <= 0.5
