"""The state of a disc on a board, for programs that load no NumPy."""

from __future__ import annotations

from enum import StrEnum


class DiscState(StrEnum):
    """The state of a disc, by the name that files and events use."""

    FLAT = "flat"
    IN_HOLE = "in_hole"  # flat and wholly inside the 20-hole
    LEANING = "leaning"  # tilted on the hole's edge or on a post
    OVERHANGING = "overhanging"  # over the edge of the playing surface
    DITCH = "ditch"  # off the playing surface: in a scenario or a simulated shot, never read
