"""Probability that an opponent's disc was touched, by Monte Carlo sampling around the fits.

Importance sampling: parameters are drawn from the mixture of the fits' Gaussians, simulated, and
weighted by their likelihood. So a graze that moves no disc by more than noise, and a flick that
only has to reach the ditch, get their correct weight. If few samples have all the weight (Kish's
effective sample size), there is no answer; flicks far from every fit are not sampled.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from calibration.parameters import StageParameters, parameter
from scorer.physics.inverse.bayes_factor import LikelihoodModel, touches_opponent
from scorer.physics.inverse.flick_fit import FlickFits
from scorer.physics.inverse.flick_model import (
    CLOCK,
    CLOCK_UNIT,
    DIRECTION,
    DIRECTION_UNIT,
    SPEED,
    SPEED_UNIT,
    FlickBatch,
    FlickModel,
    Linearisation,
)
from scorer.physics.inverse.random_search import PARAMS as SEARCH_PARAMS

FloatArray = NDArray[np.float64]


class ContactProbabilityParameters(StageParameters):
    """Parameters of ``contact_probability``."""

    stage: ClassVar[str] = "physics.inverse.contact_probability"

    #: Flicks sampled around each fit.
    samples_per_fit: int = parameter(300, unit="", source="chosen for the time that it takes")
    #: Least effective number of flicks; with fewer, only the fits are used.
    min_effective_samples: float = parameter(
        10.0, unit="", source="binomial: a chance within 0.16, one sigma"
    )
    #: Flicks of new orders of contacts that are fitted; their first misfit means little.
    most_new_orders: int = parameter(24, unit="", source="as many as a last stage of fits keeps")


PARAMS = ContactProbabilityParameters()
#: A whole turn in the unit of directions.
_TURN = 2 * math.pi / DIRECTION_UNIT


@dataclass(frozen=True, slots=True, kw_only=True)
class FlickSamples:
    """Flicks sampled around fits.

    flicks       their costs are -2 ln of the likelihood of the observations, up to a constant
    log_density  (n,) ln of the density that they were drawn from, up to a constant
    touching     (n,) whether they touch an opponent's disc
    """

    flicks: FlickFits
    log_density: FloatArray
    touching: NDArray[np.bool_]

    def contact_probability(self) -> float | None:
        """The probability that an opponent's disc was touched; None with too few effective
        flicks.
        """
        log_weight = -0.5 * self.flicks.costs - self.log_density
        if not np.isfinite(log_weight).any():
            return None
        weight = np.exp(log_weight - log_weight.max())
        if weight.sum() ** 2 / (weight**2).sum() < PARAMS.min_effective_samples:
            return None
        return float(weight[self.touching].sum() / weight.sum())

    def select_new_orders(self, known: FlickFits) -> FlickFits:
        """The likeliest flick of every order of contacts that is not known yet."""
        seen = {contact.tobytes() for contact in known.contacts}
        costs = self.flicks.costs
        chosen: list[int] = []
        for k in np.argsort(costs, kind="stable").tolist():
            if not math.isfinite(costs[k]) or len(chosen) == PARAMS.most_new_orders:
                break
            key = self.flicks.contacts[k].tobytes()
            if key not in seen:
                seen.add(key)
                chosen.append(k)
        return self.flicks.select_rows(np.array(chosen, dtype=np.int64))


def sample_around_fits(
    likelihood_model: LikelihoodModel,
    fits: FlickFits,
    at_fits: Linearisation,
    rng: np.random.Generator,
) -> FlickSamples:
    """Flicks drawn around fits (k,), from their linearisations."""
    columns, slopes = at_fits.columns, at_fits.slopes
    centres = _absolute_numbers(fits)[:, columns]
    flat = slopes.reshape(len(slopes), -1, len(columns))
    shapes = np.swapaxes(flat, 1, 2) @ flat + np.diag(likelihood_model.prior_precision[columns])
    roots = np.asarray(np.linalg.cholesky(shapes), dtype=np.float64)
    noise = rng.normal(0, 1, (len(centres), len(columns), PARAMS.samples_per_fit))
    around = np.asarray(np.linalg.solve(np.swapaxes(roots, 1, 2), noise))
    samples = (centres[:, :, None] + around).transpose(0, 2, 1).reshape(-1, len(columns))
    evaluated, touching = _evaluate_samples(likelihood_model, samples, columns)
    density = _compute_log_density(samples, centres, roots, columns)
    return FlickSamples(flicks=evaluated, log_density=density, touching=touching)


def _absolute_numbers(fits: FlickFits) -> FloatArray:
    """The fits' parameters (k, size), the free ones absolute instead of relative to their flick."""
    whole = fits.theta.copy()
    whole[:, DIRECTION] += fits.flicks.directions / DIRECTION_UNIT
    whole[:, SPEED] += fits.flicks.log_speeds / SPEED_UNIT
    whole[:, CLOCK] += fits.flicks.clocks_s / CLOCK_UNIT
    return whole


def _evaluate_samples(
    likelihood_model: LikelihoodModel, samples: FloatArray, columns: NDArray[np.int64]
) -> tuple[FlickFits, NDArray[np.bool_]]:
    """The flicks drawn, with -2 ln of their likelihood, and which touch."""
    model: FlickModel = likelihood_model.model
    theta = np.repeat(model.start[None], len(samples), axis=0)
    theta[:, columns] = samples
    flicks = FlickBatch(
        directions=DIRECTION_UNIT * theta[:, DIRECTION],
        log_speeds=SPEED_UNIT * theta[:, SPEED],
        clocks_s=CLOCK_UNIT * theta[:, CLOCK],
    )
    theta[:, [DIRECTION, SPEED, CLOCK]] = 0.0
    residuals = model.residuals(flicks, theta)
    squares = residuals.squares
    points = likelihood_model.log_points(squares[:, model.discs :]).sum(axis=1)
    log_seen = points - 0.5 * squares[:, : model.discs].sum(axis=1)
    log_seen = log_seen - 0.5 * (theta[:, model.held] ** 2).sum(axis=1)
    slow, fast = np.log(SEARCH_PARAMS.speeds_mm_s)
    possible = (flicks.log_speeds > slow) & (flicks.log_speeds < fast)
    found = FlickFits(
        flicks=flicks,
        theta=theta,
        costs=np.where(possible, -2 * log_seen, np.inf),
        contacts=residuals.outcomes.contacts,
    )
    return found, touches_opponent(model, residuals.outcomes)


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
