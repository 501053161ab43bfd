"""Directions on the board as clock hours."""

from __future__ import annotations

import math


def find_clock_hour(right: float, up: float) -> int:
    """The hour, 1 to 12, of a place given by its distances to the right of the middle and above
    it.
    """
    return round(math.atan2(right, up) / (math.pi / 6)) % 12 or 12
