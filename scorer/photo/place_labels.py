"""A place on a board in everyday words: a clock hour, and the distance from the centre."""

from __future__ import annotations

import numpy as np

from calibration.board import FloatArray
from calibration.fit import BoardFit
from calibration.phrase import Phrase
from scorer.clock_hour import find_clock_hour


def describe_place(centre_mm: FloatArray, board: BoardFit) -> str:
    """A place (x, y), mm, in words: its distance from the centre, and its hour in the picture."""
    hole_mm = np.asarray(board.spec.hole_centre_mm)
    away_mm = float(np.linalg.norm(centre_mm - hole_mm))
    if away_mm < 2 * board.spec.hole_radius_mm:
        return Phrase("at the hole")
    (middle_x, middle_y), (x, y) = board.view.project_plane(np.stack([hole_mm, centre_mm]))
    hour = find_clock_hour(float(x - middle_x), float(middle_y - y))
    return Phrase(
        "%(away_mm).0f cm from the centre at %(hour)s o'clock", away_mm=away_mm / 10, hour=hour
    )
