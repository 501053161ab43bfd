"""Discs are searched for at differences from the empty board, and walls are no discs."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_discs import BLACK_BGR, DISC, RED_BGR, Drawn, board_fit, draw, view_at

from calibration.placed_disc import Team
from vision.rectify.frame_rectifier import make_rectifier
from vision.track.at_rest.still_board import StillBoard, read_with_background
from vision.track.at_rest.still_frame import StillFrame
from vision.track.background.background_model import create_background, normalise_frame

FIT = board_fit(view_at(74.0))
FAR_MM = (-50.0, 270.0)
ELSEWHERE_MM = (60.0, 170.0)
TEAMS = (
    Team(number=0, colour_rgb=RED_BGR[::-1], colour_name="red"),
    Team(number=1, colour_rgb=BLACK_BGR[::-1], colour_name="black"),
)


@pytest.fixture(scope="module")
def empty() -> np.ndarray:
    return draw(FIT.view, [])


def read(empty: np.ndarray, *discs: Drawn) -> StillBoard:
    """The board with these discs, which stopped at their places."""
    image = draw(FIT.view, list(discs))
    rectifier = make_rectifier(FIT.view, FIT.spec, image.shape)
    nothing = np.zeros(rectifier.surface.shape, dtype=bool)
    background = create_background(rectifier, rectifier.rectify(empty), nothing)
    normalised = normalise_frame(background, rectifier, rectifier.rectify(image))
    still = StillFrame(
        image=image, fit=FIT, rectifier=rectifier, background=background, normalised=normalised
    )
    places_mm = [np.array(disc[:2]) for disc in discs]
    return read_with_background(still, DISC, TEAMS, expected_mm=places_mm)


def test_a_discs_wall_seen_from_the_side_is_no_second_disc(empty: np.ndarray) -> None:
    board = read(empty, (*FAR_MM, RED_BGR), (*ELSEWHERE_MM, BLACK_BGR))
    assert sorted(disc.team for disc in board.discs) == [0, 1]
    assert board.unexplained == ()


def test_a_disc_seen_from_the_side_is_as_unsure_in_depth_as_that_makes_it(
    empty: np.ndarray,
) -> None:
    (disc,) = read(empty, (*FAR_MM, RED_BGR)).discs
    error_mm = disc.centre_mm - FAR_MM
    assert error_mm @ np.linalg.solve(disc.covariance_mm2, error_mm) < 9.0
