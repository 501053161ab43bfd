"""Status reports: the scene and whether tracking is lost, reported once at every change.

Several causes may apply at once. Only the first is reported until tracking is regained.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from calibration.parameters import StageParameters, parameter
from calibration.phrase import Phrase
from vision.track.events import SceneChanged, TrackerEvent, TrackingLost
from vision.track.motion.motion_gate import SceneState


class StatusReportsParameters(StageParameters):
    """Parameters of ``status_reports``."""

    #: A disc cannot be followed if frames are rarer than this.
    slow_frames_s: float = parameter(
        0.12,
        unit="s",
        source="chosen: 8 frames a second, a quarter of the rate that people are advised to use",
    )
    #: The computer is the cause if it skips more than this share of the frames.
    machine_share: float = parameter(
        0.5,
        unit="share",
        source="chosen: without the frames that the computer skips, the rate would then be "
        "sufficient",
    )


PARAMS = StatusReportsParameters()


@dataclass(frozen=True, slots=True, kw_only=True)
class LossReason:
    """The reason why tracking is lost, and the remedy; both are shown to the user."""

    reason: str
    advice: str


NO_BOARD_ADVICE = Phrase("Point the camera at the whole board from above, and light it evenly.")
DARK = LossReason(
    reason=Phrase("the picture is too dark or too bright to see the board"),
    advice=Phrase("Uncover the lens or adjust the lighting."),
)
OCCLUDED = LossReason(
    reason=Phrase("something other than a disc is over the board"),
    advice=Phrase("Take it off the board."),
)
OTHER_VIEW = LossReason(
    reason=Phrase("the picture changed to another view"),
    advice=Phrase("Refereeing resumes when the first view returns, or once this view holds still."),
)
SILENT = LossReason(
    reason=Phrase("no frames are arriving"),
    advice=Phrase("Check the camera. Refereeing resumes as soon as frames arrive."),
)
TOO_FEW_FRAMES = LossReason(
    reason=Phrase("the camera sends too few frames per second to follow a disc"),
    advice=(
        Phrase(
            "The referee needs at least 8 frames per second. Use more light, a lower "
            "resolution or a faster connection."
        )
    ),
)
SLOW_MACHINE = LossReason(
    reason=Phrase("this computer is too busy to check enough of the camera's frames"),
    advice=(
        Phrase(
            "The referee needs at least 8 frames per second. Close other programs, or "
            "choose a lower resolution."
        )
    ),
)


class StatusReports:
    """Remembers the last report, and yields an event only for a change."""

    def __init__(self) -> None:
        self._scene: SceneState | None = None
        self._lost: LossReason | None = None

    def report_scene(self, scene: SceneState, t_s: float) -> Iterator[TrackerEvent]:
        """``SceneChanged``, unless the scene was the same."""
        if scene is not self._scene:
            self._scene = scene
            yield SceneChanged(t_s=t_s, scene=scene)

    def report_lost(self, why: LossReason, t_s: float) -> Iterator[TrackerEvent]:
        """``TrackingLost``, unless a loss is already reported and not over."""
        if self._lost is None:
            self._lost = why
            yield TrackingLost(t_s=t_s, reason=why.reason, advice=why.advice)

    def report_regained(self, t_s: float) -> Iterator[TrackerEvent]:
        """``TrackingLost`` that is over, if a loss was reported."""
        if self._lost is not None:
            yield TrackingLost(t_s=t_s, reason=self._lost.reason, advice="", over=True)
            self._lost = None

    def report_arrival(self, t_s: float) -> Iterator[TrackerEvent]:
        """The same when a frame arrives, if none had been arriving."""
        if self._lost is SILENT:
            yield from self.report_regained(t_s)

    def report_read(self, t_s: float) -> Iterator[TrackerEvent]:
        """The same after the board was read, even if frames come too rarely."""
        if self._lost not in (TOO_FEW_FRAMES, SLOW_MACHINE):
            yield from self.report_regained(t_s)

    def report_frame_rate(
        self, pause_s: float | None, left_out_share: float, t_s: float
    ) -> Iterator[TrackerEvent]:
        """The loss of a source whose frames come too rarely, ``pause_s`` apart, or the end of this
        loss.

        ``left_out_share`` is the share of frames that the computer skipped.
        """
        if pause_s is None:
            return
        if pause_s > PARAMS.slow_frames_s:
            is_machine = left_out_share > PARAMS.machine_share
            yield from self.report_lost(SLOW_MACHINE if is_machine else TOO_FEW_FRAMES, t_s)
        elif self._lost in (TOO_FEW_FRAMES, SLOW_MACHINE):
            yield from self.report_regained(t_s)
