"""Tabulate friction again: ``python -m sample_images.friction_table.tabulate_friction OUT.npy``.

Sliding and spinning friction of a uniform disc under even pressure are coupled: both stop at the
same moment, with v / (R w) = 0.653 (Farkas, Bartels, Unger and Wolf, Phys. Rev. Lett. 90, 248302,
2003, equations 4 and 5). The path stays straight.

With speeds divided by (friction x gravity x time left T) the motion runs along one of two curves
that all discs share: from pure sliding (curve 0) or from pure spinning (curve 1) to that ratio. So
one number, the time scale k, gives a disc's place on its curve: w = k / (k + root(T)). The root is
a square root on curve 0 and a fourth root on curve 1, the powers with which the smaller of the two
speeds vanishes. Between events the state at any time, and the time at any place, is one lookup in
the table; there is no time step. The simulator reads it from ``scorer/physics/friction.npy``.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq
from scipy.special import ellipe, ellipk

FloatArray = NDArray[np.float64]

#: Intervals of w. With 256 the table is within 1e-8 of the differential equation.
INTERVALS = 256
#: Roots of time on the two curves.
_ROOTS = (0.5, 0.25)
#: Ratio of the two speeds at which w = 1/2, relative to the final ratio: it spreads the nodes.
_MIDDLE = 0.5
#: First step off the fixed point, and range of ln T that the curves cover.
_OFFSET, _SPAN = 1e-9, (0.0, 70.0)
#: Beyond these ratios the elliptic integrals cancel, and their series are accurate to 1e-7.
_SMALL, _LARGE = 1e-3, 30.0


def friction_force_ratio(ratio: float) -> float:
    """Friction force over its value without spin, at v / (R w) = ``ratio``."""
    e2 = ratio * ratio
    if ratio < _SMALL:
        return ratio - ratio * e2 / 8
    if ratio > _LARGE:
        return 1 - 1 / (8 * e2) - 1 / (64 * e2 * e2)
    if ratio < 1:
        e, k = float(ellipe(e2)), float(ellipk(e2))
        return 4 / (3 * np.pi) * ((e2 + 1) * e + (e2 - 1) * k) / ratio
    e, k = float(ellipe(1 / e2)), _ellipk_below_one(1 / e2)
    return 4 / (3 * np.pi) * ((e2 + 1) * e - (e2 - 1) * k)


def friction_torque_ratio(ratio: float) -> float:
    """Friction torque over (force without spin x disc radius), at v / (R w) = ``ratio``."""
    e2 = ratio * ratio
    if ratio > _LARGE:
        return (1 + 1 / (12 * e2)) / (4 * ratio)
    if ratio < 1:
        e, k = float(ellipe(e2)), float(ellipk(e2))
        return 4 / (9 * np.pi) * ((4 - 2 * e2) * e + (e2 - 1) * k)
    e, k = float(ellipe(1 / e2)), _ellipk_below_one(1 / e2)
    return 4 / (9 * np.pi) * ratio * ((4 - 2 * e2) * e + (2 * e2 - 5 + 3 / e2) * k)


def final_ratio() -> float:
    """v / (R w) of every disc at the moment it stops: 0.653."""
    return float(
        brentq(
            lambda ratio: friction_force_ratio(ratio) / ratio - 2 * friction_torque_ratio(ratio),
            0.3,
            0.99,
        )
    )


def tabulate_friction() -> FloatArray:
    """Polynomials of the two curves: (2, INTERVALS, 4, 4), read by the kernels.

    The third index is the quantity: 0 speed, 1 spin (R w), both over (mu g T); 2 distance left over
    (mu g T^2 / 2), all three against w; 3 is w against the ratio of the smaller to the larger of
    speed and spin, relative to its final value. The last index is the power, highest first, of the
    place inside the interval, 0 to 1.
    """
    return np.stack([_tabulate_curve(curve) for curve in (0, 1)])


def _tabulate_curve(curve: int) -> FloatArray:
    """Polynomials of one curve: (INTERVALS, 4, 4)."""
    final = final_ratio()
    time_log, speed, spin, distance = _integrate_curve(curve, final)
    ratio = spin / speed * final if curve == 0 else speed / spin / final
    middle = float(np.interp(_MIDDLE, ratio[::-1], time_log[::-1]))
    w = 1 / (1 + np.exp(_ROOTS[curve] * (time_log - middle)))
    force = friction_force_ratio(final)
    ends = ((1.0, 0.0, 1.0), (0.0, 4 / 3, 0.0))[curve]
    stop = (force, force / final, force)
    nodes = np.linspace(0, 1, INTERVALS + 1)
    pieces = [
        _fit_polynomials(_add_curve_ends(w, values, end, last), nodes)
        for values, end, last in zip((speed, spin, distance), ends, stop, strict=True)
    ]
    pieces.append(_fit_polynomials(_add_curve_ends(ratio, w, 0.0, 1.0), nodes))
    return np.stack(pieces, axis=1)


def _integrate_curve(
    curve: int, final: float
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """ln T, and speed, spin and distance left in units of T, from nearly stopped backwards."""
    force = friction_force_ratio(final)
    stop = np.array([force, force / final, force])
    jacobian = _compute_jacobian(stop)
    values, vectors = np.linalg.eig(jacobian)
    grows = np.real(vectors[:, int(np.argmax(np.real(values)))])
    grows = grows * np.sign(grows[0]) * (1.0 if curve == 0 else -1.0)
    found = solve_ivp(
        lambda _, state: _derivative(state),
        _SPAN,
        stop + _OFFSET * grows,
        method="DOP853",
        rtol=1e-12,
        atol=1e-14,
        dense_output=True,
        max_step=0.25,
    )
    time_log = np.linspace(*_SPAN, 20001)
    speed, spin, distance = found.sol(time_log)
    return time_log, speed, spin, distance


def _derivative(state: FloatArray) -> FloatArray:
    """Change of (speed, spin, distance left), in units of T, with ln T."""
    speed, spin, distance = state
    ratio = speed / spin
    return np.array(
        [
            friction_force_ratio(ratio) - speed,
            2 * friction_torque_ratio(ratio) - spin,
            2 * speed - 2 * distance,
        ]
    )


def _compute_jacobian(state: FloatArray) -> FloatArray:
    """Central differences of ``_derivative``: (3, 3)."""
    step = 1e-6
    columns = [
        (_derivative(state + step * unit) - _derivative(state - step * unit)) / (2 * step)
        for unit in np.eye(3)
    ]
    return np.stack(columns, axis=1)


def _add_curve_ends(
    place: FloatArray, values: FloatArray, start: float, stop: float
) -> tuple[FloatArray, FloatArray]:
    """Strictly rising places from 0 to 1 with the values there, the curve's two ends added."""
    order = np.argsort(place)
    place, values = place[order], values[order]
    kept = np.concatenate([[True], np.diff(place) > 1e-9]) & (place > 1e-9) & (place < 1 - 1e-9)
    return (
        np.concatenate([[0.0], place[kept], [1.0]]),
        np.concatenate([[start], values[kept], [stop]]),
    )


def _fit_polynomials(curve: tuple[FloatArray, FloatArray], nodes: FloatArray) -> FloatArray:
    """Cubics between the nodes, in the place 0 to 1 inside each: (INTERVALS, 4)."""
    fine = CubicSpline(*curve)
    coarse = CubicSpline(nodes, fine(nodes), bc_type=((1, fine(0.0, 1)), (1, fine(1.0, 1))))
    width = nodes[1]
    powers = np.array([width**3, width**2, width, 1.0])
    return np.asarray(coarse.c.T * powers, dtype=np.float64)


def _ellipk_below_one(m: float) -> float:
    """K(m); at m = 1, where it is infinite, a number that its factor of zero cancels."""
    return float(ellipk(m)) if m < 1 else 0.0


if __name__ == "__main__":
    np.save(sys.argv[1], tabulate_friction())
