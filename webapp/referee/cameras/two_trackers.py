"""Two cameras' frames → one stream of tracker events: each is tracked by itself, then merged.

A camera that loses the board or sends no frames is out: the other goes on without it, and an event
tells that. Where both are out, the merged events say so themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from calibration.profile import CalibrationProfile
from vision.io.timed_frame import TimedFrame
from vision.track.events import TrackerEvent, TrackingLost
from vision.track.tracker import BoardTracker
from webapp.referee.cameras.merge_cameras import CameraMerger
from webapp.referee.events import Event, make_event


@dataclass(frozen=True, slots=True, kw_only=True)
class _CameraOut:
    """A camera, 0 or 1, without which the other goes on, and why, as a clause."""

    camera: int
    reason: str


class TwoTrackers:
    """Cameras 0 and 1 on one board; times are of one clock, and rise with each camera's frames."""

    def __init__(self, profile: CalibrationProfile | None = None) -> None:
        """Nothing was seen yet."""
        self.trackers = BoardTracker(profile), BoardTracker(profile)
        self._merger = CameraMerger()
        self._lost: list[TrackingLost | None] = [None, None]
        self._silent: list[TrackingLost | None] = [None, None]
        self._told: _CameraOut | None = None

    def track(self, camera: int, frame: TimedFrame, t_s: float) -> Iterator[TrackerEvent]:
        """What a camera's frame of that time adds."""
        silent, self._silent[camera] = self._silent[camera], None
        if silent is not None:  # where it did not see the board before, it still does not
            over = replace(silent, t_s=t_s, advice="", over=True)
            yield from self._merger.take(camera, self._lost[camera] or over)
        for event in self.trackers[camera].process_frame(frame.picture, t_s, frame.left_out):
            if isinstance(event, TrackingLost):
                self._lost[camera] = None if event.over else event
            yield from self._merger.take(camera, event)
        yield from self._merger.advance(camera, t_s)

    def lose(self, camera: int, lost: TrackingLost) -> Iterator[TrackerEvent]:
        """What follows from a camera that sends no frames, unless that was told before."""
        if self._silent[camera] is None:
            self._silent[camera] = lost
            yield from self._merger.take(camera, lost)
            yield from self._merger.advance(camera, lost.t_s)

    def finish(self, camera: int) -> Iterator[TrackerEvent]:
        """What follows once a camera's frames have ended."""
        for event in self.trackers[camera].finish():
            yield from self._merger.take(camera, event)
        yield from self._merger.end(camera)

    def is_out(self, camera: int) -> bool:
        """Whether a camera does not see the board."""
        return (self._silent[camera] or self._lost[camera]) is not None

    def tell_out(self, t_s: float) -> Iterator[Event]:
        """The event of a camera without which the other goes on, or that is back, once each."""
        both = [silent or lost for silent, lost in zip(self._silent, self._lost, strict=True)]
        out = [
            _CameraOut(camera=camera, reason=lost.reason)
            for camera, lost in enumerate(both)
            if lost is not None
        ]
        told, self._told = self._told, out[0] if len(out) == 1 else None
        if told is not None and told.camera not in (each.camera for each in out):
            yield _make_out_event(told, t_s, over=True)
        if self._told is not None and self._told != told:
            yield _make_out_event(self._told, t_s, over=False)


def _make_out_event(out: _CameraOut, t_s: float, *, over: bool) -> Event:
    return make_event("camera", t_s, camera=out.camera + 1, reason=out.reason, over=over)
