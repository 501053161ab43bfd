"""Referee a source: capture in one thread, analysis in another, a queue of frames between them.

Analysis, events and callbacks run in the thread of whoever calls ``watch``. A slow analysis leaves
out frames of a live source, and counts them; it slows a recorded one down. Every end is an event
with its reason. A source that fails raises ``SourceError`` after what the frames before it showed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import cv2
import numpy as np

from calibration.profile import CalibrationProfile
from scorer.rules.sets import RuleSet, rule_set
from vision.io.sources import FrameSource, SourceError, TimedFrame, open_source
from vision.track.events import BoardAtRest, TrackerEvent
from vision.track.tracker import BoardTracker
from webapp.referee.events import Event, make_event
from webapp.referee.frame_queue import FrameQueue, LeftOut
from webapp.referee.live_picture import LivePicture
from webapp.referee.live_referee import LiveReferee
from webapp.referee.shot.physics_check import PhysicsCheck
from webapp.referee.workload import Workload, WorkStep

#: Live pictures are shown this often, s of the source.
_SHOW_EVERY_S = 0.2

EventCallback = Callable[[Event], None]
ImageCallback = Callable[[np.ndarray, float], None]


@dataclass(slots=True, kw_only=True)
class RunStatistics:
    """Figures of one run.

    frames, left_out  frames that were looked at, and that a slow analysis left out
    source_s          time of the last frame, s of the source
    trouble           what the source reported, one sentence each
    """

    frames: int = 0
    left_out: LeftOut = field(default_factory=LeftOut)
    source_s: float = 0.0
    trouble: list[str] = field(default_factory=list)


def watch(
    source: str | FrameSource,
    *,
    rules: str | RuleSet = "nca",
    profile: CalibrationProfile | None = None,
    on_event: EventCallback,
    on_picture: ImageCallback | None = None,
    picture_every_s: float = _SHOW_EVERY_S,
    on_frame: ImageCallback | None = None,
    on_rest: Callable[[BoardAtRest], None] | None = None,
    stop: threading.Event | None = None,
    realtime: bool = False,
    say: Callable[[str], None] | None = None,
) -> RunStatistics:
    """Referee what ``source`` shows until it ends or ``stop`` is set.

    ``on_event`` gets every event, at once; ``on_picture`` gets the picture (BGR) with what is seen
    drawn on it, and its time; ``on_frame`` gets each frame as it came, and ``on_rest`` each board
    at rest, before the events that follow from it. ``say`` gets what a person who waits is to be
    told, in sentences; else it stands among the statistics' trouble. Raises ``SourceError`` and
    ``RulesError``.
    """
    chosen = rule_set(rules) if isinstance(rules, str) else rules
    stop = stop or threading.Event()
    statistics = RunStatistics()
    try:
        opened = _open(source, realtime)
    except SourceError as error:
        on_event(_make_end(statistics, error, stop))
        raise
    physics_check = PhysicsCheck(profile=profile)
    if opened.is_live or realtime:
        _preload(physics_check, say or statistics.trouble.append)
    tracker, referee = BoardTracker(profile), LiveReferee(chosen, physics_check)
    shown = None if on_picture is None else _ShownPicture(on_picture, picture_every_s)
    flow = _EventFlow(referee, shown, on_event, on_rest)
    with _use_one_thread(), _capture_frames(opened, stop, statistics) as capture:
        for frame in capture.queue.frames():
            if on_frame is not None:
                on_frame(frame.image, frame.t_s)
            flow.pass_on(
                tracker.process_frame(frame.picture, frame.t_s, frame.left_out, is_cut=frame.is_cut)
            )
            statistics.frames, statistics.source_s = statistics.frames + 1, frame.t_s
            statistics.left_out = capture.queue.left_out
            for event in capture.lower_step(frame):
                on_event(event)
            if shown is not None:
                shown.show_if_due(frame, tracker)
            if stop.is_set():
                break
    flow.pass_on(tracker.finish())
    on_event(_make_end(statistics, capture.failure, stop))
    for event in referee.end(statistics.source_s):
        on_event(event)
    if capture.failure is not None:
        raise capture.failure
    return statistics


def _preload(physics_check: PhysicsCheck, say: Callable[[str], None]) -> None:
    """Load what physics need while the first frames are looked at."""
    thread = threading.Thread(target=physics_check.preload, args=[say], name="physics", daemon=True)
    thread.start()


@dataclass(frozen=True, slots=True)
class _EventFlow:
    """Tracker events on their way: through the referee, to whoever wants them."""

    referee: LiveReferee
    shown: _ShownPicture | None
    on_event: EventCallback
    on_rest: Callable[[BoardAtRest], None] | None

    def pass_on(self, tracker_events: Iterable[TrackerEvent]) -> None:
        """Judge tracker events and hand on what follows from them."""
        for tracker_event in tracker_events:
            if isinstance(tracker_event, BoardAtRest):
                if self.on_rest is not None:
                    self.on_rest(tracker_event)
                if self.shown is not None:
                    self.shown.picture.set_board(tracker_event)
            for event in self.referee.handle_event(tracker_event):
                if self.shown is not None:
                    self.shown.picture.set_event(event)
                self.on_event(event)


def _make_end(
    statistics: RunStatistics, failure: SourceError | None, stop: threading.Event
) -> Event:
    """The event that says why a source is watched no more."""
    ended = "Watching was stopped." if stop.is_set() else "The source has ended."
    return make_event(
        "ended",
        statistics.source_s,
        reason=ended if failure is None else str(failure),
        frames=statistics.frames,
        has_failed=failure is not None,
    )


def _make_slowed(step: WorkStep, t_s: float) -> Event:
    """The event that says why a source is looked at less closely from now on."""
    return make_event(
        "slowed",
        t_s,
        reason="this machine is too slow, or too busy, for all of the camera's frames",
        advice="Close other programs on it; they are all looked at again once watching is started "
        "anew.",
        frames_per_s=step.most_fps,
        width_px=step.most_width_px,
    )


class _ShownPicture:
    """The live picture, drawn and handed on as often as is wanted."""

    def __init__(self, on_picture: ImageCallback, every_s: float) -> None:
        self.picture = LivePicture()
        self._on_picture, self._every_s = on_picture, every_s
        self._shown_s = -np.inf

    def show_if_due(self, frame: TimedFrame, tracker: BoardTracker) -> None:
        """Draw this frame, when the last one drawn is long enough ago."""
        if frame.t_s - self._shown_s >= self._every_s:
            self._shown_s = frame.t_s
            self._on_picture(self.picture.draw(frame.image, tracker), frame.t_s)


def _open(source: str | FrameSource, realtime: bool) -> FrameSource:
    if not isinstance(source, str):
        return source
    try:
        opened = open_source(source)
    except (OSError, ValueError) as error:  # no name of a file, or not one's own
        reason = getattr(error, "strerror", None) or str(error)
        raise SourceError(f"{source} cannot be opened ({reason}); check it.") from None
    if realtime and not opened.is_live:
        return RealTimeSource(opened)
    return opened


class RealTimeSource:
    """A recorded source played at its own speed, or slower on a machine that cannot keep up.

    It is not live: its frames can wait, so that none is left out.
    """

    def __init__(self, recorded: FrameSource) -> None:
        self.name = recorded.name
        self.is_live = False
        self._recorded = recorded

    def frames(self, stop: threading.Event, report: Callable[[str], None]) -> Iterator[TimedFrame]:
        """Each frame at its time."""
        started_s = time.monotonic()
        for frame in self._recorded.frames(stop, report):
            stop.wait(max(0.0, frame.t_s - (time.monotonic() - started_s)))
            yield frame


class _Capture:
    """Frames from a thread of their own, and why the source failed, where it did."""

    def __init__(self, source: FrameSource, statistics: RunStatistics) -> None:
        self.queue = FrameQueue(is_live=source.is_live)
        self._workload = Workload()
        self.failure: SourceError | None = None
        self._source, self._statistics = source, statistics

    def run(self, stop: threading.Event, done: threading.Event) -> None:
        """Put frames into the queue until the source ends, or one of both is set."""
        try:
            for frame in self._source.frames(done, self._statistics.trouble.append):
                self.queue.put(frame)
                if stop.is_set() or done.is_set():
                    break
        except SourceError as error:
            self.failure = error
        except Exception as error:  # noqa: BLE001  # foreign decoders and drivers raise anything
            self.failure = SourceError(
                f"{self._source.name} cannot be read any more; check it, and begin again."
            )
            self.failure.__cause__ = error
        finally:
            self.queue.close()

    def lower_step(self, frame: TimedFrame) -> Iterator[Event]:
        """Capture less from now on where ``frame``, just looked at, shows that it is too much."""
        step = self._workload.lower_step(frame, self.queue.left_out.moving)
        if step is not None:
            self.queue.pace.wanted = step
            yield _make_slowed(step, frame.t_s)


@contextmanager
def _use_one_thread() -> Iterator[None]:
    """OpenCV works in the caller's thread: waking others costs more than so small pictures do."""
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(threads)


@contextmanager
def _capture_frames(
    source: FrameSource, stop: threading.Event, statistics: RunStatistics
) -> Iterator[_Capture]:
    """A capture that a thread of its own runs for as long as the block lasts."""
    capture, done = _Capture(source, statistics), threading.Event()
    thread = threading.Thread(target=capture.run, args=(stop, done), name="capture", daemon=True)
    thread.start()
    try:
        yield capture
    finally:
        done.set()
        capture.queue.close()
        thread.join(timeout=10)
