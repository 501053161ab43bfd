"""What is the streak of one fast disc, and where and how it went."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_discs import board_fit, view_at

from vision.rectify.frame_rectifier import FrameRectifier, make_rectifier
from vision.track.background.background_model import create_background, normalise_frame
from vision.track.motion.streaks import Streak, find_streaks

RADIUS_MM = 16.0
BOARD, DISC = (150, 190, 215), (30, 30, 40)


@pytest.fixture(scope="module")
def rectifier() -> FrameRectifier:
    fit = board_fit(view_at(0.0))
    return make_rectifier(fit.view, fit.spec, (960, 1280))


def cover_disc(
    rectifier: FrameRectifier, start: tuple[float, float], end: tuple[float, float]
) -> np.ndarray:
    """Share (side, side) of the exposure for which a disc covers a pixel that slides so, mm."""
    rows, columns = np.indices(rectifier.surface.shape)
    places = rectifier.to_mm(np.column_stack([columns.ravel(), rows.ravel()]))
    cover = np.zeros(len(places))
    for share in np.linspace(0, 1, 60):
        middle = (1 - share) * np.array(start) + share * np.array(end)
        cover += np.linalg.norm(places - middle, axis=1) < RADIUS_MM
    return cover.reshape(rows.shape) / 60


def streaks_of(rectifier: FrameRectifier, cover: np.ndarray) -> list[Streak]:
    side = rectifier.side_px
    board = np.full((side, side, 3), BOARD, np.uint8)
    background = create_background(rectifier, board, np.zeros((side, side), dtype=bool))
    image = (board + np.minimum(cover, 1)[..., None] * (np.array(DISC) - BOARD)).astype(np.uint8)
    frame = normalise_frame(background, rectifier, image)
    return find_streaks(rectifier, background, frame, RADIUS_MM, 1.0)


@pytest.mark.parametrize("turn_deg", [0, 33, 90, 140])
@pytest.mark.parametrize("length_mm", [45.0, 110.0])
def test_a_fast_disc_is_one_streak_in_the_middle_of_its_way(
    rectifier: FrameRectifier, turn_deg: float, length_mm: float
) -> None:
    turn = np.radians(turn_deg)
    half = length_mm / 2 * np.array([np.cos(turn), np.sin(turn)])
    middle = np.array([60.0, -90.0])
    cover = cover_disc(rectifier, tuple(middle - half), tuple(middle + half))
    (found,) = streaks_of(rectifier, cover)
    length = np.linalg.norm(found.way_mm)
    assert np.linalg.norm(found.place_mm - middle) < 4.0  # a pixel of those that are looked at
    assert 0.8 * length_mm < length < length_mm + 4.0  # its ends are faint
    assert abs(found.way_mm @ half) > np.cos(np.radians(5)) * length * length_mm / 2


def test_discs_at_rest_alone_and_side_by_side_are_no_streaks(rectifier: FrameRectifier) -> None:
    alone = cover_disc(rectifier, (0.0, 100.0), (0.0, 100.0))
    assert streaks_of(rectifier, alone) == []
    beside = cover_disc(rectifier, (2 * RADIUS_MM, 100.0), (2 * RADIUS_MM, 100.0))
    assert streaks_of(rectifier, alone + beside) == []


def test_a_finger_and_a_disc_beside_a_streak_make_it_none(rectifier: FrameRectifier) -> None:
    finger = cover_disc(rectifier, (0.0, 380.0), (0.0, 250.0))
    assert streaks_of(rectifier, finger) == []
    streak = cover_disc(rectifier, (-30.0, 100.0), (30.0, 100.0))
    assert len(streaks_of(rectifier, streak)) == 1
    struck = cover_disc(rectifier, (0.0, 70.0), (0.0, 70.0))
    assert streaks_of(rectifier, streak + struck) == []
