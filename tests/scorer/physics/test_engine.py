"""The engine compared with small steps, plain Python and itself; shots in batches; parameters."""

from __future__ import annotations

import dataclasses
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from physics_scenes import MU_G, ends, flick, scene
from random_boards import R_MM, random_board

from calibration.board import BoardSpec
from calibration.disc import DiscSpec
from scorer.physics.engine import simulate, simulate_many
from scorer.physics.parameters import PARAMETERS, PhysicsSpec
from scorer.physics.scene import TableSpec

# A second method of computing


def stepped(places: np.ndarray, shot: np.ndarray, table: TableSpec, step_s: float) -> np.ndarray:
    """Final places (n, 2) by small equal steps, for boards without hole, posts, edge and spin."""
    x, v = places.copy(), np.zeros_like(places)
    v[0] = shot[2] * np.array([math.cos(shot[3]), math.sin(shot[3])])
    e = table.physics.restitution
    first, second = np.triu_indices(len(x), 1)
    while True:
        speed = np.hypot(v[:, 0], v[:, 1])
        if not speed.any():
            return x
        slower = np.maximum(speed - MU_G * step_s, 0) / np.where(speed > 0, speed, 1)
        x += 0.5 * (1 + slower[:, None]) * v * step_s
        v *= slower[:, None]
        away = x[second] - x[first]
        for k in np.flatnonzero((away**2).sum(axis=1) < (2 * R_MM) ** 2):
            i, j = first[k], second[k]
            n = away[k] / np.hypot(*away[k])
            closing = (v[i] - v[j]) @ n
            if closing > 0:
                v[i] -= 0.5 * (1 + e) * closing * n
                v[j] += 0.5 * (1 + e) * closing * n


def test_small_steps_converge_to_the_events() -> None:
    physics = PhysicsSpec(contact_friction=0.0)
    far = BoardSpec(post_count=0, hole_centre_mm=(0.0, 320.0))
    table = TableSpec(board=far, physics=physics)
    places = np.array([[-300.0, 0.0], [-100.0, 10.0], [0.0, 60.0], [60.0, -40.0]])
    shot = np.array([-300.0, 0.0, 1000.0, 0.02, 0.0])
    exact = simulate_many(table, places, shot[None])
    assert exact.counts[0] >= 2
    errors = [
        np.abs(stepped(places, shot, table, step) - exact.places_mm[0]).max()
        for step in (1e-3, 1e-4, 2e-5)
    ]
    # A contact is found up to one step late: 0.02 mm at 1 m/s, ten times that after a later oblique
    # hit.
    assert errors[2] < 0.2
    assert errors[0] > 5 * errors[2]


def test_compiled_kernels_agree_with_their_python() -> None:
    program = (
        "import numpy as np\n"
        "from random_boards import random_board\n"
        "from scorer.physics.engine import simulate_many\n"
        "rng = np.random.default_rng(21)\n"
        "for _ in range(4):\n"
        "    table, places, shot = random_board(rng, 8)\n"
        "    print(simulate_many(table, places, shot[None]).places_mm.tolist())\n"
    )
    plain = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    rng = np.random.default_rng(21)
    for line in plain:
        table, places, shot = random_board(rng, 8)
        after = simulate_many(table, places, shot[None]).places_mm
        # The two may round differently; every hit magnifies that up to some thousand times.
        np.testing.assert_allclose(after, np.array(eval(line)), atol=1e-5)


# Many shots


def test_the_same_input_gives_the_same_bits() -> None:
    table, places, shot = random_board(np.random.default_rng(1), 12)
    shots = np.repeat(shot[None], 40, axis=0)
    shots[:, 3] += np.linspace(-0.1, 0.1, 40)
    one = simulate_many(table, places, shots)
    two = simulate_many(table, places, shots)
    assert one.places_mm.tobytes() == two.places_mm.tobytes()
    assert one.contacts.tobytes() == two.contacts.tobytes()


def test_a_shot_among_many_ends_as_it_does_alone() -> None:
    table, places, shot = random_board(np.random.default_rng(2), 8)
    alone = simulate(
        scene(
            flick(*places[0], shot[2], math.degrees(shot[3]), shot[4]),
            *[tuple(place) for place in places[1:]],
            table=table,
        )
    )
    many = simulate_many(table, places, shot[None]).places_mm[0]
    found = ends(alone)
    for k, name in enumerate(["s", *(f"d{k}" for k in range(7))]):
        np.testing.assert_allclose(many[k], found[name], atol=1e-6)


# Parameters


def test_every_parameter_states_its_unit_range_and_source() -> None:
    names = {field.name for field in dataclasses.fields(PhysicsSpec)}
    assert names == set(PARAMETERS)
    for parameter in PARAMETERS.values():
        assert parameter.low < parameter.high
        assert parameter.source


def test_parameters_outside_their_range_are_refused() -> None:
    for name, value in (("friction", 0.0), ("restitution", 1.2), ("gravity_mm_s2", math.nan)):
        with pytest.raises(ValueError, match=name):
            PhysicsSpec(**{name: value})


def test_the_tip_radius_is_that_of_sharp_and_of_real_edges() -> None:
    sharp = TableSpec(
        disc=DiscSpec(contact_inset_mm=0.0), physics=PhysicsSpec(edge_rounding_mm=0.0)
    )
    assert sharp.tip_radius_mm == pytest.approx(7.3, abs=0.05)
    assert 8.3 < TableSpec().tip_radius_mm < 10.8
