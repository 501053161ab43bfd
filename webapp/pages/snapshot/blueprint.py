"""The blueprint of a photo's pages, and the photo of a request."""

from __future__ import annotations

from flask import Blueprint, abort, url_for

from calibration.phrase import Phrase
from scorer.photo.score import ScoreStatus
from webapp.jobs.job_services import job_services
from webapp.jobs.snapshot_job import SnapshotResult
from webapp.jobs.snapshot_sessions import SnapshotSession
from webapp.pages.form_errors import abort_gone

BLUEPRINT = Blueprint("snapshot", __name__, url_prefix="/score")


def get_session(key: str) -> SnapshotSession:
    """The photo of that key; if it is no longer held, the request leads back to the start."""
    snapshot = job_services().snapshots.get(key)
    if snapshot is None:
        abort_gone(Phrase("This photo"), Phrase("Send it again."), url_for("snapshot.choose"))
    return snapshot


def get_scored(key: str) -> tuple[SnapshotSession, SnapshotResult]:
    """A photo whose discs can be corrected."""
    snapshot = get_session(key)
    seen = snapshot.seen
    if seen is None or seen.score.status is not ScoreStatus.SCORED:
        abort(404)
    return snapshot, seen
