"""Boards that were pushed, detected by the shifts of tiles of the rectified frame."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn_discs import board_fit, view_at
from drawn_frame import grained_board

from vision.rectify.frame_rectifier import FrameRectifier, make_rectifier
from vision.track.background.background_model import (
    BackgroundModel,
    create_background,
    normalise_frame,
)
from vision.track.background.registration import estimate_shift_mm

FIT = board_fit(view_at(25.0))
WOOD = np.array([120.0, 165.0, 190.0])
BLACK = (20, 22, 24)


def shown(rectifier: FrameRectifier, along_mm: tuple[float, float]) -> np.ndarray:
    """The rectified frame after the board was pushed and a disc was added."""
    image = grained_board(rectifier, WOOD, grain_grey=6, blur_px=2)
    image[rectifier.disc_mask(np.array([90.0, -90.0]), 16.0) > 0] = BLACK
    before, now = rectifier.to_px(np.array([(0.0, 0.0), along_mm]))
    shift = np.column_stack([np.eye(2), now - before])
    return cv2.warpAffine(image, shift, (rectifier.side_px, rectifier.side_px))


@pytest.fixture(scope="module")
def before() -> tuple[FrameRectifier, BackgroundModel]:
    rectifier = make_rectifier(FIT.view, FIT.spec, (960, 1280, 3))
    empty = grained_board(rectifier, WOOD, grain_grey=6, blur_px=2)
    return rectifier, create_background(
        rectifier, empty, np.zeros(rectifier.surface.shape, dtype=bool)
    )


def test_a_push_is_as_long_as_it_is(before: tuple[FrameRectifier, BackgroundModel]) -> None:
    rectifier, background = before
    normalised = normalise_frame(background, rectifier, shown(rectifier, (6.0, 8.0)))
    assert estimate_shift_mm(rectifier, background, normalised) == pytest.approx(10.0, abs=1.0)
