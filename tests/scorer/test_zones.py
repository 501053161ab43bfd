"""The bottom-edge rule: both sides of every line, and close calls."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import special

from calibration.board import BoardSpec
from calibration.disc import ContactEdge
from calibration.placed_disc import DiscState, PlacedDisc
from scorer.zones import (
    PARAMS,
    Boundary,
    CallCertainty,
    TeamTotal,
    ZoneCall,
    call_zone,
    compute_tail,
    find_close_sigmas,
    total_by_team,
)

BOARD = BoardSpec(line_sigmas_mm=(0.1, 0.0, 0.15))
EDGE = ContactEdge(radius_mm=15.4, radius_sigma_mm=0.2)
#: Distances of the base's centre at which a disc just touches the lines' inner edges.
TOUCH_15, TOUCH_10, TOUCH_5 = (r - 0.8 - 15.4 for r in (101.6, 203.2, 304.8))


def disc(
    distance_mm: float,
    angle_rad: float = 0.4,
    *,
    state: DiscState = DiscState.FLAT,
    sigma_mm: float = 0.1,
    confidence: float = 1.0,
) -> PlacedDisc:
    direction = np.array([math.cos(angle_rad), math.sin(angle_rad)])
    return PlacedDisc(
        centre_mm=distance_mm * direction,
        covariance_mm2=np.eye(2) * sigma_mm**2,
        team=0,
        state=state,
        confidence=confidence,
    )


def call(placed: PlacedDisc, board: BoardSpec = BOARD) -> ZoneCall:
    return call_zone(placed, board, EDGE)


@pytest.mark.parametrize(
    ("distance_mm", "zone", "margin_mm", "boundary", "certain"),
    [
        (60.0, 15, 25.4, Boundary.LINE_15, True),
        (TOUCH_15 - 2.0, 15, 2.0, Boundary.LINE_15, True),
        (TOUCH_15 - 0.2, 15, 0.2, Boundary.LINE_15, False),
        (TOUCH_15 + 0.2, 10, -0.2, Boundary.LINE_15, False),
        (TOUCH_15 + 2.0, 10, -2.0, Boundary.LINE_15, True),
        (TOUCH_10 - 2.0, 10, 2.0, Boundary.LINE_10, True),
        (TOUCH_10 - 0.2, 10, 0.2, Boundary.LINE_10, False),
        (TOUCH_10 + 0.2, 5, -0.2, Boundary.LINE_10, False),
        (TOUCH_10 + 2.0, 5, -2.0, Boundary.LINE_10, True),
        (TOUCH_5 - 2.0, 5, 2.0, Boundary.LINE_5, True),
        (TOUCH_5 - 0.2, 5, 0.2, Boundary.LINE_5, False),
        (TOUCH_5 + 0.2, 0, -0.2, Boundary.LINE_5, False),
        (TOUCH_5 + 2.0, 0, -2.0, Boundary.LINE_5, True),
        (320.0, 0, TOUCH_5 - 320.0, Boundary.LINE_5, True),
    ],
)
def test_a_flat_disc_scores_by_its_bottom_edge(
    distance_mm, zone, margin_mm, boundary, certain
) -> None:
    result = call(disc(distance_mm))
    assert result.zone == zone
    assert result.margin_mm == pytest.approx(margin_mm, abs=1e-9)
    assert result.boundary is boundary
    assert result.call is (CallCertainty.CERTAIN if certain else CallCertainty.CLOSE)


@pytest.mark.parametrize(
    ("distance_mm", "zone", "alternative"),
    [
        (TOUCH_15 - 0.1, 15, 10),
        (TOUCH_15 + 0.1, 10, 15),
        (TOUCH_10 - 0.1, 10, 5),
        (TOUCH_10 + 0.1, 5, 10),
        (TOUCH_5 - 0.1, 5, 0),
        (TOUCH_5 + 0.1, 0, 5),
    ],
)
def test_a_close_call_offers_the_zone_across_the_line(distance_mm, zone, alternative) -> None:
    result = call(disc(distance_mm))
    assert (result.zone, result.alternative) == (zone, alternative)


def test_exactly_touching_a_line_is_touching_it() -> None:
    board = BoardSpec(line_radii_mm=(101.5, 203.2, 304.8), line_width_mm=1.5)
    edge = ContactEdge(radius_mm=15.5, radius_sigma_mm=0.2)
    result = call_zone(disc(101.5 - 0.75 - 15.5, angle_rad=0.0), board, edge)
    assert (result.margin_mm, result.zone) == (0.0, 10)


def test_sigma_combines_what_is_uncertain_along_the_radius() -> None:
    placed = PlacedDisc(
        centre_mm=np.array([200.0, 0.0]),
        covariance_mm2=np.array([[0.09, 0.0], [0.0, 25.0]]),  # certain across, uncertain along
        team=0,
        state=DiscState.FLAT,
    )
    expected = math.sqrt(0.3**2 + 0.2**2 + 0.1**2 + (0.3 / 2) ** 2)
    assert call(placed).sigma_mm == pytest.approx(expected)


def test_a_line_that_is_less_sure_makes_the_call_less_sure() -> None:
    vague = BoardSpec(line_sigmas_mm=(1.0, 0.0, 0.0))
    placed = disc(TOUCH_15 - 2.0)
    assert call(placed).call is CallCertainty.CERTAIN
    assert call(placed, vague).call is CallCertainty.CLOSE


def test_each_line_is_where_it_was_measured() -> None:
    home_made = BoardSpec(line_radii_mm=(96.0, 203.2, 299.0))
    placed = disc(82.0)
    assert call(placed).zone == 15
    assert call(placed, home_made).zone == 10


def test_a_line_off_the_common_centre_is_called_where_it_is() -> None:
    shifted = BoardSpec(line_centres_mm=((1.5, 0.0), (0.0, 0.0), (0.0, 0.0)))
    placed = disc(TOUCH_15, angle_rad=0.0)
    assert call(placed, shifted).margin_mm == pytest.approx(1.5)
    opposite = disc(TOUCH_15, angle_rad=math.pi)
    assert call(opposite, shifted).margin_mm == pytest.approx(-1.5)


def test_an_oval_line_is_called_where_it_is() -> None:
    oval = BoardSpec(ovality=(0.003, 0.0))  # longer along x
    assert call(disc(TOUCH_5, angle_rad=0.0), oval).margin_mm == pytest.approx(0.003 * 304.8)
    across = disc(TOUCH_5, angle_rad=math.pi / 2)
    assert call(across, oval).margin_mm == pytest.approx(-0.003 * 304.8)


def test_a_doubtful_disc_is_close_wherever_it_lies() -> None:
    placed = disc(60.0, confidence=PARAMS.min_confidence - 0.01)
    assert call(placed).zone == 15
    assert call(placed).call is CallCertainty.CLOSE
    assert call(placed).alternative is None  # the side of the line is certain


@pytest.mark.parametrize("off_mm", [0.0, 1.5, 3.0])
def test_a_disc_in_the_hole_is_a_twenty(off_mm: float) -> None:
    result = call(disc(off_mm, state=DiscState.IN_HOLE))
    assert (result.zone, result.boundary, result.call) == (20, Boundary.HOLE, CallCertainty.CERTAIN)
    assert result.margin_mm == pytest.approx(17.46 - 15.4 - off_mm)


def test_a_doubtful_twenty_offers_fifteen() -> None:
    result = call(disc(1.0, state=DiscState.IN_HOLE, confidence=0.6))
    assert (result.zone, result.call, result.alternative) == (20, CallCertainty.CLOSE, 15)


def test_a_disc_leaning_in_the_hole_is_a_fifteen() -> None:
    result = call(disc(9.0, state=DiscState.LEANING))
    assert (result.zone, result.call) == (15, CallCertainty.CERTAIN)
    assert result.margin_mm < 0


def test_a_doubtful_leaner_offers_twenty() -> None:
    result = call(disc(9.0, state=DiscState.LEANING, confidence=0.5))
    assert (result.zone, result.call, result.alternative) == (15, CallCertainty.CLOSE, 20)


@pytest.mark.parametrize(("distance_mm", "zone"), [(75.0, 15), (110.0, 10)])
def test_a_disc_leaning_on_a_post_is_always_close(distance_mm: float, zone: int) -> None:
    result = call(disc(distance_mm, state=DiscState.LEANING))
    assert (result.zone, result.call) == (zone, CallCertainty.CLOSE)


def test_a_flat_disc_that_would_hang_over_the_hole_is_doubted() -> None:
    result = call(disc(6.0))
    assert (result.zone, result.call, result.alternative) == (15, CallCertainty.CLOSE, 20)


def test_a_flat_disc_beside_the_hole_is_not_doubted() -> None:
    assert call(disc(18.5)).call is CallCertainty.CERTAIN


def test_the_hole_is_where_it_was_measured() -> None:
    board = BoardSpec(hole_centre_mm=(2.0, 0.0))
    result = call(disc(2.0, angle_rad=0.0, state=DiscState.IN_HOLE), board)
    assert result.margin_mm == pytest.approx(17.46 - 15.4)


def test_an_overhanging_disc_scores_nothing() -> None:
    result = call(disc(325.0, state=DiscState.OVERHANGING))
    assert (result.zone, result.call, result.alternative) == (0, CallCertainty.CERTAIN, None)


def test_an_overhanging_disc_inside_the_lines_is_a_contradiction_and_close() -> None:
    result = call(disc(TOUCH_5 + 0.1, state=DiscState.OVERHANGING))
    assert (result.zone, result.call, result.alternative) == (0, CallCertainty.CLOSE, 5)


def test_totals_count_points_and_twenties_of_every_team() -> None:
    calls = [
        (0, call(disc(1.0, state=DiscState.IN_HOLE))),
        (0, call(disc(60.0))),
        (1, call(disc(150.0))),
    ]
    assert total_by_team(calls, [0, 1, 2]) == (
        TeamTotal(team=0, points=35, twenties=1),
        TeamTotal(team=1, points=10, twenties=0),
        TeamTotal(team=2, points=0, twenties=0),
    )


distances = st.floats(0.0, 340.0)
angles = st.floats(0.0, 2 * math.pi)
sigmas = st.floats(0.01, 3.0)


@given(distances, angles, angles)
def test_turning_the_board_changes_nothing(distance_mm: float, one: float, other: float) -> None:
    a, b = call(disc(distance_mm, one)), call(disc(distance_mm, other))
    assert a.margin_mm == pytest.approx(b.margin_mm, abs=1e-9)
    assume(abs(a.margin_mm) > 1e-6)
    assert (a.zone, a.call) == (b.zone, b.call)


@given(distances, distances)
def test_further_out_never_scores_more(one: float, other: float) -> None:
    near, far = sorted((one, other))
    assert call(disc(near)).zone >= call(disc(far)).zone


@given(distances, angles, sigmas)
def test_certain_means_clear_of_every_line(distance_mm, angle_rad, sigma_mm) -> None:
    result = call(disc(distance_mm, angle_rad, sigma_mm=sigma_mm))
    if result.call is CallCertainty.CERTAIN:
        assert abs(result.margin_mm) > find_close_sigmas() * result.sigma_mm
        assert result.alternative is None
    else:
        assert result.alternative is not None
        assert result.alternative != result.zone


@given(st.floats(0.0, 50.0))
def test_the_tail_is_students_with_the_stated_freedom_and_scale(sigmas_off: float) -> None:
    expected = special.stdtr(PARAMS.tail_freedom, -sigmas_off / PARAMS.tail_scale)
    assert compute_tail(sigmas_off) == pytest.approx(expected, abs=1e-12)


def test_a_call_is_certain_from_where_the_tail_falls_to_the_stated_rate() -> None:
    assert compute_tail(find_close_sigmas()) == pytest.approx(PARAMS.wrong_rate, rel=1e-4)
    assert 3.0 < find_close_sigmas() < 3.5


@given(distances, angles, sigmas)
def test_a_calls_probability_is_that_of_its_side_of_the_line(distance_mm, angle_rad, sigma) -> None:
    result = call(disc(distance_mm, angle_rad, sigma_mm=sigma))
    assert 0.5 <= result.probability <= 1.0
    if result.call is CallCertainty.CERTAIN:
        assert result.probability >= 1 - PARAMS.wrong_rate


@given(distances, sigmas, sigmas)
def test_knowing_less_never_makes_a_call_certain(distance_mm, one, other) -> None:
    sure, vague = sorted((one, other))
    if call(disc(distance_mm, sigma_mm=sure)).call is CallCertainty.CLOSE:
        placed = disc(distance_mm, sigma_mm=vague)
        assume(distance_mm > BOARD.hole_radius_mm)  # there, the uncertainty is another one
        assert call(placed).call is CallCertainty.CLOSE


@given(st.floats(-6.0, 6.0), sigmas, st.integers(0, 2), st.integers(0, 2**32 - 1))
def test_a_certain_call_survives_what_sigma_allows(offset_mm, sigma_mm, line, seed) -> None:
    """A true place, drawn from the stated covariance, has the zone of a certain call."""
    touch = (TOUCH_15, TOUCH_10, TOUCH_5)[line]
    seen = disc(touch + offset_mm, sigma_mm=sigma_mm)
    result = call(seen)
    assume(result.call is CallCertainty.CERTAIN)
    step = np.random.default_rng(seed).normal(0, sigma_mm, 2)
    step *= min(1.0, 2.9 * sigma_mm / max(float(np.linalg.norm(step)), 1e-12))
    true_distance = float(np.linalg.norm(seen.centre_mm + step))
    assert call(disc(true_distance)).zone == result.zone
