"""Robust nonlinear least squares for a handful of parameters, with its covariance.

Knows residuals as a function of parameters. Refuses to know what they mean.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from calibration.camera import FloatArray

#: Median absolute deviation → standard deviation of a normal distribution.
MAD_TO_SIGMA = 1.4826
#: Tukey's constant for 95% efficiency on normal errors (Huber and Ronchetti 2009, section 4.8).
_TUKEY = 4.685
#: Levenberg-Marquardt damping, as a share of the normal matrix's diagonal.
_MIN_DAMPING, _MAX_DAMPING = 1e-7, 1e6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solution:
    """What a robust fit ends with.

    parameters (p,), covariance (p, p), scale: robust standard deviation of the residuals,
    weights (n,) in 0..1: how far each residual was believed
    """

    parameters: FloatArray
    covariance: FloatArray
    scale: float
    weights: FloatArray


def robust_least_squares(
    residual: Callable[[FloatArray], FloatArray],
    start: FloatArray,
    *,
    steps: FloatArray,
    prior_mean: FloatArray,
    prior_sigma: FloatArray,
    min_scale: float,
    rounds: int = 15,
) -> Solution:
    """Levenberg-Marquardt with Tukey biweights on ``residual`` (n,) and normal priors on parameters (p,).

    ``steps`` (p,) are finite-difference steps; infinite ``prior_sigma`` means no prior. The scale
    of the residuals is re-estimated each round from their median absolute deviation and never
    falls under ``min_scale``, in the residual's unit (Huber and Ronchetti 2009, section 7.8).
    Raises numpy.linalg.LinAlgError when the parameters are not determined.
    """
    x = np.array(start, dtype=np.float64)
    precision = 1.0 / prior_sigma**2
    damping = 1e-3
    r = residual(x)
    for _ in range(rounds):
        scale = max(MAD_TO_SIGMA * float(np.median(np.abs(r))), min_scale)
        weight = _biweight(r, scale)
        jacobian = np.stack([(residual(x + d) - r) / d.sum() for d in np.diag(steps)], axis=-1)
        normal = jacobian.T @ (weight[:, None] * jacobian) / scale**2 + np.diag(precision)
        gradient = jacobian.T @ (weight * r) / scale**2 + precision * (x - prior_mean)

        def cost(x: FloatArray, r: FloatArray, scale: float = scale) -> float:
            fit = _biweight_loss(r, scale).sum()
            return float(fit + 0.5 * np.sum(precision * (x - prior_mean) ** 2))

        here, moved = cost(x, r), False
        while damping < _MAX_DAMPING and not moved:
            move = np.linalg.solve(normal + damping * np.diag(np.diag(normal)), gradient)
            trial = residual(x - move)
            moved = cost(x - move, trial) < here
            damping = damping / 10 if moved else damping * 10
        if not moved:
            break
        x, r = x - move, trial
        if np.all(np.abs(move) < 0.1 * np.abs(steps)):
            break
        damping = max(damping, _MIN_DAMPING)
    return Solution(
        parameters=x,
        covariance=np.linalg.inv(normal),
        scale=scale,
        weights=_biweight(r, scale),
    )


def _biweight(r: FloatArray, scale: float) -> FloatArray:
    return np.clip(1.0 - (r / (_TUKEY * scale)) ** 2, 0.0, None) ** 2


def _biweight_loss(r: FloatArray, scale: float) -> FloatArray:
    """Tukey's loss, whose second derivative at 0 is 1 / scale**2."""
    inside = np.clip(1.0 - (r / (_TUKEY * scale)) ** 2, 0.0, None)
    return (1.0 - inside**3) * (_TUKEY**2 / 6.0)
