"""Impossible boards are refused before a shot is judged."""

from __future__ import annotations

from dataclasses import replace

import pytest

from calibration.placed_disc import DiscState
from scorer.rules.board_geometry import BoardGeometry
from scorer.rules.possible_boards import check_boards
from scorer.rules.shot import FinalPosition, ShotFacts, StartPosition

GEOMETRY = BoardGeometry()
TOUCHING_MM = 2 * GEOMETRY.disc.radius_mm


def facts(
    apart_mm: float, *, before_mm: float = 100.0, state: DiscState = DiscState.FLAT, **place: float
) -> ShotFacts:
    """Two discs with given distances after the shot, and before it (``before_mm``)."""
    return ShotFacts(
        shooter="a",
        team="own",
        teams={"a": "own", "b": "own"},
        before=(
            StartPosition(id="a", x_mm=100.0, y_mm=0.0),
            StartPosition(id="b", x_mm=100.0, y_mm=before_mm),
        ),
        after=(
            FinalPosition(id="a", state=DiscState.FLAT, x_mm=100.0, y_mm=0.0),
            FinalPosition(id="b", state=state, x_mm=100.0, y_mm=apart_mm, **place),
        ),
        contacts=(),
    )


def test_discs_that_touch_or_overlap_within_measuring_error_are_possible() -> None:
    check_boards(facts(TOUCHING_MM), GEOMETRY)
    check_boards(facts(TOUCHING_MM - 1.9), GEOMETRY)


@pytest.mark.parametrize(
    ("board", "shot"),
    [("after", facts(TOUCHING_MM - 2.1)), ("before", facts(100.0, before_mm=TOUCHING_MM - 2.1))],
)
def test_discs_that_overlap_more_are_refused_with_the_board_named(
    board: str, shot: ShotFacts
) -> None:
    with pytest.raises(ValueError, match=f'Discs a and b overlap in "{board}"'):
        check_boards(shot, GEOMETRY)


def test_an_uncertain_place_explains_a_larger_overlap() -> None:
    check_boards(facts(TOUCHING_MM - 6.0, sigma_mm=3.0), GEOMETRY)


def test_a_disc_that_leans_may_overlap_another() -> None:
    check_boards(facts(5.0, state=DiscState.LEANING), GEOMETRY)


def test_two_discs_in_the_hole_are_refused() -> None:
    shot = facts(100.0)
    sunk = tuple(replace(rest, state=DiscState.IN_HOLE, x_mm=0.0, y_mm=0.0) for rest in shot.after)
    with pytest.raises(ValueError, match="both in the hole"):
        check_boards(replace(shot, after=sunk), GEOMETRY)
