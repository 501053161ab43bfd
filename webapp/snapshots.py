"""Photographs that people sent to be scored, for as long as they look at them.

Knows who waits, what was read and what was put right since. Refuses to know pages, and keeps
nothing for good: saving a round is up to the match (see ``scorer.match``).
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock

from calibration.profile import Profile
from webapp import snapshot_job
from webapp.corrections import Correction, shown_discs
from webapp.snapshot_job import Seen
from webapp.worker import Task, Worker

#: Photographs that are held; the one that was asked for longest ago goes first.
_MOST = 48


@dataclass(eq=False)
class Snapshot:
    """One photograph.

    name         of its file, as the person called it
    corrections  what was put right, in order
    saved_as     the round that it became, in words
    """

    key: str
    name: str
    folder: Path
    task: Task
    corrections: list[Correction] = field(default_factory=list)
    saved_as: str | None = None

    @property
    def seen(self) -> Seen | None:
        """What came of it; None while it waits, and when reading it failed."""
        result: Seen | None = self.task.result
        return result


class Snapshots:
    """The photographs that are looked at now."""

    def __init__(self, worker: Worker) -> None:
        """Let this worker read them."""
        self._worker, self._lock = worker, RLock()
        self._held: OrderedDict[str, Snapshot] = OrderedDict()
        self._room = tempfile.TemporaryDirectory(prefix="crokinole-", ignore_cleanup_errors=True)

    def take(self, content: bytes, name: str, profile: Profile | None) -> Snapshot:
        """A photograph that is being read from now on. Raises ``BusyError``."""
        key = secrets.token_urlsafe(12)
        folder = Path(self._room.name) / key
        folder.mkdir()
        upload = folder / "upload"
        upload.write_bytes(content)
        try:
            task = self._worker.submit(snapshot_job.look, upload, folder, profile)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        snapshot = Snapshot(key=key, name=name, folder=folder, task=task)
        with self._lock:
            self._held[key] = snapshot
            while len(self._held) > _MOST:
                _, old = self._held.popitem(last=False)
                shutil.rmtree(old.folder, ignore_errors=True)
        return snapshot

    def get(self, key: str) -> Snapshot | None:
        """The photograph of that key."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
            return self._held.get(key)

    def waiting(self, snapshot: Snapshot) -> int:
        """How many are read before it."""
        return self._worker.place(snapshot.task)

    def correct(self, snapshot: Snapshot, correction: Correction) -> None:
        """Lay a correction over what was read. Raises ``CorrectionError``."""
        assert snapshot.seen is not None
        with self._lock:
            trial = [*snapshot.corrections, correction]
            shown_discs(snapshot.seen.score, trial)
            snapshot.corrections = trial

    def undo(self, snapshot: Snapshot) -> None:
        """Take the last correction back."""
        with self._lock:
            snapshot.corrections = snapshot.corrections[:-1]

    def close(self) -> None:
        """Delete what is held."""
        self._room.cleanup()
