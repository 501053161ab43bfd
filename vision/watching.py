"""What is known of one view of the board while it is watched, and what outlives a view.

Knows values that change from frame to frame. Refuses to change them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from calibration.board import DiscSpec
from calibration.fit import BoardFit
from calibration.state import PlacedDisc, Team
from vision.plate import Laid, Plate
from vision.sheet import Sheet
from vision.still import StillBoard
from vision.stillness import Stillness
from vision.sunlight import Sunlight
from vision.tracks import Tracker

#: After so many discs were measured, their sizes are known well enough to be kept.
_MEASURED_DISCS = 8
#: Every such pixel tells what share differs.
_SHARE_EVERY = 3


@dataclass(slots=True, kw_only=True, eq=False)
class Stretch:
    """What has happened since the board last lay still."""

    t_from_s: float
    t_changed_s: float
    tracker: Tracker
    saw_hand: bool = False
    jumped: bool = False
    longest_gap_s: float = 0.0


@dataclass(slots=True, kw_only=True, eq=False)
class Watch:
    """One view of the board and what is known of it; ``board`` is None before the first reading."""

    fit: BoardFit
    sheet: Sheet
    plate: Plate
    stillness: Stillness
    shape: tuple[int, ...]
    board: StillBoard | None = None
    stretch: Stretch | None = None
    check_at_s: float = -np.inf
    shifted_mm: float = 0.0
    is_shaded: bool = False
    away_since_s: float | None = None
    saw_hole_empty: bool = False
    covering: np.ndarray | None = None
    covered_since_s: float = np.inf
    sunlight: Sunlight = field(default_factory=Sunlight)
    sun_at_s: float = -np.inf
    is_stale: bool = False
    older_plate: Plate | None = None


@dataclass(slots=True, kw_only=True, eq=False)
class Memory:
    """What outlives a view: teams, sizes, the discs that lay there."""

    teams: tuple[Team, ...] = ()
    discs: tuple[PlacedDisc, ...] = ()
    given: DiscSpec | None = None
    measured: list[tuple[int, DiscSpec]] = field(default_factory=list)

    @property
    def disc(self) -> DiscSpec | None:
        """The discs' sizes, once they are known well."""
        if self.given is not None:
            return self.given
        count = sum(number for number, _ in self.measured)
        if count < _MEASURED_DISCS:
            return None
        weight = [number / count for number, _ in self.measured]
        specs = [spec for _, spec in self.measured]
        return DiscSpec(
            radius_mm=float(np.dot(weight, [each.radius_mm for each in specs])),
            radius_sigma_mm=min(each.radius_sigma_mm for each in specs),
            height_mm=float(np.dot(weight, [each.height_mm for each in specs])),
            height_sigma_mm=min(each.height_sigma_mm for each in specs),
            contact_inset_mm=specs[0].contact_inset_mm,
            contact_inset_sigma_mm=specs[0].contact_inset_sigma_mm,
        )

    @property
    def radius_mm(self) -> float:
        """The discs' radius as far as it is known."""
        return (self.disc or DiscSpec()).radius_mm

    def take(self, board: StillBoard) -> None:
        """Remember what a reading told."""
        self.teams, self.discs = board.known, board.discs
        if self.disc is None and board.discs:
            self.measured.append((len(board.discs), board.disc))


def differing(watch: Watch, laid: Laid) -> float:
    """The share of the surface that differs from the plate."""
    every = (slice(None, None, _SHARE_EVERY),) * 2
    return float(np.mean(laid.differs[every][watch.sheet.surface[every]] > watch.plate.threshold))
