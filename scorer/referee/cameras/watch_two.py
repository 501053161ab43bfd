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
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoFilms:
    """The source: two files, and the offset of the second's times; None if it must be found."""

    first: str
    second: str
    offset_s: float | None = None


def watch_two(
    films: TwoFilms,
    *,
    rules: str = "nca",
    profile: CalibrationProfile | None = None,
    on_event: Callable[[Event], None],
    say: Callable[[str], None],
    stop: threading.Event | None = None,
) -> None:
    """Referee two videos of one game.

    ``on_event`` gets every event, with times of the first film; ``say`` gets sentences for a
    person. Raises ``SourceError`` if neither can be watched to its end, and ``RulesError``.
    """
    stop = stop or threading.Event()
    names = films.first, films.second
    referee = LiveReferee(rule_set(rules), PhysicsCheck(profile=profile))
    offset_s = _find_offset(films, say, stop)
    if round(offset_s, 2) < 0:
        say(f"{films.second} begins {-offset_s:.2f} s before {films.first}; that part is left out.")
    run = _Run(names, profile, stop, say)
    for tracker_event in run.merge(offset_s):
        for event in referee.handle_event(tracker_event):
            on_event(event)
        run.tell_out(on_event)
    failed = len(run.failures) == len(names)
    reason = "Watching was stopped." if stop.is_set() else "The source has ended."
    if failed:
        reason = str(run.failures[0])
    on_event(
        EndedEvent(
            t_s=round_s(run.last_s),
            reason=reason,
            frames=run.frames,
            has_failed=failed,
        )
    )
    for event in referee.end(run.last_s):
        on_event(event)
    if run.failures:
        raise run.failures[0]


def _find_offset(films: TwoFilms, say: Callable[[str], None], stop: threading.Event) -> float:
    """The given offset, or the offset found by motion; 0 without either."""
    if films.offset_s is not None:
        return films.offset_s
    sources = open_source(films.first), open_source(films.second)
    try:
        found = find_clock_offset(*(measure_motion(source, stop) for source in sources))
    except SourceError:  # errors are reported when the film is watched
        return 0.0
    if found.is_sure:
        say(
            f"The times of {films.second} are shifted by {found.offset_s:+.2f} s to match "
            f"{films.first}, by motion."
        )
    else:
        say(
            f"Motion does not show how the clocks of {films.first} and {films.second} differ; they "
            "are assumed to match. If they do not, give the difference with --beside-offset."
        )
    return found.offset_s


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

    def tell_out(self, on_event: Callable[[Event], None]) -> None:
        """Report that one of the two videos has dropped out, or has come back."""
        for event in self._trackers.tell_out(self.last_s):
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
