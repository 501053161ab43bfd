"""The path of a frame through the code, counted by the modules that are entered."""

from __future__ import annotations

import numpy as np

from calibration.board import oval_factor
from calibration.circle import circle_mm
from tests.size.trace_modules import trace
from vision.discs.hough_votes import PARAMS


def _measure_circle_twice() -> None:
    circle_mm((0.0, 0.0), 1.0, 8)
    oval_factor(np.zeros(1), (0.0, 0.0))
    circle_mm((0.0, 0.0), 1.0, 8)


def test_a_module_entered_again_after_another_is_a_return() -> None:
    way = trace(_measure_circle_twice)
    assert way.entered == ["calibration/circle.py", "calibration/board.py", "calibration/circle.py"]
    assert way.count_returns() == 1


def test_calls_within_a_module_are_one_entry() -> None:
    way = trace(lambda: [circle_mm((0.0, 0.0), 1.0, 8) for _ in range(3)])
    assert way.entered == ["calibration/circle.py"]
    assert way.count_returns() == 0


def test_reading_a_parameter_enters_no_module() -> None:
    assert trace(lambda: PARAMS.vote_sigma_mm).entered == []
