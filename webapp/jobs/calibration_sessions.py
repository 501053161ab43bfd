"""Sessions of the calibration wizard that people are going through in a browser.

A session owns a folder of pictures, and one answer at a time is processed;
``calibration.wizard.state_machine`` decides the effect of an answer. Only a few sessions are held,
in memory. The one unused for longest is dropped, and all end with the server.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path

from calibration.wizard.state_machine import apply_answer
from calibration.wizard.steps import (
    Accept,
    Answer,
    Back,
    ClearDiscs,
    PickDisc,
    PickEveryColour,
    ShowPictures,
    Step,
    WizardState,
)
from vision.wizard_detector import PictureFileDetector
from webapp.jobs import calibration_job
from webapp.jobs.calibration_job import WizardResult
from webapp.jobs.held_uploads import HeldUpload, HeldUploads
from webapp.jobs.worker import Job, Task, Worker

#: Number of wizards kept; the one unused for longest is dropped first.
_MAX_SESSIONS = 12
#: Largest number of pictures of one wizard; more would not improve the lens.
MAX_PICTURES = 12
#: The name of the picture from a source.
_SOURCE_PICTURE = "1_still.png"
#: A clip of a minute takes twice as long on a slow computer, and the physics takes half a minute to
#: load.
CLIP_LIMIT_S = 240.0
#: Answers for which no picture has to be read.
_INSTANT_ANSWERS = (Accept, Back, PickDisc, PickEveryColour, ClearDiscs)


@dataclass(eq=False, kw_only=True)
class CalibrationSession(HeldUpload):
    """One wizard: its pictures, its state, and its newest job.

    pictures    names of its files in ``folder``
    is_waiting  whether its job's result is still to come
    measured    its state; None before the first picture was examined
    saved_as    the profile that it became
    """

    pictures: tuple[str, ...] = ()
    is_waiting: bool = True
    measured: WizardResult | None = None
    problem: str | None = None
    saved_as: str | None = None

    @property
    def state(self) -> WizardState:
        """The wizard's state."""
        return self.measured.state if self.measured else WizardState()


class CalibrationSessions(HeldUploads[CalibrationSession]):
    """The wizard sessions that are open."""

    def __init__(self, worker: Worker) -> None:
        """Let this worker read pictures; clips have their own worker with a longer limit."""
        super().__init__(worker, CalibrationSession, most=_MAX_SESSIONS, kept_s=inf)
        self._clips = Worker(limit_s=CLIP_LIMIT_S, most_waiting=2)

    def begin(
        self, pictures: Sequence[tuple[str, bytes]], source: str | None = None
    ) -> CalibrationSession:
        """A new wizard for pictures (name, content), or for a source's frames.

        Raises ``BusyError``.
        """
        names = [_SOURCE_PICTURE] if source else []

        def submit(_upload: Path, folder: Path) -> Task:
            names.extend(_write_pictures(folder, pictures))
            return self._worker.submit(calibration_job.open_pictures, folder, tuple(names), source)

        session = self.hold(None, "", submit)
        session.pictures = tuple(names)
        return session

    def get(self, key: str) -> CalibrationSession | None:
        """The wizard of that key with its latest result; None if it was dropped."""
        with self._lock:
            session = super().get(key)
            if session is not None:
                _collect_result(session)
            return session

    def answer(self, session: CalibrationSession, given: Answer) -> None:
        """Process an answer. Raises ``BusyError``, and ``ValueError`` for one that does not belong
        to the current step.
        """
        with self._lock:
            if session.is_waiting or session.measured is None:
                return  # the answer was sent twice
            session.problem = None
            if isinstance(given, _INSTANT_ANSWERS):
                _set_state(
                    session,
                    apply_answer(
                        session.state, given, PictureFileDetector(session.folder.joinpath)
                    ),
                )
            else:
                self._submit(
                    session, calibration_job.work_out_answer, session.folder, session.state, given
                )

    def add_views(self, session: CalibrationSession, pictures: Sequence[tuple[str, bytes]]) -> None:
        """Read further pictures. Raises ``BusyError``."""
        with self._lock:
            before = len(session.pictures)
            names = _write_pictures(session.folder, pictures[: MAX_PICTURES - before], before)
            session.pictures = (*session.pictures, *names)
            if names:
                self.answer(session, ShowPictures(pictures=names))

    def measure_speed(self, session: CalibrationSession, clip: tuple[str, bytes]) -> None:
        """Measure the board's speed in a clip (name, content). Raises ``BusyError``."""
        with self._lock:
            if session.is_waiting or session.state.step is not Step.SPEED:
                return
            (name,) = _write_pictures(session.folder, [clip], len(session.pictures))
            job = calibration_job.measure_speed
            path = str(session.folder / name)
            self._submit(session, job, session.state, path, clip[0], worker=self._clips)

    def fit_picture(self, session: CalibrationSession, timeout_s: float) -> bytes | None:
        """The picture of the fit; None if it could not be drawn. Raises ``BusyError``."""
        task = self._worker.submit(calibration_job.fit_picture, session.folder, session.state)
        self._worker.wait(task, timeout_s)
        drawn: bytes | None = task.result
        return drawn

    def cancel(self, session: CalibrationSession) -> None:
        """Cancel the job; the wizard keeps its state."""
        session.worker.cancel(session.task)

    def close(self) -> None:
        """Delete the held state."""
        self._clips.close()
        super().close()

    def _submit(
        self,
        session: CalibrationSession,
        job: Job,
        *arguments: object,
        worker: Worker | None = None,
    ) -> None:
        session.worker = worker or self._worker
        session.task, session.is_waiting = session.worker.submit(job, *arguments), True


def _collect_result(session: CalibrationSession) -> None:
    """Take over the worker's result, if it is finished."""
    task = session.task
    if not (session.is_waiting and task.is_done):
        return
    session.is_waiting, session.problem = False, task.problem
    if isinstance(task.result, WizardResult):
        session.measured = task.result
    elif isinstance(task.result, WizardState):
        _set_state(session, task.result)


def _set_state(session: CalibrationSession, state: WizardState) -> None:
    before = session.measured
    assert before is not None
    session.measured = WizardResult(state=state, factor=before.factor, size_px=before.size_px)


def _write_pictures(
    folder: Path, pictures: Sequence[tuple[str, bytes]], before: int = 0
) -> tuple[str, ...]:
    """Names of pictures that are now in a wizard's folder, which had so many before."""
    names = []
    for number, (file_name, content) in enumerate(pictures, start=before + 1):
        plain = re.sub(
            r"[^\w.-]+", "_", file_name.replace("\\", "/").split("/")[-1], flags=re.ASCII
        )
        name = f"{number}_{plain[-60:]}"
        (folder / name).write_bytes(content)
        names.append(name)
    return tuple(names)
