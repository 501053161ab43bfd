"""Flicks fitted to observed boards and tracks, together with every uncertain quantity.

Levenberg-Marquardt runs for many flicks at once, with their own damping, on a robust cost
(Cauchy's). A disc with a large misfit counts less, because another order of contacts or a hand may
have moved it. A fit rarely leaves its initial order of contacts: it needs several good starts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.numerics.arrays import FloatArray
from calibration.parameters import StageParameters, parameter
from scorer.physics.array_rows import ArrayRows
from scorer.physics.inverse.flick_model import FlickModel, Linearisation, Residuals


class FlickFitParameters(StageParameters):
    """Parameters of ``flick_fit``."""

    #: Least curvature for damping, so that a parameter without effect does not change.
    damping_floor: float = parameter(1e-3, unit="", source="chosen: far below any real curvature")
    #: Longest step of any parameter.
    longest_step: float = parameter(
        3.0, unit="σ", source="chosen: slopes are not valid farther away, and priors forbid it"
    )
    #: Damping at first, relative to the curvature.
    damping: float = parameter(
        1.0, unit="", source="chosen: halves a first step of uncertain direction"
    )
    #: Factor of the damping after a step that made the fit worse.
    damping_up: float = parameter(5.0, unit="", source="chosen as usual for Levenberg-Marquardt")
    #: Factor of the damping after a step that made it better.
    damping_down: float = parameter(0.3, unit="", source="chosen as usual for Levenberg-Marquardt")
    #: Largest damping.
    most_damping: float = parameter(
        1e6, unit="", source="chosen: more damping makes steps negligible"
    )


PARAMS = FlickFitParameters()


class FitStage(NamedTuple):
    """One stage of a fit from wide to exact: its rounds, robust scale, and fits kept after it."""

    rounds: int
    scale_sigmas: float
    kept: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FlickFits(ArrayRows):
    """Flicks with their numbers (n, size), robust costs (n,) and contacts (n, c, 2)."""

    theta: FloatArray
    costs: FloatArray
    contacts: NDArray[np.int16]


def init_fits(theta: FloatArray) -> FlickFits:
    """Flicks before any fit."""
    count = len(theta)
    contacts = np.zeros((count, 1, 2), dtype=np.int16)
    return FlickFits(theta=theta, costs=np.zeros(count), contacts=contacts)


def fit_flicks(
    model: FlickModel, before: FlickFits, columns: NDArray[np.int64], *, rounds: int, scale: float
) -> FlickFits:
    """The flicks after some rounds, in the same order, none worse than before.

    columns  of the fitted parameters; the others are fixed
    scale    in sigmas: offsets much above it hardly count
    """
    theta = before.theta
    damping = np.full(len(theta), PARAMS.damping)
    here = model.linearise(theta, columns)
    cost = robust_cost(model, here.residuals, theta, scale)
    for _ in range(rounds):
        tried = theta.copy()
        tried[:, columns] += _levenberg_step(model, theta, here, damping, scale)
        there = model.linearise(tried, columns)
        new_cost = robust_cost(model, there.residuals, tried, scale)
        better = new_cost < cost
        theta = np.where(better[:, None], tried, theta)
        cost = np.where(better, new_cost, cost)
        here = _merge_better(better, there, here)
        damping = np.where(
            better,
            damping * PARAMS.damping_down,
            np.minimum(damping * PARAMS.damping_up, PARAMS.most_damping),
        )
    contacts = here.residuals.outcomes.contacts
    return FlickFits(theta=theta, costs=cost, contacts=contacts)


def robust_cost(
    model: FlickModel, residuals: Residuals, theta: FloatArray, scale: float
) -> FloatArray:
    """Cauchy's cost (n,): chi squared in which an offset far over ``scale`` sigmas adds little."""
    squares = scale**2 * np.log1p(residuals.squares / scale**2)
    return np.asarray(squares.sum(axis=1) + (theta[:, model.held] ** 2).sum(axis=1))


def _merge_better(
    better: NDArray[np.bool_], new: Linearisation, old: Linearisation
) -> Linearisation:
    """The new flicks where they are better, otherwise the old ones; of outcomes only contacts are
    merged.
    """
    one, other = new.residuals, old.residuals
    contacts = np.where(better[:, None, None], one.outcomes.contacts, other.outcomes.contacts)
    return Linearisation(
        residuals=Residuals(
            offsets=np.where(better[:, None, None], one.offsets, other.offsets),
            state_mismatches=np.where(
                better[:, None], one.state_mismatches, other.state_mismatches
            ),
            outcomes=replace(one.outcomes, contacts=contacts),
        ),
        slopes=np.where(better[:, None, None, None], new.slopes, old.slopes),
        columns=new.columns,
    )


def _levenberg_step(
    model: FlickModel,
    theta: FloatArray,
    here: Linearisation,
    damping: FloatArray,
    scale: float,
) -> FloatArray:
    """Levenberg and Marquardt's step of the active numbers (n, active)."""
    count, columns = len(theta), here.columns
    weight = 1.0 / (1.0 + here.residuals.squares / scale**2)
    flat = here.slopes.reshape(count, -1, len(columns))
    weighted = flat * np.repeat(weight, 2, axis=1)[:, :, None]
    prior_precision = model.held[columns].astype(np.float64)
    normal = np.swapaxes(weighted, 1, 2) @ flat
    diagonal = np.einsum("nii->ni", normal)
    diagonal += prior_precision + damping[:, None] * (diagonal + PARAMS.damping_floor)
    down = np.einsum("nik,ni->nk", weighted, here.residuals.offsets.reshape(count, -1))
    down += prior_precision * theta[:, columns]
    step = -np.linalg.solve(normal, down[..., None])[..., 0]
    return np.asarray(np.clip(step, -PARAMS.longest_step, PARAMS.longest_step))
