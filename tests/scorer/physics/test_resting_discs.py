"""Final places of discs: separate, in the hole, over the edge and in the ditch."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from physics_scenes import EXACT_MM, MU_G, NO_POSTS, ends, flick, rows_of, run, scene
from random_boards import R_MM, random_board

from calibration.placed_disc import DiscState
from scorer.physics import kernels
from scorer.physics.engine import parameter_vector, simulate, simulate_many
from scorer.physics.scene import TableSpec, separate_overlaps
from webapp.formats.outcome import outcome_json, outcome_lines

# No overlap, and hard cases


def least_gap(table: TableSpec, places: np.ndarray, states: np.ndarray) -> float:
    flat = places[states == kernels.FLAT]
    apart = np.hypot(*(flat[:, None] - flat[None]).transpose(2, 0, 1)) + 1e9 * np.eye(len(flat))
    posts = np.hypot(*(flat[:, None] - table.posts_mm[None]).transpose(2, 0, 1))
    return float(min(apart.min() - 2 * R_MM, posts.min(initial=math.inf) - table.post_reach_mm))


@pytest.mark.parametrize("count", [3, 12, 24])
def test_no_discs_overlap_at_rest(count: int) -> None:
    rng = np.random.default_rng(count)
    for _ in range(60):
        table, places, shot = random_board(rng, count)
        after = simulate_many(table, places, shot[None])
        assert least_gap(table, after.places_mm[0], after.states[0]) > -EXACT_MM


def test_24_discs_all_moving_come_to_rest_apart() -> None:
    rng = np.random.default_rng(4)
    table, places, _ = random_board(rng, 24)
    p = parameter_vector(table)
    rows = rows_of(places, rng.normal(0, 600, (24, 2)), rng.normal(0, 300, 24), p)
    count, times = run(rows, p, table.posts_mm)
    assert 20 < count < 500
    assert (np.diff(times) >= 0).all()
    at_rest = rows[:, kernels.X : kernels.Y + 1] + (
        rows[:, kernels.LENGTH, None] * rows[:, kernels.DX : kernels.DY + 1]
    )
    assert least_gap(table, at_rest, rows[:, kernels.STATE]) > -EXACT_MM


def test_a_heap_that_pushes_itself_on_without_end_is_said_to_be_cut_off() -> None:
    gap = 2 * R_MM + 1e-3
    heap = [
        (gap * (j - i / 2) - 40, gap * i * math.sqrt(0.75) + 20)
        for i in range(6)
        for j in range(i + 1)
    ]
    rng = np.random.default_rng(5)
    shots = [
        flick(0, -304.8, speed, aim)
        for speed, aim in zip(rng.uniform(1000, 3200, 24), rng.normal(90, 8, 24), strict=True)
    ]
    outcomes = [simulate(scene(shot, *heap)) for shot in shots]
    rough = [outcome.is_cut_off for outcome in outcomes]
    assert any(rough)
    assert not all(rough)
    for outcome in outcomes:
        lines, as_json = outcome_lines(outcome), outcome_json(outcome)
        assert as_json["cut_off"] == outcome.is_cut_off == ("collided too often" in lines[-1])
        if not outcome.is_cut_off:
            flat = [disc for disc in outcome.discs if disc.state is DiscState.FLAT]
            places = np.array([[disc.x_mm, disc.y_mm] for disc in flat])
            states = np.full(len(flat), kernels.FLAT)
            assert least_gap(TableSpec(board=NO_POSTS), places, states) > -EXACT_MM


def test_a_frozen_row_passes_the_hit_on_to_its_end() -> None:
    row = [(-100 + k * 2 * R_MM, 100.0) for k in range(8)]
    outcome = simulate(scene(flick(-250, 100, 900, 0), *row))
    places = ends(outcome)
    moved = [places[f"d{k}"][0] - row[k][0] for k in range(8)]
    assert moved[-1] == max(moved)
    assert moved[-1] > 50
    order = [places["s"][0]] + [places[f"d{k}"][0] for k in range(8)]
    assert (np.diff(order) > 2 * R_MM - EXACT_MM).all()
    assert len(outcome.contacts) < 200


def test_a_hit_on_two_touching_discs_at_once_keeps_them_apart() -> None:
    outcome = simulate(scene(flick(-250, 100, 900, 0), (-100, 100 + R_MM), (-100, 100 - R_MM)))
    places = ends(outcome)
    assert places["d0"][1] > 100 + R_MM - EXACT_MM
    assert places["d1"][1] < 100 - R_MM + EXACT_MM
    # The two hits are processed one after the other, so one disc gets more speed than the other.
    assert places["d0"][0] > -90
    assert places["d1"][0] > -90


def test_overlap_from_noise_is_pushed_apart_first() -> None:
    places = np.array([[0.0, 200.0], [31.0, 200.0], [15.5, 227.0], [0.0, -300.0]])
    apart = separate_overlaps(TableSpec(), places)
    assert least_gap(TableSpec(), apart, np.zeros(4)) >= 0
    assert np.abs(apart - places).max() < 2.0
    np.testing.assert_array_equal(separate_overlaps(TableSpec(), apart), apart)


# Hole, edge and ditch


def test_a_slow_disc_falls_in_and_a_fast_one_passes_slowed() -> None:
    slow = simulate(scene(flick(-300, 0, 900, 0)))
    assert slow.discs[0].state is DiscState.IN_HOLE
    assert [contact.b for contact in slow.contacts] == ["hole"]
    fast = simulate(scene(flick(-300, 0, 1800, 0)))
    assert fast.contacts[0].b == "hole_missed"


@pytest.mark.parametrize(("offset", "low", "high"), [(0, 700, 1500), (3, 520, 600), (5, 400, 520)])
def test_capture_stops_at_the_modelled_speed(offset: float, low: float, high: float) -> None:
    def is_taken(speed: float) -> bool:
        return simulate(scene(flick(-30, offset, speed, 0))).discs[0].state is DiscState.IN_HOLE

    assert is_taken(low - 20)
    assert not is_taken(high + 20)


def test_a_disc_near_the_capture_speed_is_uncertain() -> None:
    assert simulate(scene(flick(-30, 0, 950, 0))).is_hole_uncertain
    assert not simulate(scene(flick(-30, 0, 500, 0))).is_hole_uncertain


def test_a_sunk_disc_stands_out_of_a_shallow_hole_and_stops_others() -> None:
    shallow = TableSpec(board=dataclasses.replace(NO_POSTS, hole_depth_mm=6.35))
    deep = TableSpec(board=dataclasses.replace(NO_POSTS, hole_depth_mm=10.0))
    shot = flick(-300, 0, 1100, 0)
    assert [c.b for c in simulate(scene(shot, (0, 0), table=shallow)).contacts] == ["sunk"]
    assert simulate(scene(shot, (0, 0), table=deep)).contacts == ()


def test_a_disc_that_leaves_is_in_the_ditch() -> None:
    outcome = simulate(scene(flick(0, 100, 2000, 90)))
    assert outcome.discs[0].state is DiscState.DITCH
    assert outcome.contacts[0].b == "outside"


def test_a_disc_over_the_edge_is_overhanging() -> None:
    speed = math.sqrt(2 * MU_G * 222)
    outcome = simulate(scene(flick(0, 100, speed, 90)))
    assert outcome.discs[0].state is DiscState.OVERHANGING


def test_a_very_fast_disc_comes_back_from_the_rail() -> None:
    outcome = simulate(scene(flick(0, 100, 9000, 90)))
    assert outcome.contacts[0].b == "outside"
    assert len(outcome.contacts) > 1
