"""A board's friction and restitution from observed shots, with their uncertainty.

All shots are fitted jointly by robust Levenberg-Marquardt. Friction, restitution, its loss with
speed and post restitution are shared. A shot's flick and initial places are its own and are
eliminated from the normal equations (Schur complement), as in bundle adjustment. If the loss is not
significant, the fit is repeated with constant restitution. Shots that no flick explains well are
left out: one wrong order of contacts would bias the result more than the shot's information is
worth. The covariance is the sandwich estimator's if shots differ by more than noise allows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from calibration.board_speed import STATED_AT_M_S, BoardSpeed, build_board_speed
from calibration.parameters import StageParameters, parameter
from scorer.physics import kernels
from scorer.physics.engine import simulate_many
from scorer.physics.inverse.flick_fit import FitStage, FlickFits, fit_flicks, init_fits
from scorer.physics.inverse.flick_model import (
    DIRECTION,
    DIRECTION_UNIT,
    FRICTION,
    LOSS,
    POST_RESTITUTION,
    RESTITUTION,
    SPEED,
    SPEED_UNIT,
    FlickBatch,
    FlickModel,
)
from scorer.physics.inverse.observations import PARAMS as OBSERVATION_PARAMS
from scorer.physics.inverse.observations import BoardPair, Spreads
from scorer.physics.inverse.random_search import FlickSearchBudget, search_flicks
from scorer.physics.parameters import PhysicsSpec, apply_board_speed
from scorer.physics.scene import TableSpec

FloatArray = NDArray[np.float64]

#: The prior of a board: half of the usual ranges, as one sigma.
BROAD = Spreads(friction=0.4, restitution=0.08, post_restitution=0.1, restitution_loss_s_m=0.1)
#: Spreads of a shot in the second search, when the board is nearly known.
_NARROW = Spreads(friction=0.05, restitution=0.02, post_restitution=0.04, restitution_loss_s_m=0.05)
_SHARED = (FRICTION, RESTITUTION, POST_RESTITUTION, LOSS)
#: Precision that fixes a shared parameter that is not fitted.
_PINNED = 1e12
#: A search per shot: track points guide it, so a fifth of the usual budget does.
_SEARCH_BUDGET = FlickSearchBudget(flicks=15_000, neighbourhoods=200, kept=60)
#: From wide to exact; one fit is left of each shot.
_STAGES = (FitStage(4, 40.0, 24), FitStage(5, 15.0, 8), FitStage(6, 6.0, 1))


class BoardSpeedFitParameters(StageParameters):
    """Parameters of ``board_speed_fit``."""

    stage: ClassVar[str] = "physics.inverse.board_speed_fit"

    #: Robust scale: offsets above it hardly count.
    scale: float = parameter(5.0, unit="σ", source="normal distribution: noise never reaches it")
    #: A shot whose chi squared is this many of its sigmas too high is left out.
    most_excess: float = parameter(
        3.5, unit="σ", source="normal distribution: one good shot in 4000 is that far off"
    )
    #: Rounds of the joint fit, at most.
    rounds: int = parameter(25, unit="", source="chosen: most fits converge before")
    #: Damping at first, relative to the curvature.
    damping: float = parameter(1e-2, unit="", source="chosen small: every shot is fitted already")
    #: Factor of the damping after a round that made the fit worse.
    damping_up: float = parameter(6.0, unit="", source="chosen as usual for Levenberg-Marquardt")
    #: Factor of the damping after a round that made it better.
    damping_down: float = parameter(0.3, unit="", source="chosen as usual for Levenberg-Marquardt")
    #: Longest step of a shared number.
    shared_step: float = parameter(1.0, unit="σ", source="chosen: further, contacts change")
    #: Longest step of a shot's own number.
    own_step: float = parameter(3.0, unit="σ", source="as ``flick_fit.longest_step``")
    #: Searches repeated with the last fit's result.
    repeats: int = parameter(2, unit="", source="chosen: better numbers find more of the flicks")
    #: Rounds that change no shared number by more than this end the fit.
    converged: float = parameter(1e-3, unit="σ", source="far below what is reported")
    #: Significance, in sigmas, from which restitution falls with speed.
    fewest_loss_sigmas: float = parameter(
        2.5, unit="σ", source="normal distribution: one board in 160 without a loss passes for one"
    )
    #: Share of a track that determines the flick, before the rest of the shot is predicted.
    beginning: float = parameter(0.35, unit="", source="chosen: enough for the flick alone")


PARAMS = BoardSpeedFitParameters()


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFlick:
    """A flick measured by a ramp, a launcher or a high-speed camera, with sigmas."""

    speed_mm_s: float
    direction_rad: float
    speed_sigma_mm_s: float
    direction_sigma_rad: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedFitShot:
    """A shot for the fit: its boards with points on the way, or with a known flick, or both."""

    pair: BoardPair
    flick: KnownFlick | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RestitutionLoss:
    """Fall of restitution per m/s, with one sigma, s/m.

    is_found  whether it is significant; otherwise restitution is constant
    """

    value_s_m: float
    sigma_s_m: float
    is_found: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedFit:
    """A board's speed, and the indices of the shots that it is based on."""

    speed: BoardSpeed
    loss: RestitutionLoss
    used: tuple[int, ...]
    left_out: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionErrors:
    """Distances of discs from their predicted places, mm: the worst disc of every shot.

    state_mismatches  shots in which a disc ends in another state (surface, hole, ditch)
    """

    errors_mm: tuple[float, ...]
    state_mismatches: int

    @property
    def median_mm(self) -> float:
        """The median error; infinite without any."""
        return float(np.median(self.errors_mm)) if self.errors_mm else math.inf


def fit_speed(table: TableSpec, shots: list[SpeedFitShot]) -> SpeedFit:
    """The speed that fits all shots.

    Raises ``ValueError`` if fewer than two shots can be fitted.
    """
    fit = _fit_jointly(table, shots, BROAD, table)
    for _ in range(PARAMS.repeats):
        nearly = replace(table, physics=apply_board_speed(table.physics, fit.speed))
        fit = _fit_jointly(nearly, shots, _NARROW, table)
    return fit


def evaluate_prediction(
    table: TableSpec,
    shots: list[SpeedFitShot],
    *,
    spreads: Spreads,
) -> PredictionErrors:
    """Errors of predicting shots from their known flicks, or from the beginning of their tracks."""
    errors, mismatches = [], 0
    for shot in shots:
        pair, flick = shot.pair, shot.flick
        if flick is not None:
            flick_row = np.array([*pair.before_mm[0], flick.speed_mm_s, flick.direction_rad, 0.0])
            result = simulate_many(table, pair.before_mm, flick_row[None])
        else:
            beginning = pair.keep_beginning(PARAMS.beginning)
            model = FlickModel(table, beginning, spreads, OBSERVATION_PARAMS.noise_mm)
            found = _fit_one_shot(model, None)
            result = model.residuals(found.flicks, found.theta).outcomes
        same = (result.states[0] == pair.states) | ~pair.end_is_known
        mismatches += int(not same.all())
        flat = (pair.states == kernels.FLAT) & (result.states[0] == kernels.FLAT)
        flat &= pair.end_is_known
        away = np.hypot(*(result.places_mm[0] - pair.after_mm).T)[flat]
        if same.all() and len(away):
            errors.append(float(away.max()))
    return PredictionErrors(errors_mm=tuple(errors), state_mismatches=mismatches)


class _ShotTerm:
    """A shot's own part of the joint fit."""

    def __init__(self, model: FlickModel, shot: SpeedFitShot, found: FlickFits) -> None:
        self.model, self.flicks, self.theta = model, found.flicks, found.theta.copy()
        self.theta[:, list(_SHARED)] = 0.0
        self.active_columns = model.active_columns(np.ones(model.discs, dtype=bool))
        self.shared = np.isin(self.active_columns, _SHARED)
        self.prior_precision = model.held[self.active_columns].astype(np.float64)
        self.prior_precision[self.shared] = 0.0
        if shot.flick is not None:
            self.prior_precision[self.active_columns == DIRECTION] = (
                DIRECTION_UNIT / shot.flick.direction_sigma_rad
            ) ** 2
            self.prior_precision[self.active_columns == SPEED] = (
                SPEED_UNIT * shot.flick.speed_mm_s / shot.flick.speed_sigma_mm_s
            ) ** 2

    def at(self, shared: FloatArray, own: FloatArray) -> FloatArray:
        """Numbers (1, size) with that step of the own ones, the shared ones given."""
        theta = self.theta.copy()
        theta[0, self.active_columns[~self.shared]] += own
        theta[0, list(_SHARED)] = shared
        return theta

    def cost(self, theta: FloatArray) -> float:
        """Cauchy's robust cost of numbers (1, size), with the prior cost of those that have one."""
        squares = self.model.residuals(self.flicks, theta).squares
        robust = PARAMS.scale**2 * np.log1p(squares / PARAMS.scale**2)
        return float(
            robust.sum() + (self.prior_precision * theta[0, self.active_columns] ** 2).sum()
        )

    def degrees_of_freedom(self) -> int:
        """Number of observations beyond the free parameters."""
        known = self.model.known & (self.model.pair.states == kernels.FLAT)
        free = int((self.prior_precision == 0).sum()) - len(_SHARED)
        return max(2 * int(known.sum()) + 2 * len(self.model.track) - free, 1)

    def normal(self, damping: float) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Shared normal matrix and gradient, own part eliminated; and the back substitution."""
        here = self.model.linearise(self.flicks, self.theta, self.active_columns)
        weight = np.repeat(1.0 / (1.0 + here.residuals.squares[0] / PARAMS.scale**2), 2)
        flat = here.slopes[0].reshape(-1, len(self.active_columns))
        whole = (flat * weight[:, None]).T @ flat + np.diag(self.prior_precision)
        down = (flat * weight[:, None]).T @ here.residuals.offsets[0].ravel()
        down += self.prior_precision * self.theta[0, self.active_columns]
        own, both = ~self.shared, self.shared
        inner = whole[np.ix_(own, own)]
        inner = inner + damping * np.diag(np.diag(inner) + 1e-6) + 1e-9 * np.eye(len(inner))
        across = whole[np.ix_(own, both)]
        solved = np.linalg.solve(inner, np.column_stack([across, down[own]]))
        shared = whole[np.ix_(both, both)] - across.T @ solved[:, :-1]
        shared_gradient = down[both] - across.T @ solved[:, -1]
        return shared, shared_gradient, solved[:, :-1], solved[:, -1]


def _fit_jointly(
    table: TableSpec,
    shots: list[SpeedFitShot],
    spreads: Spreads,
    prior: TableSpec,
) -> SpeedFit:
    """All shots fitted at once, and again without those that do not fit."""
    terms = []
    for shot in shots:
        model = FlickModel(table, shot.pair, spreads, OBSERVATION_PARAMS.noise_mm)
        terms.append(_ShotTerm(model, shot, _fit_one_shot(model, shot.flick)))
    before = _prior(prior, table, spreads)
    shared = _minimise_jointly(terms, *before)
    rows = range(len(shots))
    fits = [row for row in rows if _chi2_excess(terms[row]) < PARAMS.most_excess]
    if len(fits) < 2:
        raise ValueError(
            f"only {len(fits)} of {len(rows)} shots can be explained. Add shots with few contacts"
        )
    kept = [terms[row] for row in fits]
    shared = _minimise_jointly(kept, *before, start=shared)
    covariance = _estimate_covariance(kept, before[1])
    loss = _find_loss(table.physics, spreads, shared, covariance)
    if not loss.is_found:
        before = _pin_loss(table.physics, spreads, *before)
        start = np.array([*shared[:3], before[0][3]])
        shared = _minimise_jointly(kept, *before, start=start)
        covariance = _estimate_covariance(kept, before[1])
    return SpeedFit(
        speed=_to_board_speed(table.physics, spreads, shared, covariance, loss),
        loss=loss,
        used=tuple(fits),
        left_out=tuple(row for row in rows if row not in fits),
    )


def _chi2_excess(one: _ShotTerm) -> float:
    """Excess of chi squared over its expectation, in sigmas."""
    numbers = one.degrees_of_freedom()
    return (one.cost(one.theta) - numbers) / math.sqrt(2 * numbers)


def _fit_one_shot(model: FlickModel, flick: KnownFlick | None) -> FlickFits:
    """The best fit of one shot by itself."""
    if flick is not None:
        known = FlickBatch(
            directions=np.array([flick.direction_rad]),
            log_speeds=np.log(np.array([flick.speed_mm_s])),
            clocks_s=np.zeros(1),
        )
        return init_fits(model, known)
    flicks = search_flicks(model, _SEARCH_BUDGET, np.random.default_rng(0))
    found = init_fits(model, flicks)
    active = model.active_columns(model.moved)
    for rounds, scale, kept in _STAGES:
        found = fit_flicks(model, found, active, rounds=rounds, scale=scale)
        found = found.select_rows(np.argsort(found.costs, kind="stable")[:kept])
    return found


def _prior(prior: TableSpec, table: TableSpec, spreads: Spreads) -> tuple[FloatArray, FloatArray]:
    """Prior means of the shared parameters in the table's units, and their precisions (4,)."""
    one, other = prior.physics, table.physics
    centre = np.array(
        [
            math.log(one.friction / other.friction) / spreads.friction,
            (_stated(one) - _stated(other)) / spreads.restitution,
            (one.post_restitution - other.post_restitution) / spreads.post_restitution,
            (one.restitution_loss_s_m - other.restitution_loss_s_m) / spreads.restitution_loss_s_m,
        ]
    )
    precision = np.array(
        [
            spreads.friction / BROAD.friction,
            spreads.restitution / BROAD.restitution,
            spreads.post_restitution / BROAD.post_restitution,
            spreads.restitution_loss_s_m / BROAD.restitution_loss_s_m,
        ]
    )
    return centre, precision**2


def _stated(physics: PhysicsSpec) -> float:
    """Restitution of discs where it is stated."""
    return physics.restitution - STATED_AT_M_S * physics.restitution_loss_s_m


def _find_loss(
    physics: PhysicsSpec, spreads: Spreads, shared: FloatArray, covariance: FloatArray
) -> RestitutionLoss:
    """The loss of restitution that was fitted, and whether it is clear."""
    unit = spreads.restitution_loss_s_m
    value = physics.restitution_loss_s_m + unit * float(shared[3])
    sigma = unit * math.sqrt(float(covariance[3, 3]))
    is_found = value > PARAMS.fewest_loss_sigmas * sigma
    return RestitutionLoss(value_s_m=value, sigma_s_m=sigma, is_found=is_found)


def _pin_loss(
    physics: PhysicsSpec, spreads: Spreads, centre: FloatArray, precision: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The prior of the shared parameters for constant restitution."""
    none = -physics.restitution_loss_s_m / spreads.restitution_loss_s_m
    return np.array([*centre[:3], none]), np.array([*precision[:3], _PINNED])


def _minimise_jointly(
    terms: list[_ShotTerm],
    centre: FloatArray,
    prior_precision: FloatArray,
    *,
    start: FloatArray | None = None,
) -> FloatArray:
    """The shared parameters (4,) of least cost, with every shot's own ones."""
    shared = np.zeros(len(_SHARED)) if start is None else start
    for one in terms:
        one.theta = one.at(shared, np.zeros(int((~one.shared).sum())))
    damping = PARAMS.damping
    cost = _total_cost(terms, shared, centre, prior_precision)
    for _ in range(PARAMS.rounds):
        parts = [one.normal(damping) for one in terms]
        normal = sum((part[0] for part in parts), np.diag(prior_precision))
        gradient = sum((part[1] for part in parts), prior_precision * (shared - centre))
        step = -np.linalg.solve(normal + damping * np.diag(np.diag(normal)), gradient)
        step = np.clip(step, -PARAMS.shared_step, PARAMS.shared_step)
        old = [one.theta for one in terms]
        for one, (_, _, follow, own) in zip(terms, parts, strict=True):
            own_step = np.clip(-own - follow @ step, -PARAMS.own_step, PARAMS.own_step)
            one.theta = one.at(shared + step, own_step)
        tried = _total_cost(terms, shared + step, centre, prior_precision)
        if tried < cost:
            shared, cost, damping = shared + step, tried, damping * PARAMS.damping_down
            if np.abs(step).max() < PARAMS.converged:
                break
        else:
            damping *= PARAMS.damping_up
            for one, theta in zip(terms, old, strict=True):
                one.theta = theta
    return shared


def _estimate_covariance(terms: list[_ShotTerm], prior_precision: FloatArray) -> FloatArray:
    """Covariance (4, 4) of the shared parameters: from noise, or from the shots' scatter where
    larger.

    The second is the sandwich estimator: the shots' gradients add up like a random walk.
    """
    parts = [one.normal(0.0) for one in terms]
    own = np.linalg.inv(sum((part[0] for part in parts), np.diag(prior_precision)))
    pulls = np.array([part[1] for part in parts]) @ own
    sandwich = (pulls**2).sum(axis=0) * len(terms) / (len(terms) - 1)
    wider = np.sqrt(np.maximum(sandwich / np.diag(own), 1.0))
    return np.asarray(own * np.outer(wider, wider))


def _total_cost(
    terms: list[_ShotTerm], shared: FloatArray, centre: FloatArray, prior_precision: FloatArray
) -> float:
    prior_cost = float((prior_precision * (shared - centre) ** 2).sum())
    return prior_cost + sum(one.cost(one.theta) for one in terms)


def _to_board_speed(
    physics: PhysicsSpec,
    spreads: Spreads,
    shared: FloatArray,
    covariance: FloatArray,
    loss: RestitutionLoss,
) -> BoardSpeed:
    """The parameters in their own units."""
    friction = physics.friction * math.exp(spreads.friction * float(shared[0]))
    restitution = _stated(physics) + spreads.restitution * float(shared[1])
    post = physics.post_restitution + spreads.post_restitution * float(shared[2])
    units = np.array([friction * spreads.friction, spreads.restitution, spreads.post_restitution])
    return build_board_speed(
        (friction, restitution, post),
        covariance[:3, :3] * np.outer(units, units),
        (loss.value_s_m, loss.sigma_s_m) if loss.is_found else (0.0, 0.0),
    )
