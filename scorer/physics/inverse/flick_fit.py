"""Flicks fitted to what was seen, and everything that is not known exactly fitted along.

Knows damped least squares for many flicks at once. A disc far off counts less: it may go with
another order of contacts, or somebody moved it. Refuses to know what a good fit says about a shot.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from calibration.parameters import StageParameters, parameter
from scorer.physics.inverse.flick_model import FlickBatch, FlickModel, Residuals

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlickFitParameters(StageParameters):
    """What ``flick_fit`` takes for granted."""

    stage: ClassVar[str] = "physics.inverse.flick_fit"

    #: Smallest damping of a free number, and the longest step of any number, in sigmas.
    damping_floor: float = parameter(1e-3, unit="", source="")
    longest_step: float = parameter(3.0, unit="", source="")
    damping: float = parameter(1.0, unit="", source="")
    damping_up: float = parameter(5.0, unit="", source="")
    damping_down: float = parameter(0.3, unit="", source="")
    most_damping: float = parameter(1e6, unit="", source="")


PARAMS = FlickFitParameters.active()


@dataclass(frozen=True, slots=True, kw_only=True)
class FlickFits:
    """Flicks with their numbers (n, size), robust costs (n,) and contacts (n, c, 2)."""

    flicks: FlickBatch
    theta: FloatArray
    costs: FloatArray
    contacts: NDArray[np.int16]

    def chosen(self, rows: NDArray[np.int64]) -> FlickFits:
        """Those flicks, in that order."""
        return FlickFits(
            flicks=self.flicks.chosen(rows),
            theta=self.theta[rows],
            costs=self.costs[rows],
            contacts=self.contacts[rows],
        )


def init_fits(model: FlickModel, flicks: FlickBatch) -> FlickFits:
    """Flicks of which nothing is fitted yet."""
    count = len(flicks)
    return FlickFits(
        flicks=flicks,
        theta=np.repeat(model.start[None], count, axis=0),
        costs=np.zeros(count),
        contacts=np.zeros((count, 1, 2), dtype=np.int16),
    )


def fit_flicks(
    model: FlickModel, before: FlickFits, columns: NDArray[np.int64], *, rounds: int, scale: float
) -> FlickFits:
    """The flicks after some rounds; offsets much above ``scale`` sigmas hardly count."""
    flicks, theta = before.flicks, before.theta
    damping = np.full(len(flicks), PARAMS.damping)
    cost = np.full(len(flicks), np.inf)
    tried = theta
    residuals, slopes = model.linearise(flicks, theta, columns)
    cost = robust_cost(model, residuals, theta, scale)
    for _ in range(rounds):
        step = _levenberg_step(model, theta, residuals, slopes, columns, damping, scale)
        tried = theta.copy()
        tried[:, columns] += step
        new, new_slopes = model.linearise(flicks, tried, columns)
        new_cost = robust_cost(model, new, tried, scale)
        better = new_cost < cost
        theta = np.where(better[:, None], tried, theta)
        cost = np.where(better, new_cost, cost)
        residuals = _merge_better(better, new, residuals)
        slopes = np.where(better[:, None, None, None], new_slopes, slopes)
        damping = np.where(
            better,
            damping * PARAMS.damping_down,
            np.minimum(damping * PARAMS.damping_up, PARAMS.most_damping),
        )
    return FlickFits(flicks=flicks, theta=theta, costs=cost, contacts=residuals.outcomes.contacts)


def robust_cost(
    model: FlickModel, residuals: Residuals, theta: FloatArray, scale: float
) -> FloatArray:
    """Chi squared (n,) in which one offset far over ``scale`` costs little more than at it."""
    squares = scale**2 * np.log1p(residuals.squares / scale**2)
    return np.asarray(squares.sum(axis=1) + (theta[:, model.held] ** 2).sum(axis=1))


def _merge_better(better: NDArray[np.bool_], new: Residuals, old: Residuals) -> Residuals:
    contacts = np.where(better[:, None, None], new.outcomes.contacts, old.outcomes.contacts)
    return Residuals(
        offsets=np.where(better[:, None, None], new.offsets, old.offsets),
        state_mismatches=np.where(better[:, None], new.state_mismatches, old.state_mismatches),
        outcomes=replace(new.outcomes, contacts=contacts),
    )


def _levenberg_step(
    model: FlickModel,
    theta: FloatArray,
    residuals: Residuals,
    slopes: FloatArray,
    columns: NDArray[np.int64],
    damping: FloatArray,
    scale: float,
) -> FloatArray:
    """Levenberg's step of the active numbers (n, active)."""
    count = len(theta)
    weight = 1.0 / (1.0 + residuals.squares / scale**2)
    flat = slopes.reshape(count, -1, len(columns))
    weighted = flat * np.repeat(weight, 2, axis=1)[:, :, None]
    prior_precision = model.held[columns].astype(np.float64)
    normal = np.swapaxes(weighted, 1, 2) @ flat
    diagonal = np.einsum("nii->ni", normal)
    diagonal += prior_precision + damping[:, None] * (diagonal + PARAMS.damping_floor)
    down = np.einsum("nik,ni->nk", weighted, residuals.offsets.reshape(count, -1))
    down += prior_precision * theta[:, columns]
    step = -np.linalg.solve(normal, down[..., None])[..., 0]
    return np.asarray(np.clip(step, -PARAMS.longest_step, PARAMS.longest_step))
