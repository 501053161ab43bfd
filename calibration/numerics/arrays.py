"""Types of NumPy arrays whose numbers have one size, as compiled kernels need them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
