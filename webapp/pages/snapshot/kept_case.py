"""A photograph of a saved round is kept as a case for *Accuracy here*, where that was agreed."""

from __future__ import annotations

from webapp.jobs.job_services import job_services
from webapp.jobs.photo_case import pack_case
from webapp.jobs.snapshot_job import PHOTO
from webapp.jobs.snapshot_sessions import SnapshotSession
from webapp.live.scoreboard import now


def keep_case(snapshot: SnapshotSession) -> None:
    """Keep a photograph that was saved as a round, or corrected since, if that was agreed."""
    if job_services().cases.settings.is_kept:
        job_services().cases.keep(snapshot.key, pack_snapshot(snapshot))


def pack_snapshot(snapshot: SnapshotSession) -> bytes:
    """The zip of a photograph that was scored."""
    assert snapshot.seen is not None
    photo = (snapshot.folder / PHOTO).read_bytes()
    return pack_case(snapshot.key, now(), snapshot.seen, snapshot.corrections, photo)
