"""One disc's position relative to the lines, the hole, the edge and the quadrants of a board.

Signed distances in board mm, by the disc's contact edge unless stated otherwise; ``checks`` chooses
the distance for a rule. Positions are taken as exact; the referee shifts them by their sigma.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from calibration.board import BoardSpec
from calibration.disc import DiscSpec

LINE_15, LINE_10, LINE_5 = 0, 1, 2
_HALF_ROOT = math.sqrt(0.5)
#: Rounding tolerance for a disc placed exactly on a line; smaller than any measurement error.
_ROUNDING_MM = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardGeometry:
    """Signed distances of a disc on a board to its lines, hole, edge and quadrants."""

    board: BoardSpec = field(default_factory=BoardSpec)
    disc: DiscSpec = field(default_factory=DiscSpec)

    @property
    def half_line_mm(self) -> float:
        """Half of a line's painted width."""
        return self.board.line_width_mm / 2

    def inside_mm(self, line: int, x_mm: float, y_mm: float) -> float:
        """Distance of a centre inside the core of a line; negative outside.

        Like ``BoardSpec.inside_line_mm``, for one point without arrays.
        """
        centre_x_mm, centre_y_mm = self.board.line_centres_mm[line]
        arm_x_mm, arm_y_mm = x_mm - centre_x_mm, y_mm - centre_y_mm
        double = 2 * math.atan2(arm_y_mm, arm_x_mm)
        c, s = self.board.ovality
        oval = 1.0 + c * math.cos(double) + s * math.sin(double)
        return self.board.line_radii_mm[line] * oval - math.hypot(arm_x_mm, arm_y_mm)

    def margin_mm(self, line: int, x_mm: float, y_mm: float) -> float:
        """Clearance of the disc inside a line; at zero or less it touches the line or is
        outside.
        """
        clear = self.inside_mm(line, x_mm, y_mm) - self.half_line_mm
        return clear - self.disc.contact_radius_mm

    def reach_mm(self, line: int, x_mm: float, y_mm: float) -> float:
        """Distance that the disc reaches inward over a line's outer edge; negative if wholly
        outside.
        """
        near = self.inside_mm(line, x_mm, y_mm) + self.half_line_mm
        return near + self.disc.contact_radius_mm

    def reach_past_inner_edge_mm(self, line: int, x_mm: float, y_mm: float) -> float:
        """Distance that the disc reaches inward past a line's inner edge; zero or less if it does
        not.
        """
        return self.reach_mm(line, x_mm, y_mm) - self.board.line_width_mm

    def overhang_mm(self, x_mm: float, y_mm: float) -> float:
        """Distance that the disc, at its widest, overhangs the edge of the playing surface."""
        out = math.hypot(x_mm, y_mm) + self.disc.radius_mm
        return out - self.board.surface_radius_mm

    def nearest_decision_mm(self, x_mm: float, y_mm: float) -> float:
        """Distance from the disc to the nearest boundary at which a shot's rule changes its
        result.
        """
        deciding = (
            self.margin_mm(LINE_5, x_mm, y_mm),
            self.overhang_mm(x_mm, y_mm),
            self.margin_mm(LINE_15, x_mm, y_mm),
            self.reach_past_inner_edge_mm(LINE_15, x_mm, y_mm),
            self.reach_mm(LINE_15, x_mm, y_mm),
        )
        return min(abs(distance_mm) for distance_mm in deciding)

    def is_at_hole(self, x_mm: float, y_mm: float) -> bool:
        """Whether the disc reaches over the hole's edge."""
        hole_x_mm, hole_y_mm = self.board.hole_centre_mm
        reach_mm = self.board.hole_radius_mm + self.disc.contact_radius_mm
        return math.hypot(x_mm - hole_x_mm, y_mm - hole_y_mm) < reach_mm

    def inside_quadrant_mm(self, quadrant: int, x_mm: float, y_mm: float) -> float:
        """Distance of a centre inside the nearer line of its quadrant; negative across the line.

        The centre of quadrant k is at 90 k degrees, its lines 45 degrees to either side.
        """
        angle_rad = quadrant * math.pi / 2
        along = x_mm * math.cos(angle_rad) + y_mm * math.sin(angle_rad)
        across = y_mm * math.cos(angle_rad) - x_mm * math.sin(angle_rad)
        inside = (along - abs(across)) * _HALF_ROOT
        return 0.0 if abs(inside) < _ROUNDING_MM else inside


def nearest_quadrant(x_mm: float, y_mm: float) -> int:
    """The quadrant of a place."""
    return round(math.atan2(y_mm, x_mm) / (math.pi / 2)) % 4
