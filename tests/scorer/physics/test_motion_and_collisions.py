"""Sliding, spinning and collisions against closed forms, conservation laws and symmetries."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from physics_scenes import (
    EXACT_MM,
    MU_G,
    NO_POSTS,
    SMOOTH,
    ends,
    flick,
    motion,
    rows_of,
    run,
    scene,
)
from random_boards import R_MM, random_board

from sample_images.friction_table.tabulate_friction import (
    final_ratio,
    friction_force_ratio,
    friction_torque_ratio,
    tabulate_friction,
)
from scorer.physics import kernels
from scorer.physics.engine import parameter_vector, simulate, simulate_many
from scorer.physics.friction import friction_table
from scorer.physics.parameters import PhysicsSpec
from scorer.physics.scene import PhysicsScene, SceneDisc, TableSpec

# Exact cases


@pytest.mark.parametrize("speed", [100.0, 400.0, 700.0])
def test_a_disc_without_spin_stops_after_v2_over_2_mu_g(speed: float) -> None:
    outcome = simulate(scene(flick(-300, 0, speed, 0)))
    disc = outcome.discs[0]
    assert disc.x_mm == pytest.approx(-300 + speed**2 / (2 * MU_G), abs=EXACT_MM)
    assert disc.t_rest_s == pytest.approx(speed / MU_G, rel=1e-9)


def test_a_flick_of_770_mm_s_stops_at_the_centre() -> None:
    table = TableSpec(board=dataclasses.replace(NO_POSTS, hole_centre_mm=(0.0, 200.0)))
    outcome = simulate(scene(flick(-302, 0, 770, 0), table=table))
    assert abs(outcome.discs[0].x_mm) < 1.0  # the measured figure has three digits


@pytest.mark.parametrize("ratio", [0.25, 0.5, 1.0, 1.5])
def test_spin_lengthens_the_path_by_the_coupled_law(ratio: float) -> None:
    speed = 600.0
    still = simulate(scene(flick(-300, -100, speed, 0)))
    turning = simulate(scene(flick(-300, -100, speed, 0, spin=ratio * speed / R_MM)))
    longer = (turning.discs[0].x_mm + 300) / (still.discs[0].x_mm + 300)
    assert longer == pytest.approx(1 + ratio**2 / 4, rel=0.025)  # the rule's own accuracy
    assert turning.discs[0].y_mm == pytest.approx(-100, abs=EXACT_MM)


@pytest.mark.parametrize("ratio", [0.01, 0.1, 0.5, 0.9, 1.0, 1.2, 3.0, 29.9, 30.1, 300.0])
def test_friction_by_elliptic_integrals_is_the_integral_over_the_disc(ratio: float) -> None:
    radius, angle = np.meshgrid((np.arange(600) + 0.5) / 600, (np.arange(720) + 0.3) * np.pi / 360)
    x, y = radius * np.cos(angle), radius * np.sin(angle)
    vx, vy = ratio - y, x
    speed, weight = np.hypot(vx, vy), radius / radius.sum()
    # The midpoint sum is accurate to 1e-5 near the disc's instantaneous centre.
    assert friction_force_ratio(ratio) == pytest.approx((vx / speed * weight).sum(), abs=3e-5)
    assert friction_torque_ratio(ratio) == pytest.approx(
        ((x * vy - y * vx) / speed * weight).sum(), abs=3e-5
    )


def test_every_disc_stops_with_the_published_ratio_of_speed_and_spin() -> None:
    assert final_ratio() == pytest.approx(0.653, abs=5e-4)
    p = parameter_vector(TableSpec())
    for spin in (100.0, 800.0, 5000.0):
        rows = rows_of(np.zeros((1, 2)), np.array([[500.0, 0.0]]), np.array([spin]), p)
        end = rows[0, kernels.TEND]
        _, _, vx, _, turning = motion(rows, end - 1e-9, p)[0]
        # The ratio is approached as the power 0.6 of the remaining time.
        assert vx / turning == pytest.approx(final_ratio(), rel=1e-3)


def test_the_stored_table_is_the_one_that_its_equations_give() -> None:
    # Versions of SciPy differ in the last digits.
    np.testing.assert_allclose(friction_table(), tabulate_friction(), atol=1e-9)


@pytest.mark.parametrize(("speed", "spin"), [(900, 50), (900, 900), (900, 1400), (50, 900)])
def test_the_table_follows_the_differential_equation(speed: float, spin: float) -> None:
    p = parameter_vector(TableSpec())
    rows = rows_of(np.zeros((1, 2)), np.array([[speed, 0.0]]), np.array([float(spin)]), p)
    state, t, step = np.array([0.0, speed, spin], dtype=float), 0.0, 1e-3

    def slope(at: np.ndarray) -> np.ndarray:
        ratio = at[1] / at[2]
        return np.array(
            [at[1], -MU_G * friction_force_ratio(ratio), -2 * MU_G * friction_torque_ratio(ratio)]
        )

    while t < 0.7 * rows[0, kernels.TEND]:
        a = slope(state)
        b = slope(state + step / 2 * a)
        c = slope(state + step / 2 * b)
        state += step / 6 * (a + 2 * b + 2 * c + slope(state + step * c))
        t += step
    x, _, vx, _, turning = motion(rows, t, p)[0]
    # The table's interpolation, 1e-5 of the range.
    np.testing.assert_allclose([x, vx, turning], state, rtol=2e-5)


@pytest.mark.parametrize("restitution", [0.5, 0.85, 1.0])
def test_a_head_on_hit_shares_the_speed_by_restitution(restitution: float) -> None:
    physics = PhysicsSpec(restitution=restitution)
    table = TableSpec(board=NO_POSTS, physics=physics)
    outcome = simulate(scene(flick(-250, 100, 900, 0), (-150, 100), table=table))
    v2 = 900**2 - 2 * MU_G * (100 - 2 * R_MM)
    own, other = v2 * ((1 - restitution) / 2) ** 2, v2 * ((1 + restitution) / 2) ** 2
    places = ends(outcome)
    assert places["s"][0] == pytest.approx(-150 - 2 * R_MM + own / (2 * MU_G), abs=EXACT_MM)
    assert places["d0"][0] == pytest.approx(-150 + other / (2 * MU_G), abs=EXACT_MM)
    assert places["d0"][1] == pytest.approx(100, abs=EXACT_MM)


@pytest.mark.parametrize("speed", [400.0, 900.0, 1800.0])
def test_a_faster_disc_follows_through_further_where_restitution_falls(speed: float) -> None:
    physics = PhysicsSpec(restitution=1.0, restitution_loss_s_m=0.1)
    table = TableSpec(board=NO_POSTS, physics=physics)
    outcome = simulate(scene(flick(-250, 100, speed, 0), (-150, 100), table=table))
    v2 = speed**2 - 2 * MU_G * (100 - 2 * R_MM)
    own = 0.5 * 0.1e-3 * v2  # (1 - e) / 2 of the speed, with e = 1 - 0.1 v
    stops = -150 - 2 * R_MM + own**2 / (2 * MU_G)
    assert ends(outcome)["s"][0] == pytest.approx(stops, abs=EXACT_MM)


@pytest.mark.parametrize("graze", [0.0, 0.3, 0.7, 0.95, 0.999, 0.9999])
def test_an_oblique_hit_drives_the_other_disc_along_the_line_of_centres(graze: float) -> None:
    table = TableSpec(board=NO_POSTS, physics=SMOOTH)
    outcome = simulate(scene(flick(-200, 100 - graze * 2 * R_MM, 700, 0), (-100, 100), table=table))
    x, y = ends(outcome)["d0"]
    centres = np.array([math.sqrt(1 - graze**2), graze])
    touched = -100 - 2 * R_MM * centres[0]
    v2 = (700**2 - 2 * MU_G * (touched + 200)) * centres[0] ** 2
    # Near a graze an error of the place is magnified by 1 / sqrt(1 - graze^2), at most 70.
    expected = np.array([-100.0, 100.0]) + v2 / (2 * MU_G) * centres
    np.testing.assert_allclose([x, y], expected, atol=70 * EXACT_MM)


def test_a_dead_centre_post_sends_the_disc_straight_back() -> None:
    table = TableSpec()
    post = table.posts_mm[0]
    unit = post / np.hypot(*post)
    begin = 300 * unit
    back = math.degrees(math.atan2(-unit[1], -unit[0]))
    outcome = simulate(scene(flick(*begin, 1000, back), table=table))
    assert [contact.b for contact in outcome.contacts] == ["post:0"]
    met = 101.6 + table.post_reach_mm
    v2 = (1000**2 - 2 * MU_G * (300 - met)) * 0.75**2
    end = (met + v2 / (2 * MU_G)) * unit
    # The angle in degrees is rounded at 1e-14, and the post magnifies a miss about twenty times.
    np.testing.assert_allclose(ends(outcome)["s"], end, atol=EXACT_MM)


# Conservation


@pytest.mark.parametrize("seed", range(20))
def test_a_collision_keeps_momentum_and_never_gains_energy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p = parameter_vector(TableSpec())
    angle = rng.uniform(0, 2 * np.pi)
    places = np.array([[0.0, 0.0], [2 * R_MM * np.cos(angle), 2 * R_MM * np.sin(angle)]])
    rows = rows_of(places, rng.normal(0, 500, (2, 2)), rng.normal(0, 300, 2), p)
    before = motion(rows, 0.0, p)
    kernels.resolve_disc_contact(rows, 0, 1, 0.0, p, friction_table())
    after = motion(rows, 0.0, p)

    def angular(state: np.ndarray) -> float:
        orbital = (state[:, 0] * state[:, 3] - state[:, 1] * state[:, 2]).sum()
        return float(orbital + 0.5 * R_MM * state[:, 4].sum())

    def energy(state: np.ndarray) -> float:
        return float((state[:, 2:4] ** 2).sum() + 0.5 * (state[:, 4] ** 2).sum())

    # Speeds from the table are accurate to 1e-7 of their size, 500 mm/s.
    np.testing.assert_allclose(after[:, 2:4].sum(axis=0), before[:, 2:4].sum(axis=0), atol=1e-3)
    assert angular(after) == pytest.approx(angular(before), abs=1e-1)
    assert energy(after) <= energy(before) * (1 + 1e-6)


def test_energy_never_grows_through_whole_shots() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        table, places, shot = random_board(rng, 12)
        p = parameter_vector(table)
        rows = np.empty((12, kernels.ROW_SIZE))
        kernels.set_up_discs(rows, places, shot, p, friction_table())
        energies = np.array([shot[2] ** 2 + 0.5 * (shot[4] * R_MM) ** 2])
        track = np.empty((1000, 7))
        contacts, times = np.empty((500, 2), dtype=np.int64), np.empty(500)
        _, count, _ = kernels.run_events(
            rows, table.posts_mm, p, friction_table(), contacts, times, track
        )
        # No disc has ever more energy than the flick had.
        own = track[:count, 4] ** 2 + track[:count, 5] ** 2 + 0.5 * track[:count, 6] ** 2
        assert (own <= energies[0] * (1 + 1e-6)).all()


def test_without_loss_a_shot_runs_backwards_to_where_it_began() -> None:
    rng = np.random.default_rng(3)
    p = parameter_vector(TableSpec(physics=SMOOTH))
    # No hole, no edge; friction takes 1e-3 mm/s in the second that the shot lasts.
    p[kernels.MU_G], p[kernels.TIP_RADIUS], p[kernels.EDGE_RADIUS] = 1e-3, 0.0, 1e12
    p[kernels.HOLE_X] = 1e8
    _, places, _ = random_board(rng, 4)
    velocities = np.zeros((4, 2))
    velocities[0] = 1500 * (places[1] - places[0] + [3.0, 0.0]) / np.hypot(*(places[1] - places[0]))
    rows = rows_of(places, velocities, np.zeros(4), p)
    count, times = run(rows, p, np.empty((0, 2)))
    assert count >= 1
    end = times[-1] + 0.05
    there = motion(rows, end, p)
    back = rows_of(there[:, :2], -there[:, 2:4], np.zeros(4), p)
    run(back, p, np.empty((0, 2)))
    # Every hit magnifies an error about ten times, and friction's 1e-3 mm/s is not undone.
    np.testing.assert_allclose(motion(back, end, p)[:, :2], places, atol=0.05)


# Symmetry


@pytest.mark.parametrize("seed", range(6))
def test_turning_the_board_by_a_quarter_turns_the_outcome(seed: int) -> None:
    table, places, shot = random_board(np.random.default_rng(seed), 6)
    straight = simulate_many(table, places, shot[None])
    quarter = np.array([[0.0, -1.0], [1.0, 0.0]])
    turned_shot = np.array([*(quarter @ shot[:2]), shot[2], shot[3] + math.pi / 2, shot[4]])
    turned = simulate_many(table, places @ quarter.T, turned_shot[None])
    # Rounding errors of 1e-13 mm grow up to some thousand times with every hit.
    np.testing.assert_allclose(turned.places_mm[0], straight.places_mm[0] @ quarter.T, atol=1e-4)


@pytest.mark.parametrize("seed", range(6))
def test_a_mirrored_board_has_the_mirrored_outcome(seed: int) -> None:
    table, places, shot = random_board(np.random.default_rng(seed), 6)
    straight = simulate_many(table, places, shot[None])
    mirror = np.array([-1.0, 1.0])
    mirrored_shot = np.array([-shot[0], shot[1], shot[2], math.pi - shot[3], -shot[4]])
    mirrored = simulate_many(table, places * mirror, mirrored_shot[None])
    np.testing.assert_allclose(mirrored.places_mm[0], straight.places_mm[0] * mirror, atol=1e-4)


def test_the_order_of_the_discs_never_matters() -> None:
    rng = np.random.default_rng(8)
    table, places, shot = random_board(rng, 10)
    flicked = flick(*places[0], shot[2], math.degrees(shot[3]))
    discs = [
        SceneDisc(id=f"d{k}", x_mm=float(x), y_mm=float(y)) for k, (x, y) in enumerate(places[1:])
    ]
    one = simulate(PhysicsScene(table=table, discs=tuple(discs), shot=flicked))
    rng.shuffle(discs)  # type: ignore[arg-type]
    assert simulate(PhysicsScene(table=table, discs=tuple(discs), shot=flicked)) == one
