"""What goes with what is the assignment of the least cost in all."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from calibration.numerics.assignment import assign


@pytest.mark.parametrize("shape", [(3, 3), (2, 4), (4, 2), (0, 2)])
def test_no_other_assignment_costs_less(shape: tuple[int, int]) -> None:
    cost = np.random.default_rng(1).normal(size=shape)
    rows, columns = assign(cost)
    assert len(rows) == min(shape)
    short = cost if shape[0] <= shape[1] else cost.T
    every = permutations(range(max(shape)), min(shape))
    least = min(sum(short[row, column] for row, column in enumerate(each)) for each in every)
    assert cost[rows, columns].sum() == pytest.approx(least)


def test_what_nothing_goes_with_is_an_error() -> None:
    with pytest.raises(ValueError, match="infeasible"):
        assign(np.full((2, 2), np.inf))
