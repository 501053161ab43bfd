"""Risk against coverage, and the bins of stated probabilities."""

from __future__ import annotations

import pytest

from bench.grading.reliability import LEVELS, TOTAL_EDGES, bin_reliability, measure_risk

FORECASTS = [(0.3, False), (0.7, True), (0.97, True), (0.97, False), (0.995, True)]


def test_risk_counts_the_pictures_from_a_level_on_and_the_wrong_ones_among_them() -> None:
    found = {risk.level: (risk.settled, risk.wrong) for risk in measure_risk(FORECASTS)}
    assert tuple(found) == LEVELS
    assert (found[0.5], found[0.96], found[0.98]) == ((4, 1), (3, 1), (1, 0))


def test_bins_have_the_mean_of_what_was_stated_and_the_share_that_was_right() -> None:
    rows = bin_reliability(FORECASTS, TOTAL_EDGES)
    assert sum(row.shots for row in rows) == len(FORECASTS)
    settled = next(row for row in rows if row.low == 0.96)
    assert (settled.said, settled.happened) == pytest.approx((0.97, 0.5))
