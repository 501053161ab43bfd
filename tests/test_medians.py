"""The quick median is numpy's."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.medians import median


@pytest.mark.parametrize("rows", [1, 2, 7, 30])
@pytest.mark.parametrize("kind", [np.uint8, np.float32])
def test_medians_of_odd_and_even_tables_are_those_of_numpy(rows: int, kind: type) -> None:
    table = np.random.default_rng(rows).integers(0, 255, (rows, 3)).astype(kind)
    assert np.array_equal(median(table), np.median(table, axis=0))
