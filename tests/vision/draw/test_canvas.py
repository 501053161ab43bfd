"""Curves, badges and text on a picture, with colours that can be seen."""

from __future__ import annotations

import numpy as np
import pytest

from vision.draw.canvas import (
    BLACK,
    WHITE,
    Canvas,
    TextStyle,
    is_dark,
    measure_text_width,
    pick_contrasting,
)

RED = (220, 40, 30)
SQUARE = [[20, 20], [60, 20], [60, 60], [20, 60]]


@pytest.fixture
def canvas() -> Canvas:
    return Canvas(np.full((100, 100, 3), 128, np.uint8))


def changed(canvas: Canvas) -> np.ndarray:
    """Where (h, w) the picture is no longer grey."""
    return (canvas.render() != 128).any(axis=2)


@pytest.mark.parametrize(
    ("colour", "ink"), [(WHITE, BLACK), (BLACK, WHITE), ((240, 220, 90), BLACK), (RED, WHITE)]
)
def test_ink_contrasts_with_its_ground(colour, ink) -> None:
    assert pick_contrasting(colour) == ink
    assert is_dark(BLACK)
    assert not is_dark(WHITE)


def test_an_area_is_filled_and_a_curve_is_not(canvas: Canvas) -> None:
    canvas.draw_curve(SQUARE, RED, 2)
    assert not changed(canvas)[40, 40]
    canvas.fill_area(SQUARE, RED)
    picture = canvas.render()
    assert picture[40, 40].tolist() == list(RED[::-1])
    assert picture[80, 80].tolist() == [128] * 3


def test_an_edge_lies_on_both_sides_of_a_curve(canvas: Canvas) -> None:
    canvas.draw_curve([[10, 50], [90, 50]], RED, 3, closed=False, edge=WHITE)
    column = canvas.render()[:, 50]
    assert column[50].tolist() == list(RED[::-1])
    white = np.flatnonzero((column == 255).all(axis=1))
    assert white.min() < 50 < white.max()


def test_an_open_curve_is_not_closed(canvas: Canvas) -> None:
    canvas.draw_curve([[20, 20], [60, 20], [60, 60]], RED, 2, closed=False)
    assert not changed(canvas)[40, 40]


def test_places_far_outside_harm_nothing(canvas: Canvas) -> None:
    canvas.draw_curve([[-1e9, 50], [1e9, 50]], RED, 2, closed=False)
    assert changed(canvas)[50].all()


def test_text_is_drawn_last_and_a_badge_carries_it(canvas: Canvas) -> None:
    canvas.draw_badge((50, 50), "15", 20, WHITE)
    canvas.fill_area([[0, 0], [99, 0], [99, 99], [0, 99]], WHITE)
    assert canvas.render().min() < 60  # dark letters on top of everything filled after them


def test_longer_text_is_wider_and_its_anchor_holds(canvas: Canvas) -> None:
    assert measure_text_width("close call", 20) > measure_text_width("close", 20) > 0
    canvas.draw_text((50, 50), "20", TextStyle(size_px=20, colour=WHITE, anchor="mm"))
    rows, columns = np.nonzero(changed(canvas))
    assert abs(columns.mean() - 50) < 4
    assert abs(rows.mean() - 50) < 4
