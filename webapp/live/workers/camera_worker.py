"""A worker takes cameras without a referee, referees every camera in a separate process, and
releases them when it ends.

It checks once a second. A camera whose worker is gone is taken over, and the board shows this. If
the database cannot be reached, the worker gives up its cameras at once, because another worker may
have them by then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Event
from time import monotonic

from calibration.phrase import Phrase
from scorer.rules.sets import RuleSet
from scorer.store import Store, StoreError
from scorer.store.camera_pictures import CameraPictures
from scorer.store.camera_store import CameraLeases, CameraStore, WatchedCamera
from scorer.store.message_store import MessageStore
from scorer.store.practice_store import PracticeStore
from webapp.http.logs import LOG
from webapp.live.board_rules import find_rules
from webapp.live.clip_store import ClipStore
from webapp.live.end_reason import EndCode, EndReason
from webapp.live.match_recorder import MatchRecorder
from webapp.live.message_sender import MessageSender
from webapp.live.practice_recorder import PracticeRecorder
from webapp.live.referee_process import RefereeTask, run_referee
from webapp.live.supervisor import RefereeSupervisor
from webapp.live.workers.worker_scoreboard import WorkerScoreboard

#: A computer with two cores referees two boards at full speed, and six at a lower rate.
MOST_CAMERAS = 6
_PERIOD_S = 1.0

Work = Callable[[RefereeTask, Connection], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class _WorkedCamera:
    """A camera that this worker has, and its referee.

    log  the match whose rules apply, and its length; only another match may change the rules
    """

    camera: WatchedCamera
    rules: RuleSet
    log: tuple[int, int] | None
    recorder: MatchRecorder
    supervisor: RefereeSupervisor


class CameraWorker:
    """One worker; ``run`` works until it is stopped."""

    def __init__(
        self,
        store: Store,
        shots: ClipStore,
        name: str,
        *,
        rules: str = "nca",
        most: int = MOST_CAMERAS,
        work: Work = run_referee,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """Starts without cameras.

        name   unique among workers
        rules  of the referee without a match
        most   cameras at once
        work   the function of a referee's process
        """
        self._store, self._shots, self._name = store, shots, name
        self._rules, self._most, self._work = rules, most, work
        self._cameras = CameraStore(store.database)
        self._practices = PracticeStore(store.database)
        self._pictures = CameraPictures(store.database)
        self._sender = MessageSender(MessageStore(store.database))
        self._leases = CameraLeases(store.database, name, clock)
        self._stop = Event()
        self._held: dict[int, _WorkedCamera] = {}
        # Previous workers of cameras that were taken over and not yet started.
        self._gone: dict[int, str] = {}

    @property
    def boards(self) -> tuple[int, ...]:
        """The boards of its cameras."""
        return tuple(self._held)

    def run(self) -> None:
        """Work until ``stop``; then release everything."""
        while not self._stop.is_set():
            self.step()
            self._stop.wait(_PERIOD_S)
        self.close()

    def stop(self) -> None:
        """Stop soon."""
        self._stop.set()

    def step(self) -> None:
        """Check once: renew leases, drop expired ones, take free ones, then start."""
        try:
            self._drop_lost(self._leases.beat())
            cameras = self._cameras.list_cameras()
            free = self._take_free(cameras)
            for camera in cameras:
                if camera.board in self._held:
                    self._look_after(camera)
            for camera in free:
                self._start(camera, gone=self._gone.get(camera.board))
                self._gone.pop(camera.board, None)
            self._show_pictures()
        except StoreError as error:
            LOG.warning("database unreachable", extra={"what": str(error)})

    def close(self) -> None:
        """Release every camera."""
        for board, worked in list(self._held.items()):
            worked.supervisor.stop()
            del self._held[board]
            try:
                self._leases.release(board)
            except StoreError as error:
                LOG.warning("camera not released", extra={"what": str(error)})
        self._sender.close()

    def _drop_lost(self, own: frozenset[int]) -> None:
        """End the referees of cameras that no longer belong to this worker."""
        for board in set(self._held) - own:
            LOG.warning("camera taken by another worker", extra={"what": f"board {board}"})
            self._held.pop(board).supervisor.stop()

    def _take_free(self, cameras: Iterable[WatchedCamera]) -> list[WatchedCamera]:
        """Take free cameras for this worker."""
        taken: list[WatchedCamera] = []
        for camera in cameras:
            if camera.board in self._held or len(self._held) + len(taken) >= self._most:
                continue
            if self._leases.take(camera):
                taken.append(camera)
                if camera.worker not in (None, self._name):
                    self._gone[camera.board] = camera.worker
        return taken

    def _look_after(self, camera: WatchedCamera) -> None:
        worked = self._held[camera.board]
        if worked.camera.revision != camera.revision:
            worked.supervisor.stop()
            self._start(camera)
        elif not worked.supervisor.is_running:  # the referee ended, and has reported that
            del self._held[camera.board]
            self._cameras.stop(camera.board, camera.revision)
            self._leases.release(camera.board)
        elif worked.log != (log := self._store.find_newest_log(camera.board)):
            self._held[camera.board] = replace(worked, log=log)
            rules = find_rules(self._store, camera.board, self._rules)
            if worked.rules != rules and _make_task(worked).is_live:
                self._start(camera)

    def _start(self, camera: WatchedCamera, gone: str | None = None) -> None:
        """Referee a camera; ``gone`` is the worker that had it before."""
        board = camera.board
        scoreboard = WorkerScoreboard(self._store, self._sender, board, self._stop)
        practice = PracticeRecorder(scoreboard, self._practices)
        recorder = MatchRecorder(scoreboard, self._store, self._shots, practice)
        worked = _WorkedCamera(
            camera=camera,
            log=self._store.find_newest_log(board),
            rules=find_rules(self._store, board, self._rules),
            recorder=recorder,
            supervisor=RefereeSupervisor(recorder, work=self._work),
        )
        old = self._held.get(board)
        if old is not None:
            old.supervisor.stop()
        self._held[board] = worked
        task = _make_task(worked)
        if gone is not None and not task.is_live:
            # If it started again, its shots would be entered twice.
            recorder.on_end(EndReason(EndCode.DIED_IN_CLIP))
            return
        if gone is not None:
            LOG.warning("camera taken over", extra={"what": f"board {board} from {gone}"})
            words = Phrase(
                "The program %(gone)s has stopped, so %(name)s is refereeing now.",
                gone=gone,
                name=self._name,
            )
            recorder.on_restart(EndReason(EndCode.WORKER_GONE, words))
        worked.supervisor.start(task)

    def _show_pictures(self) -> None:
        """Answer servers that ask for the pictures of this worker's cameras."""
        for board in self._pictures.list_asked():
            worked = self._held.get(board)
            seen = None if worked is None else worked.supervisor.picture()
            if worked is not None and seen is not None:
                self._pictures.answer(board, seen.t_s, seen.jpeg, worked.supervisor.facts())


def _make_task(worked: _WorkedCamera) -> RefereeTask:
    profile = worked.camera.profile
    return RefereeTask(
        source=worked.camera.source,
        rules=worked.rules,
        profile=Path(profile) if profile else None,
        beside=worked.camera.beside or None,
    )
