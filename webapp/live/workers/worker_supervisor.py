"""The control of a board's referee on a server that leaves cameras to workers.

A phone's frames come to the server, which referees them itself. Any other source is stored in the
database for a worker.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from time import monotonic

from scorer.rules.sets import RuleSet
from scorer.store.camera_pictures import CameraPicture, CameraPictures
from scorer.store.camera_store import CameraStore
from webapp.live.match_recorder import MatchRecorder
from webapp.live.referee_process import RefereeTask
from webapp.live.ring_buffer import JpegFrame
from webapp.live.supervisor import RefereeSupervisor

#: A worker checks once a second, so requests are sent at that interval, and answers are read twice
#: as often.
_ASK_S, _READ_S = 1.0, 0.5
#: A picture is shown no longer than this after its worker's last answer.
_FRESH_S = 10.0


class WorkerSupervisor(RefereeSupervisor):
    """Controls a worker's source at a board; after a restart it continues unchanged."""

    def __init__(
        self,
        recorder: MatchRecorder,
        cameras: CameraStore,
        board: int,
        rules: RuleSet,
        *,
        pictures: CameraPictures,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """``rules`` are shown for a camera that was chosen before this server ran."""
        super().__init__(recorder)
        self._cameras, self._board, self._usual = cameras, board, rules
        self._seen = _SeenByWorker(pictures, board, clock)

    @property
    def is_running(self) -> bool:
        """Whether a worker should watch, or this server watches a phone."""
        return super().is_running or self._cameras.get(self._board) is not None

    @property
    def task(self) -> RefereeTask | None:
        """The source, or the last one."""
        camera = self._cameras.get(self._board)
        if camera is None:
            return super().task
        profile = Path(camera.profile) if camera.profile else None
        known = super().task
        rules = known.rules if known is not None else self._usual
        beside = camera.beside or None
        return RefereeTask(source=camera.source, rules=rules, profile=profile, beside=beside)

    def start(self, task: RefereeTask) -> None:
        """Watch only this source from now on."""
        if task.source is None:
            self._cameras.stop(self._board)
            super().start(task)
            return
        super().stop()
        self._task = task
        self._seen.forget()
        self._recorder.on_start(task.source)
        profile = "" if task.profile is None else str(task.profile)
        self._cameras.watch(self._board, task.source, profile, task.beside or "")

    def stop(self) -> None:
        """Stop watching."""
        self._cameras.stop(self._board)
        super().stop()

    def picture(self) -> JpegFrame | None:
        """The newest picture, from a worker about once a second, while viewers request it."""
        if self._cameras.get(self._board) is None:
            return super().picture()
        seen = self._seen.look()
        return None if seen is None else JpegFrame(t_s=seen.t_s, jpeg=seen.jpeg)

    def facts(self) -> dict[str, object]:
        """Speed and counts, as its worker reports them while viewers request the picture."""
        if self._cameras.get(self._board) is None:
            return super().facts()
        seen = self._seen.newest
        return super().facts() if seen is None else seen.facts

    def close(self) -> None:
        """End this server's own sources; workers continue."""
        super().stop()


class _SeenByWorker:
    """A worker's newest picture, requested and read no more often than it can change."""

    def __init__(self, pictures: CameraPictures, board: int, clock: Callable[[], float]) -> None:
        self._pictures, self._board, self._clock = pictures, board, clock
        self._lock = Lock()
        self._asked_s = self._read_s = self._answered_s = -_FRESH_S
        self._answered = 0
        self.newest: CameraPicture | None = None

    def look(self) -> CameraPicture | None:
        """The newest picture; None if no worker has answered for a while."""
        with self._lock:
            now_s = self._clock()
            if now_s - self._asked_s >= _ASK_S:
                self._pictures.ask(self._board)
                self._asked_s = now_s
            if now_s - self._read_s >= _READ_S:
                self._read(now_s)
            return self.newest

    def forget(self) -> None:
        """Forget the data of another source."""
        with self._lock:
            self._pictures.forget(self._board)
            self._answered, self.newest = 0, None

    def _read(self, now_s: float) -> None:
        found = self._pictures.read(self._board)
        self._read_s = now_s
        if found is not None and found.answered != self._answered:
            self._answered, self._answered_s = found.answered, now_s
        self.newest = found if now_s - self._answered_s < _FRESH_S else None
