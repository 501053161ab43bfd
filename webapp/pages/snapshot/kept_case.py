"""If the players agreed, a photo of a saved round is kept as a case for the accuracy page."""

from __future__ import annotations

from scorer.photo.kept_round import find_round, get_round
from scorer.zone_values import TWENTY
from webapp.jobs.job_services import job_services
from webapp.jobs.photo_case import SavedScore, pack_case
from webapp.jobs.snapshot_job import PHOTO
from webapp.jobs.snapshot_sessions import SnapshotSession
from webapp.live.scoreboard import now
from webapp.services import services


def keep_case(snapshot: SnapshotSession) -> None:
    """Keep a photo that was saved as a round, or corrected since, if that was agreed."""
    if job_services().cases.settings.is_kept:
        job_services().cases.keep(snapshot.key, pack_snapshot(snapshot))


def pack_snapshot(snapshot: SnapshotSession) -> bytes:
    """The zip of a scored photo."""
    assert snapshot.seen is not None
    photo = (snapshot.folder / PHOTO).read_bytes()
    kept = snapshot.kept
    saved = None
    if kept is not None and (on_board := find_board_points(kept.match, kept.place)) is not None:
        saved = SavedScore(match=kept.match, place=kept.place, on_board=on_board)
    return pack_case(snapshot.key, now(), snapshot.seen, snapshot.corrections, photo, saved)


def find_board_points(match: int, place: int) -> tuple[int, ...] | None:
    """Points of a round's discs on the board, by side, as corrected; None if it was undone."""
    log = services().store.log(match)
    number = find_round(log, place)
    if number is None:
        return None
    scored = get_round(log, number)
    assert scored.points is not None
    assert scored.twenties is not None
    pairs = zip(scored.points, scored.twenties, strict=True)
    return tuple(points - TWENTY * twenties for points, twenties in pairs)
