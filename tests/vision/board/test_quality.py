"""A picture's quality for measuring: the share of the board that a lamp has saturated."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_board import WOOD, draw_board, frame_of, view_of

from calibration.fit import BoardFit
from vision.board.find_board import DetectedBoard, find_board
from vision.board.quality import measure_quality


@pytest.fixture(scope="module")
def drawn() -> tuple[np.ndarray, BoardFit]:
    grey = draw_board(view_of(20.0), noise=5.0)
    found = find_board(frame_of(grey))
    assert isinstance(found, DetectedBoard)
    return grey, found.fit


@pytest.mark.parametrize(
    ("surface_grey", "saturated_rows", "expected"),
    [(170.0, 0, 0.0), (170.0, 60, 0.16), (244.0, 0, 0.0), (270.0, 0, 0.97)],
    ids=["wood", "a lamp on wood", "a white board", "an overexposed board"],
)
def test_a_lamp_s_share_of_the_board_is_measured_and_a_white_board_is_none(
    drawn: tuple[np.ndarray, BoardFit], surface_grey: float, saturated_rows: int, expected: float
) -> None:
    grey, fit = drawn
    lit = np.clip(grey + surface_grey - WOOD, 0.0, 255.0)
    lit[420 : 420 + saturated_rows] = 255.0
    assert measure_quality(frame_of(lit), fit).burnt_share == pytest.approx(expected, abs=0.03)
