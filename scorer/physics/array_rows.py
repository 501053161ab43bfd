"""Values that consist of arrays with one row for every item, such as a flick or a seen place."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayRows:
    """Base of such values; a field may also be such a value."""

    def select_rows(self, rows: NDArray[np.int64]) -> Self:
        """The items with those indices, in that order."""
        chosen: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            chosen[field.name] = (
                value.select_rows(rows) if isinstance(value, ArrayRows) else value[rows]
            )
        return replace(self, **chosen)
