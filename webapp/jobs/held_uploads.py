"""Files that people and programs sent, with the tasks that read them, while they are in use.

Nothing is saved permanently. The file unused for longest is dropped when there are too many, and so
is every file unused for a few hours.
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Event, RLock, Thread
from time import monotonic
from typing import Generic, TypeVar

from webapp.jobs.worker import Job, Task, Worker

#: An unused file is dropped after this time, s: a tournament's evening.
KEPT_S = 6 * 3600.0
#: Interval at which unused files are dropped, s.
SWEEP_S = 600.0


@dataclass(eq=False, kw_only=True)
class HeldUpload:
    """One file; ``name`` is the person's name for it, ``asked_s`` the time of its last use."""

    key: str
    name: str
    folder: Path
    worker: Worker
    task: Task
    asked_s: float = field(default_factory=monotonic)


Held = TypeVar("Held", bound=HeldUpload)


class HeldUploads(Generic[Held]):
    """The files in use now, at most ``most`` of them."""

    def __init__(
        self,
        worker: Worker,
        kind: type[Held],
        job: Job | None = None,
        *,
        most: int,
        kept_s: float = KEPT_S,
    ) -> None:
        """Let this worker read them with that job; they are objects of ``kind``."""
        self._worker, self._kind, self._job, self._most = worker, kind, job, most
        self._kept_s, self._lock = kept_s, RLock()
        self._entries: OrderedDict[str, Held] = OrderedDict()
        self._temp_dir = tempfile.TemporaryDirectory(
            prefix="crokinole-", ignore_cleanup_errors=True
        )
        self._is_closed = Event()
        self._sweeper: Thread | None = None

    def read(
        self, content: bytes, *arguments: object, name: str = "", sender: str | None = None
    ) -> Held:
        """A file that is read from now on; the job gets its path, then ``arguments``.

        Raises ``BusyError``.

        sender  the address of a spectator who sent it; None for the scorer
        """
        assert self._job is not None
        submit = partial(self._worker.submit, self._job, sender=sender)
        return self.hold(content, name, lambda upload, _: submit(upload, *arguments))

    def hold(self, content: bytes | None, name: str, submit: Callable[[Path, Path], Task]) -> Held:
        """A file that is being read from now on; ``submit`` gets it and its folder. Without
        ``content``, ``submit`` writes files there. Raises ``BusyError``.
        """
        key = secrets.token_urlsafe(12)
        folder = Path(self._temp_dir.name) / key
        folder.mkdir()
        upload = folder / "upload"
        if content is not None:
            upload.write_bytes(content)
        try:
            task = submit(upload, folder)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        held = self._kind(key=key, name=name, folder=folder, worker=self._worker, task=task)
        with self._lock:
            if self._sweeper is None:
                self._sweeper = Thread(target=self._sweep, name="uploads", daemon=True)
                self._sweeper.start()
            self._entries[key] = held
            while len(self._entries) > self._most:
                _, old = self._entries.popitem(last=False)
                shutil.rmtree(old.folder, ignore_errors=True)
        return held

    def get(self, key: str) -> Held | None:
        """The file of that key."""
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
                self._entries[key].asked_s = monotonic()
            return self._entries.get(key)

    def cancel(self, held: Held) -> None:
        """Cancel a file: it is no longer read, and nothing of it is held."""
        held.worker.cancel(held.task)
        with self._lock:
            self._entries.pop(held.key, None)
        shutil.rmtree(held.folder, ignore_errors=True)

    def close(self) -> None:
        """Delete the held state."""
        self._is_closed.set()
        self._temp_dir.cleanup()

    def _sweep(self) -> None:
        while not self._is_closed.wait(SWEEP_S):
            with self._lock:
                held = list(self._entries.values())
            for upload in held:
                if upload.asked_s + self._kept_s < monotonic():
                    self.cancel(upload)
