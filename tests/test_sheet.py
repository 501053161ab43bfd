"""The board laid flat."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_sheet import sheet_from_above

from vision.sheet import PIECE_PX, Sheet, in_pieces


@pytest.fixture(scope="module")
def sheet() -> Sheet:
    return sheet_from_above()


def test_points_of_the_board_come_back_from_the_sheet(sheet: Sheet) -> None:
    places = np.array([[0.0, 0.0], [-200.0, 130.0]])
    np.testing.assert_allclose(sheet.to_mm(sheet.to_px(places)), places)


def test_pieces_divide_the_sheet_evenly_and_tell_its_means(sheet: Sheet) -> None:
    image = np.random.default_rng(1).integers(0, 255, (*sheet.surface.shape, 3), dtype=np.uint8)
    pieces = in_pieces(image)
    assert sheet.side_px == PIECE_PX * len(pieces)
    mean = image[:PIECE_PX, PIECE_PX : 2 * PIECE_PX].mean(axis=(0, 1))
    assert np.abs(pieces[0, 1] - mean).max() <= 0.5


def test_light_is_sampled_all_over_the_surface(sheet: Sheet) -> None:
    row, column = np.divmod(sheet.sampled, sheet.side_px)
    assert sheet.surface[row, column].all()
    middle_mm = sheet.to_mm(np.column_stack([column, row])).mean(axis=0)
    assert np.linalg.norm(middle_mm) < 10
