"""A disc that hardly stands out from the wood is read where a disc was seen a moment ago."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn_discs import BLACK_BGR, DISC, WOOD_BGR, Drawn, board_fit, draw, view_at

from calibration.placed_disc import Team
from vision.discs.detector_input import OtherPictures
from vision.discs.find_discs import find_discs
from vision.rectify.frame_rectifier import make_rectifier
from vision.track.at_rest.still_board import read_with_background
from vision.track.at_rest.still_frame import StillFrame
from vision.track.background.background_model import create_background, normalise_frame

FIT = board_fit(view_at(0.0))
PLACE_MM = (120.0, 60.0)
BLACK_MM = (-90.0, 60.0)
#: Its last followed place before it stopped, some millimetres farther.
STOPPED_MM = np.array([124.0, 55.0])
#: Empty wood whose grain is mistaken for a disc where one is expected.
LEFT_MM = np.array([60.0, -150.0])
WOODEN_BGR = tuple(level - 10 for level in WOOD_BGR)
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
    places_mm = sorted(disc.centre_mm.tolist() for disc in reading.discs)
    assert places_mm == [
        pytest.approx(expected, abs=1.5)
        for expected in (BLACK_MM, PLACE_MM)[: 1 + len(expected_mm)]
    ]


def look_at(
    image: np.ndarray, empty: np.ndarray, covered_mm: list[tuple[float, float]]
) -> StillFrame:
    """The picture of a board, compared with a background learned from a ``bare`` one."""
    rectifier = make_rectifier(FIT.view, FIT.spec, image.shape)
    covered = rectifier.disc_mask(np.reshape(covered_mm, (-1, 2)), 20.0) > 0
    background = create_background(rectifier, rectifier.rectify(empty), covered)
    return StillFrame(
        image=image,
        fit=FIT,
        rectifier=rectifier,
        background=background,
        normalised=normalise_frame(background, rectifier, rectifier.rectify(image)),
    )


@pytest.mark.parametrize("is_seen_empty", [True, False])
def test_a_disc_that_has_left_is_neither_read_nor_asked_about(is_seen_empty: bool) -> None:
    image = photograph()
    still = look_at(image, image, [BLACK_MM, tuple(LEFT_MM)][: 2 - is_seen_empty])
    board = read_with_background(still, DISC, TEAMS, expected_mm=[LEFT_MM])
    assert len(find_discs(image, FIT, DISC, TEAMS, expected_mm=[LEFT_MM]).discs) == 2
    assert [disc.team for disc in board.discs] == [1]
    assert board.unexplained == ()


@pytest.mark.parametrize("half_mm", [12.0, 16.0, 20.0])
def test_a_corner_of_what_is_drawn_over_the_picture_is_no_disc(half_mm: float) -> None:
    """It has a side's colour, and is a little smaller or larger than a disc."""
    empty = photograph()
    corners_mm = LEFT_MM + half_mm * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    image = empty.copy()
    cv2.fillConvexPoly(image, np.rint(FIT.view.project_plane(corners_mm)).astype(int), BLACK_BGR)
    board = read_with_background(look_at(image, empty, [BLACK_MM]), DISC, TEAMS)
    assert len(board.discs) == 1
    assert len(board.unexplained) == 1


@pytest.mark.parametrize("is_known", [True, False], ids=["as ever", "put there"])
def test_what_covers_the_board_is_asked_about_where_the_bare_board_lacks_it(is_known: bool) -> None:
    empty = photograph()
    image = empty.copy()
    corners_mm = LEFT_MM + 25.0 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    cv2.fillConvexPoly(image, np.rint(FIT.view.project_plane(corners_mm)).astype(int), (180, 90, 0))
    assert len(find_discs(image, FIT, DISC, TEAMS).unexplained) == 1
    still = look_at(image, image if is_known else empty, [BLACK_MM])
    asked = read_with_background(still, DISC, TEAMS).unexplained
    assert len(asked) == (0 if is_known else 1)
    assert all(np.linalg.norm(place.centre_mm - LEFT_MM) < 30.0 for place in asked)


def test_occluders_are_searched_where_something_may_cover_the_board_alone() -> None:
    image = photograph()
    cv2.circle(
        image, tuple(np.rint(FIT.view.project_plane(LEFT_MM)).astype(int)), 60, (180, 90, 0), -1
    )
    places_mm: list[np.ndarray] = []

    def may_cover(found_mm: np.ndarray) -> bool:
        places_mm.append(found_mm)
        return False

    reading = find_discs(image, FIT, DISC, TEAMS, others=OtherPictures(may_cover=may_cover))
    assert reading.unexplained == ()
    assert [disc.centre_mm.tolist() for disc in reading.discs] == places_mm[0].tolist()
