"""The board rectified as seen from straight above."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn_discs import board_fit, view_at
from drawn_frame import sheet_from_above

from vision.rectify.birds_eye import compute_plane_maps
from vision.rectify.frame_rectifier import (
    RECTIFIED_HEIGHT_MM,
    RECTIFIED_MM_PER_PX,
    TILE_PX,
    FrameRectifier,
    average_tiles,
    make_rectifier,
)


@pytest.fixture(scope="module")
def sheet() -> FrameRectifier:
    return sheet_from_above()


def test_board_points_round_trip_through_rectified_pixels(sheet: FrameRectifier) -> None:
    places = np.array([[0.0, 0.0], [-200.0, 130.0]])
    np.testing.assert_allclose(sheet.to_mm(sheet.to_px(places)), places)


@pytest.mark.parametrize("shape", [(960, 1280, 3), (700, 900, 3), (300, 1280, 3)])
def test_a_frame_is_rectified_to_the_board_frame(shape: tuple[int, ...]) -> None:
    fit = board_fit(view_at(30.0))
    sheet = make_rectifier(fit.view, fit.spec, shape)
    image = np.random.default_rng(2).integers(0, 255, shape, dtype=np.uint8)
    x_px, y_px = compute_plane_maps(
        fit.view, z_mm=RECTIFIED_HEIGHT_MM, side_px=sheet.side_px, mm_per_px=RECTIFIED_MM_PER_PX
    )
    resampled = cv2.remap(image, x_px, y_px, cv2.INTER_LINEAR)
    np.testing.assert_allclose(sheet.rectify(image), resampled, atol=1)


def test_tiles_divide_the_frame_evenly_and_give_its_means(sheet: FrameRectifier) -> None:
    image = np.random.default_rng(1).integers(0, 255, (*sheet.surface.shape, 3), dtype=np.uint8)
    pieces = average_tiles(image)
    assert sheet.side_px == TILE_PX * len(pieces)
    mean = image[:TILE_PX, TILE_PX : 2 * TILE_PX].mean(axis=(0, 1))
    assert np.abs(pieces[0, 1] - mean).max() <= 0.5


def test_light_is_sampled_all_over_the_surface(sheet: FrameRectifier) -> None:
    row, column = np.divmod(sheet.light_sample_indices, sheet.side_px)
    assert sheet.surface[row, column].all()
    middle_mm = sheet.to_mm(np.column_stack([column, row])).mean(axis=0)
    assert np.linalg.norm(middle_mm) < 10
