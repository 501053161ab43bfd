"""Referee a source: capture in one thread, analysis in another, and a queue of frames in between.

Analysis, events and callbacks run in the thread that calls ``watch``. A slow analysis skips frames
of a live source, and counts them; it slows a recorded source down. Every end is an event with its
reason. A source that fails raises ``SourceError`` after the results of earlier frames.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextvars import copy_context
from dataclasses import dataclass, field

from calibration.phrase import Phrase
from calibration.profile import CalibrationProfile
from scorer.referee.capture_thread import Capture, capture_frames, open_paced, use_one_thread
from scorer.referee.events import EndedEvent, Event, SlowedEvent, round_s
from scorer.referee.frame_queue import LeftOut
from scorer.referee.live_picture import ShownPicture
from scorer.referee.live_referee import LiveReferee
from scorer.referee.shot.physics_check import PhysicsCheck
from scorer.referee.workload import WorkStep
from scorer.rules.sets import RuleSet, rule_set
from vision.io.sources import FrameSource, SourceError, TimedFrame
from vision.io.timed_frame import CameraImage
from vision.track.events import BoardAtRest, TrackerEvent
from vision.track.tracker import BoardTracker

EventCallback = Callable[[Event], None]
FrameCallback = Callable[[CameraImage, float], None]


@dataclass(slots=True, kw_only=True)
class RunStatistics:
    """Figures of one run.

    frames, left_out  numbers of analysed frames, and of frames that a slow analysis skipped
    source_s          time of the last frame, s of the source
    trouble           the source's problems, one sentence each
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
    shown: ShownPicture | None = None,
    on_frame: FrameCallback | None = None,
    on_rest: Callable[[BoardAtRest], None] | None = None,
    stop: threading.Event | None = None,
    realtime: bool = False,
    say: Callable[[str], None] | None = None,
) -> RunStatistics:
    """Referee the frames of ``source`` until it ends or ``stop`` is set.

    ``on_event`` gets every event at once. ``shown`` gets the picture with the results drawn on it.
    ``on_frame`` gets the analysed frames, and ``on_rest`` the boards at rest, before the events
    that follow from them. ``say`` gets sentences for a waiting person; without it, they are added
    to the statistics' trouble. Raises ``SourceError`` and ``RulesError``.
    """
    chosen = rule_set(rules) if isinstance(rules, str) else rules
    stop = stop or threading.Event()
    statistics = RunStatistics()
    try:
        opened = open_paced(source, realtime=realtime)
    except SourceError as error:
        on_event(make_end(statistics, error, stop))
        raise
    physics_check = PhysicsCheck(profile=profile)
    tracker, referee = BoardTracker(profile), LiveReferee(chosen, physics_check)
    flow = EventFlow(referee, shown, on_event, on_rest)
    with use_one_thread(), capture_frames(opened, stop, statistics.trouble.append) as capture:
        for frame in capture.queue.frames(stop):
            if frame is None:
                flow.pass_on(tracker.read_in_silence())
                flow.pass_on(tracker.report_silence(statistics.source_s))
                continue
            if statistics.frames == 0 and (opened.is_live or realtime):
                preload(physics_check, say or statistics.trouble.append)
            if on_frame is not None:
                on_frame(frame.picture, frame.t_s)
            flow.pass_on(
                tracker.process_frame(frame.picture, frame.t_s, frame.left_out, is_cut=frame.is_cut)
            )
            statistics.frames, statistics.source_s = statistics.frames + 1, frame.t_s
            statistics.left_out = capture.queue.left_out
            flow.report_load(capture, frame)
            if shown is not None:
                shown.show_if_due(frame, tracker.fit)
            if stop.is_set():
                break
        capture.end()
    flow.pass_on(tracker.finish())
    flow.review_losses(capture)
    flow.end(statistics, capture.failure, stop, is_recorded=not opened.is_live)
    return statistics


def preload(physics_check: PhysicsCheck, say: Callable[[str], None]) -> None:
    """Load the physics while the first frames are analysed."""
    run = copy_context().run
    thread = threading.Thread(
        target=run, args=(physics_check.preload, say), name="physics", daemon=True
    )
    thread.start()


@dataclass(frozen=True, slots=True)
class EventFlow:
    """Tracker events on their way through the referee to the receiver of its events."""

    referee: LiveReferee
    shown: ShownPicture | None
    on_event: EventCallback
    on_rest: Callable[[BoardAtRest], None] | None

    def pass_on(self, tracker_events: Iterable[TrackerEvent]) -> None:
        """Judge tracker events and pass on the resulting events."""
        for tracker_event in tracker_events:
            if isinstance(tracker_event, BoardAtRest):
                if self.on_rest is not None:
                    self.on_rest(tracker_event)
                if self.shown is not None:
                    self.shown.picture.set_board(tracker_event)
            for event in self.referee.handle_event(tracker_event):
                self.send(event)

    def report_load(self, capture: Capture, frame: TimedFrame) -> None:
        """Report that the computer cannot keep up, if the ``frame`` just analysed shows this."""
        if (step := capture.lower_step(frame)) is not None:
            self.on_event(make_slowed(step, frame.t_s))
        self.review_losses(capture)

    def review_losses(self, capture: Capture) -> None:
        """Mark the score for review if frames with motion were skipped."""
        for words in capture.describe_losses():
            self.referee.doubt_score(words)

    def end(
        self,
        statistics: RunStatistics,
        failure: SourceError | None,
        stop: threading.Event,
        *,
        is_recorded: bool,
    ) -> None:
        """Pass on the events at the end. Raises ``failure`` if the source failed."""
        self.on_event(make_end(statistics, failure, stop))
        is_film_over = is_recorded and failure is None and not stop.is_set()
        for event in self.referee.end(statistics.source_s, is_film_over=is_film_over):
            self.on_event(event)
        if failure is not None:
            raise failure

    def send(self, event: Event) -> None:
        """Pass on an event."""
        if self.shown is not None:
            self.shown.picture.set_event(event)
        self.on_event(event)


def make_end(
    statistics: RunStatistics, failure: SourceError | None, stop: threading.Event
) -> EndedEvent:
    """The event with the reason why a source is no longer watched."""
    ended = Phrase("The referee was stopped.") if stop.is_set() else Phrase("The video has ended.")
    return EndedEvent(
        t_s=round_s(statistics.source_s),
        reason=ended if failure is None else str(failure),
        frames=statistics.frames,
        left_out=statistics.left_out,
        has_failed=failure is not None,
    )


def make_slowed(step: WorkStep, t_s: float) -> SlowedEvent:
    """The event with the reason why a source is analysed less closely from now on."""
    return SlowedEvent(
        t_s=round_s(t_s),
        reason=Phrase("this computer is too slow or too busy to check all camera frames"),
        advice=Phrase("Close other programs, then restart the referee to check every frame again."),
        frames_per_s=step.most_fps,
        width_px=step.most_width_px,
    )
