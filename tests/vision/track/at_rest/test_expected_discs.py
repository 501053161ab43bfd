"""A disc that hardly stands out of the wood is read where one was seen a moment ago."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn_discs import BLACK_BGR, DISC, WOOD_BGR, Drawn, board_fit, draw, view_at

from calibration.placed_disc import Team
from vision.discs.find_discs import find_discs
from vision.rectify.frame_rectifier import make_rectifier
from vision.track.at_rest.still_board import read_with_background
from vision.track.at_rest.still_frame import StillFrame
from vision.track.background.background_model import create_background, normalise_frame

FIT = board_fit(view_at(0.0))
PLACE_MM = (120.0, 60.0)
BLACK_MM = (-90.0, 60.0)
#: Where it was followed to before it stopped, some millimetres farther.
STOPPED_MM = np.array([124.0, 55.0])
#: Bare wood whose grain is taken for a disc where one is expected.
LEFT_MM = np.array([60.0, -150.0])
WOODEN_BGR = tuple(each - 10 for each in WOOD_BGR)
TEAMS = (
    Team(number=0, colour_rgb=WOODEN_BGR[::-1], colour_name="natural"),
    Team(number=1, colour_rgb=BLACK_BGR[::-1], colour_name="black"),
)


def photograph(*discs: Drawn) -> np.ndarray:
    """A board of coarse grain, the same each time."""
    image = draw(FIT.view, [*discs, (*BLACK_MM, BLACK_BGR)])
    grain = cv2.GaussianBlur(np.random.default_rng(1).normal(0, 1, image.shape[:2]), (0, 0), 1.5)
    return np.clip(image + (12 / grain.std()) * grain[..., None], 0, 255).astype(np.uint8)


@pytest.mark.parametrize("expected_mm", [[], [STOPPED_MM]], ids=["nowhere", "where it stopped"])
def test_a_disc_of_the_woods_colour_is_found_where_one_is_expected(
    expected_mm: list[np.ndarray],
) -> None:
    image = photograph((*PLACE_MM, WOODEN_BGR))
    reading = find_discs(image, FIT, DISC, TEAMS, expected_mm=expected_mm)
    places_mm = sorted(each.centre_mm.tolist() for each in reading.discs)
    assert places_mm == [
        pytest.approx(each, abs=1.5) for each in (BLACK_MM, PLACE_MM)[: 1 + len(expected_mm)]
    ]


@pytest.mark.parametrize("is_seen_bare", [True, False])
def test_a_disc_that_has_left_is_neither_read_nor_asked_about(is_seen_bare: bool) -> None:
    image = photograph()
    rectifier = make_rectifier(FIT.view, FIT.spec, image.shape)
    covered = rectifier.disc_mask(np.array([BLACK_MM, LEFT_MM][: 2 - is_seen_bare]), 20.0) > 0
    background = create_background(rectifier, rectifier.rectify(image), covered)
    still = StillFrame(
        image=image,
        fit=FIT,
        rectifier=rectifier,
        background=background,
        normalised=normalise_frame(background, rectifier, rectifier.rectify(image)),
    )
    board = read_with_background(still, DISC, TEAMS, expected_mm=[LEFT_MM])
    assert len(find_discs(image, FIT, DISC, TEAMS, expected_mm=[LEFT_MM]).discs) == 2
    assert [each.team for each in board.discs] == [1]
    assert board.unexplained == ()
