"""Robust nonlinear least squares for a handful of parameters, with its covariance.

Knows residuals and their Jacobian as functions of parameters. Refuses to know what they mean.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from calibration.board import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.robust.medians import upper_median

#: Median absolute deviation → standard deviation of a normal distribution.
MAD_TO_SIGMA = 1.4826


@dataclass(frozen=True, slots=True, kw_only=True)
class LeastSquaresParameters(StageParameters):
    """What ``least_squares`` takes for granted."""

    stage: ClassVar[str] = "robust.least_squares"

    #: Tukey's constant for 95% efficiency on normal errors (Huber and Ronchetti 2009, section 4.8).
    tukey: float = parameter(4.685, unit="", source="")
    #: Levenberg-Marquardt damping, as a share of the normal matrix's diagonal.
    first_damping: float = parameter(1e-3, unit="", source="")
    min_damping: float = parameter(1e-7, unit="", source="")
    max_damping: float = parameter(1e6, unit="", source="")
    #: A step that moves every parameter by less than this share of its sigma ends the search.
    converged_sigmas: float = parameter(0.05, unit="σ", source="")


PARAMS = LeastSquaresParameters.active()

Model = Callable[[FloatArray], tuple[FloatArray, FloatArray]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solution:
    """What a robust fit ends with.

    parameters (p,), covariance (p, p), scale: robust standard deviation of the residuals,
    residuals (n,), and weights (n,) in 0..1: how far each of them was believed
    """

    parameters: FloatArray
    covariance: FloatArray
    scale: float
    residuals: FloatArray
    weights: FloatArray


def robust_least_squares(
    model: Model,
    start: FloatArray,
    *,
    prior_mean: FloatArray,
    prior_sigma: FloatArray,
    min_scale: float,
    rounds: int = 15,
) -> Solution:
    """Levenberg-Marquardt with Tukey biweights on residuals and normal priors on parameters (p,).

    ``model`` gives residuals (n,) and their Jacobian (n, p). Infinite ``prior_sigma`` means no
    prior. The residuals' scale is re-estimated each round from their median absolute deviation
    and never falls under ``min_scale``, in the residual's unit (Huber and Ronchetti 2009, section
    7.8). Raises numpy.linalg.LinAlgError when the parameters are not determined.
    """
    x = np.array(start, dtype=np.float64)
    precision = 1.0 / prior_sigma**2
    damping = PARAMS.first_damping
    residual, jacobian = model(x)
    for _ in range(rounds):
        scale = max(MAD_TO_SIGMA * upper_median(np.abs(residual)), min_scale)
        weighted = jacobian * (_biweight_weights(residual, scale) / scale**2)[:, None]
        normal = jacobian.T @ weighted + np.diag(precision)
        gradient = weighted.T @ residual + precision * (x - prior_mean)

        def cost(x: FloatArray, residual: FloatArray, scale: float = scale) -> float:
            misfit = float(_biweight_loss(residual, scale).sum())
            return misfit + 0.5 * float(np.sum(precision * (x - prior_mean) ** 2))

        here, moved = cost(x, residual), False
        while damping < PARAMS.max_damping and not moved:
            step = np.linalg.solve(normal + damping * np.diag(np.diag(normal)), gradient)
            trial, trial_jacobian = model(x - step)
            moved = cost(x - step, trial) < here
            damping = max(damping / 10, PARAMS.min_damping) if moved else damping * 10
        if not moved:
            break
        x, residual, jacobian = x - step, trial, trial_jacobian
        if float(step @ normal @ step) < PARAMS.converged_sigmas**2 * len(x):
            break
    return Solution(
        parameters=x,
        covariance=np.linalg.inv(normal),
        scale=scale,
        residuals=residual,
        weights=_biweight_weights(residual, scale),
    )


def _biweight_weights(residual: FloatArray, scale: float) -> FloatArray:
    weight: FloatArray = np.clip(1.0 - (residual / (PARAMS.tukey * scale)) ** 2, 0.0, None) ** 2
    return weight


def _biweight_loss(residual: FloatArray, scale: float) -> FloatArray:
    """Tukey's loss, whose second derivative at 0 is 1 / scale**2, in units of the scale."""
    inside = np.clip(1.0 - (residual / (PARAMS.tukey * scale)) ** 2, 0.0, None)
    loss: FloatArray = (1.0 - inside**3) * (PARAMS.tukey**2 / 6.0)
    return loss
