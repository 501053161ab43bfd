"""The quick median is numpy's."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.numerics.medians import column_medians, median_level, quantile, upper_median


@pytest.mark.parametrize("rows", [1, 2, 7, 30])
@pytest.mark.parametrize("kind", [np.uint8, np.float32])
def test_medians_of_odd_and_even_tables_are_those_of_numpy(rows: int, kind: type) -> None:
    table = np.random.default_rng(rows).integers(0, 255, (rows, 3)).astype(kind)
    assert np.array_equal(column_medians(table), np.median(table, axis=0))


@pytest.mark.parametrize("count", [1, 2, 7, 30])
def test_the_middle_value_is_the_median_or_the_upper_one_of_two(count: int) -> None:
    values = np.random.default_rng(count).permutation(count).astype(np.float64)
    assert upper_median(values) == np.median(values) + (0.0 if count % 2 else 0.5)


@pytest.mark.parametrize("count", [1, 2, 5, 6, 999, 1000])
def test_the_median_level_is_that_of_numpy(count: int) -> None:
    levels = np.random.default_rng(count).integers(0, 256, count, dtype=np.uint8)
    assert median_level(levels) == np.median(levels)


@pytest.mark.parametrize("count", [1, 2, 9, 10, 133])
@pytest.mark.parametrize("share", [0.0, 0.5, 0.9, 1.0])
def test_a_quantile_is_that_of_numpy(count: int, share: float) -> None:
    values = np.random.default_rng(count).uniform(0, 5, count)
    assert quantile(values, share) == pytest.approx(np.quantile(values, share), abs=1e-12)
