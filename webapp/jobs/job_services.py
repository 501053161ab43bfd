"""Shared parts of the pages about pictures: the process that reads them, and its current pictures.

The parts of one application, made at first use and closed with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from flask import Flask, current_app

from calibration.profile import CalibrationProfile, load_profile
from webapp.data_folder import TemporaryFolder
from webapp.jobs.aim_frames import AimFrames
from webapp.jobs.calibration_job import measure_board
from webapp.jobs.calibration_sessions import CalibrationSessions
from webapp.jobs.case_store import CaseStore
from webapp.jobs.photo_queue import PhotoQueue, score_picture
from webapp.jobs.play_queue import PlayQueue
from webapp.jobs.review_sessions import ReviewSessions
from webapp.jobs.snapshot_sessions import SnapshotSessions
from webapp.jobs.worker import Worker
from webapp.profile_store import ProfileStore
from webapp.services import services_of

_KEY, _CLOSERS = "crokinole.job_services", "crokinole.closers"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobServices:
    """The parts, and the profile that the server was started with."""

    worker: Worker
    snapshots: SnapshotSessions
    reviews: ReviewSessions
    photos: PhotoQueue
    board_photos: PhotoQueue
    aims: AimFrames
    plays: PlayQueue
    calibrations: CalibrationSessions
    profiles: ProfileStore
    cases: CaseStore
    films: TemporaryFolder
    default_profile: CalibrationProfile | None

    def profile(self, key: str) -> CalibrationProfile | None:
        """The profile that a person chose: a saved one, or the server's own without a choice."""
        kept = self.profiles.get(key) if key else None
        return kept.profile if kept else self.default_profile


def job_services() -> JobServices:
    """The job services of the application that answers the current request."""
    return job_services_of(current_app)


def job_services_of(app: Flask) -> JobServices:
    """The job services of an application, set up at first use. Raises ``ProfileError``."""
    if _KEY not in app.extensions:
        config = services_of(app).config
        worker = Worker()
        snapshots, calibrations = SnapshotSessions(worker), CalibrationSessions(worker)
        reviews, own = ReviewSessions(), TemporaryFolder("profiles")
        photos, films = TemporaryFolder("photos"), TemporaryFolder("films")
        app.extensions[_KEY] = JobServices(
            worker=worker,
            snapshots=snapshots,
            reviews=reviews,
            photos=PhotoQueue(worker, score_picture),
            board_photos=PhotoQueue(worker, measure_board),
            aims=AimFrames(worker),
            plays=PlayQueue(worker),
            calibrations=calibrations,
            profiles=ProfileStore(config.profiles or own.folder()),
            cases=CaseStore(config.cases or photos.folder()),
            films=films,
            default_profile=None if config.profile is None else load_profile(config.profile),
        )
        closers = [worker.close, reviews.close, snapshots.close, calibrations.close]
        closers += [own.cleanup, photos.cleanup, films.cleanup]
        app.extensions.setdefault(_CLOSERS, []).extend(closers)
    return cast(JobServices, app.extensions[_KEY])


def close(app: Flask) -> None:
    """End the jobs of an application."""
    for closer in app.extensions.get(_CLOSERS, ()):
        closer()
