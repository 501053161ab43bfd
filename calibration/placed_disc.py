"""Discs on the board, each with a position, a team, a state and an uncertainty.

Vision produces these types and scorer consumes them.
"""

from __future__ import annotations

from dataclasses import dataclass

from calibration.camera import FloatArray
from calibration.disc_state import DiscState as DiscState


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Team:
    """A colour of discs. Teams are numbered from light to dark."""

    number: int
    colour_rgb: tuple[int, int, int]
    colour_name: str

    @property
    def colour_hex(self) -> str:
        """Its colour as #rrggbb."""
        red, green, blue = self.colour_rgb
        return f"#{red:02x}{green:02x}{blue:02x}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlacedDisc:
    """A disc on the playing surface. Raises ``ValueError`` for a disc in the ditch, which has no
    position.

    centre_mm      centre of the bottom face in the board frame: (2,)
    covariance_mm2 of ``centre_mm``: (2, 2)
    confidence     0 to 1: probability that this is a disc, in this state and of this team
    has_clear_team whether its team is certain
    """

    centre_mm: FloatArray
    covariance_mm2: FloatArray
    team: int
    state: DiscState
    confidence: float = 1.0
    has_clear_team: bool = True

    def __post_init__(self) -> None:
        if self.state is DiscState.DITCH:
            raise ValueError("a disc in the ditch has no place on the board")
