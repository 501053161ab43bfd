"""The assignment of rows to columns with the smallest total cost."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from calibration.numerics.assignment import assign


@pytest.mark.parametrize("shape", [(3, 3), (2, 4), (4, 2), (0, 2)])
def test_no_other_assignment_costs_less(shape: tuple[int, int]) -> None:
    cost = np.random.default_rng(1).normal(size=shape)
    rows, columns = assign(cost)
    assert len(rows) == min(shape)
    short = cost if shape[0] <= shape[1] else cost.T
    every = permutations(range(max(shape)), min(shape))
    least = min(
        sum(short[row, column] for row, column in enumerate(assignment)) for assignment in every
    )
    assert cost[rows, columns].sum() == pytest.approx(least)


@pytest.mark.parametrize("seed", range(20))
def test_forbidden_pairs_cost_the_same_as_in_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = rng.integers(0, 7, 2)
    cost = rng.integers(0, 3, shape).astype(float)
    cost[:, ::2][rng.random(cost[:, ::2].shape) < 0.3] = 100.0
    cost[0:1, 1:2] = np.inf
    try:
        expected = linear_sum_assignment(cost)
    except ValueError:
        with pytest.raises(ValueError, match="infeasible"):
            assign(cost)
        return
    rows, columns = assign(cost)
    assert list(rows) == sorted(rows)
    assert len({*columns}) == len(rows) == min(shape)
    assert cost[rows, columns].sum() == cost[expected].sum()


@pytest.mark.parametrize("cost", [np.nan, -np.inf])
def test_an_invalid_cost_is_an_error(cost: float) -> None:
    with pytest.raises(ValueError, match="infeasible"):
        assign([[1.0, cost]])


def test_costs_of_one_dimension_are_an_error() -> None:
    with pytest.raises(ValueError, match="2D"):
        assign([1.0, 2.0])


def test_a_row_without_a_possible_partner_is_an_error() -> None:
    with pytest.raises(ValueError, match="infeasible"):
        assign(np.full((2, 2), np.inf))
