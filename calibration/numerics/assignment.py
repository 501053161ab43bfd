"""What goes with what, one to one, at the least cost in all: the linear assignment problem.

By shortest augmenting paths (Crouse 2016, algorithm 1), in the order in which ``scipy.optimize``
takes rows and columns, so that ties fall alike. A handful of discs or matches are assigned in less
time than a call of numpy takes a column, and loading ``scipy.optimize`` takes half a second.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

_FREE = -1


def assign(cost: ArrayLike) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows, ascending, and the column of each; as many as the shorter side of ``cost`` (n, m) has.

    Raises ``ValueError`` where a cost is no number or endlessly small, or no assignment has a
    finite cost.
    """
    costs = np.asarray(cost, dtype=np.float64)
    if costs.ndim != 2:
        raise ValueError(f"costs have two dimensions, not {costs.ndim}")
    if np.isnan(costs).any() or np.isneginf(costs).any():
        raise ValueError("every cost must be a number or inf")
    rows, columns = costs.shape
    if rows <= columns:
        return np.arange(rows), np.array(_assign_rows(costs.tolist(), columns), dtype=np.intp)
    row_of = np.array(_assign_rows(costs.T.tolist(), rows), dtype=np.intp)
    order = np.argsort(row_of)
    return row_of[order], order


def _assign_rows(cost: list[list[float]], columns: int) -> list[int]:
    """The column of each row of costs, of which there are no more than ``columns``."""
    row_potential, column_potential = [0.0] * len(cost), [0.0] * columns
    column_of, row_of = [_FREE] * len(cost), [_FREE] * columns
    for row in range(len(cost)):
        length, path, reached = _find_path(cost, row, row_of, row_potential, column_potential)
        column = reached[-1]
        farthest = length[column]
        row_potential[row] += farthest
        for each in reached[:-1]:
            row_potential[row_of[each]] += farthest - length[each]
        for each in reached:
            column_potential[each] -= farthest - length[each]
        before = _FREE
        while before != row:
            before = path[column]
            row_of[column] = before
            column, column_of[before] = column_of[before], column
    return column_of


def _find_path(
    cost: list[list[float]],
    row: int,
    row_of: list[int],
    row_potential: list[float],
    column_potential: list[float],
) -> tuple[list[float], list[int], list[int]]:
    """The shortest path from a free ``row`` to a free column: the length to each column, the row
    before each, and the columns that were reached, the free one last. Raises ``ValueError``."""
    length, path = [math.inf] * len(row_of), [_FREE] * len(row_of)
    reached: list[int] = []
    remaining = list(range(len(row_of) - 1, -1, -1))
    shortest = 0.0
    while True:
        at, lowest = _FREE, math.inf
        costs, base = cost[row], row_potential[row]
        for place, column in enumerate(remaining):
            through = shortest + costs[column] - base - column_potential[column]
            if through < length[column]:
                path[column], length[column] = row, through
            here = length[column]
            if here < lowest or (here == lowest and row_of[column] == _FREE):
                at, lowest = place, here
        if lowest == math.inf:
            raise ValueError("the costs are infeasible: no assignment has a finite one")
        shortest, column = lowest, remaining[at]
        reached.append(column)
        remaining[at] = remaining[-1]
        remaining.pop()
        if row_of[column] == _FREE:
            return length, path, reached
        row = row_of[column]
