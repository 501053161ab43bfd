"""Places hidden by a lamp's reflection lead to a question; visible and white places do not."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_discs import BLACK_BGR, RED_BGR, SCATTERED, Drawn, board_fit, draw, view_at
from lamp_reflection import add_ring_light

from vision.discs.find_discs import DiscReading, find_discs
from vision.discs.unseen_surface import mask_unseen
from vision.reading import UnexplainedCode

VIEW = view_at(15.0)
#: A black disc worth 10, and one disc of both sides in clear light.
UNDER: Drawn = (150.0, 0.0, BLACK_BGR)
SEEN: list[Drawn] = [(-60.0, 30.0, RED_BGR), (-140.0, -60.0, BLACK_BGR), (20.0, 140.0, RED_BGR)]


def read(image: np.ndarray) -> DiscReading:
    return find_discs(image, board_fit(VIEW), is_single=True)


def list_not_seen_mm(reading: DiscReading) -> list[np.ndarray]:
    return [spot.centre_mm for spot in reading.unexplained if spot.code is UnexplainedCode.NOT_SEEN]


@pytest.mark.parametrize(
    ("radius_mm", "width_mm", "strength"),
    [
        pytest.param(0.0, 50.0, 6.0, id="a bulb over all of it"),
        pytest.param(0.0, 50.0, 1.2, id="a weak bulb over all of it"),
        pytest.param(45.0, 22.0, 2.0, id="a ring light across it"),
    ],
)
def test_a_disc_under_a_reflection_is_asked_about_by_place(
    radius_mm: float, width_mm: float, strength: float
) -> None:
    centre_mm = (150.0 + radius_mm, 0.0)
    image = add_ring_light(
        draw(VIEW, [*SEEN, UNDER]), VIEW, centre_mm, radius_mm, width_mm, strength
    )
    reading = read(image)
    is_read = any(np.linalg.norm(disc.centre_mm - UNDER[:2]) < 3.0 for disc in reading.discs)
    away_mm = [np.linalg.norm(place - centre_mm) for place in list_not_seen_mm(reading)]
    assert away_mm
    assert min(away_mm) < radius_mm + 30.0
    assert is_read or len(reading.discs) == len(SEEN)


def test_a_reflection_under_which_no_disc_fits_is_not_asked_about() -> None:
    image = add_ring_light(draw(VIEW, SEEN), VIEW, (150.0, 0.0), 0.0, 14.0, 6.0)
    assert list_not_seen_mm(read(image)) == []


@pytest.mark.parametrize("blur_mm", [1.5, 20.0])
def test_a_highlight_is_asked_about_where_it_is_sharp_and_not_where_it_is_soft(
    blur_mm: float,
) -> None:
    weak = add_ring_light(draw(VIEW, SEEN), VIEW, (150.0, 0.0), 0.0, 100.0, 0.6, blur_mm)
    where_mm = VIEW.project_plane([(150.0, 0.0)])
    x, y = np.rint(where_mm[0]).astype(int).tolist()
    assert mask_unseen(weak[y, x], draw(VIEW, [])[y, x].astype(float))
    assert bool(list_not_seen_mm(read(weak))) == (blur_mm < 2.0)


def test_a_reflection_beyond_the_places_that_count_is_not_asked_about() -> None:
    image = add_ring_light(draw(VIEW, SEEN), VIEW, (330.0, 0.0), 0.0, 40.0, 6.0)
    assert list_not_seen_mm(read(image)) == []


def test_a_board_without_a_lamp_is_not_asked_about() -> None:
    assert list_not_seen_mm(read(draw(VIEW, SCATTERED))) == []


@pytest.mark.parametrize(("strength", "is_asked"), [(0.1, False), (3.0, True)])
def test_light_on_a_black_board_is_asked_about_where_a_white_disc_would_not_show(
    strength: float, is_asked: bool
) -> None:
    black_board = (draw(VIEW, [], noise_grey=1.0) * 0.08).astype(np.uint8)
    lit = add_ring_light(black_board, VIEW, (150.0, 0.0), 0.0, 100.0, strength)
    assert bool(list_not_seen_mm(read(lit))) == is_asked


def test_all_of_a_white_board_is_seen_however_light_it_is() -> None:
    white = np.full((4, 4, 3), 255, np.uint8)
    assert not mask_unseen(white, np.array([250.0, 249.0, 252.0])).any()
    assert mask_unseen(white, np.array([120.0, 170.0, 205.0])).all()
