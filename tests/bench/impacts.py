"""Random impacts in the simulator's kernels, checked against the laws of impacts.

Two discs in contact, or a disc at a post, with speeds, spins, restitution and friction at random:
momentum, spin about the point of contact, energy, restitution and the cone of friction are computed
anew from the motions before and after, and the distance that a disc then slides is compared with
the differential equation, integrated without the kernels' table.
"""

from __future__ import annotations

import dataclasses
import json
import math
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

from sample_images.friction_table.tabulate_friction import (
    final_ratio,
    friction_force_ratio,
    friction_torque_ratio,
)
from scorer.physics import kernels
from scorer.physics.engine import parameter_vector
from scorer.physics.friction import friction_table
from scorer.physics.scene import TableSpec

FloatArray = NDArray[np.float64]

#: ln(spin / speed), at most, and cube roots of its share of that, at which the differential
#: equation is integrated: densest at spin = speed, where the elliptic integrals have a logarithm.
_MOST_LOG, _ROOTS = 8.0, np.linspace(-1.0, 1.0, 801)
#: Speeds of discs before an impact, mm/s.
_SPEEDS_MM_S = (0.5, 6000.0)
#: Errors explained by rounding, and those of the friction table.
_ROUNDING, _TABLE = 1e-11, 1e-6
#: Columns of the worst values that ``_try_impacts`` finds.
_MOMENTUM, _TURNING, _ENERGY, _BOUNCE, _FRICTION, _LENGTH, _STILL, _CHECKS = range(8)
#: Not cached beside the source: numba's cache would not notice an edit of the kernels.
_compile = njit(nogil=True, error_model="numpy")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImpactFigures:
    """The worst of many impacts; errors are relative to the speeds or the distance.

    momentum     of both discs together
    turning      angular momentum about the point of contact
    energy_gain  energy added by an impact; below zero: every impact takes some away
    restitution  speed of separation against the law's
    friction     how far the rub exceeds the cone of Coulomb friction
    run_length   the distance to rest, against the differential equation
    dead_stops   discs that an impact left with a speed and that do not move
    """

    impacts: int
    momentum: float
    turning: float
    energy_gain: float
    restitution: float
    friction: float
    run_length: float
    dead_stops: int

    @property
    def holds(self) -> bool:
        """Whether every impact obeyed the laws, to rounding and to the table of friction."""
        exact = max(self.momentum, self.turning, self.energy_gain, self.restitution, self.friction)
        return exact < _ROUNDING and self.run_length < _TABLE and self.dead_stops == 0


def print_impacts(count: int, *, as_json: bool) -> list[str]:
    """Print the worst errors of a number of random impacts; returns the broken laws."""
    figures = bench_impacts(count)
    if as_json:
        print(json.dumps(dataclasses.asdict(figures), indent=1))
    else:
        print(f"{figures.impacts:,} random impacts; worst, relative to the speeds or the way:")
        for name in ("momentum", "turning", "energy_gain", "restitution", "friction", "run_length"):
            print(f"  {name:12} {getattr(figures, name):9.1e}")
        print(f"  {'dead stops':12} {figures.dead_stops:9,}")
    return [] if figures.holds else ["An impact broke a law of mechanics."]


def bench_impacts(count: int, *, seed: int = 0) -> ImpactFigures:
    """The worst errors of a number of random impacts."""
    worst = _try_impacts(
        count,
        np.random.default_rng(seed),
        parameter_vector(TableSpec()),
        friction_table(),
        np.log(np.array(_SPEEDS_MM_S)),
        final_ratio(),
        _tabulate_lengths(),
    )
    return ImpactFigures(
        impacts=count,
        momentum=float(worst[_MOMENTUM]),
        turning=float(worst[_TURNING]),
        energy_gain=float(worst[_ENERGY]),
        restitution=float(worst[_BOUNCE]),
        friction=float(worst[_FRICTION]),
        run_length=float(worst[_LENGTH]),
        dead_stops=int(worst[_STILL]),
    )


def integrate_run_length(speed: float, spin: float) -> float:
    """The distance to rest times friction times gravity, by the differential equation alone.

    Time advances by (speed + spin) d tau, so that both fall to nothing exponentially.
    """
    if spin == 0.0:
        return speed * speed / 2

    def slope(_: float, state: FloatArray) -> list[float]:
        v, s = float(state[0]), float(state[1])
        pace, ratio = v + s, v / s
        return [
            -pace * friction_force_ratio(ratio),
            -2 * pace * friction_torque_ratio(ratio),
            pace * v,
        ]

    begin = [speed, spin, 0.0]
    found = solve_ivp(slope, (0.0, 14.0), begin, method="DOP853", rtol=1e-11, atol=1e-13)
    return float(found.y[2, -1])


def _tabulate_lengths() -> FloatArray:
    """Cubics (n, 4) of ln(run length / (speed^2 + spin^2)) between ``_ROOTS``."""
    ratios = np.exp(_MOST_LOG * _ROOTS**3)
    sizes = np.hypot(1.0, ratios)
    lengths = [
        integrate_run_length(1.0 / size, ratio / size)
        for ratio, size in zip(ratios.tolist(), sizes.tolist(), strict=True)
    ]
    return np.ascontiguousarray(CubicSpline(_ROOTS, np.log(lengths)).c.T)


@_compile
def _check_length(
    worst: FloatArray,
    row: FloatArray,
    state: FloatArray,
    p: FloatArray,
    lengths: FloatArray,
) -> None:
    """Compare a disc's distance to rest with the differential equation's; note a disc that does not
    move.
    """
    speed, spin = math.hypot(state[2], state[3]), abs(state[4])
    if speed == 0.0:
        return
    if not row[kernels.LENGTH] > 0.0:
        worst[_STILL] += 1.0
        return
    if spin == 0.0:
        expected = 0.5 * speed * speed
    else:
        share = math.log(spin / speed) / _MOST_LOG
        place = (1.0 + math.copysign(abs(share) ** (1 / 3), share)) / 2.0 * lengths.shape[0]
        interval = int(place)
        if place < 0.0 or interval >= lengths.shape[0]:
            return
        inside = (place - interval) * 2.0 / lengths.shape[0]
        a = lengths[interval]
        logarithm = ((a[0] * inside + a[1]) * inside + a[2]) * inside + a[3]
        expected = math.exp(logarithm) * (speed * speed + spin * spin)
    error = abs(row[kernels.LENGTH] * p[kernels.MU_G] / expected - 1.0)
    worst[_LENGTH] = max(worst[_LENGTH], error)


@_compile
def _try_impacts(
    count: int,
    rng: np.random.Generator,
    p: FloatArray,
    table: FloatArray,
    speeds: FloatArray,
    final: float,
    lengths: FloatArray,
) -> FloatArray:

    worst = np.full(_CHECKS, -np.inf)
    worst[_STILL] = 0.0
    discs = np.zeros((2, kernels.ROW_SIZE))
    before, after = np.empty((2, 5)), np.empty((2, 5))
    for _ in range(count):
        p[kernels.RESTITUTION] = rng.random()
        p[kernels.RESTITUTION_LOSS] = 0.3 * rng.random()
        p[kernels.CONTACT_FRICTION] = 1.5 * rng.random()
        is_post = rng.random() < 0.3
        angle = 2 * math.pi * rng.random()
        nx, ny = math.cos(angle), math.sin(angle)
        reach = p[kernels.POST_REACH] if is_post else 2.0 * p[kernels.DISC_RADIUS]
        for i in range(2):
            speed = math.exp(speeds[0] + (speeds[1] - speeds[0]) * rng.random())
            way = 2 * math.pi * rng.random()
            kind = rng.random()
            ratio = math.exp(3.0 * rng.normal())
            if kind < 0.3:  # near the ratio at which every disc stops
                near = 10.0 ** (-12.0 * rng.random())
                ratio = (1.0 + near * rng.normal()) / final
            elif kind < 0.5:
                ratio = 0.0
            spin = speed * ratio * (1.0 if rng.random() < 0.5 else -1.0)
            if i == 1 and (is_post or rng.random() < 0.4):
                speed, spin = 0.0, 0.0
            vx, vy = speed * math.cos(way), speed * math.sin(way)
            kernels.start_motion(
                discs, i, 0.0, i * reach * nx, i * reach * ny, vx, vy, spin, p, table
            )
            for k, value in enumerate(kernels.state_at(discs, i, 0.0, p, table)):
                before[i, k] = value
            worst[_MOMENTUM] = max(
                worst[_MOMENTUM],
                (abs(before[i, 2] - vx) + abs(before[i, 3] - vy) + abs(before[i, 4] - spin))
                / (speed + abs(spin) + 1e-300),
            )
            _check_length(worst, discs[i], before[i], p, lengths)
        closing = (before[0, 2] - before[1, 2]) * nx + (before[0, 3] - before[1, 3]) * ny
        if closing <= 0.0:
            continue
        loss, e = p[kernels.RESTITUTION_LOSS], p[kernels.RESTITUTION]
        if is_post:
            rub_most = p[kernels.CONTACT_FRICTION]
            cx, cy = reach * nx, reach * ny
            kernels.resolve_fixed_contact(discs, 0, cx, cy, e, rub_most, 0.0, p, table)
        else:
            kernels.resolve_disc_contact(discs, 0, 1, 0.0, p, table)
        for i in range(2):
            for k, value in enumerate(kernels.state_at(discs, i, 0.0, p, table)):
                after[i, k] = value
            _check_length(worst, discs[i], after[i], p, lengths)
        size = 1e-300
        for i in range(2):
            size += abs(before[i, 2]) + abs(before[i, 3]) + abs(before[i, 4])
        change = after - before
        tx, ty = -ny, nx
        pushed = change[0, 2] * nx + change[0, 3] * ny
        rubbed = change[0, 2] * tx + change[0, 3] * ty
        if not is_post:
            lost = abs(change[0, 2] + change[1, 2]) + abs(change[0, 3] + change[1, 3])
            worst[_MOMENTUM] = max(worst[_MOMENTUM], lost / size)
        # The impulse acts at the rim, so a uniform disc's spin changes by twice as much as its
        # velocity.
        turned = abs(change[0, 4] - 2.0 * rubbed)
        if not is_post:
            other = change[1, 2] * tx + change[1, 3] * ty
            turned = max(turned, abs(change[1, 4] + 2.0 * other))
        worst[_TURNING] = max(worst[_TURNING], turned / size)
        energy = np.zeros(2)
        for i in range(2):
            for k, state in enumerate((before, after)):
                energy[k] += state[i, 2] ** 2 + state[i, 3] ** 2 + 0.5 * state[i, 4] ** 2
        worst[_ENERGY] = max(worst[_ENERGY], energy[1] / energy[0] - 1.0)
        bounce = kernels.restitution_at_speed(closing, e, loss)
        apart = (after[1, 2] - after[0, 2]) * nx + (after[1, 3] - after[0, 3]) * ny
        worst[_BOUNCE] = max(worst[_BOUNCE], abs(apart - bounce * closing) / size)
        over = abs(rubbed) - p[kernels.CONTACT_FRICTION] * abs(pushed)
        worst[_FRICTION] = max(worst[_FRICTION], over / size)
    return worst
