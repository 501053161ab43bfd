"""Referee one board through two live cameras, as their frames arrive.

Every camera's frames are captured by its own thread and timed on arrival. Trackers, merger and
referee run in the caller's thread. Until the clocks' difference is known from motion, only the
first camera is used, and the second replaces it while it is out. If one camera cannot be opened,
sends no frames or loses the board, the other continues, an event reports it, and the lost camera is
tried again all the time. It ends with ``SourceError`` only if neither could ever be opened. A
recording is played at its own speed, as if live.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace

from calibration.fit import BoardFit
from calibration.profile import CalibrationProfile
from scorer.referee.cameras.live_clocks import LiveClocks
from scorer.referee.cameras.two_trackers import TwoTrackers
from scorer.referee.capture_thread import Capture, capture_frames, open_paced, use_one_thread
from scorer.referee.live_picture import ShownPicture
from scorer.referee.live_referee import LiveReferee
from scorer.referee.shot.physics_check import PhysicsCheck
from scorer.referee.watch import (
    EventCallback,
    EventFlow,
    FrameCallback,
    RunStatistics,
    make_end,
    preload,
)
from scorer.rules.sets import RuleSet, rule_set
from vision.io.sources import FrameSource, SourceError, TimedFrame
from vision.track.events import BoardAtRest, TrackingLost
from vision.track.states import AtRest, Seeking
from vision.track.status_reports import SILENT

#: A camera that is silent for this long counts as out, s: longer than a stream's usual
#: interruptions.
_SILENT_S = 3.0
#: A camera that cannot be opened is retried after this time, s.
_RETRY_S = 5.0
#: Interval at which a thread waiting for frames checks for silent cameras, s.
_POLL_S = 0.5


def watch_two_live(
    source: str | FrameSource,
    beside: str | FrameSource,
    *,
    rules: str | RuleSet = "nca",
    profile: CalibrationProfile | None = None,
    on_event: EventCallback,
    shown: ShownPicture | None = None,
    on_frame: FrameCallback | None = None,
    on_rest: Callable[[BoardAtRest], None] | None = None,
    stop: threading.Event | None = None,
    say: Callable[[str], None] | None = None,
) -> RunStatistics:
    """Referee two cameras until both have ended or ``stop`` is set.

    Callbacks and exceptions are those of ``watch``. Frames and pictures are the first camera's, and
    the second's while the first is out.
    """
    chosen = rule_set(rules) if isinstance(rules, str) else rules
    stop, statistics = stop or threading.Event(), RunStatistics()
    report = say or statistics.trouble.append
    begun_s = time.monotonic()
    try:
        opened = [open_paced(text, realtime=True) for text in (source, beside)]
    except SourceError as error:
        on_event(make_end(statistics, error, stop))
        raise
    sources = [ClockedSource(frame_source, begun_s) for frame_source in opened]
    physics_check = PhysicsCheck(profile=profile)
    flow = EventFlow(LiveReferee(chosen, physics_check), shown, on_event, on_rest)
    with use_one_thread(), ExitStack() as stack:
        changed = threading.Condition()
        captures = [
            stack.enter_context(capture_frames(clocked_source, stop, report, changed))
            for clocked_source in sources
        ]
        pair = _CameraPair(captures, sources, changed, flow, TwoTrackers(profile, is_matched=False))
        for camera, frame in pair.follow(statistics, stop):
            if statistics.frames == 1:
                preload(physics_check, report)
            if camera == pair.shown_camera:
                if on_frame is not None:
                    on_frame(frame.picture, frame.t_s)
                if shown is not None:
                    shown.show_if_due(frame, pair.find_fit(camera))
    statistics.left_out = captures[0].queue.left_out.add(captures[1].queue.left_out)
    flow.end(statistics, pair.find_failure(), stop, is_recorded=False)
    return statistics


class ClockedSource:
    """A source whose times count from a moment shared by all cameras, on the computer's clock.

    A live source that cannot be opened is tried again; ``failure`` is the reason, until it shows a
    frame.
    """

    def __init__(self, source: FrameSource, begun_s: float) -> None:
        self.name, self.is_live = source.name, source.is_live
        self.failure: SourceError | None = None
        self._source, self._begun_s = source, begun_s

    def frames(self, stop: threading.Event, report: Callable[[str], None]) -> Iterator[TimedFrame]:
        """Frames as they arrive. Raises ``SourceError`` for a recording that cannot be played."""
        while not stop.is_set():
            opened_s = time.monotonic() - self._begun_s
            try:
                for frame in self._source.frames(stop, report):
                    self.failure = None
                    yield replace(frame, t_s=opened_s + frame.t_s)
                return
            except SourceError as error:
                if not self.is_live:
                    raise
                if self.failure is None:
                    report(str(error))
                self.failure = error
            stop.wait(_RETRY_S)


class _CameraPair:
    """The frames of two cameras in turn, with their trackers and their state."""

    def __init__(
        self,
        captures: list[Capture],
        sources: list[ClockedSource],
        changed: threading.Condition,
        flow: EventFlow,
        trackers: TwoTrackers,
    ) -> None:
        self._captures, self._sources, self._changed = captures, sources, changed
        self._flow, self._trackers, self._clocks = flow, trackers, LiveClocks()
        self._ended, self._taken_s = [False, False], [time.monotonic()] * 2
        self._fits: dict[int, BoardFit] = {}
        self._now_s = 0.0

    @property
    def shown_camera(self) -> int:
        """The camera whose picture is shown: the first, unless only the first is out."""
        return int(self._trackers.is_out(0) and not self._trackers.is_out(1))

    def find_fit(self, camera: int) -> BoardFit | None:
        """A camera's view of the shared board frame; None while it does not see it."""
        return self._fits.get(camera) if self._trackers.trackers[camera].fit is not None else None

    def find_failure(self) -> SourceError | None:
        """The reason why neither could be watched to its end; None if one could."""
        failures = [
            capture.failure or source.failure
            for capture, source in zip(self._captures, self._sources, strict=True)
        ]
        return failures[0] if None not in failures else None

    def follow(
        self, statistics: RunStatistics, stop: threading.Event
    ) -> Iterator[tuple[int, TimedFrame]]:
        """The tracked frames, with their camera and their time on the common clock."""
        while not stop.is_set() and not all(self._ended):
            if not any(capture.frames for capture in self._captures) and self.find_failure():
                return
            taken = self._take()
            if taken is not None:
                camera, frame = self._track(*taken)
                statistics.frames += 1
                statistics.source_s = max(statistics.source_s, frame.t_s)
                yield camera, frame
            self._find_silent()
            for event in self._trackers.report_outages(self._now_s):
                self._flow.send(event)
        for camera, capture in enumerate(self._captures):
            capture.end()
            self._finish(camera)
            self._flow.review_losses(capture)

    def _take(self) -> tuple[int, TimedFrame] | None:
        """The oldest waiting frame and its camera; None if no frame comes within ``_POLL_S``."""
        queues = [capture.queue for capture in self._captures]
        with self._changed:
            self._changed.wait_for(
                lambda: any(queue.next_s is not None or queue.is_over for queue in queues), _POLL_S
            )
        waiting = [(s, k) for k, queue in enumerate(queues) if (s := queue.next_s) is not None]
        for camera, queue in enumerate(queues):
            if queue.is_over:
                self._finish(camera)
        if not waiting:
            return None
        camera = min(waiting)[1]
        frame, self._taken_s[camera] = queues[camera].take(), time.monotonic()
        return None if frame is None else (camera, frame)

    def _track(self, camera: int, frame: TimedFrame) -> tuple[int, TimedFrame]:
        """Track a frame and judge the events."""
        calm = isinstance(self._trackers.trackers[camera].state, AtRest | Seeking)
        t_s = self._clocks.place(camera, frame.picture, frame.t_s, is_calm=calm)
        if self._clocks.are_matched:
            self._trackers.match_clocks()
        frame = replace(frame, t_s=t_s)
        self._now_s = max(self._now_s, t_s)
        for event in self._trackers.track(camera, frame, t_s):
            if isinstance(event, BoardAtRest):
                self._fits |= {board.camera: board.fit for board in (*event.also, event)}
            self._flow.pass_on((event,))
        self._flow.report_load(self._captures[camera], frame)
        return camera, frame

    def _find_silent(self) -> None:
        """Mark cameras as lost that have sent nothing for too long."""
        for camera, capture in enumerate(self._captures):
            silent_s = time.monotonic() - max(capture.came_s, self._taken_s[camera])
            if silent_s > _SILENT_S and capture.queue.next_s is None and not self._ended[camera]:
                lost = TrackingLost(t_s=self._now_s, reason=SILENT.reason, advice=SILENT.advice)
                self._flow.pass_on(self._trackers.lose(camera, lost))

    def _finish(self, camera: int) -> None:
        if not self._ended[camera]:
            self._ended[camera] = True
            self._flow.pass_on(self._trackers.finish(camera))
