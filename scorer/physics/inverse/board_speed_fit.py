"""A board's friction and restitution from observed shots, with their uncertainty.

All shots are fitted jointly by robust least squares, as in bundle adjustment. Friction,
restitution, its loss with speed and post restitution are shared by all shots; flick and initial
places belong to one shot. If the loss is not significant, the fit is repeated with constant
restitution. Shots that no flick explains well are left out: the bias from one wrong order of
contacts would outweigh the shot's information. The covariance is the sandwich estimator's if shots
differ by more than noise allows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from calibration.board import FloatArray
from calibration.board_speed import STATED_AT_M_S, BoardSpeed, build_board_speed
from calibration.numerics.least_squares import NormalPrior, Solution, robust_least_squares
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
    FlickModel,
)
from scorer.physics.inverse.observations import PARAMS as OBSERVATION_PARAMS
from scorer.physics.inverse.observations import BoardPair, Spreads
from scorer.physics.inverse.random_search import FlickSearchBudget, search_flicks
from scorer.physics.parameters import PhysicsSpec, apply_board_speed
from scorer.physics.scene import TableSpec

#: The prior of a board: half of the usual ranges, as one sigma.
BROAD = Spreads(friction=0.4, restitution=0.08, post_restitution=0.1, restitution_loss_s_m=0.1)
#: Spreads for a shot in the second search, when the board is nearly known.
_NARROW = Spreads(friction=0.05, restitution=0.02, post_restitution=0.04, restitution_loss_s_m=0.05)
_SHARED = (FRICTION, RESTITUTION, POST_RESTITUTION, LOSS)
#: Sigmas of a shared parameter that is not fitted, and of one that only the shot determines.
_PINNED, _FREE = 1e-6, 1e3
#: Budget of one shot's search: track points guide it, so a fifth of the usual budget is enough.
_SEARCH_BUDGET = FlickSearchBudget(flicks=15_000, neighbourhoods=200, kept=60)
#: Stages of the fit, from wide to exact; one fit of each shot remains.
_STAGES = (FitStage(4, 40.0, 24), FitStage(5, 15.0, 8), FitStage(6, 6.0, 1))


class BoardSpeedFitParameters(StageParameters):
    """Parameters of ``board_speed_fit``."""

    #: Robust scale of a shot's chi squared: larger offsets hardly count.
    scale: float = parameter(5.0, unit="σ", source="normal distribution: noise never reaches it")
    #: A shot is left out if its chi squared is too high by this many of its sigmas.
    most_excess: float = parameter(
        3.5, unit="σ", source="normal distribution: one good shot in 4000 deviates this much"
    )
    #: Number of searches for the flicks; each search after the first uses the previous fit.
    searches: int = parameter(
        3, unit="", source="chosen: more accurate parameters find more of the flicks"
    )
    #: Significance, in sigmas, from which restitution falls with speed.
    fewest_loss_sigmas: float = parameter(
        2.5,
        unit="σ",
        source="normal distribution: one board in 160 without a loss is taken for one with a loss",
    )
    #: Share of a track that determines the flick, before the rest of the shot is predicted.
    beginning: float = parameter(
        0.35, unit="", source="chosen: long enough to determine how the disc was flicked"
    )


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
    """A board's speed, and the indices of the shots from which it was fitted."""

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
    """The speed that fits all shots; their flicks are searched again with the fitted speed.

    Raises ``ValueError`` if fewer than two shots can be fitted.
    """
    shared: FloatArray = np.zeros(len(_SHARED))
    nearly, spreads = table, BROAD
    for _ in range(PARAMS.searches):
        terms = [_make_term(table, shot, _search_flick(nearly, shot, spreads)) for shot in shots]
        shared, fit = _fit_jointly(table.physics, terms, shared)
        nearly = replace(table, physics=apply_board_speed(table.physics, fit.speed))
        spreads = _NARROW
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
            found = _search_flick(table, replace(shot, pair=beginning), spreads)
            model = FlickModel(table, beginning, spreads, OBSERVATION_PARAMS.noise_mm)
            result = model.residuals(found.theta).outcomes
        same = (result.states[0] == pair.states) | ~pair.end_is_known
        mismatches += int(not same.all())
        flat = (pair.states == kernels.FLAT) & (result.states[0] == kernels.FLAT)
        flat &= pair.end_is_known
        away = np.hypot(*(result.places_mm[0] - pair.after_mm).T)[flat]
        if same.all() and len(away):
            errors.append(float(away.max()))
    return PredictionErrors(errors_mm=tuple(errors), state_mismatches=mismatches)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _ShotTerm:
    """The part of the joint fit that belongs to one shot.

    columns  (own,) of its own numbers in those of ``model``
    means, sigmas  (own,) of their priors
    theta    (1, size) its numbers as searched
    """

    model: FlickModel
    theta: NDArray[np.float64]
    columns: NDArray[np.int64]
    means: FloatArray
    sigmas: FloatArray

    @property
    def own(self) -> FloatArray:
        """Its own numbers (own,)."""
        return np.asarray(self.theta[0, self.columns])

    def linearise(self, shared: FloatArray, own: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The offsets (r,) in sigmas, and their slopes (r, 4 + own)."""
        theta = self.theta.copy()
        theta[0, list(_SHARED)], theta[0, self.columns] = shared, own
        columns = np.concatenate([_SHARED, self.columns])
        here = self.model.linearise(theta, columns)
        return here.residuals.offsets.ravel(), here.slopes.reshape(-1, len(columns))

    def find_excess(self, offsets: FloatArray, own: FloatArray) -> float:
        """Excess of chi squared over its expectation, in sigmas; distant offsets count less."""
        squares = (offsets.reshape(-1, 2) ** 2).sum(axis=1)
        cost = float((PARAMS.scale**2 * np.log1p(squares / PARAMS.scale**2)).sum())
        known = self.model.known & (self.model.pair.states == kernels.FLAT)
        free = int((self.sigmas == _FREE).sum())
        prior_cost = float((((own - self.means) / self.sigmas) ** 2).sum())
        count = max(2 * int(known.sum()) + 2 * len(self.model.track) - free, 1)
        return (cost + prior_cost - count) / math.sqrt(2 * count)


def _make_term(table: TableSpec, shot: SpeedFitShot, found: FlickFits) -> _ShotTerm:
    model = FlickModel(table, shot.pair, BROAD, OBSERVATION_PARAMS.noise_mm)
    columns = np.setdiff1d(model.active_columns(np.ones(model.discs, dtype=bool)), _SHARED)
    sigmas = np.where(model.held[columns], 1.0, _FREE)
    if shot.flick is not None:
        flick = shot.flick
        sigmas[columns == DIRECTION] = flick.direction_sigma_rad / DIRECTION_UNIT
        sigmas[columns == SPEED] = flick.speed_sigma_mm_s / (SPEED_UNIT * flick.speed_mm_s)
    means = np.where(model.held[columns], 0.0, found.theta[0, columns])
    return _ShotTerm(model=model, theta=found.theta, columns=columns, means=means, sigmas=sigmas)


class _JointFit:
    """The numbers of all shots, fitted at once: the shared ones (4,), then every shot's own."""

    def __init__(self, terms: list[_ShotTerm], own: list[FloatArray]) -> None:
        self.terms, self.own = terms, own
        ends = np.cumsum([len(_SHARED), *(len(term.columns) for term in terms)]).tolist()
        self._slots = [slice(*pair) for pair in pairwise(ends)]
        self._size = ends[-1]

    def solve(self, shared: FloatArray, mean: FloatArray, sigma: FloatArray) -> Solution:
        """The solution from a start; mean (4,) and sigma (4,) are the shared numbers' prior."""
        prior = NormalPrior(
            mean=np.concatenate([mean, *(term.means for term in self.terms)]),
            sigma=np.concatenate([sigma, *(term.sigmas for term in self.terms)]),
        )
        start = np.concatenate([shared, *self.own])
        solution = robust_least_squares(self.linearise, start, prior=prior, min_scale=1.0)
        self.own = [solution.parameters[slot] for slot in self._slots]
        return solution

    def linearise(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Residuals (n,) of all shots, and their Jacobian (n, size)."""
        residuals, rows = [], []
        for term, slot in zip(self.terms, self._slots, strict=True):
            offsets, slopes = term.linearise(x[: len(_SHARED)], x[slot])
            row = np.zeros((len(offsets), self._size))
            row[:, : len(_SHARED)], row[:, slot] = np.split(slopes, [len(_SHARED)], axis=1)
            residuals.append(offsets)
            rows.append(row)
        return np.concatenate(residuals), np.concatenate(rows)

    def split(self, values: FloatArray) -> list[FloatArray]:
        """Values (n,) or (n, 4) of all residuals, by shot."""
        counts = [2 * (term.model.discs + len(term.model.track)) for term in self.terms]
        return np.split(values, np.cumsum(counts)[:-1])

    def estimate_covariance(self, solution: Solution) -> FloatArray:
        """Covariance (4, 4) of the shared numbers: from noise, or from the shots' scatter where
        larger.

        The second is the sandwich estimator: the gradients of the shots add up like a random walk.
        """
        own, count = solution.covariance[:4, :4], len(self.terms)
        slopes = self.linearise(solution.parameters)[1][:, :4]
        weighted = slopes * (solution.weights * solution.residuals / solution.scale**2)[:, None]
        pulls = np.array([part.sum(axis=0) for part in self.split(weighted)]) @ own
        sandwich = (pulls**2).sum(axis=0) * count / (count - 1)
        wider = np.sqrt(np.maximum(sandwich / np.diag(own), 1.0))
        return np.asarray(own * np.outer(wider, wider))


def _fit_jointly(
    physics: PhysicsSpec, terms: list[_ShotTerm], start: FloatArray
) -> tuple[FloatArray, SpeedFit]:
    """The shared numbers (4,) and the fit of all shots, without those that do not fit."""
    mean, sigma = np.zeros(len(_SHARED)), np.ones(len(_SHARED))
    every = _JointFit(terms, [term.own for term in terms])
    solution = every.solve(start, mean, sigma)
    offsets = every.split(solution.residuals)
    rows = range(len(terms))
    fits = [
        row
        for row in rows
        if terms[row].find_excess(offsets[row], every.own[row]) < PARAMS.most_excess
    ]
    if len(fits) < 2:
        raise ValueError(
            f"only {len(fits)} of {len(rows)} shots can be explained. Add shots with few contacts"
        )
    joint = _JointFit([terms[row] for row in fits], [every.own[row] for row in fits])
    solution = joint.solve(solution.parameters[:4], mean, sigma)
    covariance = joint.estimate_covariance(solution)
    loss = _find_loss(physics, solution.parameters, covariance)
    if not loss.is_found:
        mean[3] = -physics.restitution_loss_s_m / BROAD.restitution_loss_s_m
        sigma[3] = _PINNED
        solution = joint.solve(np.array([*solution.parameters[:3], mean[3]]), mean, sigma)
        covariance = joint.estimate_covariance(solution)
    shared = solution.parameters[:4]
    return shared, SpeedFit(
        speed=_to_board_speed(physics, shared, covariance, loss),
        loss=loss,
        used=tuple(fits),
        left_out=tuple(row for row in rows if row not in fits),
    )


def _search_flick(table: TableSpec, shot: SpeedFitShot, spreads: Spreads) -> FlickFits:
    """The best fit of a single shot."""
    model = FlickModel(table, shot.pair, spreads, OBSERVATION_PARAMS.noise_mm)
    flick = shot.flick
    if flick is not None:
        return init_fits(model.make_theta([flick.direction_rad], math.log(flick.speed_mm_s)))
    flicks = search_flicks(model, _SEARCH_BUDGET, np.random.default_rng(0))
    found = init_fits(flicks)
    active = model.active_columns(model.moved)
    for rounds, scale, kept in _STAGES:
        found = fit_flicks(model, found, active, rounds=rounds, scale=scale)
        found = found.select_rows(np.argsort(found.costs, kind="stable")[:kept])
    return found


def _find_loss(physics: PhysicsSpec, shared: FloatArray, covariance: FloatArray) -> RestitutionLoss:
    """The loss of restitution that was fitted, and whether it is clear."""
    unit = BROAD.restitution_loss_s_m
    value = physics.restitution_loss_s_m + unit * float(shared[3])
    sigma = unit * math.sqrt(float(covariance[3, 3]))
    is_found = value > PARAMS.fewest_loss_sigmas * sigma
    return RestitutionLoss(value_s_m=value, sigma_s_m=sigma, is_found=is_found)


def _to_board_speed(
    physics: PhysicsSpec, shared: FloatArray, covariance: FloatArray, loss: RestitutionLoss
) -> BoardSpeed:
    """The parameters in their own units."""
    friction = physics.friction * math.exp(BROAD.friction * float(shared[0]))
    stated = physics.restitution - STATED_AT_M_S * physics.restitution_loss_s_m
    restitution = stated + BROAD.restitution * float(shared[1])
    post = physics.post_restitution + BROAD.post_restitution * float(shared[2])
    units = np.array([friction * BROAD.friction, BROAD.restitution, BROAD.post_restitution])
    return build_board_speed(
        (friction, restitution, post),
        covariance[:3, :3] * np.outer(units, units),
        (loss.value_s_m, loss.sigma_s_m) if loss.is_found else (0.0, 0.0),
    )
