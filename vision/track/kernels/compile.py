"""Compile all kernels before they are needed: ``python -m vision.track.kernels.compile``.

They are called once with the tracker's types, so numba stores the results, and a first film need
not wait for them. If they are already stored, this takes a second.
"""

from __future__ import annotations

import numpy as np

from vision.track.kernels import disc_faces
from vision.track.kernels.image_differences import find_largest_differences

_SIDE_PX = 16


def compile_kernels() -> None:
    """Compile every kernel that the tracker calls."""
    grey = np.zeros((_SIDE_PX, _SIDE_PX), np.uint8)
    colours = np.zeros((_SIDE_PX, _SIDE_PX, 3), np.uint8)
    disc_faces.measure_faces(
        colours, colours, grey, 12, np.full((1, 2), 8.0), 1, 1, np.ones(disc_faces.PARAMETER_COUNT)
    )
    find_largest_differences(colours.ravel(), colours.ravel(), grey.ravel())


if __name__ == "__main__":
    compile_kernels()
