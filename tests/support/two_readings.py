"""An invented board read by two cameras, the second turned and from the side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from example_reading import frame, reading, view

from calibration.placed_disc import PlacedDisc
from vision.fuse.fuse_readings import turn_disc
from vision.reading import Reading


def from_above(*discs: PlacedDisc) -> Reading:
    """A reading by a camera tilted by 30 degrees."""
    return reading(frame(), discs)


def from_beside(
    *discs: PlacedDisc, quarters: int = 1, tilt_deg: float = 68.0, teams: Sequence[int] = (0, 1)
) -> Reading:
    """The same board read by a camera from the side, whose board frame is turned. ``discs`` are in
    the frame of the first camera. ``teams`` are the numbers of white and black in this reading.
    """
    plain = from_above()
    assert plain.board is not None
    angle_rad = quarters * math.pi / 2
    number = dict(enumerate(teams))
    height_px, width_px = frame().image.shape[:2]
    board = replace(plain.board, view=view(width_px, height_px, tilt_deg))
    return replace(
        plain,
        board=board,
        teams=tuple(replace(team, number=number[team.number]) for team in plain.teams),
        discs=tuple(replace(turn_disc(d, -angle_rad), team=number[d.team]) for d in discs),
    )
