"""What goes with what, one to one, at the least cost in all: the linear assignment problem.

By shortest augmenting paths (Crouse 2016), as ``scipy.optimize`` has them. It takes longer to load
than a command or a server takes to start, and is loaded when something is first assigned.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def assign(cost: ArrayLike) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows, ascending, and the column of each; as many as the shorter side of ``cost`` (n, m) has.

    Raises ``ValueError`` where no assignment has a finite cost.
    """
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(cost)
    return rows, columns
