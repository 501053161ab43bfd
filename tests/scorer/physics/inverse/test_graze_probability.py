"""Whether a disc that slid past another touched it: analytic cases, and passes of the engine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bench.near_passes import simulate_pass
from scorer.physics.inverse.graze_probability import (
    PassedGap,
    PassObservation,
    StillDisc,
    combine_near_passes,
    estimate_at_gap,
    estimate_near_pass,
)
from scorer.physics.inverse.straight_paths import find_turn
from scorer.physics.parameters import PhysicsSpec

RADIUS_MM = 15.875
SPEED = np.array([800.0])
UNTOUCHED = StillDisc(moved_mm=np.array([0.03, -0.04]), sigma_mm=0.1)
#: Direction of the other disc from the disc that passes above it.
BELOW = np.array([0.0, -1.0])


def straight_pass(gap_mm: float, sigma_mm: float, speed_mm_s: float = 800.0) -> PassObservation:
    """Exact places of a disc that passes one at the origin at a constant speed."""
    times = np.arange(-6, 7) / 30
    places = np.stack([speed_mm_s * times, np.full(13, 2 * RADIUS_MM + gap_mm)], axis=1)
    return PassObservation(
        times_s=times,
        places_mm=places,
        covariances_mm2=np.tile(sigma_mm**2 * np.eye(2), (13, 1, 1)),
        common_mm2=sigma_mm**2 * np.eye(2) / 13,
        still_mm=np.zeros(2),
    )


@pytest.mark.parametrize(
    ("gap_mm", "sigma_mm", "is_apart"), [(1.5, 0.6, True), (1.5, 2.0, False), (0.3, 0.6, False)]
)
def test_a_path_alone_keeps_edges_apart_only_beyond_three_sigmas(
    gap_mm: float, sigma_mm: float, is_apart: bool
) -> None:
    unknown = StillDisc(moved_mm=None, sigma_mm=0.1)
    found = estimate_near_pass(straight_pass(gap_mm, sigma_mm), unknown, RADIUS_MM, PhysicsSpec())
    assert found is not None
    assert (found.sigmas_apart > 3) == is_apart
    assert abs(found.gap_mm - gap_mm) < 2 * found.sigma_mm
    assert abs(found.t_s) < 0.01


def test_between_the_frames_a_disc_comes_nearer_than_in_any() -> None:
    seen = straight_pass(0.8, 0.3, speed_mm_s=1500.0)
    between = replace(
        seen, times_s=seen.times_s + 1 / 60, places_mm=seen.places_mm + np.array([25.0, 0.0])
    )
    found = estimate_near_pass(between, UNTOUCHED, RADIUS_MM, PhysicsSpec())
    in_frames = np.linalg.norm(between.places_mm, axis=1).min() - 2 * RADIUS_MM
    assert found is not None
    assert in_frames > 7.0
    assert abs(found.gap_mm - 0.8) < 0.2
    assert abs(found.t_s) < 0.01


@pytest.mark.parametrize("bow_mm", [1.0, 1.5])
def test_a_path_bowed_by_drift_is_no_evidence_of_contact(bow_mm: float) -> None:
    """Light and the visible wall change along the path; the other disc's picture is slightly
    off.
    """
    seen = replace(straight_pass(1.5, 0.6, 1000.0), common_mm2=0.4 * np.eye(2))
    beside_mm = np.outer(bow_mm * (seen.times_s / 0.2) ** 2, [0.0, 1.0])
    bowed = replace(seen, places_mm=seen.places_mm + beside_mm - [0.0, bow_mm / 2])
    still = StillDisc(moved_mm=np.array([0.0, -0.25]), sigma_mm=0.11)
    found = estimate_near_pass(bowed, still, RADIUS_MM, PhysicsSpec())
    assert found is not None
    assert found.p_contact < 0.9


@pytest.mark.parametrize("gap_mm", [4.0, 7.0])
@pytest.mark.parametrize("bent_rad", [0.1, 0.18])
@pytest.mark.parametrize("frames_later", [-1, 0])
def test_a_path_bent_by_a_third_disc_is_no_evidence_of_contact(
    gap_mm: float, bent_rad: float, frames_later: int
) -> None:
    """The bend is as large as a graze's, but it is at another place, or at another point of the
    path.
    """
    seen = replace(straight_pass(gap_mm, 0.6, 1000.0), common_mm2=0.4 * np.eye(2))
    since_s = np.maximum(seen.times_s - frames_later / 30, 0.0)
    beside_mm = np.outer(1000.0 * bent_rad * since_s, [0.0, 1.0])
    bent = replace(seen, places_mm=seen.places_mm + beside_mm)
    found = estimate_near_pass(bent, UNTOUCHED, RADIUS_MM, PhysicsSpec())
    assert found is None or found.p_contact < 0.01


@pytest.mark.parametrize("seed", range(8))
def test_a_graze_that_moved_a_disc_by_half_a_millimetre_was_a_contact(seed: int) -> None:
    """A very shallow graze: by the path alone, it may as well have missed."""
    grazed = simulate_pass(np.random.default_rng(seed), gap_mm=-0.04)
    assert 0.1 < grazed.true_moved_mm < 5.0
    assert grazed.still.moved_mm is not None
    way = grazed.still.moved_mm / np.linalg.norm(grazed.still.moved_mm)
    moved = replace(grazed.still, moved_mm=max(grazed.true_moved_mm, 0.5) * way)
    found = replace(grazed, still=moved).estimate()
    assert found.p_contact > 0.95
    assert found.sigmas_apart < 3


@pytest.mark.parametrize(
    ("moved_mm", "least", "most"), [(0.05, 0.0, 0.02), (0.2, 0.01, 0.5), (0.5, 0.9, 1.0)]
)
def test_a_displacement_is_evidence_in_proportion_to_its_noise(
    moved_mm: float, least: float, most: float
) -> None:
    """The continuation of the path was not seen."""
    passed = PassedGap(t_s=1.0, gap_mm=0.3, sigma_mm=0.9, speeds_mm_s=SPEED, towards=BELOW)
    still = StillDisc(moved_mm=moved_mm * BELOW, sigma_mm=0.1)
    found = estimate_at_gap(passed, still, RADIUS_MM, PhysicsSpec())
    assert least < found.p_contact < most


def chance_at(gap_mm: float, moved_mm: float, way: np.ndarray = BELOW) -> float:
    """The chance of a contact at a gap measured to 0.9 mm, after a displacement in a direction."""
    passed = PassedGap(t_s=1.0, gap_mm=gap_mm, sigma_mm=0.9, speeds_mm_s=SPEED, towards=BELOW)
    still = StillDisc(moved_mm=moved_mm * way, sigma_mm=0.1)
    return estimate_at_gap(passed, still, RADIUS_MM, PhysicsSpec()).p_contact


@pytest.mark.parametrize("moved_mm", [0.0, 0.2, 0.6])
def test_the_farther_off_a_disc_passed_the_less_likely_it_touched(moved_mm: float) -> None:
    chances = [chance_at(gap_mm, moved_mm) for gap_mm in np.arange(-1.0, 5.0, 0.25)]
    assert (np.diff(chances) <= 0).all()


@pytest.mark.parametrize("gap_mm", [0.0, 1.5, 3.0])
def test_the_farther_a_disc_was_pushed_the_likelier_it_was_touched(gap_mm: float) -> None:
    chances = [chance_at(gap_mm, moved_mm) for moved_mm in np.arange(0.0, 1.0, 0.05)]
    assert (np.diff(chances) >= 0).all()


def test_no_contact_moves_a_disc_towards_the_passing_one() -> None:
    assert chance_at(0.3, 0.5) > 0.9
    assert chance_at(0.3, 0.5, -BELOW) < 0.01
    assert chance_at(0.3, 0.5, np.array([1.0, 0.0])) < 0.5


def test_two_cameras_paths_measure_a_gap_better_than_either() -> None:
    still = StillDisc(moved_mm=None, sigma_mm=0.1)
    one, other = (
        estimate_at_gap(
            PassedGap(t_s=1.0, gap_mm=gap, sigma_mm=sigma, speeds_mm_s=SPEED, towards=BELOW),
            still,
            15.9,
            PhysicsSpec(),
        )
        for gap, sigma in ((5.0, 1.0), (4.0, 1.0))
    )
    both = combine_near_passes(one, other)
    assert both is not None
    assert both.gap_mm == pytest.approx(4.5, abs=0.05)
    assert both.sigma_mm == pytest.approx(1 / np.sqrt(2), abs=0.02)
    assert both.sigmas_apart > max(one.sigmas_apart, other.sigmas_apart)


def test_paths_that_contradict_each_other_are_not_combined() -> None:
    still = StillDisc(moved_mm=None, sigma_mm=0.1)
    one, other = (
        estimate_at_gap(
            PassedGap(t_s=1.0, gap_mm=gap, sigma_mm=0.5, speeds_mm_s=SPEED, towards=BELOW),
            still,
            15.9,
            PhysicsSpec(),
        )
        for gap in (5.0, 1.0)
    )
    assert combine_near_passes(one, other) is None


def test_too_few_places_give_no_measurement() -> None:
    seen = straight_pass(0.3, 0.5)
    few = replace(
        seen,
        times_s=seen.times_s[:2],
        places_mm=seen.places_mm[:2],
        covariances_mm2=seen.covariances_mm2[:2],
    )
    assert estimate_near_pass(few, UNTOUCHED, RADIUS_MM, PhysicsSpec()) is None


def test_a_disc_that_stops_at_another_may_touch_it() -> None:
    """At rest, no push is evidence, and only the gap is known."""
    beside = PassedGap(t_s=1.0, gap_mm=0.2, sigma_mm=0.4, speeds_mm_s=np.zeros(1), towards=BELOW)
    off = replace(beside, gap_mm=2.0)
    near = estimate_at_gap(beside, UNTOUCHED, RADIUS_MM, PhysicsSpec())
    far = estimate_at_gap(off, UNTOUCHED, RADIUS_MM, PhysicsSpec())
    assert 0.1 < near.p_contact < 0.6
    assert far.p_contact < 0.01
    assert far.sigmas_apart > 3


def test_a_disc_that_was_pushed_by_one_that_stops_at_it_was_touched() -> None:
    """Its displacement shows that it was touched, but not how deep."""
    speeds = np.array([0.0, 100.0, 200.0])
    stopped = PassedGap(t_s=1.0, gap_mm=0.2, sigma_mm=0.9, speeds_mm_s=speeds, towards=BELOW)
    pushed = StillDisc(moved_mm=1.2 * BELOW, sigma_mm=0.14)
    assert estimate_at_gap(stopped, pushed, RADIUS_MM, PhysicsSpec()).p_contact > 0.99
    left = estimate_at_gap(stopped, UNTOUCHED, RADIUS_MM, PhysicsSpec()).p_contact
    assert 0.05 < left < 0.6


def test_a_path_turns_where_the_lines_of_its_parts_meet() -> None:
    before = np.array([[-40.0, -40.0], [-20.0, -20.0]])
    after = np.array([[-10.0, 10.0], [-30.0, 30.0]])
    turn = find_turn(before, after)
    assert turn is not None
    assert np.allclose(turn, 0.0)
    assert find_turn(before, np.array([[20.0, 20.0], [40.0, 41.0]])) is None


def test_probabilities_of_passes_are_calibrated_at_the_low_end_too() -> None:
    """300 passes of the engine, evenly spread within 2 mm of touching; none is certain and
    wrong.
    """
    passes = [simulate_pass(np.random.default_rng([4, seed])) for seed in range(300)]
    said = np.array([passing.estimate().p_contact for passing in passes])
    touched = np.array([passing.gap_mm < 0 for passing in passes])
    assert not touched[said < 0.0035].any()
    assert touched[said > 0.985].all()
    low, unsure = said < 0.1, (said > 0.0035) & (said < 0.985)
    assert touched[low].sum() <= 2 + 3 * said[low].sum()
    assert np.mean(unsure) < 0.2
