"""Discs that interlaced video shows in motion, drawn in two places in every other row."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_discs import BLACK_BGR, DISC, RED_BGR, Drawn, board_fit, draw, view_at

from vision.discs.find_discs import find_discs
from vision.discs.outline.row_combing import find_combed_discs
from vision.read_photo import _part_moving_discs as part_moving_discs

AT_REST: list[Drawn] = [(150.0, 30.0, RED_BGR), (60.0, -230.0, BLACK_BGR)]
FEET = np.array([(0.0, 120.0), *(disc[:2] for disc in AT_REST)])


def filmed(tilt_deg: float, moves_mm: float, noise_grey: float = 2.0) -> np.ndarray:
    """Two fields of a picture, between which a red disc moves."""
    image, later = (
        draw(view_at(tilt_deg), [*AT_REST, (x, 120.0, RED_BGR)], noise_grey=noise_grey)
        for x in (-moves_mm / 2, moves_mm / 2)
    )
    image[1::2] = later[1::2]
    return image


@pytest.mark.parametrize("tilt_deg", [20.0, 72.0])
def test_only_the_disc_that_moves_between_the_fields_is_combed(tilt_deg: float) -> None:
    combed = find_combed_discs(filmed(tilt_deg, 12.0), view_at(tilt_deg), FEET, DISC)
    assert combed.tolist() == [True, False, False]


@pytest.mark.parametrize("noise_grey", [2.0, 8.0])
def test_nothing_is_combed_where_all_rests_however_loud_the_noise(noise_grey: float) -> None:
    image = filmed(60.0, 0.0, noise_grey)
    assert not find_combed_discs(image, view_at(60.0), FEET, DISC).any()


def test_discs_beyond_the_picture_are_not_combed() -> None:
    view = view_at(30.0)
    away = np.array([(5000.0, 0.0), (-5000.0, 0.0), (0.0, -3000.0)])
    assert not find_combed_discs(draw(view, []), view, away, DISC).any()


def test_a_person_is_asked_about_a_disc_that_moves_and_it_does_not_count_yet() -> None:
    image, fit = filmed(40.0, 12.0), board_fit(view_at(40.0))
    reading = find_discs(image, fit)
    resting, (asked,) = part_moving_discs(image, fit, reading)
    assert np.linalg.norm(asked.centre_mm - FEET[0]) < 12.0
    assert len(resting) == len(reading.discs) - 1 == len(AT_REST)
    assert all(np.linalg.norm(each.centre_mm - FEET[0]) > 12.0 for each in resting)


def test_discs_that_all_seem_to_move_count_for_the_camera_does() -> None:
    view, image = view_at(40.0), draw(view_at(40.0), AT_REST)
    shaken = image.copy()
    shaken[1::2, 12:] = image[1::2, :-12]
    reading = find_discs(image, board_fit(view))
    resting, asked = part_moving_discs(shaken, board_fit(view), reading)
    assert resting == reading.discs
    assert len(asked) == len(AT_REST)
