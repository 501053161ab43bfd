"""From a source to events: capture in one thread, analysis in another, one frame between them.

Knows threads and their end. Refuses to know what is seen, and where events go.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from calibration.profile import Profile
from scorer.rules.sets import RuleSet, rule_set
from vision.lookout import Lookout
from vision.sights import Rested
from vision.sources import Shown, Source, SourceError, open_source
from webapp.watch.events import Event
from webapp.watch.picture import LivePicture
from webapp.watch.referee import Referee
from webapp.watch.slot import Slot
from webapp.watch.witness import Witness

#: Live pictures are shown this often, s of the source.
_SHOW_EVERY_S = 0.2

Emit = Callable[[Event], None]
Look = Callable[[np.ndarray, float], None]


@dataclass(slots=True, kw_only=True)
class Pace:
    """How watching goes: frames looked at and dropped, seconds of source and of work."""

    frames: int = 0
    dropped: int = 0
    source_s: float = 0.0
    work_s: float = 0.0
    trouble: list[str] = field(default_factory=list)


def watch(
    source: str | Source,
    *,
    rules: str | RuleSet = "nca",
    profile: Profile | None = None,
    emit: Emit,
    look: Look | None = None,
    look_every_s: float = _SHOW_EVERY_S,
    on_frame: Look | None = None,
    on_rest: Callable[[Rested], None] | None = None,
    stop: threading.Event | None = None,
    realtime: bool = False,
) -> Pace:
    """Referee what ``source`` shows until it ends or ``stop`` is set.

    ``emit`` is told every event, at once; ``look`` gets the picture (BGR) with what is seen drawn
    on it, and its time; ``on_frame`` gets each frame as it came, and ``on_rest`` each board at
    rest, before the events that follow from it. Raises ``SourceError`` and ``RulesError``.
    """
    chosen = rule_set(rules) if isinstance(rules, str) else rules
    opened = _opened(source, realtime)
    stop = stop or threading.Event()
    pace = Pace()
    witness = Witness(profile=profile)
    if opened.is_live:
        threading.Thread(target=witness.wake, name="witness", daemon=True).start()
    lookout, referee = Lookout(profile), Referee(chosen, witness)
    picture = LivePicture() if look is not None else None
    looked_s = -np.inf
    with _captured(opened, stop, pace) as slot:
        for shown in slot.frames():
            begun = time.perf_counter()
            if on_frame is not None:
                on_frame(shown.image, shown.t_s)
            for sight in lookout.take(shown.image, shown.t_s):
                if isinstance(sight, Rested) and on_rest is not None:
                    on_rest(sight)
                if isinstance(sight, Rested) and picture is not None:
                    picture.rest(sight)
                for told in referee.hear(sight):
                    if picture is not None:
                        picture.tell(told)
                    emit(told)
            pace.frames, pace.source_s = pace.frames + 1, shown.t_s
            pace.work_s += time.perf_counter() - begun
            pace.dropped = slot.dropped
            if look is not None and picture is not None and shown.t_s - looked_s >= look_every_s:
                looked_s = shown.t_s
                look(picture.draw(shown.image, lookout), shown.t_s)
            if stop.is_set():
                break
    for told in referee.end(pace.source_s):
        emit(told)
    return pace


def _opened(source: str | Source, realtime: bool) -> Source:
    if not isinstance(source, str):
        return source
    opened = open_source(source)
    if realtime and not opened.is_live:
        return InRealTime(opened)
    return opened


class InRealTime:
    """A recorded source played at its own speed, as if it were live."""

    def __init__(self, recorded: Source) -> None:
        self.name = recorded.name
        self.is_live = True
        self._recorded = recorded

    def frames(self, stop: threading.Event, report: Callable[[str], None]) -> Iterator[Shown]:
        """Each frame at its time."""
        started_s = time.monotonic()
        for shown in self._recorded.frames(stop, report):
            stop.wait(max(0.0, shown.t_s - (time.monotonic() - started_s)))
            yield shown


@contextmanager
def _captured(source: Source, stop: threading.Event, pace: Pace) -> Iterator[Slot]:
    """A slot that a thread of its own fills from the source; its failure is raised at the end."""
    slot = Slot(drops=source.is_live)
    failed: list[SourceError] = []
    done = threading.Event()

    def capture() -> None:
        try:
            for shown in source.frames(done, pace.trouble.append):
                slot.put(shown)
                if stop.is_set() or done.is_set():
                    break
        except SourceError as error:
            failed.append(error)
        finally:
            slot.close()

    thread = threading.Thread(target=capture, name="capture", daemon=True)
    thread.start()
    try:
        yield slot
    finally:
        done.set()
        slot.close()
        thread.join(timeout=10)
    if failed:
        raise failed[0]
