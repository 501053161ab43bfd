"""The pieces of a mask beside OpenCV's, and beside what NumPy says of their pixels."""

from __future__ import annotations

import cv2
import numpy as np

from vision.track.kernels import mask_pieces as pieces

MASK = (
    cv2.GaussianBlur(
        np.random.default_rng(3).integers(0, 256, (60, 90), dtype=np.uint8), (9, 9), 2.0
    )
    > 130
)


def test_the_pieces_of_a_mask_are_those_that_opencv_finds_in_the_same_order() -> None:
    count, _, stats, centre = cv2.connectedComponentsWithStats(MASK.view(np.uint8), connectivity=4)
    rows = pieces.measure_pieces(MASK, 1)
    assert len(rows) == count - 1 > 5
    assert np.array_equal(rows[:, pieces.AREA], stats[1:, cv2.CC_STAT_AREA])
    assert np.allclose(rows[:, [pieces.X, pieces.Y]], centre[1:])
    large = pieces.measure_pieces(MASK, 40)
    assert np.array_equal(large, rows[rows[:, pieces.AREA] >= 40])


def test_a_piece_is_measured_along_and_across_its_principal_axis() -> None:
    _, label = cv2.connectedComponents(MASK.view(np.uint8), connectivity=4)
    for number, row in enumerate(pieces.measure_pieces(MASK, 1), start=1):
        y, x = np.nonzero(label == number)
        off = np.column_stack([x, y]) - (x.mean(), y.mean())
        variance, _ = np.linalg.eigh(off.T @ off / len(off))
        along, across = (
            off @ row[[pieces.AXIS_X, pieces.AXIS_Y]],
            off
            @ (
                -row[pieces.AXIS_Y],
                row[pieces.AXIS_X],
            ),
        )
        assert np.allclose(along.var(), variance[1], atol=1e-9)
        assert np.allclose(row[pieces.SPREAD] ** 2, variance[0], atol=1e-9)
        assert np.allclose(row[[pieces.LEAST, pieces.GREATEST]], (along.min(), along.max()))
        middle = across[np.abs(along - (along.min() + along.max()) / 2) < 1.0]
        assert len(middle) == 0 or np.isclose(row[pieces.WAIST], np.ptp(middle))


def test_an_empty_mask_has_no_pieces() -> None:
    assert pieces.measure_pieces(np.zeros((8, 9), dtype=bool), 1).shape == (0, pieces.ROW_SIZE)
