"""Flicks are fitted to two boards, and no round makes a fit worse."""

from __future__ import annotations

import math

import numpy as np
import pytest

from scorer.physics.engine import simulate_many
from scorer.physics.inverse.flick_fit import fit_flicks, init_fits, robust_cost
from scorer.physics.inverse.flick_model import (
    DIRECTION,
    DIRECTION_UNIT,
    SPEED,
    SPEED_UNIT,
    FlickModel,
)
from scorer.physics.inverse.observations import BoardPair, Spreads
from scorer.physics.scene import TableSpec

TABLE = TableSpec()
PLACES = np.array([[0.0, -300.0], [6.0, -60.0], [150.0, 150.0]])
TRUE = np.array([0.0, -300.0, 1100.0, math.radians(91.0), 0.0])


@pytest.fixture(scope="module")
def model() -> FlickModel:
    result = simulate_many(TABLE, PLACES, TRUE[None])
    pair = BoardPair(
        before_mm=PLACES,
        after_mm=result.places_mm[0],
        states=result.states[0],
        opponents=np.array([False, True, True]),
    )
    return FlickModel(TABLE, pair, Spreads(), 0.7)


def test_a_fit_finds_the_flick_from_near_it(model: FlickModel) -> None:
    start = init_fits(model.make_theta([TRUE[3] + 0.01], math.log(TRUE[2] * 1.05)))
    columns = model.active_columns(model.moved)
    fit = fit_flicks(model, start, columns, rounds=12, scale=8.0)
    assert DIRECTION_UNIT * fit.theta[0, DIRECTION] == pytest.approx(TRUE[3], abs=0.003)
    assert SPEED_UNIT * fit.theta[0, SPEED] == pytest.approx(math.log(TRUE[2]), abs=0.03)
    # exact boards: only the prior of parameters that compensate each other
    assert fit.costs[0] < 1.0
    assert fit.contacts[0, 0].tolist() == [0, 1]


def test_no_round_makes_any_flick_worse(model: FlickModel) -> None:
    rng = np.random.default_rng(3)
    theta = model.make_theta(rng.uniform(1.3, 1.9, 40), np.log(rng.uniform(600, 2500, 40)))
    columns, costs = model.active_columns(model.moved), []
    fits = init_fits(theta)
    for _ in range(3):
        costs.append(robust_cost(model, model.residuals(fits.theta), fits.theta, 15.0))
        fits = fit_flicks(model, fits, columns, rounds=2, scale=15.0)
    costs.append(fits.costs)
    assert (np.diff(costs, axis=0) <= 1e-9).all()
    assert (costs[-1] < costs[0]).sum() > 20


def test_numbers_that_are_not_fitted_stay(model: FlickModel) -> None:
    start = init_fits(model.make_theta([TRUE[3] + 0.01], math.log(TRUE[2])))
    fit = fit_flicks(model, start, np.array([DIRECTION]), rounds=4, scale=8.0)
    changed = np.flatnonzero(fit.theta[0] != start.theta[0])
    assert changed.tolist() == [DIRECTION]
