"""Rows are selected from every array of a value, and from values within it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorer.physics.array_rows import ArrayRows


@dataclass(frozen=True, slots=True, kw_only=True)
class _Places(ArrayRows):
    places_mm: NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Flicks(ArrayRows):
    costs: NDArray[np.float64]
    ends: _Places


def test_rows_come_in_the_order_asked_for_from_nested_values_too() -> None:
    flicks = _Flicks(costs=np.arange(3.0), ends=_Places(places_mm=np.arange(6.0).reshape(3, 2)))
    chosen = flicks.select_rows(np.array([2, 0]))
    assert isinstance(chosen, _Flicks)
    assert chosen.costs.tolist() == [2.0, 0.0]
    assert chosen.ends.places_mm.tolist() == [[4.0, 5.0], [0.0, 1.0]]
    assert flicks.costs.tolist() == [0.0, 1.0, 2.0]
