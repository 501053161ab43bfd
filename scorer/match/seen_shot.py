"""A shot of a match as a camera saw it: its disc's path, and the disc at which it was aimed.

Places are (x, y) in the board frame, mm. Databases store this JSON, so a field is never renamed or
removed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

from calibration.phrase import Phrase
from scorer.texts import quote

#: A position further from the centre is not on any board.
_FARTHEST_MM = 1000.0
_ZONES = frozenset({20, 15, 10, 5, 0})


def _read_place(value: Any) -> tuple[float, float]:
    """A position on or beside the board. Raises ``ValueError``."""
    if isinstance(value, list | tuple) and len(value) == 2 and all(map(_is_on_board, value)):
        return float(value[0]), float(value[1])
    raise ValueError(Phrase("%(value)s is not a place on a board", value=quote(value)))


def _is_on_board(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and -_FARTHEST_MM <= value <= _FARTHEST_MM


def _read_zone(value: Any) -> int:
    if isinstance(value, int) and value in _ZONES:
        return value
    raise ValueError(Phrase("%(value)s is not a zone", value=quote(value)))


def read_length(value: Any) -> float:
    """A length no larger than a board. Raises ``ValueError``."""
    if _is_on_board(value) and value >= 0:
        return float(value)
    raise ValueError(Phrase("%(value)s is not a possible distance on a board", value=quote(value)))


Place = Annotated[tuple[float, float], _read_place]
_Zone = Annotated[int, _read_zone]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenShot:
    """A shot that a camera saw.

    start_mm     its disc's place before the shot
    rest_mm      its disc's place at rest; None if it left the board
    zone         the zone of that place
    target_mm    place of the opponent's disc that it touched first, or otherwise came closest to;
                 None on an open board
    target_zone  that disc's zone
    is_hit       whether an opponent's disc was touched
    is_out       whether the target was off the board after the shot
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
        """Distance from the disc's start to its target; None on an open board."""
        return None if self.target_mm is None else math.dist(self.start_mm, self.target_mm)
