"""One-to-one assignment with the smallest total cost: the linear assignment problem.

It uses Jonker and Volgenant's shortest augmenting paths (1987) from ``lap``. ``scipy.optimize`` has
the same method, but importing it takes half as long as scoring a photo.
"""

from __future__ import annotations

import lap
import numpy as np
from numpy.typing import ArrayLike, NDArray


def assign(cost: ArrayLike) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Row indices, ascending, and their columns: min(n, m) pairs for ``cost`` (n, m).

    Raises ``ValueError`` if a cost is NaN or minus infinity, or if no assignment has a finite cost.
    """
    rows, columns = lap.lapjvs(np.array(cost, dtype=np.float64), return_cost=False)
    ascending = np.argsort(rows)
    return rows[ascending], columns[ascending]
