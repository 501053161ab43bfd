"""The parameters of sliding and bouncing on one board: all numbers with unit, range and source.

One study of crokinole discs on film is known (fortuitouspress.com/crokinole: more than 250 shots),
but we found no friction or restitution in it. So the defaults are starting values for a fit to a
board (``inverse.board_speed_fit``), and a range contains the plausible values. They belong to a
board rather than a stage, so they are not ``StageParameters``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace

from calibration.board_speed import BoardSpeed


@dataclass(frozen=True, slots=True, kw_only=True)
class PhysicsSpec:
    """Friction, restitution and geometry of one board. Raises ``ValueError`` outside
    ``PARAMETERS``.

    friction                 disc on board, ratio
    restitution              disc on disc, ratio of the normal speeds after and before, at low speed
    restitution_loss_s_m     its fall per m/s of normal speed, s/m
    post_restitution         disc on post, ratio
    contact_friction         disc edge on disc edge, ratio
    post_friction            disc edge on post, ratio
    post_sleeve_mm           the rubber sleeve's part of a post's radius
    edge_rounding_mm         rounding of the hole's upper edge
    hole_capture_speed_mm_s  fastest disc captured on a path through the hole's centre, 30 mm before
    hole_capture_doubt       uncertainty of the threshold, ratio
    rail_restitution         disc on the rail beyond the ditch, ratio
    ditch_width_mm           from the surface's edge to the rail
    return_drop_mm           a disc that dropped less on its way to the rail and back returns
    gravity_mm_s2            acceleration of free fall
    """

    friction: float = 0.10
    restitution: float = 0.85
    restitution_loss_s_m: float = 0.0
    post_restitution: float = 0.75
    contact_friction: float = 0.15
    post_friction: float = 0.4
    post_sleeve_mm: float = 0.8
    edge_rounding_mm: float = 0.5
    hole_capture_speed_mm_s: float = 1000.0
    hole_capture_doubt: float = 0.2
    rail_restitution: float = 0.5
    ditch_width_mm: float = 51.0
    return_drop_mm: float = 1.0
    gravity_mm_s2: float = 9810.0

    def __post_init__(self) -> None:
        for field in fields(self):
            parameter, value = PARAMETERS[field.name], getattr(self, field.name)
            if not (math.isfinite(value) and parameter.low <= value <= parameter.high):
                raise ValueError(
                    f"{field.name} must be between {parameter.low:g} and {parameter.high:g}"
                    f"{parameter.spaced_unit}, not {value:g}"
                )


@dataclass(frozen=True, slots=True)
class Parameter:
    """The range of a value, and the source of its default."""

    unit: str
    low: float
    high: float
    source: str

    @property
    def spaced_unit(self) -> str:
        """The unit, with the space that separates it from a number."""
        return f" {self.unit}" if self.unit else ""


#: The accepted ranges are wider than the usual ranges, which the sources name.
PARAMETERS: dict[str, Parameter] = {
    "friction": Parameter("", 0.005, 1.0, "powder on plywood 0.06 to 0.11; usual 0.05 to 0.15"),
    "restitution": Parameter("", 0.0, 1.0, "puck rigs 0.93, films of shots less; 0.75 to 0.93"),
    "restitution_loss_s_m": Parameter(
        "s/m", 0.0, 0.5, "filmed shots: fast discs follow through; 0 until a fit finds one"
    ),
    "post_restitution": Parameter("", 0.0, 1.0, "assumed, rubber on a peg; 0.6 to 0.85"),
    "contact_friction": Parameter("", 0.0, 1.5, "assumed, lacquer on lacquer; 0.1 to 0.3"),
    "post_friction": Parameter("", 0.0, 1.5, "assumed, lacquer on rubber; 0.2 to 0.6"),
    "post_sleeve_mm": Parameter("mm", 0.0, 5.0, "sleeved 3/8 inch pegs are 4.8 to 5.5 mm"),
    "edge_rounding_mm": Parameter("mm", 0.0, 3.0, "rounding seen on boards; 0.2 to 1"),
    "hole_capture_speed_mm_s": Parameter("mm/s", 100.0, 3000.0, "rigid-body model; 700 to 1500"),
    "hole_capture_doubt": Parameter("", 0.0, 0.9, "spread of the rigid-body model's results"),
    "rail_restitution": Parameter("", 0.0, 1.0, "assumed; wood on wood with a tilted disc"),
    "ditch_width_mm": Parameter("mm", 30.0, 500.0, "makers' sizes, about 2 inches"),
    "return_drop_mm": Parameter("mm", 0.0, 20.0, "assumed: half of an edge's rounding, twice over"),
    "gravity_mm_s2": Parameter("mm/s²", 1000.0, 30000.0, "sea level, within 0.3%"),
}


def apply_board_speed(physics: PhysicsSpec, speed: BoardSpeed) -> PhysicsSpec:
    """The physics of a board with the given speed."""
    return replace(
        physics,
        friction=speed.friction,
        restitution=speed.restitution_at_rest,
        restitution_loss_s_m=speed.restitution_loss_s_m,
        post_restitution=speed.post_restitution,
    )
