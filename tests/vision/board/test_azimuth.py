"""A board's rotation from its quadrant lines."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_board import draw_board, view_of

from calibration.board import BoardSpec
from calibration.fit import BoardFit
from vision.board.azimuth import find_rotation


@pytest.mark.parametrize("turn_deg", [10.0, 52.0])
@pytest.mark.parametrize("tilt_deg", [20.0, 66.0, 76.0])
def test_quadrant_lines_finer_than_a_pixel_determine_the_rotation(
    tilt_deg: float, turn_deg: float
) -> None:
    view = view_of(tilt_deg, turn_deg, distance_mm=1500.0)
    grey = draw_board(view).clip(0, 255).astype(np.uint8)
    fit = BoardFit(view=view, spec=BoardSpec(), residual_px=0.3, covariance=np.eye(10))
    turn = find_rotation(grey, fit.rotate(0.3), dark=True)
    assert turn is not None
    off_rad = (turn + 0.3 + np.pi / 4) % (np.pi / 2) - np.pi / 4
    assert np.degrees(off_rad) == pytest.approx(0.0, abs=0.7)
