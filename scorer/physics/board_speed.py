"""A board's friction and bounce from shots that were seen, with their uncertainty.

Knows one fit of all shots at once: friction, restitution and post restitution are shared; every
shot's flick, and where its discs lay, are its own. Shots that no flick explains well are left out:
one wrong order of contacts would bend the numbers more than all that it can tell. Refuses to know
where shots come from.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.speed import BoardSpeed, board_speed
from scorer.physics import kernels
from scorer.physics.engine import simulate_many
from scorer.physics.evidence import NOISE_MM, BoardPair, Spreads
from scorer.physics.flick_fit import Fitted, fitted, unfitted
from scorer.physics.flick_model import (
    DIRECTION,
    DIRECTION_UNIT,
    FRICTION,
    POST_RESTITUTION,
    RESTITUTION,
    SPEED,
    SPEED_UNIT,
    FlickModel,
    Flicks,
)
from scorer.physics.flick_search import Effort, first_guesses
from scorer.physics.parameters import PhysicsSpec, with_speed
from scorer.physics.scene import Table

FloatArray = NDArray[np.float64]

#: What is thought of a board before anything is seen: half of the usual ranges, as one sigma.
BROAD = Spreads(friction=0.4, restitution=0.08, post_restitution=0.1)
#: What is left to each shot in the second search, when the board is nearly known.
_NARROW = Spreads(friction=0.05, restitution=0.02, post_restitution=0.04)
_SHARED = (FRICTION, RESTITUTION, POST_RESTITUTION)
#: A search per shot: points on the way lead it, so a fifth of the usual effort does.
_EFFORT = Effort(flicks=15_000, looked_around=200, kept=60)
_STAGES = ((4, 40.0, 24), (5, 15.0, 8), (6, 6.0, 1))
#: Offsets above this many sigmas hardly count; a shot whose chi squared lies this many of its
#: own sigmas too high is left out.
_SCALE, _MOST_EXCESS = 5.0, 3.5
_ROUNDS, _DAMPING = 25, 1e-2
#: Searches again with what the last fit found.
_AGAIN = 2
#: Rounds that change no shared number by more than this part of its sigma end the fit.
_CONVERGED = 1e-3
#: Share of a track from which a flick is read before the rest of the shot is predicted.
_BEGINNING = 0.35


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFlick:
    """A flick as a ramp, a launcher or a high-speed camera gives it, with one sigma of each."""

    speed_mm_s: float
    direction_rad: float
    speed_sigma_mm_s: float
    direction_sigma_rad: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenShot:
    """A shot to learn from: its boards with points on the way, or with a known flick, or both."""

    pair: BoardPair
    flick: KnownFlick | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedFit:
    """A board's speed, and which shots (by index) it rests on."""

    speed: BoardSpeed
    used: tuple[int, ...]
    left_out: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """How far discs end from where they were predicted, mm: the worst disc of each shot.

    elsewhere  shots of which a disc ends in another state (surface, hole, ditch)
    """

    errors_mm: tuple[float, ...]
    elsewhere: int

    @property
    def median_mm(self) -> float:
        """The middle of the errors; infinite without any."""
        return float(np.median(self.errors_mm)) if self.errors_mm else math.inf


def fit_speed(table: Table, shots: list[SeenShot], *, noise_mm: float = NOISE_MM) -> SpeedFit:
    """The speed that fits all shots. Raises ``ValueError`` when fewer than two can be fitted."""
    fit = _joint(table, shots, BROAD, noise_mm, table)
    for _ in range(_AGAIN):
        nearly = replace(table, physics=with_speed(table.physics, fit.speed))
        fit = _joint(nearly, shots, _NARROW, noise_mm, table)
    return fit


def predicted(
    table: Table, shots: list[SeenShot], *, spreads: Spreads, noise_mm: float = NOISE_MM
) -> Prediction:
    """How well shots are predicted from their known flicks, or from how they begin."""
    errors, elsewhere = [], 0
    for shot in shots:
        pair, flick = shot.pair, shot.flick
        if flick is not None:
            told = np.array([*pair.before_mm[0], flick.speed_mm_s, flick.direction_rad, 0.0])
            result = simulate_many(table, pair.before_mm, told[None])
        else:
            model = FlickModel(table, pair.beginning(_BEGINNING), spreads, noise_mm)
            found = _best_fit(model, None)
            result = model.residuals(found.flicks, found.theta).outcomes
        same = (result.states[0] == pair.states) | ~pair.end_is_known
        elsewhere += int(not same.all())
        flat = (pair.states == kernels.FLAT) & (result.states[0] == kernels.FLAT)
        flat &= pair.end_is_known
        away = np.hypot(*(result.places_mm[0] - pair.after_mm).T)[flat]
        if same.all() and len(away):
            errors.append(float(away.max()))
    return Prediction(errors_mm=tuple(errors), elsewhere=elsewhere)


class _OneShot:
    """A shot's own part of the joint fit."""

    def __init__(self, model: FlickModel, shot: SeenShot, found: Fitted) -> None:
        self.model, self.flicks, self.theta = model, found.flicks, found.theta.copy()
        self.theta[:, list(_SHARED)] = 0.0
        self.active = model.active(np.ones(model.discs, dtype=bool))
        self.shared = np.isin(self.active, _SHARED)
        self.pull = model.held[self.active].astype(np.float64)
        self.pull[self.shared] = 0.0
        if shot.flick is not None:
            self.pull[self.active == DIRECTION] = (
                DIRECTION_UNIT / shot.flick.direction_sigma_rad
            ) ** 2
            self.pull[self.active == SPEED] = (
                SPEED_UNIT * shot.flick.speed_mm_s / shot.flick.speed_sigma_mm_s
            ) ** 2

    def at(self, shared: FloatArray, own: FloatArray) -> FloatArray:
        """Numbers (1, size) with that step of the own ones, the shared ones given."""
        theta = self.theta.copy()
        theta[0, self.active[~self.shared]] += own
        theta[0, list(_SHARED)] = shared
        return theta

    def cost(self, theta: FloatArray) -> float:
        residuals = self.model.residuals(self.flicks, theta)
        return self._cost(residuals.squares, theta)

    def _cost(self, squares: FloatArray, theta: FloatArray) -> float:
        robust = _SCALE**2 * np.log1p(squares / _SCALE**2)
        return float(robust.sum() + (self.pull * theta[0, self.active] ** 2).sum())

    def numbers(self) -> int:
        """How many numbers were seen beyond those that are free."""
        track = 0 if self.model.track is None else len(self.model.track.times_s)
        known = self.model.known & (self.model.pair.states == kernels.FLAT)
        free = int((self.pull == 0).sum()) - len(_SHARED)
        return max(2 * int(known.sum()) + 2 * track - free, 1)

    def normal(self, damping: float) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Shared normal matrix and gradient, own part eliminated; and how own numbers follow."""
        residuals, slopes = self.model.linearised(self.flicks, self.theta, self.active)
        weight = np.repeat(1.0 / (1.0 + residuals.squares[0] / _SCALE**2), 2)
        flat = slopes[0].reshape(-1, len(self.active))
        whole = (flat * weight[:, None]).T @ flat + np.diag(self.pull)
        down = (flat * weight[:, None]).T @ residuals.offsets[0].ravel()
        down += self.pull * self.theta[0, self.active]
        own, both = ~self.shared, self.shared
        inner = whole[np.ix_(own, own)]
        inner = inner + damping * np.diag(np.diag(inner) + 1e-6) + 1e-9 * np.eye(len(inner))
        across = whole[np.ix_(own, both)]
        solved = np.linalg.solve(inner, np.column_stack([across, down[own]]))
        shared = whole[np.ix_(both, both)] - across.T @ solved[:, :-1]
        gradient = down[both] - across.T @ solved[:, -1]
        return shared, gradient, solved[:, :-1], solved[:, -1]


def _joint(
    table: Table,
    shots: list[SeenShot],
    spreads: Spreads,
    noise_mm: float,
    prior: Table,
) -> SpeedFit:
    """All shots fitted at once, and again without those that do not fit."""
    ones = []
    for shot in shots:
        model = FlickModel(table, shot.pair, spreads, noise_mm)
        ones.append(_OneShot(model, shot, _best_fit(model, shot.flick)))
    before = _prior(prior, table, spreads)
    shared = _descend(ones, *before)
    rows = range(len(shots))
    fits = [row for row in rows if _excess(ones[row]) < _MOST_EXCESS]
    if len(fits) < 2:
        raise ValueError(
            f"only {len(fits)} of {len(rows)} shots can be explained: add shots with few contacts"
        )
    kept = [ones[row] for row in fits]
    shared = _descend(kept, *before, start=shared)
    covariance = _covariance(kept, before[1])
    return SpeedFit(
        speed=_speed(table.physics, spreads, shared, covariance),
        used=tuple(fits),
        left_out=tuple(row for row in rows if row not in fits),
    )


def _excess(one: _OneShot) -> float:
    """By how many sigmas chi squared lies above what it should be."""
    numbers = one.numbers()
    return (one.cost(one.theta) - numbers) / math.sqrt(2 * numbers)


def _best_fit(model: FlickModel, flick: KnownFlick | None) -> Fitted:
    """The best fit of one shot by itself."""
    if flick is not None:
        known = Flicks(
            directions=np.array([flick.direction_rad]),
            log_speeds=np.log(np.array([flick.speed_mm_s])),
            clocks_s=np.zeros(1),
        )
        return unfitted(model, known)
    flicks = first_guesses(model, _EFFORT, np.random.default_rng(0))
    found = unfitted(model, flicks)
    active = model.active(model.moved)
    for rounds, scale, kept in _STAGES:
        found = fitted(model, found, active, rounds=rounds, scale=scale)
        found = found.chosen(np.argsort(found.costs, kind="stable")[:kept])
    return found


def _prior(prior: Table, table: Table, spreads: Spreads) -> tuple[FloatArray, FloatArray]:
    """Where the shared numbers are thought to be, in the table's units, and how firmly (3,)."""
    one, other = prior.physics, table.physics
    centre = np.array(
        [
            math.log(one.friction / other.friction) / spreads.friction,
            (one.restitution - other.restitution) / spreads.restitution,
            (one.post_restitution - other.post_restitution) / spreads.post_restitution,
        ]
    )
    firm = np.array(
        [
            spreads.friction / BROAD.friction,
            spreads.restitution / BROAD.restitution,
            spreads.post_restitution / BROAD.post_restitution,
        ]
    )
    return centre, firm**2


def _descend(
    ones: list[_OneShot],
    centre: FloatArray,
    firm: FloatArray,
    *,
    start: FloatArray | None = None,
) -> FloatArray:
    """The shared numbers (3,) of least cost; own numbers go along."""
    shared = np.zeros(len(_SHARED)) if start is None else start
    for one in ones:
        one.theta = one.at(shared, np.zeros(int((~one.shared).sum())))
    damping = _DAMPING
    cost = _whole_cost(ones, shared, centre, firm)
    for _ in range(_ROUNDS):
        parts = [one.normal(damping) for one in ones]
        normal = sum((part[0] for part in parts), np.diag(firm))
        gradient = sum((part[1] for part in parts), firm * (shared - centre))
        step = -np.linalg.solve(normal + damping * np.diag(np.diag(normal)), gradient)
        step = np.clip(step, -1.0, 1.0)
        old = [one.theta for one in ones]
        for one, (_, _, follow, own) in zip(ones, parts, strict=True):
            one.theta = one.at(shared + step, np.clip(-own - follow @ step, -3.0, 3.0))
        tried = _whole_cost(ones, shared + step, centre, firm)
        if tried < cost:
            shared, cost, damping = shared + step, tried, damping * 0.3
            if np.abs(step).max() < _CONVERGED:
                break
        else:
            damping *= 6.0
            for one, theta in zip(ones, old, strict=True):
                one.theta = theta
    return shared


def _covariance(ones: list[_OneShot], firm: FloatArray) -> FloatArray:
    """Of the shared numbers (3, 3): what noise allows, or what shots differ by where it is more.

    The second is the sandwich estimator: every shot pulls the shared numbers its own way, and the
    pulls add up like a random walk.
    """
    parts = [one.normal(0.0) for one in ones]
    own = np.linalg.inv(sum((part[0] for part in parts), np.diag(firm)))
    pulls = np.array([part[1] for part in parts]) @ own
    walked = (pulls**2).sum(axis=0) * len(ones) / (len(ones) - 1)
    wider = np.sqrt(np.maximum(walked / np.diag(own), 1.0))
    return np.asarray(own * np.outer(wider, wider))


def _whole_cost(
    ones: list[_OneShot], shared: FloatArray, centre: FloatArray, firm: FloatArray
) -> float:
    pull = float((firm * (shared - centre) ** 2).sum())
    return pull + sum(one.cost(one.theta) for one in ones)


def _speed(
    physics: PhysicsSpec, spreads: Spreads, shared: FloatArray, covariance: FloatArray
) -> BoardSpeed:
    """The numbers in their own units."""
    friction = physics.friction * math.exp(spreads.friction * float(shared[0]))
    restitution = physics.restitution + spreads.restitution * float(shared[1])
    post = physics.post_restitution + spreads.post_restitution * float(shared[2])
    units = np.array([friction * spreads.friction, spreads.restitution, spreads.post_restitution])
    return board_speed((friction, restitution, post), covariance * np.outer(units, units))
