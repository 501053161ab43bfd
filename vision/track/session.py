"""State of one view of the board while it is tracked, and of the session that outlives a view.

Knows values that change from frame to frame. Refuses to change them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from calibration.board import DiscSpec
from calibration.fit import BoardFit
from calibration.parameters import StageParameters, parameter
from calibration.state import PlacedDisc, Team
from vision.rectify.frame_rectifier import FrameRectifier
from vision.track.background.background_model import BackgroundModel, NormalisedFrame
from vision.track.background.illumination import IlluminationAdapter
from vision.track.motion.disc_tracker import DiscTracker
from vision.track.motion.motion_gate import MotionGate
from vision.track.still.still_board import StillBoard


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionParameters(StageParameters):
    """What ``session`` takes for granted."""

    stage: ClassVar[str] = "track.session"

    #: After so many discs were measured, their sizes are known well enough to be kept.
    measured_discs: int = parameter(8, unit="", source="")
    #: Every such pixel tells what share differs.
    share_every: int = parameter(3, unit="", source="")


PARAMS = SessionParameters.active()


@dataclass(slots=True, kw_only=True, eq=False)
class MotionInterval:
    """The motion interval since the board last lay still."""

    t_from_s: float
    t_changed_s: float
    tracker: DiscTracker
    saw_hand: bool = False
    has_jumped: bool = False
    longest_gap_s: float = 0.0


@dataclass(slots=True, kw_only=True, eq=False)
class ViewState:
    """State of one view of the board; ``board`` is None before the first reading."""

    fit: BoardFit
    rectifier: FrameRectifier
    background: BackgroundModel
    motion_gate: MotionGate
    shape: tuple[int, ...]
    board: StillBoard | None = None
    interval: MotionInterval | None = None
    check_shift_at_s: float = -np.inf
    last_shift_mm: float = 0.0
    is_shaded: bool = False
    other_picture_since_s: float | None = None
    has_seen_empty_hole: bool = False
    occluders: np.ndarray | None = None
    occluded_since_s: float = np.inf
    illumination: IlluminationAdapter = field(default_factory=IlluminationAdapter)
    adapt_at_s: float = -np.inf
    is_stale: bool = False
    older_background: BackgroundModel | None = None


@dataclass(slots=True, kw_only=True, eq=False)
class SessionState:
    """Session state that outlives a view: teams, sizes, the discs that lay there."""

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
        if count < PARAMS.measured_discs:
            return None
        weight = [number / count for number, _ in self.measured]
        specs = [spec for _, spec in self.measured]
        return DiscSpec(
            radius_mm=float(np.dot(weight, [each.radius_mm for each in specs])),
            radius_sigma_mm=min(each.radius_sigma_mm for each in specs),
            height_mm=float(np.dot(weight, [each.height_mm for each in specs])),
            height_sigma_mm=min(each.height_sigma_mm for each in specs),
        )

    @property
    def radius_mm(self) -> float:
        """The discs' radius as far as it is known."""
        return (self.disc or DiscSpec()).radius_mm

    def update(self, board: StillBoard) -> None:
        """Take over the teams, discs and sizes of a reading."""
        self.teams, self.discs = board.teams, board.discs
        if self.disc is None and board.measured_discs:
            self.measured.append((board.measured_discs, board.disc))


def measure_changed_share(view: ViewState, frame: NormalisedFrame) -> float:
    """The share of the surface that differs from the background."""
    every = (slice(None, None, PARAMS.share_every),) * 2
    return float(
        np.mean(frame.difference[every][view.rectifier.surface[every]] > view.background.threshold)
    )
