"""Photographs that people sent to be scored, for as long as they look at them, with corrections.

Nothing is kept for good: saving a round is up to the match (see ``scorer.match.fold``). The one
that was asked for longest ago is dropped when there are too many.
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections import OrderedDict
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock

from calibration.profile import CalibrationProfile
from webapp.jobs import snapshot_job
from webapp.jobs.snapshot_job import SnapshotResult
from webapp.jobs.worker import Task, Worker
from webapp.photo.corrections import Correction, apply_corrections
from webapp.photo.kept_round import KeptRound

#: Photographs that are held; the one that was asked for longest ago goes first.
_MAX_SESSIONS = 48


@dataclass(eq=False)
class SnapshotSession:
    """One photograph.

    name         of its file, as the person called it
    corrections  what a person corrected, in order
    kept         the round that it became; None before
    lock         held while it is corrected or kept
    """

    key: str
    name: str
    folder: Path
    task: Task
    corrections: list[Correction] = field(default_factory=list)
    kept: KeptRound | None = None
    lock: AbstractContextManager[bool] = field(default_factory=RLock)

    @property
    def seen(self) -> SnapshotResult | None:
        """What came of it; None while it waits, and when reading it failed."""
        result: SnapshotResult | None = self.task.result
        return result


class SnapshotSessions:
    """The photographs that are looked at now."""

    def __init__(self, worker: Worker) -> None:
        """Let this worker read them."""
        self._worker, self._lock = worker, RLock()
        self._entries: OrderedDict[str, SnapshotSession] = OrderedDict()
        self._temp_dir = tempfile.TemporaryDirectory(
            prefix="crokinole-", ignore_cleanup_errors=True
        )

    def take(
        self, content: bytes, name: str, profile: CalibrationProfile | None
    ) -> SnapshotSession:
        """A photograph that is being read from now on. Raises ``BusyError``."""
        key = secrets.token_urlsafe(12)
        folder = Path(self._temp_dir.name) / key
        folder.mkdir()
        upload = folder / "upload"
        upload.write_bytes(content)
        try:
            task = self._worker.submit(snapshot_job.read_snapshot, upload, folder, profile)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        snapshot = SnapshotSession(key=key, name=name, folder=folder, task=task)
        with self._lock:
            self._entries[key] = snapshot
            while len(self._entries) > _MAX_SESSIONS:
                _, old = self._entries.popitem(last=False)
                shutil.rmtree(old.folder, ignore_errors=True)
        return snapshot

    def get(self, key: str) -> SnapshotSession | None:
        """The photograph of that key."""
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
            return self._entries.get(key)

    def waiting(self, snapshot: SnapshotSession) -> int:
        """How many are read before it."""
        return self._worker.place(snapshot.task)

    def correct(self, snapshot: SnapshotSession, correction: Correction) -> None:
        """Add a correction to what was read. Raises ``CorrectionError``."""
        assert snapshot.seen is not None
        with self._lock:
            trial = [*snapshot.corrections, correction]
            apply_corrections(snapshot.seen.score, trial)
            snapshot.corrections = trial

    def undo(self, snapshot: SnapshotSession) -> None:
        """Take the last correction back."""
        with self._lock:
            snapshot.corrections = snapshot.corrections[:-1]

    def cancel(self, snapshot: SnapshotSession) -> None:
        """Give a photograph up: it is not read any more, and nothing of it is held."""
        self._worker.cancel(snapshot.task)
        with self._lock:
            self._entries.pop(snapshot.key, None)
        shutil.rmtree(snapshot.folder, ignore_errors=True)

    def close(self) -> None:
        """Delete what is held."""
        self._temp_dir.cleanup()
