"""Impacts, and the slide after them: momentum, energy and the distance to rest, for any spin.

The reference is a separate integration: friction summed over the disc's area in small steps, and an
impact solved as a constraint on the two rims.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from physics_scenes import MU_G, NO_POSTS, flick, motion, rows_of, scene
from random_boards import R_MM

from bench.impacts import integrate_run_length
from calibration.board import BoardSpec
from sample_images.friction_table.tabulate_friction import final_ratio
from scorer.physics import kernels
from scorer.physics.engine import parameter_vector, simulate
from scorer.physics.friction import friction_table
from scorer.physics.scene import TableSpec

FAR_HOLE = BoardSpec(post_count=0, hole_centre_mm=(0.0, 320.0))


def friction_by_area(speed: float, spin: float) -> tuple[float, float]:
    """Force and torque over those without spin, summed over 24 rings of 180 places each."""
    nodes, weights = np.polynomial.legendre.leggauss(24)
    radius = (nodes[:, None] + 1) / 2
    angle = (np.arange(180) + 0.5) * np.pi / 90
    vx, vy = speed - spin * radius * np.sin(angle), spin * radius * np.cos(angle)
    share = weights[:, None] * radius / 180 / np.hypot(vx, vy)
    torque = share * radius * (vy * np.cos(angle) - vx * np.sin(angle))
    return float((share * vx).sum()), float(torque.sum())


def run_by_area(speed: float, spin: float) -> float:
    """The distance to rest, mm, by small steps."""

    def slope(state: np.ndarray) -> np.ndarray:
        force, torque = friction_by_area(state[0], state[1])
        return np.array([-MU_G * force, -2 * MU_G * torque, state[0]])

    state = np.array([speed, spin, 0.0])
    while state[0] > 1e-2 * speed:
        step = 0.05 * min(state[0], state[1]) / MU_G
        a = slope(state)
        b = slope(state + step / 2 * a)
        c = slope(state + step / 2 * b)
        state = state + step / 6 * (a + 2 * b + 2 * c + slope(state + step * c))
    return float(state[2])


def run_length(speed: float, spin: float) -> float:
    """The distance to rest in the kernels, mm."""
    p = parameter_vector(TableSpec())
    rows = rows_of(np.zeros((1, 2)), np.array([[speed, 0.0]]), np.array([spin]), p)
    return float(rows[0, kernels.LENGTH])


#: Ratios of speed to spin at which discs once stood still, because the search for their place on
#: the curve went past its end.
STUCK = (0.6439, 0.6444, 0.6448, 0.6480, 0.6492, 0.6502, 0.6504)


@pytest.mark.parametrize("ratio", [0.6444, 0.6492, 0.7, 1.2])
def test_a_spinning_disc_runs_as_far_as_friction_summed_over_its_area(ratio: float) -> None:
    # The steps leave out the last 1e-4 of the distance; the sum over the area is accurate to 1e-4.
    assert run_length(800.0, 800.0 / ratio) == pytest.approx(
        run_by_area(800.0, 800.0 / ratio), 1e-3
    )


@pytest.mark.parametrize("ratio", [*STUCK, 1e-3, 0.1, 0.99, 1.01, 5.0, 300.0])
def test_a_spinning_disc_runs_as_far_as_by_the_differential_equation(ratio: float) -> None:
    speed, spin = 500.0 * ratio / math.hypot(1, ratio), 500.0 / math.hypot(1, ratio)
    expected = integrate_run_length(speed, spin) / MU_G
    assert run_length(speed, spin) == pytest.approx(expected, rel=1e-7)


def test_the_way_to_rest_is_continuous_over_the_ratio_of_spin_to_speed() -> None:
    near = final_ratio() * (1 + np.concatenate([-np.geomspace(0.1, 1e-15, 6000), [0.0]]))
    ratios = np.concatenate([near, 2 * final_ratio() - near[::-1]])
    lengths = np.array([run_length(600.0, 600.0 / ratio) for ratio in ratios])
    steps = np.abs(np.diff(lengths))
    # The distance falls with the ratio, and at most twice as fast as the ratio rises.
    assert (steps <= 2 * lengths[1:] * np.diff(ratios) / final_ratio() + 1e-8).all()
    assert lengths.min() > 200.0


def test_a_motion_begins_with_the_speed_and_the_spin_that_it_is_given() -> None:
    p = parameter_vector(TableSpec())
    rng = np.random.default_rng(3)
    spread = rng.normal(0, 1, 4000) * 10 ** rng.uniform(-13, 1, 4000)
    spins = 700.0 / final_ratio() * np.exp(np.clip(spread, -8, 8)) * rng.choice([-1, 1], 4000)
    rows = rows_of(np.zeros((4000, 2)), np.tile([700.0, 0.0], (4000, 1)), spins, p)
    begun = motion(rows, 0.0, p)
    off = np.abs(begun[:, 2] - 700.0) + np.abs(begun[:, 4] - spins)
    assert (off / (700.0 + np.abs(spins))).max() < 1e-12


def test_a_time_on_the_way_and_the_way_at_that_time_agree() -> None:
    p, table = parameter_vector(TableSpec()), friction_table()
    rng = np.random.default_rng(4)
    spins = 700.0 * np.exp(rng.normal(0, 2, 2000))
    rows = rows_of(np.zeros((2000, 2)), np.tile([700.0, 0.0], (2000, 1)), spins, p)
    for row, share in zip(rows, rng.uniform(0, 1, 2000), strict=True):
        way = share * row[kernels.LENGTH]
        t = kernels.time_at(row, way, p[kernels.MU_G], table)
        assert kernels.path_and_speed_at(row, t, p[kernels.MU_G], table)[0] == pytest.approx(
            way, abs=1e-8
        )


def solve_impact(
    states: np.ndarray, normal: np.ndarray, restitution: float, friction: float
) -> np.ndarray:
    """Velocities and spins (2, 3) after an impact, from the rims' relative motion as one system."""
    across = np.array([-normal[1], normal[0]])
    # Rows: contributions of the two discs' numbers to the closing speed and to the rims' slip.
    closing = np.array([*normal, 0.0, *-normal, 0.0])
    slip = np.array([*across, 1.0, *-across, 1.0])
    inertia = np.diag([1.0, 1.0, 0.5, 1.0, 1.0, 0.5])
    before = states.ravel()
    reply = np.linalg.inv(inertia)
    push = -(1 + restitution) * (closing @ before) / (closing @ reply @ closing)
    rub = -(slip @ before) / (slip @ reply @ slip)
    rub = float(np.clip(rub, -friction * abs(push), friction * abs(push)))
    return np.asarray((before + reply @ (push * closing + rub * slip)).reshape(2, 3))


@pytest.mark.parametrize("seed", range(8))
def test_an_impact_agrees_with_a_constraint_on_the_rims(seed: int) -> None:
    rng = np.random.default_rng([5, seed])
    p = parameter_vector(TableSpec())
    for _ in range(50):
        normal = np.array([math.cos(angle := rng.uniform(0, 2 * math.pi)), math.sin(angle)])
        states = rng.normal(0, 800, (2, 3))
        if (states[0, :2] - states[1, :2]) @ normal <= 1.0:
            continue
        p[kernels.RESTITUTION], p[kernels.CONTACT_FRICTION] = rng.uniform(0, 1, 2)
        places = np.array([[0.0, 0.0], 2 * R_MM * normal])
        rows = rows_of(places, states[:, :2], states[:, 2], p)
        kernels.resolve_disc_contact(rows, 0, 1, 0.0, p, friction_table())
        expected = solve_impact(states, normal, p[kernels.RESTITUTION], p[kernels.CONTACT_FRICTION])
        np.testing.assert_allclose(motion(rows, 0.0, p)[:, 2:], expected, atol=1e-8)


def test_random_impacts_keep_momentum_never_gain_energy_and_leave_no_disc_standing() -> None:
    """`crokinole bench impacts` does the same millions of times."""
    p, rng = parameter_vector(TableSpec()), np.random.default_rng(6)
    for _ in range(2000):
        normal = np.array([math.cos(angle := rng.uniform(0, 2 * math.pi)), math.sin(angle)])
        states = rng.normal(0, 1, (2, 3)) * np.exp(rng.uniform(0, 8, (2, 1)))
        states[1] *= rng.choice([0.0, 1.0])
        p[kernels.RESTITUTION], p[kernels.CONTACT_FRICTION] = rng.uniform(0, 1, 2)
        places = np.array([[0.0, 0.0], 2 * R_MM * normal])
        rows = rows_of(places, states[:, :2], states[:, 2], p)
        kernels.resolve_disc_contact(rows, 0, 1, 0.0, p, friction_table())
        after = motion(rows, 0.0, p)[:, 2:]
        size = np.abs(states).sum()
        assert np.abs((after - states)[:, :2].sum(axis=0)).max() < 1e-12 * size
        weights = np.array([1.0, 1.0, 0.5])
        assert (weights * after**2).sum() <= (weights * states**2).sum() * (1 + 1e-12)
        assert ((rows[:, kernels.LENGTH] > 0) == (np.hypot(*after[:, :2].T) > 0)).all()


def test_a_disc_whose_spin_and_speed_nearly_match_slides_on() -> None:
    for spin in np.linspace(77.0, 79.0, 41):
        shot = flick(-320, 60, 800, 0, spin=float(spin))
        outcome = simulate(scene(shot, table=TableSpec(board=FAR_HOLE)))
        assert 205 < outcome.discs[0].x_mm < 225


def test_a_shot_whose_impact_leaves_nearly_the_final_ratio_keeps_its_momentum() -> None:
    """A glancing hit with rough rims, after which the shooter's disc once stood still."""
    physics = TableSpec(board=NO_POSTS)
    p = parameter_vector(physics)
    stopped = 0
    for graze in np.linspace(-0.9, 0.9, 600):
        places = np.array([[0.0, 0.0], [2 * R_MM * math.sqrt(1 - graze**2), 2 * R_MM * graze]])
        p[kernels.CONTACT_FRICTION] = 0.64
        rows = rows_of(places, np.array([[2456.0, 0.0], [0.0, 0.0]]), np.array([-1457.0, 0.0]), p)
        kernels.resolve_disc_contact(rows, 0, 1, 0.0, p, friction_table())
        after = motion(rows, 0.0, p)
        np.testing.assert_allclose(after[:, 2:4].sum(axis=0), [2456.0, 0.0], atol=1e-8)
        stopped += int((rows[:, kernels.LENGTH] == 0).any())
    assert stopped == 0
