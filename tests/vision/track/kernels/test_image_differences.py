"""Differences of images are those that NumPy finds."""

from __future__ import annotations

import numpy as np
import pytest

from vision.track.kernels.image_differences import find_largest_differences, has_changed_cell


def test_largest_difference_of_a_pixels_channels_is_found() -> None:
    random = np.random.default_rng(1)
    one, other = random.integers(0, 256, (2, 40, 3), dtype=np.uint8)
    largest = np.empty(40, np.uint8)

    find_largest_differences(one.ravel(), other.ravel(), largest)

    assert np.array_equal(largest, np.abs(one.astype(int) - other).max(axis=1))


@pytest.mark.parametrize(
    ("levels", "by", "row", "is_changed"),
    [(2, 13, 5, True), (1, 13, 5, False), (2, 12, 5, False), (2, 13, 1, False)],
    ids=["enough", "too few", "too little", "in no watched cell"],
)
def test_cell_has_changed_where_more_levels_differ_by_more(
    levels: int, by: int, row: int, is_changed: bool
) -> None:
    before = np.full((16, 16), 200, np.uint8)[::2]  # two rows of two cells
    now = before.copy()
    now[row, 9 : 9 + levels] -= np.uint8(by)
    cells = np.array([[1, 0], [1, 1]], np.uint8)

    assert has_changed_cell(now, before, cells, 4, 8, 12, 1) is is_changed
    assert has_changed_cell(before, now, cells, 4, 8, 12, 1) is is_changed
