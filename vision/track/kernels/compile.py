"""Compile all kernels before they are needed: ``python -m vision.track.kernels.compile``.

They are called once with the tracker's types, so numba stores the results that a first film would
wait for. If they are already stored, this takes a second.
"""

from __future__ import annotations

import numpy as np

from vision.track.kernels import disc_faces
from vision.track.kernels.disc_peaks import find_disc_peaks
from vision.track.kernels.edge_changes import count_beyond_edges
from vision.track.kernels.image_differences import find_largest_differences, has_changed_cell
from vision.track.kernels.light_ratios import divide_light, find_median_ratios
from vision.track.kernels.lucas_kanade import compare_pixels
from vision.track.kernels.piece_extents import measure_extents
from vision.track.kernels.ring_medians import find_ring_medians
from vision.track.kernels.widened_mask import widen_mask

_SIDE_PX = 16


def compile_kernels() -> None:
    """Compile every kernel that the tracker calls."""
    grey = np.zeros((_SIDE_PX, _SIDE_PX), np.uint8)
    colours = np.zeros((_SIDE_PX, _SIDE_PX, 3), np.uint8)
    disc_faces.measure_faces(
        colours, colours, grey, 12, np.full((1, 2), 8.0), 1, 1, np.ones(disc_faces.PARAMETER_COUNT)
    )
    share = grey.astype(np.float32)
    find_disc_peaks(grey, share, np.array([0]), np.array([[0, 1]]), 4, 0.15, 2)
    find_largest_differences(colours.ravel(), colours.ravel(), grey.ravel())
    medians = np.zeros((3, 2), np.float32)
    find_median_ratios(
        colours.ravel(), colours.ravel(), np.array([0]), 245, medians, np.zeros(3, int)
    )
    levels = colours.reshape(_SIDE_PX, -1)
    divide_light(levels, levels, np.ones(3, np.float32), 245, levels, grey)
    count_beyond_edges(grey, grey > 0, colours, 12, 0.1, (3, 3), 1)
    rows = grey[::2]  # as planes are that are not whole
    has_changed_cell(rows, rows, np.ones((2, 2), np.uint8), 4, 8, 10, 1)
    one = np.zeros(1, np.float32)
    compare_pixels(grey, np.zeros((1, 2)), np.eye(3), one, np.zeros(2), 4.0, 14.0, one, one)
    find_ring_medians(colours, grey > 0)
    measure_extents(grey.astype(np.int32), 1, (0, 0), grey > 0, share, np.float32(1))
    widen_mask(grey, np.array([1, 2, 1]), np.empty_like(grey))


if __name__ == "__main__":
    compile_kernels()
