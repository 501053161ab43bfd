"""Seating: the quadrants from which the sides shoot, learned from their legal shots.

Partners sit opposite each other, so a side's quadrants are one quadrant and the one across from it.
A side without a legal shot so far has no seat, and its place is not checked. Quadrants are numbered
as in ``scorer.rules.board_geometry``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from calibration.board import FloatArray
from scorer.rules.board_geometry import BoardGeometry, nearest_quadrant
from scorer.rules.choices import PlacementQuadrant
from scorer.rules.sets import RuleSet

#: A disc is clearly over a quadrant's line if it crosses it by more than this, mm: six sigmas of a
#: position.
_PLAINLY_OVER_MM = 4.0


@dataclass(slots=True, kw_only=True)
class Seating:
    """The quadrants of legal shots, by all sides that certainly shot, and that of the last shot."""

    last_quadrant: int | None = None
    quadrants: dict[int, set[int]] = field(default_factory=dict)

    def add_shot(self, team: int, place_mm: FloatArray) -> None:
        """Add a legal shot of that side from a place (2,), board mm."""
        self.quadrants.setdefault(team, set()).add(find_quadrant(place_mm))

    def is_stranger(self, team: int) -> bool:
        """Whether two other sides shot, and that one did not, so its discs may be marks."""
        return len(self.quadrants) > 1 and team not in self.quadrants

    def is_outside(
        self, team: int, place_mm: FloatArray, rules: RuleSet, sizes: BoardGeometry
    ) -> bool:
        """Whether a disc of that side is clearly over a line of its players' quadrants."""
        known = self.quadrants.get(team)
        if not known:
            return False
        own = known | {(quadrant + 2) % 4 for quadrant in known}
        x_mm, y_mm = (float(coordinate) for coordinate in place_mm)
        inside_mm = max(sizes.inside_quadrant_mm(quadrant, x_mm, y_mm) for quadrant in own)
        return inside_mm < min_inside_mm(rules, sizes) - _PLAINLY_OVER_MM


def min_inside_mm(rules: RuleSet, sizes: BoardGeometry) -> float:
    """The least distance of a disc's centre inside its quadrant, mm; negative: it may be
    outside.
    """
    edge_mm, half_line_mm = sizes.disc.contact_radius_mm, sizes.half_line_mm
    return {
        PlacementQuadrant.HALF_OVER: 0.0,
        PlacementQuadrant.WITHIN: edge_mm - half_line_mm,
        PlacementQuadrant.TOUCHING: -edge_mm - half_line_mm,
    }[rules.options.placement_quadrant]


def find_quadrant(place_mm: FloatArray) -> int:
    """The quadrant of a place (2,)."""
    x_mm, y_mm = (float(coordinate) for coordinate in place_mm)
    return nearest_quadrant(x_mm, y_mm)
