"""Repeated positions in a track, from repeated frames: a moving disc seems to stop for one frame.

Films converted to a higher frame rate repeat a frame every few frames. A disc that continues as
fast cannot have stopped in between. Two repeats in a row look like a disc at rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter

Sample = TypeVar("Sample")


class RepeatedPlacesParameters(StageParameters):
    """Parameters of ``repeated_places``."""

    #: A moving disc that moves less than this between two frames was shown twice.
    repeated_mm: float = parameter(
        1.0,
        unit="mm",
        source="chosen: one pixel; encoding the same picture again moves no blob as far",
    )


PARAMS = RepeatedPlacesParameters()


def leave_out_repeats(
    samples: Sequence[Sample], places_mm: FloatArray, is_fast: np.ndarray
) -> list[Sample]:
    """The n samples without those whose places (n, 2) repeat the one before; ``is_fast`` (n - 1,)
    bool marks the steps in which the disc moved.
    """
    step_mm = np.linalg.norm(np.diff(places_mm, axis=0), axis=1)
    stands = step_mm[1:-1] < PARAMS.repeated_mm
    repeats = {*(np.flatnonzero(stands & is_fast[:-2] & is_fast[2:]) + 2).tolist()}
    return [sample for i, sample in enumerate(samples) if i not in repeats]
