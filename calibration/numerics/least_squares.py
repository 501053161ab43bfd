"""Robust nonlinear least squares for a handful of parameters, with its covariance.

Levenberg-Marquardt (Marquardt 1963) on Tukey's biweight, iteratively reweighted, with normal priors
on the parameters. It finds the minimum nearest to its start. If more than half of the residuals are
outliers, the scale and the solution are wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from calibration.board import FloatArray
from calibration.numerics.medians import upper_median
from calibration.parameters import StageParameters, parameter

#: Median absolute deviation → standard deviation of a normal distribution.
MAD_TO_SIGMA = 1.4826


class LeastSquaresParameters(StageParameters):
    """Parameters of ``least_squares``."""

    tukey: float = parameter(
        4.685,
        unit="σ",
        source="95% efficiency on normal errors (Huber and Ronchetti 2009, section 4.8)",
    )
    #: Damping, as a share of the normal matrix's diagonal: its initial value and its bounds.
    first_damping: float = parameter(
        1e-3,
        unit="share",
        source="chosen: nearly Gauss-Newton, because starts are near the minimum",
    )
    min_damping: float = parameter(
        1e-7, unit="share", source="chosen: negligible beside the normal matrix"
    )
    max_damping: float = parameter(
        1e6, unit="", source="chosen: a step damped by this much gains nothing"
    )
    #: The search ends when a step moves every parameter by less than this.
    converged_sigmas: float = parameter(
        0.05, unit="σ", source="chosen: a twentieth of the remaining uncertainty is negligible"
    )
    #: Parameters are undetermined if their normal matrix, scaled to a diagonal of ones, has a
    #: smaller eigenvalue.
    least_eigenvalue: float = parameter(
        1e-12,
        unit="",
        source="measured: rounding turns a zero into 1e-15; fits of boards have 1e-8 and more",
    )
    max_rounds: int = parameter(
        15, unit="steps", source="chosen: limits the time of a fit that does not converge"
    )


PARAMS = LeastSquaresParameters()

Model = Callable[[FloatArray], tuple[FloatArray, FloatArray]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NormalPrior:
    """Mean and standard deviation (p,) of each parameter; an infinite sigma means no prior."""

    mean: FloatArray
    sigma: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solution:
    """The result of a robust fit.

    parameters  (p,)
    covariance  of the parameters (p, p)
    scale       robust standard deviation of the residuals, in their unit
    residuals   (n,)
    weights     of the residuals (n,), 0 (outlier) to 1
    """

    parameters: FloatArray
    covariance: FloatArray
    scale: float
    residuals: FloatArray
    weights: FloatArray


def robust_least_squares(
    model: Model, start: FloatArray, *, prior: NormalPrior, min_scale: float
) -> Solution:
    """The parameters (p,) that minimise Tukey's loss of the residuals plus the prior's misfit.

    ``model`` gives residuals (n,) and their Jacobian (n, p); ``start`` is (p,). The residuals'
    scale is re-estimated each round from their median absolute deviation and never falls under
    ``min_scale``, in the residual's unit (Huber and Ronchetti 2009, section 7.8). Raises
    numpy.linalg.LinAlgError when the parameters are not determined.
    """
    x = np.array(start, dtype=np.float64)
    precision = 1.0 / prior.sigma**2
    damping = PARAMS.first_damping
    residual, jacobian = model(x)
    for _ in range(PARAMS.max_rounds):
        scale = max(MAD_TO_SIGMA * upper_median(np.abs(residual)), min_scale)
        weighted = jacobian * (_biweight_weights(residual, scale) / scale**2)[:, None]
        normal = jacobian.T @ weighted + np.diag(precision)
        gradient = weighted.T @ residual + precision * (x - prior.mean)

        def cost(x: FloatArray, residual: FloatArray, scale: float = scale) -> float:
            misfit = float(biweight_loss(residual, scale).sum())
            return misfit + 0.5 * float(np.sum(precision * (x - prior.mean) ** 2))

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
        covariance=_invert(normal),
        scale=scale,
        residuals=residual,
        weights=_biweight_weights(residual, scale),
    )


def _invert(normal: FloatArray) -> FloatArray:
    """The inverse of a normal matrix (p, p). Raises LinAlgError if only rounding makes it
    invertible.
    """
    per_sigma = 1.0 / np.sqrt(np.diag(normal))
    if not np.linalg.eigvalsh(normal * np.outer(per_sigma, per_sigma))[0] > PARAMS.least_eigenvalue:
        raise np.linalg.LinAlgError("the parameters are not determined")
    inverse: FloatArray = np.linalg.inv(normal)
    return inverse


def _biweight_weights(residual: FloatArray, scale: float) -> FloatArray:
    weight: FloatArray = np.clip(1.0 - (residual / (PARAMS.tukey * scale)) ** 2, 0.0, None) ** 2
    return weight


def biweight_loss(residual: FloatArray, scale: float) -> FloatArray:
    """Tukey's loss in units of the scale; its second derivative at 0 is 1 / scale**2."""
    inside = np.clip(1.0 - (residual / (PARAMS.tukey * scale)) ** 2, 0.0, None)
    loss: FloatArray = (1.0 - inside**3) * (PARAMS.tukey**2 / 6.0)
    return loss
