"""Speed and accuracy of simulated shots, compared with a general physics engine.

Speed is for one thread on random boards with all effects. Errors are relative to pymunk (an
optional extra) at a very fine step; it has neither a hole nor spin coupled with sliding, so errors
are measured without them.
"""

from __future__ import annotations

import dataclasses
import json
import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scorer.physics import kernels
from scorer.physics.engine import parameter_vector, simulate_many
from scorer.physics.parameters import PhysicsSpec
from scorer.physics.scene import TableSpec

#: For the speed: the number of boards, and of shots per board. For the errors: the number of shots,
#: and pymunk's steps, s.
_BOARDS, _SHOTS, _COMPARED = 30, 500, 12
_STEPS_S, _FINE_S = (1 / 240, 1 / 1000), 1e-5
_DISCS = 12
#: Error assigned to a shot that leaves other discs on the board.
_LOST_DISC_ERROR_MM = 1000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineFigures:
    """One engine: shots per second on one core, and errors against the fine reference."""

    engine: str
    discs: int
    shots_per_s: float | None
    median_error_mm: float | None = None
    within_1_mm: float | None = None


def bench_physics(*, as_json: bool) -> list[str]:
    """Print speed and errors; returns no errors."""
    lines = [
        EngineFigures(engine="events", discs=count, shots_per_s=_measure_speed(count))
        for count in (2, _DISCS, 24)
    ]
    try:
        lines += _compare_engines()
    except ImportError:
        print("Errors need pymunk: install the extra named witness.", file=sys.stderr)
    if as_json:
        print(json.dumps([dataclasses.asdict(line) for line in lines], indent=1))
        return []
    for line in lines:
        speed = "" if line.shots_per_s is None else f"{line.shots_per_s:12,.0f} shots/s"
        error = ""
        if line.median_error_mm is not None:
            error = (
                f"   median error {line.median_error_mm:.3f} mm, within 1 mm {line.within_1_mm:.0%}"
            )
        print(f"{line.engine:22} {line.discs:2} discs {speed}{error}")
    return []


def random_board(rng: np.random.Generator, table: TableSpec, count: int) -> np.ndarray:
    """Places (count, 2) of separate discs, the shooter's first, on the 5-line."""
    places: list[np.ndarray] = []
    apart = 2 * table.disc.radius_mm + 0.5
    while len(places) < count:
        radius = 300.0 if not places else 290 * math.sqrt(rng.uniform(0.03, 1))
        angle = rng.uniform(0, 2 * math.pi)
        place = radius * np.array([math.cos(angle), math.sin(angle)])
        clear = np.hypot(*(table.posts_mm - place).T).min() > table.post_reach_mm + 0.5
        if clear and all(np.hypot(*(place - other)) > apart for other in places):
            places.append(place)
    return np.array(places)


def random_flicks(rng: np.random.Generator, places: np.ndarray, count: int) -> np.ndarray:
    """Flicks (count, 5) at the other discs, 0.8 to 3 m/s."""
    away = places[rng.integers(1, len(places), count)] - places[0]
    direction = np.arctan2(away[:, 1], away[:, 0]) + rng.normal(0, 0.05, count)
    start = np.repeat(places[:1], count, axis=0)
    return np.column_stack(
        [start, rng.uniform(800, 3000, count), direction, rng.normal(0, 10, count)]
    )


def _measure_speed(count: int) -> float:
    """Shots per second of processor time, for one thread, with spin and hole."""
    rng, table = np.random.default_rng(1), TableSpec()
    boards = [random_board(rng, table, count) for _ in range(_BOARDS)]
    shots = [random_flicks(rng, board, _SHOTS) for board in boards]
    simulate_many(table, boards[0], shots[0])
    began = time.process_time()
    for board, flicks in zip(boards, shots, strict=True):
        simulate_many(table, board, flicks)
    return _BOARDS * _SHOTS / (time.process_time() - began)


def _compare_engines() -> list[EngineFigures]:
    """Errors of the event simulation and of pymunk's steps, relative to pymunk's finest step."""
    rng = np.random.default_rng(2)
    table = TableSpec(physics=PhysicsSpec(contact_friction=0.0, post_friction=0.0))
    boards = [random_board(rng, table, _DISCS) for _ in range(_COMPARED)]
    flicks = [random_flicks(rng, board, 1) * [1, 1, 1, 1, 0] for board in boards]
    fine = [_simulate_with_pymunk(table, *row, _FINE_S) for row in zip(boards, flicks, strict=True)]
    p = parameter_vector(table)
    p[kernels.TIP_RADIUS] = 0.0  # no hole
    exact = []
    for board, flick in zip(boards, flicks, strict=True):
        result = simulate_many(table, board, flick, parameters=p[None])
        places = result.places_mm[0]
        places[result.states[0] == kernels.DITCH] = np.nan
        exact.append(places)
    lines = [_summarise_errors("events, no hole", None, exact, fine)]
    for step in _STEPS_S:
        began = time.process_time()
        found = [
            _simulate_with_pymunk(table, *row, step) for row in zip(boards, flicks, strict=True)
        ]
        speed = _COMPARED / (time.process_time() - began)
        lines.append(_summarise_errors(f"pymunk 1/{round(1 / step)} s", speed, found, fine))
    return lines


def _summarise_errors(
    name: str, speed: float | None, found: Sequence[np.ndarray], fine: Sequence[np.ndarray]
) -> EngineFigures:
    """The worst disc of each shot; a disc that is on the board in only one result counts as one
    metre off.
    """
    errors = []
    for one, other in zip(found, fine, strict=True):
        off = np.hypot(*(one - other).T)
        off[np.isnan(one[:, 0]) & np.isnan(other[:, 0])] = 0.0
        errors.append(float(np.nan_to_num(off, nan=np.inf).max()))
    return EngineFigures(
        engine=name,
        discs=_DISCS,
        shots_per_s=speed,
        median_error_mm=min(float(np.median(errors)), _LOST_DISC_ERROR_MM),
        within_1_mm=float(np.mean(np.array(errors) < 1.0)),
    )


def _simulate_with_pymunk(
    table: TableSpec, places: np.ndarray, flick: np.ndarray, step_s: float
) -> np.ndarray:
    """Final positions (d, 2) of discs in pymunk; NaN for those over the edge."""
    import pymunk

    physics, edge = table.physics, table.board.surface_radius_mm
    space = pymunk.Space()
    space.collision_slop = 0.0
    slowed = physics.friction * physics.gravity_mm_s2

    def slide(body: Any, _gravity: Any, _damping: float, dt: float) -> None:
        speed = body.velocity.length
        body.velocity = body.velocity * (max(speed - slowed * dt, 0.0) / speed if speed else 0.0)

    for post in table.posts_mm.tolist():
        radius = table.post_reach_mm - table.disc.radius_mm
        peg = pymunk.Circle(space.static_body, radius, tuple(post))
        peg.elasticity = physics.post_restitution / math.sqrt(physics.restitution)
        space.add(peg)
    bodies = []
    for place in places.tolist():
        body = pymunk.Body(1.0, 0.5 * table.disc.radius_mm**2)
        body.position, body.velocity_func = tuple(place), slide
        rim = pymunk.Circle(body, table.disc.radius_mm)
        rim.elasticity = math.sqrt(physics.restitution)
        space.add(body, rim)
        bodies.append(body)
    _, _, speed, direction, _ = flick[0].tolist()
    bodies[0].velocity = (speed * math.cos(direction), speed * math.sin(direction))
    playing = list(bodies)
    while any(body.velocity.length > 0 for body in playing):
        space.step(step_s)
        for body in [body for body in playing if body.position.length > edge]:
            space.remove(body, *body.shapes)
            playing.remove(body)
    nowhere = (math.nan, math.nan)
    return np.array([tuple(body.position) if body in playing else nowhere for body in bodies])
