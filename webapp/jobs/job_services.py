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
from webapp.jobs.held_uploads import HeldUpload, HeldUploads
from webapp.jobs.play_queue import PlayQueue
from webapp.jobs.review_job import review_upload
from webapp.jobs.snapshot_job import score_photo
from webapp.jobs.snapshot_sessions import SnapshotSessions
from webapp.jobs.worker import Worker
from webapp.profile_store import ProfileStore
from webapp.services import services_of

#: Number of photos and films kept; the one unused for longest is dropped first.
_MOST_PHOTOS, _MOST_FILMS = 48, 12
#: Number of films that may wait for their review, and time limit of a review.
_MOST_REVIEWS_WAITING, _REVIEW_LIMIT_S = 3, 600.0
_KEY, _CLOSERS = "crokinole.job_services", "crokinole.closers"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobServices:
    """The parts, and the profile that the server was started with."""

    worker: Worker
    snapshots: SnapshotSessions
    reviews: HeldUploads[HeldUpload]
    photos: HeldUploads[HeldUpload]
    board_photos: HeldUploads[HeldUpload]
    aims: AimFrames
    plays: PlayQueue
    calibrations: CalibrationSessions
    profiles: ProfileStore
    cases: CaseStore
    films: TemporaryFolder
    default_profile: CalibrationProfile | None

    def profile(self, key: str) -> CalibrationProfile | None:
        """The profile that a person chose: a saved one, or the server's own by default."""
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
        reviewer = Worker(limit_s=_REVIEW_LIMIT_S, most_waiting=_MOST_REVIEWS_WAITING)
        snapshots, calibrations = SnapshotSessions(worker), CalibrationSessions(worker)
        reviews = HeldUploads(reviewer, HeldUpload, review_upload, most=_MOST_FILMS)
        photos = HeldUploads(worker, HeldUpload, score_photo, most=_MOST_PHOTOS)
        boards = HeldUploads(worker, HeldUpload, measure_board, most=_MOST_PHOTOS)
        own, kept, films = map(TemporaryFolder, ("profiles", "photos", "films"))
        app.extensions[_KEY] = JobServices(
            worker=worker,
            snapshots=snapshots,
            reviews=reviews,
            photos=photos,
            board_photos=boards,
            aims=AimFrames(worker),
            plays=PlayQueue(worker),
            calibrations=calibrations,
            profiles=ProfileStore(config.profiles or own.folder()),
            cases=CaseStore(config.cases or kept.folder()),
            films=films,
            default_profile=None if config.profile is None else load_profile(config.profile),
        )
        parts = (worker, reviewer, reviews, photos, boards, snapshots, calibrations)
        closers = [part.close for part in (*parts, own, kept, films)]
        app.extensions.setdefault(_CLOSERS, []).extend(closers)
    return cast(JobServices, app.extensions[_KEY])


def close(app: Flask) -> None:
    """End the jobs of an application."""
    for closer in app.extensions.get(_CLOSERS, ()):
        closer()
