"""Sizes of a disc, nominal or as measured, and the circle on which it touches the board.

A disc is a cylinder with rounded edges; a camera sees its widest radius, and its score is decided
by the edge that touches the board, which is slightly inside it. Millimetres.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactEdge:
    """The circle on which a flat disc touches the board: the edge that decides line calls.

    radius_sigma_mm  one standard deviation
    """

    radius_mm: float
    radius_sigma_mm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscSpec:
    """A disc as a cylinder with rounded edges; sizes default to nominal ones.

    Sigmas are one standard deviation. Those of the nominal sizes are the spread of home and club
    discs where the 10-line has its nominal radius (in 21 photographs 1.4 mm and 0.8 mm, in 33
    renders 0.4 mm and 0.6 mm).

    radius_mm        the widest radius, which a camera sees
    contact_inset_mm distance of the contact edge inside the widest radius; not
                     measurable (25 renders: a measured radius is 0.37 mm larger than the edge's,
                     and the two themselves differ by 0.47 ± 0.17 mm)
    """

    radius_mm: float = 15.875
    radius_sigma_mm: float = 1.2
    height_mm: float = 9.5
    height_sigma_mm: float = 0.8
    contact_inset_mm: float = 0.4
    contact_inset_sigma_mm: float = 0.18

    def __post_init__(self) -> None:
        if not self.radius_mm > self.contact_inset_mm >= 0:
            raise ValueError(f"disc radius {self.radius_mm} mm must exceed its inset")
        if self.height_mm <= 0:
            raise ValueError(f"height_mm must be positive, got {self.height_mm}")

    @property
    def contact_radius_mm(self) -> float:
        """Radius of the circle on which a flat disc touches the board."""
        return self.radius_mm - self.contact_inset_mm

    @property
    def contact_edge(self) -> ContactEdge:
        """The circle on which a flat disc touches the board, with the uncertainty of radius and
        inset.

        Their errors are independent of each other and of the base's position: an outline seen all
        around determines centre and size separately.
        """
        return ContactEdge(
            radius_mm=self.contact_radius_mm,
            radius_sigma_mm=math.hypot(self.radius_sigma_mm, self.contact_inset_sigma_mm),
        )
