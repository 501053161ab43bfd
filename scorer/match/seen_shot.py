"""A shot of a match as a camera saw it: where its disc went, and which disc it was aimed at.

Places are (x, y) in the board frame, mm. Databases store this JSON, so a field is never
renamed or removed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

from scorer.texts import quote

#: A place farther from the centre lies on no board.
_FARTHEST_MM = 1000.0
_ZONES = frozenset({20, 15, 10, 5, 0})


def _read_place(value: Any) -> tuple[float, float]:
    """A place on or beside the board. Raises ``ValueError``."""
    if isinstance(value, list | tuple) and len(value) == 2 and all(map(_is_on_board, value)):
        return float(value[0]), float(value[1])
    raise ValueError(f"{quote(value)} is not a place on a board")


def _is_on_board(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and -_FARTHEST_MM <= value <= _FARTHEST_MM


def _read_zone(value: Any) -> int:
    if isinstance(value, int) and value in _ZONES:
        return value
    raise ValueError(f"{quote(value)} is not a zone")


def read_length(value: Any) -> float:
    """A length of no more than a board's. Raises ``ValueError``."""
    if _is_on_board(value) and value >= 0:
        return float(value)
    raise ValueError(f"{quote(value)} is not a length on a board")


Place = Annotated[tuple[float, float], _read_place]
_Zone = Annotated[int, _read_zone]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenShot:
    """A shot that a camera saw.

    start_mm     where its disc was placed
    rest_mm      where it came to rest; None where it left the board
    zone         its zone there
    target_mm    where the opponent's disc lay that it touched first, or else came nearest to; None
                 on an open board
    target_zone  that disc's zone
    is_hit       whether an opponent's disc was touched
    is_out       whether the target was off the board after it
    """

    start_mm: Place
    rest_mm: Place | None = None
    zone: _Zone | None = None
    target_mm: Place | None = None
    target_zone: _Zone | None = None
    is_hit: bool = False
    is_out: bool = False

    @property
    def distance_mm(self) -> float | None:
        """From where the disc was placed to its target; None on an open board."""
        return None if self.target_mm is None else math.dist(self.start_mm, self.target_mm)
