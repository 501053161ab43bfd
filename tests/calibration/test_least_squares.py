"""Robust least squares, with determined and with undetermined parameters."""

import numpy as np
import pytest

from calibration.board import FloatArray
from calibration.numerics.least_squares import NormalPrior, robust_least_squares

FREE = NormalPrior(mean=np.zeros(2), sigma=np.full(2, np.inf))
PLACES = np.linspace(-1.0, 1.0, 40)


def fit_line(slopes: FloatArray, values: FloatArray, prior: NormalPrior = FREE) -> FloatArray:
    """The parameters for which the sum of the columns of ``slopes`` (n, 2), times the parameters,
    is ``values`` (n,).
    """
    solution = robust_least_squares(
        lambda x: (slopes @ x - values, slopes), np.zeros(2), prior=prior, min_scale=0.01
    )
    return solution.parameters


def test_a_line_is_fitted_though_a_quarter_of_its_points_is_wrong() -> None:
    slopes = np.stack([np.ones(40), PLACES], axis=1)
    values = slopes @ (2.0, -3.0)
    values[::4] += 5.0
    assert fit_line(slopes, values) == pytest.approx((2.0, -3.0), abs=1e-3)


@pytest.mark.parametrize("scale", [1.0, 1 / 3, 1e-6, 1e6])
def test_two_parameters_that_do_the_same_are_not_determined(scale: float) -> None:
    slopes = np.stack([PLACES, scale * PLACES], axis=1)
    with pytest.raises(np.linalg.LinAlgError):
        fit_line(slopes, PLACES)


def test_a_prior_determines_what_points_do_not() -> None:
    slopes = np.stack([PLACES, PLACES / 3], axis=1)
    prior = NormalPrior(mean=np.array([0.0, 3.0]), sigma=np.array([np.inf, 0.1]))
    assert fit_line(slopes, 2.0 * PLACES, prior) == pytest.approx((1.0, 3.0), abs=1e-3)
