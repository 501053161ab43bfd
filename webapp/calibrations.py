"""Wizards that people are going through in a browser.

Knows which pictures belong to which wizard, and that one answer is worked out at a time. Refuses to
know pages, and what an answer leads to (see ``calibration.wizard``).
"""

from __future__ import annotations

import re
import secrets
import shutil
import tempfile
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import RLock

from calibration.wizard import Accept, Answer, Back, ForgetDiscs, Show, Step, Wizard, answered
from vision.calibrating import PictureEye
from webapp import calibration_job
from webapp.calibration_job import Measured
from webapp.worker import Task, Worker

#: Wizards that are held; the one that was asked for longest ago goes first.
_MOST = 12
#: Pictures of one wizard: more tell the lens no better.
MOST_PICTURES = 12
#: The picture that a source gave.
_STILL = "1_still.png"
#: A clip of a minute takes twice that on a slow machine, and the physics half a minute to load.
CLIP_LIMIT_S = 240.0
#: Answers that need no look at a picture.
_PLAIN = (Accept, Back, ForgetDiscs)


@dataclass(eq=False)
class Calibration:
    """One wizard: its pictures, where it stands, and what is being worked out.

    pictures  names of its files in ``folder``
    measured  where it stands; None before the first picture was looked at
    is_clip   whether a clip is being watched
    saved_as  the profile that it became
    """

    key: str
    folder: Path
    pictures: tuple[str, ...]
    task: Task | None = None
    measured: Measured | None = None
    problem: str | None = None
    is_clip: bool = False
    saved_as: str | None = None

    @property
    def state(self) -> Wizard:
        """Where the wizard stands."""
        return self.measured.state if self.measured else Wizard()


class Calibrations:
    """The wizards that are being gone through."""

    def __init__(self, worker: Worker) -> None:
        """Let this worker look at pictures; clips have one of their own."""
        self._worker, self._lock = worker, RLock()
        self._clips = Worker(limit_s=CLIP_LIMIT_S, most_waiting=2)
        self._held: OrderedDict[str, Calibration] = OrderedDict()
        self._room = tempfile.TemporaryDirectory(prefix="crokinole-", ignore_cleanup_errors=True)

    def begin(
        self, pictures: Sequence[tuple[str, bytes]], source: str | None = None
    ) -> Calibration:
        """A new wizard that looks at pictures (name, content), or at what a source shows.

        Raises ``BusyError``.
        """
        key = secrets.token_urlsafe(12)
        folder = Path(self._room.name) / key
        folder.mkdir()
        made = Calibration(key=key, folder=folder, pictures=())
        made.pictures = (_STILL,) if source else _written(made, pictures)
        try:
            made.task = self._worker.submit(calibration_job.show, folder, made.pictures, source)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        with self._lock:
            self._held[key] = made
            while len(self._held) > _MOST:
                _, old = self._held.popitem(last=False)
                shutil.rmtree(old.folder, ignore_errors=True)
        return made

    def get(self, key: str) -> Calibration | None:
        """The wizard of that key, with what was worked out meanwhile."""
        with self._lock:
            held = self._held.get(key)
            if held is not None:
                self._held.move_to_end(key)
                _take_in(held)
            return held

    def answer(self, of: Calibration, given: Answer) -> None:
        """Work an answer out. Raises ``BusyError``, and ``ValueError`` for one out of step."""
        with self._lock:
            if of.task is not None or of.measured is None:
                return  # sent twice
            of.problem = None
            if isinstance(given, _PLAIN):
                _stands_at(of, answered(of.state, given, PictureEye(of.folder.joinpath)))
            else:
                self._submit(of, calibration_job.answer, of.folder, of.state, given)

    def add_views(self, of: Calibration, pictures: Sequence[tuple[str, bytes]]) -> None:
        """Look at further pictures. Raises ``BusyError``."""
        with self._lock:
            names = _written(of, pictures[: MOST_PICTURES - len(of.pictures)])
            of.pictures = (*of.pictures, *names)
            if names:
                self.answer(of, Show(pictures=names))

    def measure_clear_discs(self, of: Calibration) -> None:
        """Measure one disc of each colour. Raises ``BusyError``."""
        with self._lock:
            if of.task is None:
                self._submit(of, calibration_job.measure_clear_discs, of.folder, of.state)

    def measure_speed(self, of: Calibration, clip: tuple[str, bytes]) -> None:
        """Measure the board's speed in a clip (name, content). Raises ``BusyError``."""
        with self._lock:
            if of.task is not None or of.state.step is not Step.SPEED:
                return
            (name,) = _written(of, [clip])
            job = calibration_job.measure_speed
            of.task = self._clips.submit(job, of.state, str(of.folder / name), clip[0])
            of.is_clip = True

    def fit_picture(self, of: Calibration, patience_s: float) -> bytes | None:
        """The picture of the fit; None when it could not be drawn. Raises ``BusyError``."""
        task = self._worker.submit(calibration_job.fit_picture, of.folder, of.state)
        self._worker.wait(task, patience_s)
        drawn: bytes | None = task.result
        return drawn

    def wait(self, of: Calibration, timeout_s: float) -> None:
        """Give a short answer the time to be worked out."""
        if of.task is not None:
            self._worker_of(of).wait(of.task, timeout_s)

    def waiting(self, of: Calibration) -> int:
        """How many are looked at before it."""
        return self._worker_of(of).place(of.task) if of.task else 0

    def _worker_of(self, of: Calibration) -> Worker:
        return self._clips if of.is_clip else self._worker

    def close(self) -> None:
        """Delete what is held."""
        self._clips.close()
        self._room.cleanup()

    def _submit(self, of: Calibration, *job: object) -> None:
        of.task = self._worker.submit(*job)  # type: ignore[arg-type]


def _take_in(held: Calibration) -> None:
    """What the worker has found out, where it has."""
    task = held.task
    if task is None or not task.is_done:
        return
    held.task, held.problem, held.is_clip = None, task.problem, False
    if isinstance(task.result, Measured):
        held.measured = task.result
    elif isinstance(task.result, Wizard):
        _stands_at(held, task.result)


def _stands_at(held: Calibration, state: Wizard) -> None:
    before = held.measured
    assert before is not None
    held.measured = Measured(state=state, factor=before.factor, size_px=before.size_px)


def _written(of: Calibration, pictures: Sequence[tuple[str, bytes]]) -> tuple[str, ...]:
    """Names of pictures that are now in the wizard's folder."""
    names = []
    for number, (told, content) in enumerate(pictures, start=len(of.pictures) + 1):
        plain = re.sub(r"[^\w.-]+", "_", told.replace("\\", "/").split("/")[-1], flags=re.ASCII)
        name = f"{number}_{plain[-60:]}"
        (of.folder / name).write_bytes(content)
        names.append(name)
    return tuple(names)
