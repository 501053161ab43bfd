"""A part of a shifted picture, beside the same in floating point."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.io.timed_frame import CameraImage, PixelBox
from vision.track.steady.picture_registration import make_shift
from vision.track.steady.steadied_image import SteadiedImage

PICTURE = cv2.GaussianBlur(
    np.random.default_rng(1).integers(0, 256, (50, 70, 3), dtype=np.uint8), (5, 5), 1.0
)


def weigh(away: np.ndarray) -> np.ndarray:
    """Keys's weights of samples so far away."""
    near = 1.5 * away**3 - 2.5 * away**2 + 1
    far = -0.5 * away**3 + 2.5 * away**2 - 4 * away + 2
    return np.where(away < 1, near, np.where(away < 2, far, 0.0))


@pytest.mark.parametrize("shift", [(0.3, -0.6), (-2.4, 3.7), (90.5, -64.2)])
@pytest.mark.parametrize("corner", [(10, 20), (0, 0), (46, 34)], ids=["inside", "left", "right"])
def test_a_part_is_that_of_the_picture_shifted_in_floating_point(
    corner: tuple[int, int], shift: tuple[float, float]
) -> None:
    box = PixelBox(left=corner[0], top=corner[1], right=corner[0] + 24, bottom=corner[1] + 16)
    steadied = SteadiedImage(CameraImage(PICTURE), make_shift(np.array(shift)))
    part = steadied.cut_planes(box)[0].levels
    wide = np.pad(PICTURE.astype(np.float64), ((99, 99), (99, 99), (0, 0)), "edge")
    x, y = (
        99 + low + away + np.arange(size)
        for low, away, size in zip(corner, shift, (24, 16), strict=True)
    )
    across, down = (
        weigh(np.abs(at[:, None] - np.arange(size + 198)))
        for at, size in ((x, PICTURE.shape[1]), (y, PICTURE.shape[0]))
    )
    exact = np.einsum("yj,jic,xi->yxc", down, wide, across)
    assert np.abs(part - np.clip(exact, 0, 255)).max() <= 0.501
