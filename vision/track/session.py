"""Session state: the facts that outlive a single view of the board (teams, discs' sizes,
places).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from calibration.disc import DiscSpec
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import PlacedDisc, Team
from vision.track.at_rest.still_board import StillBoard


class SessionParameters(StageParameters):
    """Parameters of ``session``."""

    stage: ClassVar[str] = "track.session"

    #: After so many discs were measured, their sizes are known well enough to be kept.
    measured_discs: int = parameter(
        8, unit="", source="the mean of so many errs by a third of what one measurement does"
    )


PARAMS = SessionParameters()
_USUAL_DISC = DiscSpec()


@dataclass(slots=True, kw_only=True, eq=False)
class SessionState:
    """Data learned from every reading so far.

    discs     the discs of the last reading
    given     the discs' sizes, if the profile has them
    measured  otherwise the number of discs and the sizes measured in the readings
    learned   the sizes from these, once they are well known
    was_empty  whether the board was ever read without a disc, so that discs not seen then were not
               there
    """

    teams: tuple[Team, ...] = ()
    discs: tuple[PlacedDisc, ...] = ()
    given: DiscSpec | None = None
    measured: list[tuple[int, DiscSpec]] = field(default_factory=list)
    learned: DiscSpec | None = None
    was_empty: bool = False

    @property
    def disc(self) -> DiscSpec | None:
        """The discs' sizes, once they are well known; None before."""
        return self.learned if self.given is None else self.given

    @property
    def radius_mm(self) -> float:
        """The discs' radius as far as it is known."""
        return (self.disc or _USUAL_DISC).radius_mm

    def update(self, board: StillBoard) -> None:
        """Take over the teams, discs and sizes of a reading."""
        self.teams, self.discs = board.teams, board.discs
        self.was_empty |= not board.discs
        if self.disc is None and board.measured_discs:
            self.measured.append((board.measured_discs, board.disc))
            self.learned = _average_sizes(self.measured)


def _average_sizes(measured: Sequence[tuple[int, DiscSpec]]) -> DiscSpec | None:
    """The mean of discs' sizes, weighted by the number of discs; None for too few."""
    count = sum(number for number, _ in measured)
    if count < PARAMS.measured_discs:
        return None
    weight = [number / count for number, _ in measured]
    specs = [spec for _, spec in measured]
    return DiscSpec(
        radius_mm=float(np.dot(weight, [spec.radius_mm for spec in specs])),
        radius_sigma_mm=min(spec.radius_sigma_mm for spec in specs),
        height_mm=float(np.dot(weight, [spec.height_mm for spec in specs])),
        height_sigma_mm=min(spec.height_sigma_mm for spec in specs),
    )
