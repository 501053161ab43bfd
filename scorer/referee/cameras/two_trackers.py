"""Two cameras' frames become one stream of tracker events: tracked separately, then merged.

A camera that loses the board or sends no frames is out. The other continues without it, and an
event reports this. If both are out, the merged events report that too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from calibration.phrase import Phrase
from calibration.profile import CalibrationProfile
from scorer.referee.cameras.merge_cameras import CameraMerger
from scorer.referee.events import CameraEvent, round_s
from vision.io.timed_frame import TimedFrame
from vision.track.events import BoardAtRest, TrackerEvent, TrackingLost
from vision.track.tracker import BoardTracker

_SECOND = 1
_UNMATCHED = TrackingLost(
    t_s=0.0,
    reason=(Phrase("its video is not synchronised yet. Move a disc on the board")),
    advice="",
)


class TwoTrackers:
    """Cameras 0 and 1 on one board; the times of a camera's frames increase.

    Until their clocks are matched (``match_clocks``), the second camera is used only for the first
    board, which gives the turn between both, and while the first camera is out. An event that it
    sees later or earlier than the first would otherwise be reported as another shot.
    """

    def __init__(self, profile: CalibrationProfile | None = None, *, is_matched: bool) -> None:
        """No camera has seen anything so far."""
        self.trackers = BoardTracker(profile), BoardTracker(profile)
        self._merger = CameraMerger()
        self._is_matched, self._has_read = is_matched, False
        self._lost: list[TrackingLost | None] = [None, None]
        self._silent: list[TrackingLost | None] = [None, None]
        self._passed: list[TrackingLost | None] = [None, None]
        self._reported: CameraEvent | None = None

    def match_clocks(self) -> None:
        """From now on, both cameras' times are on one clock."""
        self._is_matched = True

    def track(self, camera: int, frame: TimedFrame, t_s: float) -> Iterator[TrackerEvent]:
        """The events from a camera's frame at that time."""
        self._silent[camera] = None
        yield from self._pass_losses(t_s)
        for event in self.trackers[camera].process_frame(
            frame.picture, t_s, frame.left_out, is_cut=frame.is_cut
        ):
            yield from self._take(camera, event, t_s)
        yield from self._pass_losses(t_s)
        yield from self._merger.advance(camera, t_s)

    def lose(self, camera: int, lost: TrackingLost) -> Iterator[TrackerEvent]:
        """The events for a camera that sends no frames, unless already reported: a shot that ends
        in its last frames, and the camera's loss.
        """
        if self._silent[camera] is None:
            for event in self.trackers[camera].read_in_silence():
                yield from self._take(camera, event, lost.t_s)
        self._silent[camera] = self._silent[camera] or lost
        yield from self._pass_losses(lost.t_s)
        yield from self._merger.advance(camera, lost.t_s)

    def finish(self, camera: int) -> Iterator[TrackerEvent]:
        """The events at the end of a camera's frames."""
        for event in self.trackers[camera].finish():
            yield from self._merger.take(camera, event)
        yield from self._merger.end(camera)

    def is_out(self, camera: int) -> bool:
        """Whether a camera does not see the board, or is not used."""
        return self._find_loss(camera) is not None

    def report_outages(self, t_s: float) -> Iterator[CameraEvent]:
        """The event for a camera that is out or back, reported once per change."""
        out = [
            CameraEvent(t_s=round_s(t_s), camera=camera + 1, reason=lost.reason, over=False)
            for camera in (0, _SECOND)
            if (lost := self._find_loss(camera)) is not None
        ]
        reported, self._reported = self._reported, out[0] if len(out) == 1 else None
        reported = reported and replace(reported, t_s=round_s(t_s))
        if reported is not None and reported.camera not in (event.camera for event in out):
            yield replace(reported, over=True)
        if self._reported is not None and self._reported != reported:
            yield self._reported

    def _take(self, camera: int, event: TrackerEvent, t_s: float) -> Iterator[TrackerEvent]:
        """The events that follow from an event of a camera's tracker."""
        if isinstance(event, TrackingLost):
            self._lost[camera] = None if event.over else event
            yield from self._pass_losses(t_s)
        elif not self._is_held(camera):
            yield from self._merger.take(camera, event)
            self._has_read |= camera == _SECOND and isinstance(event, BoardAtRest)

    def _is_held(self, camera: int) -> bool:
        """Whether a camera is not used because its clock is not known and the first camera sees the
        board.
        """
        is_early = camera == _SECOND and self._has_read and not self._is_matched
        return is_early and self._silent[0] is None and self._lost[0] is None

    def _find_loss(self, camera: int) -> TrackingLost | None:
        """The reason why a camera is out; None if it is not."""
        held = _UNMATCHED if self._is_held(camera) else None
        return self._silent[camera] or self._lost[camera] or held

    def _pass_losses(self, t_s: float) -> Iterator[TrackerEvent]:
        """Inform the merger of cameras that are out or back."""
        for camera, passed in enumerate(self._passed):
            lost = self._find_loss(camera)
            if lost is passed:
                continue
            self._passed[camera] = lost
            if lost is not None:
                yield from self._merger.take(camera, replace(lost, t_s=t_s))
            elif passed is not None:
                over = replace(passed, t_s=t_s, advice="", over=True)
                yield from self._merger.take(camera, over)
