"""Supervises the live referee: starts and stops its process, and restarts one that died or hangs.

A process that is silent for too long is killed. A live source is tried again after increasing
waits. A file is tried again only if its process died or hung before the first observation, because
a restart would enter its shots twice. A picture that was not fetched is replaced by the next. The
frames that a phone sends wait until the process takes them; if there are too many, they are
thinned, and the lost ones counted.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from multiprocessing.connection import Connection
from time import monotonic

from webapp.child_process import ChildProcess
from webapp.http.logs import LOG
from webapp.live.end_reason import EndCode, EndReason
from webapp.live.match_recorder import MatchRecorder
from webapp.live.referee_input import RefereeInput
from webapp.live.referee_process import (
    FRAME_WANTED,
    PICTURES_WANTED,
    EndMessage,
    EventMessage,
    FrameMessage,
    PictureMessage,
    ProgressMessage,
    RefereeTask,
    RestMessage,
    SeenMessage,
    run_referee,
)
from webapp.live.ring_buffer import JpegFrame

#: A process that is silent for this long hangs. The search for a board takes some seconds, and
#: longer on a busy computer.
SILENCE_S = 30.0
#: A phone that sends nothing for this long has stopped filming; by then it has shown its alarm.
PHONE_GONE_S = 60.0
#: A failed camera is tried again after these waits; the last one repeats.
_RESTART_DELAYS_S = (1.0, 2.0, 5.0, 10.0)
#: Interval at which the supervisor checks whether the process should end.
_STEP_S = 0.1
#: Time that a process has to end by itself.
_END_S = 3.0
#: Longest wait for a requested frame, which comes with the camera's next one: a slow camera takes a
#: second.
_FRAME_TIMEOUT_S = 4.0
#: Interval of requests for pictures while somebody watches, and longest time that a picture is
#: shown.
_ASK_S, _FRESH_S = 1.0, 3.0
#: Rates are averaged over the last seconds, from at most this many pictures.
_RATE_S, _RATE_PICTURES = 5.0, 256


@dataclass(slots=True)
class _Counts:
    """Speed figures to show."""

    looks: deque[tuple[float, int]] = field(default_factory=lambda: deque(maxlen=_RATE_PICTURES))
    pushed: int = 0
    dropped: int = 0
    restarts: int = 0


class RefereeSupervisor:
    """At most one referee at a time; its recorder gets all events in order, from one thread.

    phone           the name of the phone that films, or filmed last; empty if none has
    has_phone_left  whether it ended because a phone stopped sending; its next frame may start it
    """

    def __init__(
        self,
        recorder: MatchRecorder,
        *,
        work: Callable[[RefereeTask, Connection], None] = run_referee,
        silence_s: float = SILENCE_S,
        phone_gone_s: float = PHONE_GONE_S,
        waits_s: tuple[float, ...] = _RESTART_DELAYS_S,
    ) -> None:
        """Nothing is watched yet; ``work`` is the function of the process."""
        self._recorder, self._work = recorder, work
        self._silence_s, self._waits_s, self._phone_gone_s = silence_s, waits_s, phone_gone_s
        self.phone, self.has_phone_left = "", False
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._halt = threading.Event()
        self._task: RefereeTask | None = None
        self._input = RefereeInput()
        self._look: JpegFrame | None = None
        self._looked_s = self._asked_s = -inf
        self._frame, self._has_frame = b"", threading.Condition()
        self._counts = _Counts()

    @property
    def is_running(self) -> bool:
        """Whether a referee watches, or is being started."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def task(self) -> RefereeTask | None:
        """The source, or the last one."""
        return self._task

    def start(self, task: RefereeTask) -> None:
        """Watch only this source from now on."""
        self.stop()
        with self._lock:
            self._task, self._halt = task, threading.Event()
            self._input, self._counts = RefereeInput(), _Counts()
            self._look, self.has_phone_left = None, False
            self._thread = threading.Thread(
                target=self._run,
                args=(task, self._halt, self._input),
                name="referee",
                daemon=True,
            )
            self._thread.start()

    def stop(self) -> None:
        """Stop watching."""
        with self._lock:
            thread, self._thread = self._thread, None
            self._halt.set()
        if thread is not None and thread is not threading.current_thread():
            thread.join()
        self.has_phone_left = False  # a person stopped it, so no frame restarts it

    def close(self) -> None:
        """End with the server."""
        self.stop()

    def push(self, frames: Sequence[JpegFrame]) -> bool:
        """Take a phone's frames, timed by its clock; returns whether a referee wants them."""
        if not self.is_running or self._task is None or self._task.source is not None:
            return False
        self._counts.pushed += len(frames)
        self._counts.dropped += self._input.put(frames)
        return True

    def picture(self) -> JpegFrame | None:
        """The newest picture; None if none was drawn because none was requested for a while."""
        now_s = monotonic()
        if now_s - self._asked_s > _ASK_S:
            self._asked_s = now_s
            self._input.ask(PICTURES_WANTED)
        is_stale = self.is_running and now_s - self._looked_s > _FRESH_S
        return None if is_stale else self._look

    def still(self, timeout_s: float = _FRAME_TIMEOUT_S) -> bytes | None:
        """The next frame as the camera sends it, as PNG; None if none comes in time."""
        with self._has_frame:
            if not self.is_running:
                return None
            self._frame = b""
            self._input.ask(FRAME_WANTED)
            self._has_frame.wait_for(lambda: self._frame, timeout_s)
            return self._frame or None

    def facts(self) -> dict[str, object]:
        """Speed and counts of the referee."""
        now_s = monotonic()
        fresh = [look for look in list(self._counts.looks) if now_s - look[0] < _RATE_S]
        return {
            "is_running": self.is_running,
            "pictures_per_s": _pictures_per_s(fresh),
            "silent_s": round(now_s - fresh[-1][0], 1) if fresh else None,
            "frames_sent": self._counts.pushed,
            "frames_dropped": self._counts.dropped,
            "restarts": self._counts.restarts,
        }

    def _run(self, task: RefereeTask, halt: threading.Event, sent: RefereeInput) -> None:
        failures = 0
        while not halt.is_set():
            self._recorder.on_start(task.source or "phone")
            reason, has_seen = self._watch_once(task, halt, sent)
            if halt.is_set():
                return
            failures = 0 if has_seen else failures + 1
            if has_seen and not task.is_live and reason is not None and reason.has_broken_off:
                reason = EndReason(EndCode.DIED_IN_CLIP)
            self.has_phone_left = reason is not None and reason.code is EndCode.PHONE_GONE
            if reason is None or not self._should_restart(task, reason, failures):
                self._recorder.on_end(reason)
                return
            self._counts.restarts += 1
            LOG.warning("referee restarts", extra={"what": str(reason)})
            self._recorder.on_restart(reason)
            halt.wait(self._waits_s[min(failures, len(self._waits_s) - 1)])

    def _should_restart(self, task: RefereeTask, reason: EndReason, failures: int) -> bool:
        """Whether a restart may help: a camera may come back, but a bad file stays bad."""
        if reason.code is EndCode.PHONE_GONE:
            return False
        return task.is_live or (reason.has_broken_off and failures < len(self._waits_s))

    def _watch_once(
        self, task: RefereeTask, halt: threading.Event, sent: RefereeInput
    ) -> tuple[EndReason | None, bool]:
        """The reason why one process ended, None if its source ended; and whether it made any
        observation.
        """
        try:
            process = ChildProcess(self._work, task)
        except OSError as error:  # no memory, or too many processes or files
            return EndReason(EndCode.NOT_STARTED, str(error.strerror)), False
        is_over = threading.Event()
        feeder = threading.Thread(target=sent.feed, args=(process, is_over), daemon=True)
        feeder.start()
        has_seen, last_message_s = False, monotonic()
        try:
            while not halt.is_set():
                silent_s = sent.silent_s if task.is_phone_alone else 0.0
                if silent_s > self._phone_gone_s:
                    return EndReason(EndCode.PHONE_GONE), has_seen
                message = process.receive(_STEP_S)
                if message is None:
                    if monotonic() - last_message_s > self._silence_s * _measure_crowding():
                        return EndReason(EndCode.SILENT), has_seen
                    continue
                last_message_s = monotonic()
                if isinstance(message, EndMessage):
                    if message.trace is not None:
                        LOG.error("referee failed", extra={"trace": message.trace})
                    return _find_reason(message), has_seen
                has_seen = True
                self._take(message)
            return None, has_seen
        except (EOFError, OSError):
            return EndReason(EndCode.DIED), has_seen
        finally:
            is_over.set()
            sent.wake()
            feeder.join(_END_S)
            # A process that hangs does not take frames.
            process.end(0.0 if feeder.is_alive() else _END_S)
            feeder.join()

    def _take(self, message: SeenMessage) -> None:
        match message:
            case ProgressMessage():
                self._counts.looks.append((monotonic(), message.frames))
            case PictureMessage():
                self._look, self._looked_s = message.look, monotonic()
            case FrameMessage():
                with self._has_frame:
                    self._frame = message.png
                    self._has_frame.notify_all()
            case RestMessage():
                self._recorder.on_rest(message)
            case EventMessage():
                self._recorder.on_event(message.event, message.film)


def _find_reason(message: EndMessage) -> EndReason | None:
    """The process's own reason for its end; None if its source was over."""
    if message.has_died:
        return EndReason(EndCode.DIED)
    return None if message.reason is None else EndReason(EndCode.SOURCE_FAILED, message.reason)


def _measure_crowding() -> float:
    """The number of programs per processor core now, at least 1."""
    if not hasattr(os, "getloadavg"):
        return 1.0
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def _pictures_per_s(pictures: list[tuple[float, int]]) -> float:
    """Analysed frames per second; 0 if too little is known."""
    if len(pictures) < 2:
        return 0.0
    (first_s, first), (last_s, last) = pictures[0], pictures[-1]
    return round(max(0, last - first) / max(last_s - first_s, 1e-3), 1)
