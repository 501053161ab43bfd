"""Referee two recordings of one game: tracked separately, merged, and judged once.

Frames of both are taken in the order of their times, the second's shifted by its clock's offset.
Times are the first's, and frames of the second before the first begins are skipped. If one ends,
fails or loses the board, the other continues, and this is reported.
"""

from __future__ import annotations

import heapq
import math
import threading
from collections.abc import Callable, Iterator
from operator import itemgetter

from calibration.profile import CalibrationProfile
from scorer.referee.cameras.clock_offset import find_clock_offset, measure_motion
from scorer.referee.cameras.two_trackers import TwoTrackers
from scorer.referee.events import EndedEvent, Event, round_s
from scorer.referee.live_referee import LiveReferee
from scorer.referee.shot.physics_check import PhysicsCheck
from scorer.rules.sets import rule_set
from vision.io.sources import SourceError, TimedFrame, open_source
from vision.track.events import TrackerEvent


def watch_two(
    first: str,
    second: str,
    *,
    offset_s: float | None = None,
    rules: str = "nca",
    profile: CalibrationProfile | None = None,
    on_event: Callable[[Event], None],
    say: Callable[[str], None],
    stop: threading.Event | None = None,
) -> None:
    """Referee two videos of one game.

    ``offset_s`` is the offset of the second's times; None: it is found by motion. ``on_event`` gets
    every event, with times of the first film; ``say`` gets sentences for a person. Raises
    ``SourceError`` if neither can be watched to its end, and ``RulesError``.
    """
    stop = stop or threading.Event()
    referee = LiveReferee(rule_set(rules), PhysicsCheck(profile=profile))
    if offset_s is None:
        offset_s = _find_offset(first, second, say, stop)
    if round(offset_s, 2) < 0:
        say(f"{second} begins {-offset_s:.2f} s before {first}; that part is left out.")
    run = _Run((first, second), profile, stop, say)
    for tracker_event in run.merge(offset_s):
        for event in referee.handle_event(tracker_event):
            on_event(event)
        run.report_outages(on_event)
    failed = len(run.failures) == 2
    ended = "Watching was stopped." if stop.is_set() else "The source has ended."
    on_event(
        EndedEvent(
            t_s=round_s(run.last_s),
            reason=str(run.failures[0]) if failed else ended,
            frames=run.frames,
            has_failed=failed,
        )
    )
    for event in referee.end(run.last_s):
        on_event(event)
    if run.failures:
        raise run.failures[0]


def _find_offset(
    first: str, second: str, say: Callable[[str], None], stop: threading.Event
) -> float:
    """The offset found from motion, which is reported; 0 if motion does not determine it."""
    sources = open_source(first), open_source(second)
    try:
        offset_s = find_clock_offset(*(measure_motion(source, stop) for source in sources))
    except SourceError:  # errors are reported when the films are watched
        return 0.0
    if offset_s is None:
        say(
            f"Motion does not show how the clocks of {first} and {second} differ; they "
            "are assumed to match. If they do not, give the difference with --beside-offset."
        )
        return 0.0
    say(f"The times of {second} are shifted by {offset_s:+.2f} s to match {first}, by motion.")
    return offset_s


class _Run:
    """Two films, their trackers, and one stream of tracker events."""

    def __init__(
        self,
        names: tuple[str, str],
        profile: CalibrationProfile | None,
        stop: threading.Event,
        say: Callable[[str], None],
    ) -> None:
        self.failures: list[SourceError] = []
        self.last_s, self.frames = 0.0, 0
        self._names, self._stop, self._say = names, stop, say
        self._trackers = TwoTrackers(profile, is_matched=True)

    def merge(self, offset_s: float) -> Iterator[TrackerEvent]:
        """The merged tracker events of both films, the second's times shifted."""
        films = [self._frames(camera, shift_s) for camera, shift_s in enumerate((0.0, offset_s))]
        for t_s, camera, frame in heapq.merge(*films, key=itemgetter(0)):
            if frame is None:
                yield from self._trackers.finish(camera)
            elif not self._stop.is_set():
                self.frames, self.last_s = self.frames + 1, max(self.last_s, t_s)
                yield from self._trackers.track(camera, frame, t_s)

    def report_outages(self, on_event: Callable[[Event], None]) -> None:
        """Report that one of the two videos has dropped out, or has come back."""
        for event in self._trackers.report_outages(self.last_s):
            on_event(event)

    def _frames(
        self, camera: int, shift_s: float
    ) -> Iterator[tuple[float, int, TimedFrame | None]]:
        """One film's frames with their shifted times, from 0 s on, then None at its end; if it
        fails, this is reported and it ends.
        """
        t_s = -math.inf
        try:
            for frame in open_source(self._names[camera]).frames(self._stop, self._say):
                if frame.t_s >= -shift_s:
                    t_s = frame.t_s + shift_s
                    yield t_s, camera, frame
        except SourceError as error:
            self.failures.append(error)
            self._say(f"{self._names[camera]} is left out from here on. {error}")
        yield t_s, camera, None
