"""Distances of one disc to a board's lines, hole, edge and quadrants."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.board import BoardSpec
from scorer.rules.board_geometry import LINE_5, LINE_10, LINE_15, BoardGeometry, nearest_quadrant

ODD = BoardGeometry(
    board=BoardSpec(
        line_centres_mm=((1.0, -2.0), (0.0, 0.5), (-1.5, 0.0)),
        ovality=(0.003, -0.002),
        hole_centre_mm=(1.0, 1.0),
    )
)
spans = st.floats(-330.0, 330.0)


@given(spans, spans, st.sampled_from([LINE_15, LINE_10, LINE_5]))
def test_inside_mm_of_one_point_agrees_with_the_board(x_mm, y_mm, line) -> None:
    expected = float(ODD.board.inside_line_mm(line, [[x_mm, y_mm]])[0])
    assert ODD.inside_mm(line, x_mm, y_mm) == pytest.approx(expected, abs=1e-9)


@given(spans, spans)
def test_a_place_is_inside_its_nearest_quadrant(x_mm, y_mm) -> None:
    quadrant = nearest_quadrant(x_mm, y_mm)
    assert BoardGeometry().inside_quadrant_mm(quadrant, x_mm, y_mm) >= 0
    assert BoardGeometry().inside_quadrant_mm((quadrant + 2) % 4, x_mm, y_mm) <= 0


@pytest.mark.parametrize(
    ("degrees", "quadrant"), [(0, 0), (44, 0), (46, 1), (90, 1), (180, 2), (-90, 3), (-46, 3)]
)
def test_quadrants_are_numbered_counter_clockwise_from_the_right(degrees, quadrant) -> None:
    angle = math.radians(degrees)
    assert nearest_quadrant(300 * math.cos(angle), 300 * math.sin(angle)) == quadrant


def test_the_hole_is_where_it_was_measured() -> None:
    reach = ODD.board.hole_radius_mm + ODD.disc.contact_radius_mm
    assert ODD.is_at_hole(1.0 + reach - 0.01, 1.0)
    assert not ODD.is_at_hole(1.0 + reach + 0.01, 1.0)
