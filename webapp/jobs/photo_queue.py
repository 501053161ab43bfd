"""Photos that programs send to be scored or measured, kept until they are asked for.

Their keys cannot be guessed. No thread waits while a photo is read. The newest few dozen are held
in memory, until the server ends.
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
    """A photo's score, the same as from ``crokinole score --json``."""
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
    """The photos that programs sent recently, and their readings."""

    def __init__(self, worker: Worker, job: Job) -> None:
        """Let this worker do that job for them."""
        self._worker, self._job, self._lock = worker, job, Lock()
        self._entries: OrderedDict[str, Task] = OrderedDict()

    def take(self, content: bytes, *more: object) -> str:
        """The key of a new photo to read. Raises ``BusyError``.

        more  further arguments of the job
        """
        key = secrets.token_urlsafe(12)
        with self._lock:
            waiting = (argument for task in self._entries.values() for argument in task.arguments)
            held = sum(len(argument) for argument in waiting if isinstance(argument, bytes))
            if held + len(content) > MOST_BYTES:
                raise BusyError(
                    "Other large photos are already waiting. Send this one again in a minute."
                )
            task = self._worker.submit(self._job, content, *more)
            self._entries[key] = task
            while len(self._entries) > _MAX_PHOTOS:
                self._entries.popitem(last=False)
        return key

    def get(self, key: str) -> Task | None:
        """The state of the photo with that key; None if it is no longer held."""
        with self._lock:
            return self._entries.get(key)
