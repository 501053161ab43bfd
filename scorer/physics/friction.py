"""Deceleration of a sliding and spinning disc, as a table that is exact at every moment.

Sliding and spinning friction of a uniform disc under even pressure are coupled: both stop at the
same moment, with v / (R w) = 0.653 (Farkas, Bartels, Unger and Wolf, Phys. Rev. Lett. 90, 248302,
2003). ``sample_images.friction_table`` integrates their equations and describes the table.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray


@cache
def friction_table() -> NDArray[np.float64]:
    """Polynomials of the two curves (2, intervals, 4, 4), which the kernels look up."""
    with (files("scorer.physics") / "friction.npy").open("rb") as stored:
        table: NDArray[np.float64] = np.load(stored)
    return table
