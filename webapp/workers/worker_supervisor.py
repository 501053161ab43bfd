"""A board's referee as a server controls it that leaves cameras to workers.

A phone's frames come to the server, which referees them itself; any other source is written down,
and a worker takes it.
"""

from __future__ import annotations

from pathlib import Path

from scorer.rules.sets import RuleSet
from scorer.store.camera_store import CameraStore
from webapp.runtime.referee_process import RefereeTask
from webapp.runtime.supervisor import RefereeCallbacks, RefereeSupervisor


class WorkerSupervisor(RefereeSupervisor):
    """Controls what a worker watches at a board; after a restart it goes on as it was."""

    def __init__(
        self, callbacks: RefereeCallbacks, cameras: CameraStore, board: int, rules: RuleSet
    ) -> None:
        """``rules`` are shown for a camera that was chosen before this server ran."""
        super().__init__(callbacks)
        self._cameras, self._board, self._usual = cameras, board, rules

    @property
    def is_running(self) -> bool:
        """Whether a worker is to watch, or this server watches a phone."""
        return super().is_running or self._cameras.get(self._board) is not None

    @property
    def task(self) -> RefereeTask | None:
        """What is watched, or was last."""
        camera = self._cameras.get(self._board)
        if camera is None:
            return super().task
        profile = Path(camera.profile) if camera.profile else None
        known = super().task
        rules = known.rules if known is not None else self._usual
        return RefereeTask(source=camera.source, rules=rules, profile=profile)

    def start(self, task: RefereeTask) -> None:
        """Watch this from now on, and nothing else."""
        if task.source is None:
            self._cameras.stop(self._board)
            super().start(task)
            return
        super().stop()
        self._task = task
        self._callbacks.on_start(task.source)
        profile = "" if task.profile is None else str(task.profile)
        self._cameras.watch(self._board, task.source, profile)

    def stop(self) -> None:
        """Watch nothing."""
        self._cameras.stop(self._board)
        super().stop()

    def close(self) -> None:
        """End what this server itself watches; workers go on."""
        super().stop()
