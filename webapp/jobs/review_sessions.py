"""Films of shots that people sent to be reviewed, for as long as they look at them.

Nothing is kept for good. A review takes a minute or two, so they have a worker of their own, and
photographs need not wait for them. The one that was asked for longest ago is dropped when there are
too many: films are large.
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from threading import RLock

from calibration.profile import CalibrationProfile
from scorer.rules.sets import RuleSet
from webapp.jobs.review_job import ReviewResult, review_upload
from webapp.jobs.worker import Task, Worker

#: Films that are held, and that may wait, and how long one may take.
_MAX_SESSIONS, _MOST_WAITING, _LIMIT_S = 12, 3, 600.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReviewSession:
    """One film; ``name`` is of its file, as the person called it."""

    key: str
    name: str
    folder: Path
    task: Task

    @property
    def outcome(self) -> ReviewResult | None:
        """What came of it; None while it waits, and when reviewing it failed."""
        result: ReviewResult | None = self.task.result
        return result


class ReviewSessions:
    """The films that are looked at now."""

    def __init__(self) -> None:
        """Nothing is started yet."""
        self._worker = Worker(limit_s=_LIMIT_S, most_waiting=_MOST_WAITING)
        self._lock = RLock()
        self._entries: OrderedDict[str, ReviewSession] = OrderedDict()
        self._temp_dir = tempfile.TemporaryDirectory(
            prefix="crokinole-", ignore_cleanup_errors=True
        )

    def take(
        self, content: bytes, name: str, rules: RuleSet, profile: CalibrationProfile | None
    ) -> ReviewSession:
        """A film that is being reviewed from now on. Raises ``BusyError``."""
        key = secrets.token_urlsafe(12)
        folder = Path(self._temp_dir.name) / key
        folder.mkdir()
        upload = folder / "upload"
        upload.write_bytes(content)
        try:
            task = self._worker.submit(review_upload, upload, name, rules, profile)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        session = ReviewSession(key=key, name=name, folder=folder, task=task)
        with self._lock:
            self._entries[key] = session
            while len(self._entries) > _MAX_SESSIONS:
                _, old = self._entries.popitem(last=False)
                shutil.rmtree(old.folder, ignore_errors=True)
        return session

    def get(self, key: str) -> ReviewSession | None:
        """The film of that key."""
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
            return self._entries.get(key)

    def waiting(self, session: ReviewSession) -> int:
        """How many are reviewed before it."""
        return self._worker.place(session.task)

    def wait(self, session: ReviewSession, timeout_s: float) -> bool:
        """Whether it is done, after at most this time."""
        return self._worker.wait(session.task, timeout_s)

    def cancel(self, session: ReviewSession) -> None:
        """Give a film up: it is not reviewed any more, and nothing of it is held."""
        self._worker.cancel(session.task)
        with self._lock:
            self._entries.pop(session.key, None)
        shutil.rmtree(session.folder, ignore_errors=True)

    def close(self) -> None:
        """Stop, and delete what is held."""
        self._worker.close()
        self._temp_dir.cleanup()
