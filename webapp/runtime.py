"""The live referee: started, paused and stopped by people, and by itself again when it falls.

Knows one process that watches, what it says, and how long it may be silent. Refuses to know what an
event means (see ``live_view`` and ``keeper``). A picture nobody took is replaced by the next; a
frame that a phone sends while the last one still waits replaces it, and is counted.
"""

from __future__ import annotations

import multiprocessing
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from time import monotonic
from typing import Any

from webapp.logs import LOG
from webapp.referee_process import Ended, Look, Seen, Task, main

#: A process that says nothing for so long hangs: the search for a board takes some seconds.
SILENCE_S = 30.0
#: A camera that fell is tried again after these, then every last of them.
_WAITS_S = (1.0, 2.0, 5.0, 10.0)
#: A process gets this long to end by itself.
_END_S = 3.0
#: Pictures kept for replays: 25 s at ten a second.
_KEPT_LOOKS = 256
#: Replays kept: the shots of a round.
_KEPT_REPLAYS = 32
#: A replay begins this long before the first movement, and ends this long after the last.
_MARGIN_S = 0.6
#: The rates that are shown are of the last seconds.
_RATE_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a runtime tells whoever listens; called from a thread of its own, in order.

    on_event   an event of the referee
    on_start   it begins to watch a source
    on_end     it ended: a reason where it failed, None where the source ended
    on_again   it fell and is started again: the reason
    """

    on_start: Callable[[str], None]
    on_event: Callable[[dict[str, Any]], None]
    on_end: Callable[[str | None], None]
    on_again: Callable[[str], None]


@dataclass(slots=True)
class _Counts:
    """What is shown of how fast it goes."""

    looks_s: deque[float] = field(default_factory=lambda: deque(maxlen=_KEPT_LOOKS))
    pushed: int = 0
    dropped: int = 0
    restarts: int = 0


class Runtime:
    """At most one referee at a time."""

    def __init__(
        self,
        told: Told,
        *,
        work: Callable[[Task, Connection, Connection], None] = main,
        silence_s: float = SILENCE_S,
        waits_s: tuple[float, ...] = _WAITS_S,
    ) -> None:
        """Nobody watches yet; ``work`` is what the process does."""
        self._told, self._work = told, work
        self._silence_s, self._waits_s = silence_s, waits_s
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._halt = threading.Event()
        self._task: Task | None = None
        self._slot = _Slot()
        self._looks: deque[Look] = deque(maxlen=_KEPT_LOOKS)
        self._replays: dict[int, list[Look]] = {}
        self._counts = _Counts()

    @property
    def is_running(self) -> bool:
        """Whether a referee watches, or is being started."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def task(self) -> Task | None:
        """What is watched, or was last."""
        return self._task

    def start(self, task: Task) -> None:
        """Watch this from now on, and nothing else."""
        self.stop()
        with self._lock:
            self._task, self._halt = task, threading.Event()
            self._slot, self._counts = _Slot(), _Counts()
            self._looks.clear()
            self._replays.clear()
            self._thread = threading.Thread(
                target=self._run, args=(task, self._halt, self._slot), name="referee", daemon=True
            )
            self._thread.start()

    def stop(self) -> None:
        """Watch nothing."""
        with self._lock:
            thread, self._thread = self._thread, None
            self._halt.set()
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def push(self, jpeg: bytes) -> bool:
        """Take a phone's frame; whether a referee wants it."""
        if not self.is_running or self._task is None or self._task.source is not None:
            return False
        self._counts.pushed += 1
        self._counts.dropped += self._slot.put(jpeg)
        return True

    def picture(self) -> Look | None:
        """The newest picture."""
        return self._looks[-1] if self._looks else None

    def replay(self, shot: int) -> list[Look]:
        """The pictures of a shot, oldest first; empty where none are kept."""
        return self._replays.get(shot, [])

    def facts(self) -> dict[str, Any]:
        """How fast it goes."""
        now_s = monotonic()
        fresh = [each for each in list(self._counts.looks_s) if now_s - each < _RATE_S]
        return {
            "is_running": self.is_running,
            "pictures_per_s": round(len(fresh) / _RATE_S, 1),
            "silent_s": round(now_s - fresh[-1], 1) if fresh else None,
            "frames_sent": self._counts.pushed,
            "frames_dropped": self._counts.dropped,
            "restarts": self._counts.restarts,
        }

    def _run(self, task: Task, halt: threading.Event, slot: _Slot) -> None:
        fallen = 0
        while not halt.is_set():
            self._told.on_start(task.source or "phone")
            reason, has_seen = self._watch_once(task, halt, slot)
            if halt.is_set():
                return
            fallen = 0 if has_seen else fallen + 1
            if reason is None or not self._is_worth_another(task, reason, fallen):
                self._told.on_end(reason)
                return
            self._counts.restarts += 1
            LOG.warning("referee restarts", extra={"what": reason})
            self._told.on_again(reason)
            halt.wait(self._waits_s[min(fallen, len(self._waits_s) - 1)])

    def _is_worth_another(self, task: Task, reason: str, fallen: int) -> bool:
        """Whether what fell may do better: a camera may come back, a bad file stays bad."""
        is_live = task.source is None or "://" in task.source or task.source.isdigit()
        return is_live or (reason in (SILENT, FELL) and fallen < len(self._waits_s))

    def _watch_once(
        self, task: Task, halt: threading.Event, slot: _Slot
    ) -> tuple[str | None, bool]:
        """Why one process ended, None where the source did; and whether it ever saw anything."""
        ours, theirs = _CONTEXT.Pipe()
        leash, is_over = _CONTEXT.Pipe(duplex=False), threading.Event()
        process = _CONTEXT.Process(
            target=self._work, args=(task, theirs, leash[0]), daemon=True, name="referee"
        )
        process.start()
        theirs.close()
        leash[0].close()
        feeder = threading.Thread(target=slot.feed, args=(ours, is_over), daemon=True)
        feeder.start()
        has_seen, heard_s = False, monotonic()
        try:
            while not halt.is_set():
                if not ours.poll(0.1):
                    if monotonic() - heard_s > self._silence_s:
                        return SILENT, has_seen
                    continue
                message, heard_s = ours.recv(), monotonic()
                if isinstance(message, Ended):
                    return message.reason, has_seen
                has_seen = True
                self._take(message)
            return None, has_seen
        except (EOFError, OSError):
            return FELL, has_seen
        finally:
            is_over.set()
            slot.wake()
            leash[1].close()
            _end(process, ours)
            feeder.join()

    def _take(self, message: Seen | Look) -> None:
        if isinstance(message, Look):
            self._looks.append(message)
            self._counts.looks_s.append(monotonic())
            return
        event = message.event
        if event.get("type") == "shot":
            self._keep_replay(event)
        self._told.on_event(event)

    def _keep_replay(self, event: dict[str, Any]) -> None:
        begin = float(event.get("t_start_s", event["t_s"])) - _MARGIN_S
        end = float(event.get("t_rest_s", event["t_s"])) + _MARGIN_S
        looks = [each for each in self._looks if begin <= each.t_s <= end]
        self._replays[int(event.get("index", len(self._replays) + 1))] = looks
        while len(self._replays) > _KEPT_REPLAYS:
            self._replays.pop(next(iter(self._replays)))


_CONTEXT = multiprocessing.get_context("spawn")
SILENT = "The referee heard nothing from its source; it is started again."
FELL = "The referee fell; it is started again."


def _end(process: BaseProcess, pipe: Connection) -> None:
    """End a process that was asked to: with patience, then by force."""
    _drain(process, pipe)
    if process.is_alive():
        process.kill()
        process.join()
    pipe.close()
    process.close()


def _drain(process: BaseProcess, pipe: Connection) -> None:
    """Read what a process still says, so that a full pipe cannot keep it from ending."""
    until_s = monotonic() + _END_S
    while process.is_alive() and monotonic() < until_s:
        try:
            if pipe.poll(0.05):
                pipe.recv_bytes()
        except (EOFError, OSError):
            break
    process.join(max(0.0, until_s - monotonic()))


class _Slot:
    """The newest frame of a phone, until the referee takes it."""

    def __init__(self) -> None:
        self._ready, self._frame = threading.Condition(), b""

    def put(self, frame: bytes) -> bool:
        """Leave a frame; whether another that still waited was lost."""
        with self._ready:
            was_lost = bool(self._frame)
            self._frame = frame
            self._ready.notify()
        return was_lost

    def wake(self) -> None:
        """Let whoever feeds look whether it is over."""
        with self._ready:
            self._ready.notify_all()

    def feed(self, pipe: Connection, is_over: threading.Event) -> None:
        """Send each newest frame, until it is over."""
        while True:
            with self._ready:
                self._ready.wait_for(lambda: self._frame or is_over.is_set())
                if is_over.is_set():
                    return
                frame, self._frame = self._frame, b""
            try:
                pipe.send_bytes(frame)
            except (OSError, ValueError):
                return  # the process is gone; its watcher notices
