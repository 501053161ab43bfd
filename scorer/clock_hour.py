"""Directions as people at a table say them: by the hours of a clock."""

from __future__ import annotations

import math


def find_clock_hour(right: float, up: float) -> int:
    """The hour, 1 to 12, at which a place lies that is so far to the right and up of the middle."""
    return round(math.atan2(right, up) / (math.pi / 6)) % 12 or 12
