"""Photographs that programs send to be scored or measured: handed in, and asked for until done.

Each has a key that cannot be guessed. No thread waits while one is read. They are held in memory,
the newest few dozen, and gone when the server ends.
"""

from __future__ import annotations

import secrets
import tempfile
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from threading import Lock

from calibration.profile import CalibrationProfile
from scorer.photo.score import score_reading, score_unreadable
from vision.io.frame import UnreadablePicture, read_frame
from vision.read_photo import read_photo
from webapp.formats.score import score_json
from webapp.jobs.snapshot_job import MAX_PIXELS
from webapp.jobs.worker import BusyError, Job, Task, Worker, limit_decoding

#: Photographs that are held; the oldest goes first.
_MAX_PHOTOS = 48
#: Bytes of those that wait to be read.
MOST_BYTES = 256 * 1024 * 1024


def score_picture(
    report_progress: Callable[[str], None],
    content: bytes,
    profile: CalibrationProfile | None,
) -> dict[str, object]:
    """A photograph's score, as ``crokinole score --json`` tells it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "photo"
        path.write_bytes(content)
        with limit_decoding():
            frame = read_frame(path, max_pixels=MAX_PIXELS)
    if isinstance(frame, UnreadablePicture):
        return score_json(score_unreadable(frame))
    reading = read_photo(
        frame, profile, progress=lambda stage: report_progress(f"looking for the {stage}")
    )
    return score_json(score_reading(frame, reading))


class PhotoQueue:
    """The photographs that programs sent lately, and their readings."""

    def __init__(self, worker: Worker, job: Job) -> None:
        """Let this worker do that job with each."""
        self._worker, self._job, self._lock = worker, job, Lock()
        self._entries: OrderedDict[str, Task] = OrderedDict()

    def take(self, content: bytes, *more: object) -> str:
        """The key of a photograph that is read from now on. Raises ``BusyError``.

        more  further arguments of the job
        """
        key = secrets.token_urlsafe(12)
        with self._lock:
            waiting = (argument for task in self._entries.values() for argument in task.arguments)
            held = sum(len(argument) for argument in waiting if isinstance(argument, bytes))
            if held + len(content) > MOST_BYTES:
                raise BusyError(
                    "Large pictures are already waiting. Send this one again in a minute."
                )
            task = self._worker.submit(self._job, content, *more)
            self._entries[key] = task
            while len(self._entries) > _MAX_PHOTOS:
                self._entries.popitem(last=False)
        return key

    def get(self, key: str) -> Task | None:
        """The state of the photograph of that key; None for one that is not held any more."""
        with self._lock:
            return self._entries.get(key)
