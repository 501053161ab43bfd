"""Probability that an opponent's disc was touched, by Monte Carlo sampling around the fits.

Importance sampling: parameters are drawn from the mixture of the fits' Gaussians, simulated, and
weighted by their likelihood. So a graze that moves no disc by more than noise, and a flick that
only has to reach the ditch, get their correct weight. If a few samples have nearly all the weight
(Kish's effective sample size), there is no result. Flicks far from every fit are not sampled.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from calibration.numerics.arrays import FloatArray
from calibration.parameters import StageParameters, parameter
from scorer.physics.inverse.bayes_factor import LikelihoodModel, touches_opponent
from scorer.physics.inverse.flick_fit import FlickFits
from scorer.physics.inverse.flick_model import (
    DIRECTION,
    DIRECTION_UNIT,
    SPEED,
    SPEED_UNIT,
    FlickModel,
)
from scorer.physics.inverse.random_search import PARAMS as SEARCH_PARAMS


class ContactProbabilityParameters(StageParameters):
    """Parameters of ``contact_probability``."""

    #: Number of flicks sampled around each fit.
    samples_per_fit: int = parameter(300, unit="", source="chosen for the time that it takes")
    #: Least effective number of flicks; with fewer, only the fits are used.
    min_effective_samples: float = parameter(
        10.0,
        unit="",
        source="chosen: a chance is then within 0.16, one sigma of the binomial distribution",
    )


PARAMS = ContactProbabilityParameters()
#: A full turn in the unit of directions.
_TURN = 2 * math.pi / DIRECTION_UNIT


def estimate_contact_probability(
    likelihood_model: LikelihoodModel,
    fits: FlickFits,
    slopes: FloatArray,
    columns: NDArray[np.int64],
) -> float | None:
    """The probability that an opponent's disc was touched, from flicks drawn around fits (k,).

    slopes  (k, d + m, 2, active) as in a ``Linearisation`` by the parameters of ``columns``
    Returns None with too few effective flicks.
    """
    centres = fits.theta[:, columns]
    flat = slopes.reshape(len(slopes), -1, len(columns))
    shapes = np.swapaxes(flat, 1, 2) @ flat + np.diag(likelihood_model.prior_precision[columns])
    roots = np.asarray(np.linalg.cholesky(shapes), dtype=np.float64)
    rng = np.random.default_rng(1)
    noise = rng.normal(0, 1, (len(centres), len(columns), PARAMS.samples_per_fit))
    around = np.asarray(np.linalg.solve(np.swapaxes(roots, 1, 2), noise))
    samples = (centres[:, :, None] + around).transpose(0, 2, 1).reshape(-1, len(columns))
    log_seen, touching = _evaluate_samples(likelihood_model, samples, columns)
    log_weight = log_seen - _compute_log_density(samples, centres, roots, columns)
    if not np.isfinite(log_weight).any():
        return None
    weight = np.exp(log_weight - log_weight.max())
    if weight.sum() ** 2 / (weight**2).sum() < PARAMS.min_effective_samples:
        return None
    return float(weight[touching].sum() / weight.sum())


def _evaluate_samples(
    likelihood_model: LikelihoodModel, samples: FloatArray, columns: NDArray[np.int64]
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """ln of the likelihood (n,) of the flicks drawn, and which touch an opponent's disc (n,)."""
    model: FlickModel = likelihood_model.model
    theta = np.repeat(model.start[None], len(samples), axis=0)
    theta[:, columns] = samples
    residuals = model.residuals(theta)
    squares = residuals.squares
    points = likelihood_model.log_points(squares[:, model.discs :]).sum(axis=1)
    log_seen = points - 0.5 * squares[:, : model.discs].sum(axis=1)
    log_seen = log_seen - 0.5 * (theta[:, model.held] ** 2).sum(axis=1)
    slow, fast = np.log(SEARCH_PARAMS.speeds_mm_s) / SPEED_UNIT
    possible = (theta[:, SPEED] > slow) & (theta[:, SPEED] < fast)
    touching = touches_opponent(model, residuals.outcomes)
    return np.where(possible, log_seen, -np.inf), touching


def _compute_log_density(
    samples: FloatArray, centres: FloatArray, roots: FloatArray, columns: NDArray[np.int64]
) -> FloatArray:
    """ln of the density (n,) from which the numbers were drawn, all fits together."""
    away = samples[None] - centres[:, None]
    turning = int(np.flatnonzero(columns == DIRECTION)[0])
    away[:, :, turning] -= _TURN * np.round(away[:, :, turning] / _TURN)
    white = away @ roots
    volume = np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1)
    log_densities = volume[:, None] - 0.5 * (white**2).sum(axis=2)
    return np.asarray(np.logaddexp.reduce(log_densities, axis=0))
