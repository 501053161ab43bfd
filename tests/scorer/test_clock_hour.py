"""Directions by the clock."""

from __future__ import annotations

import pytest

from scorer.clock_hour import find_clock_hour


@pytest.mark.parametrize(
    ("right", "up", "hour"),
    [(0, 9, 12), (9, 0, 3), (0, -9, 6), (-9, 0, 9), (-1, 9, 12), (-5, 8, 11), (5, 8, 1)],
)
def test_a_direction_is_the_nearest_hour(right: float, up: float, hour: int) -> None:
    assert find_clock_hour(right, up) == hour
