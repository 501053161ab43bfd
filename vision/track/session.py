"""Session state: the facts that outlive a single view of the board (teams, discs' sizes,
places).
"""

from __future__ import annotations

from dataclasses import dataclass

from calibration.disc import DiscSpec
from calibration.placed_disc import PlacedDisc, Team
from vision.track.at_rest.still_board import StillBoard

#: After this many measured discs, their sizes are known well enough to be kept: the mean of eight
#: measurements has a third of the error of one.
_MEASURED_DISCS = 8
_USUAL_DISC = DiscSpec()


@dataclass(slots=True, kw_only=True, eq=False)
class SessionState:
    """Data learned from every reading so far.

    discs     the discs of the last reading
    given     the discs' sizes, if the profile has them
    measured  otherwise the number of discs measured in the readings so far
    mean      and the mean of their sizes
    was_empty  whether the board was ever read without a disc, so that discs not seen then were not
               there
    """

    teams: tuple[Team, ...] = ()
    discs: tuple[PlacedDisc, ...] = ()
    given: DiscSpec | None = None
    measured: int = 0
    mean: DiscSpec | None = None
    was_empty: bool = False

    @property
    def disc(self) -> DiscSpec | None:
        """The discs' sizes, once they are well known; None before that."""
        is_known = self.given is None and self.measured >= _MEASURED_DISCS
        return self.mean if is_known else self.given

    @property
    def radius_mm(self) -> float:
        """The discs' radius as far as it is known."""
        return (self.disc or _USUAL_DISC).radius_mm

    def update(self, board: StillBoard) -> None:
        """Take over the teams, discs and sizes of a reading."""
        self.teams, self.discs = board.teams, board.discs
        self.was_empty |= not board.discs
        if self.disc is None and board.measured_discs:
            self.measured += board.measured_discs
            share = board.measured_discs / self.measured
            self.mean = _average_sizes(self.mean or board.disc, board.disc, share)


def _average_sizes(one: DiscSpec, other: DiscSpec, share: float) -> DiscSpec:
    """The mean of two sizes, in which the other's has the given share."""
    return DiscSpec(
        radius_mm=(1 - share) * one.radius_mm + share * other.radius_mm,
        radius_sigma_mm=min(one.radius_sigma_mm, other.radius_sigma_mm),
        height_mm=(1 - share) * one.height_mm + share * other.height_mm,
        height_sigma_mm=min(one.height_sigma_mm, other.height_sigma_mm),
    )
