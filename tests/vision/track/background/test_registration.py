"""Boards that were pushed, detected by the shifts of tiles of the rectified frame."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn_discs import board_fit, view_at
from drawn_frame import grained_board
from scipy.spatial.transform import Rotation

from calibration.camera import FloatArray
from vision.rectify.frame_rectifier import FrameRectifier, make_rectifier
from vision.track.background.background_model import (
    BackgroundModel,
    create_background,
    normalise_frame,
)
from vision.track.background.registration import estimate_moved_view, estimate_shift_mm

FIT = board_fit(view_at(25.0))
WOOD = np.array([120.0, 165.0, 190.0])
BLACK = (20, 22, 24)
RING_MM = FIT.spec.line_points_mm(2, np.linspace(0, 2 * np.pi, 24))


def pushed(points_mm: FloatArray, along_mm: tuple[float, float], turn_deg: float) -> FloatArray:
    turn = Rotation.from_euler("z", turn_deg, degrees=True).as_matrix()[:2, :2]
    return points_mm @ turn.T + along_mm


def shown(
    rectifier: FrameRectifier, along_mm: tuple[float, float], turn_deg: float = 0.0
) -> np.ndarray:
    """The rectified frame after the board was pushed and a disc was added."""
    image = grained_board(rectifier, WOOD, grain_grey=6, blur_px=2)
    image[rectifier.disc_mask(np.array([90.0, -90.0]), 16.0) > 0] = BLACK
    corners = np.array([[-100.0, -100.0], [100.0, -100.0], [0.0, 100.0]])
    before, now = (
        rectifier.to_px(shape_mm).astype(np.float32)
        for shape_mm in (corners, pushed(corners, along_mm, turn_deg))
    )
    side = (rectifier.side_px, rectifier.side_px)
    return cv2.warpAffine(image, cv2.getAffineTransform(before, now), side)


@pytest.fixture(scope="module")
def before() -> tuple[FrameRectifier, BackgroundModel]:
    rectifier = make_rectifier(FIT.view, FIT.spec, (960, 1280, 3))
    empty = grained_board(rectifier, WOOD, grain_grey=6, blur_px=2)
    return rectifier, create_background(
        rectifier, empty, np.zeros(rectifier.surface.shape, dtype=bool)
    )


@pytest.mark.parametrize(
    ("along_mm", "turn_deg"), [((0.0, 0.0), 0.0), ((14.0, -9.0), 0.0), ((-25.0, 10.0), 3.0)]
)
def test_the_view_after_a_push_is_known_roughly(
    before: tuple[FrameRectifier, BackgroundModel], along_mm: tuple[float, float], turn_deg: float
) -> None:
    told = estimate_moved_view(FIT.view, *before, shown(before[0], along_mm, turn_deg))
    assert told is not None
    true_px = FIT.view.project_plane(pushed(RING_MM, along_mm, turn_deg))
    off_px = np.linalg.norm(told.project_plane(RING_MM) - true_px, axis=1)
    assert off_px.max() * FIT.view.mm_per_px() < 3.0


def test_a_push_is_as_long_as_it_is(before: tuple[FrameRectifier, BackgroundModel]) -> None:
    rectifier, background = before
    normalised = normalise_frame(background, rectifier, shown(rectifier, (6.0, 8.0)))
    assert estimate_shift_mm(rectifier, background, normalised) == pytest.approx(10.0, abs=1.0)


def test_another_picture_altogether_tells_no_view(
    before: tuple[FrameRectifier, BackgroundModel],
) -> None:
    rectifier, background = before
    other = np.random.default_rng(1).integers(0, 255, background.image.shape, dtype=np.uint8)
    assert estimate_moved_view(FIT.view, rectifier, background, other) is None
