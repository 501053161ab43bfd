"""Accuracy on your boards: how often this club's photos were settled, asked about, and wrong.

Only photos saved as rounds count, because a person has checked those, and only after consent to
keep them. A report of a wrong call is a zip that the browser saves; it is not sent to anybody.
"""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, Response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from calibration.phrase import Phrase
from scorer.match.events import ShotPlayed
from scorer.match.fold import fold
from scorer.practice.figures import SuccessRate
from webapp.auth import scorer_only
from webapp.http.lanes import LaneName, answer_in
from webapp.http.or_404 import or_404
from webapp.http.parse_number import read_whole_number
from webapp.jobs.case_store import MOST_DAYS, CaseSettings
from webapp.jobs.job_services import job_services
from webapp.jobs.photo_case import PhotoCase, PhotoOutcome, hide_surroundings, read_photo
from webapp.pages.files import attach
from webapp.pages.form_errors import redirect_with_problem
from webapp.pages.snapshot.blueprint import get_scored
from webapp.pages.snapshot.kept_case import find_board_points, keep_case, pack_snapshot
from webapp.services import services

BLUEPRINT = Blueprint("accuracy", __name__)
#: Number of examples on the page, and of matches whose shots are counted.
_EXAMPLES, _MATCHES = 12, 200


@BLUEPRINT.get("/accuracy")
@scorer_only
@answer_in(LaneName.LONG)
def show() -> str:
    """The figures, with examples; the kept photos, and how long they are kept."""
    cases = [_correct(case) for case in job_services().cases.list_cases()]
    seen = _count_shots()
    outcomes = [case.outcome for case in cases]
    rates = {
        outcome: SuccessRate(successes=outcomes.count(outcome), shots=len(cases))
        for outcome in PhotoOutcome
    }
    return render_template(
        "accuracy/accuracy.html",
        settings=job_services().cases.settings,
        count=len(cases),
        rates=rates,
        shots=seen,
        examples=[case for case in cases if case.outcome is not PhotoOutcome.SETTLED][:_EXAMPLES],
        most_days=MOST_DAYS,
    )


def _correct(case: PhotoCase) -> PhotoCase:
    """The case with the current score of its round in the match, which people may have
    corrected.
    """
    saved = case.saved
    if saved is None:
        return case
    scored = find_board_points(saved.match, saved.place)
    if scored is None or scored == saved.on_board:
        return case
    now, before = (" : ".join(map(str, points)) for points in (scored, saved.on_board))
    return replace(
        case,
        outcome=PhotoOutcome.WRONG if case.outcome is PhotoOutcome.SETTLED else case.outcome,
        corrections=(
            *case.corrections,
            Phrase(
                "The round was corrected in the match: %(now)s on the board instead of %(before)s.",
                now=now,
                before=before,
            ),
        ),
    )


def _count_shots() -> dict[str, SuccessRate]:
    """The number of shots, of those that cameras saw in the newest matches, that were asked about,
    and the number disputed by people.
    """
    store, shots, asked, disputed = services().store, 0, 0, 0
    for listed in store.search((), page=1, size=_MATCHES).matches:
        if listed.summary is None or not listed.summary.has_seen_shots:
            continue
        log = store.log(listed.id)
        shots += sum(isinstance(event, ShotPlayed) and event.seen is not None for event in log)
        disputes = [dispute for dispute in fold(log).disputes if dispute.shot is not None]
        asked += sum(dispute.by_camera for dispute in disputes)
        disputed += sum(not dispute.by_camera for dispute in disputes)
    return {
        "asked": SuccessRate(successes=min(asked, shots), shots=shots),
        "disputed": SuccessRate(successes=min(disputed, shots), shots=shots),
    }


@BLUEPRINT.post("/accuracy/settings")
def agree() -> ResponseReturnValue:
    """Start or stop keeping photos; those already kept stay until they are deleted."""
    days = read_whole_number(request.form.get("days", "90"))
    if days is None or not 0 < days <= MOST_DAYS:
        return redirect_with_problem(
            Phrase("Choose a number of days from 1 to %(most)s.", most=MOST_DAYS),
            url_for("accuracy.show"),
        )
    is_kept = request.form.get("keep") == "yes"
    job_services().cases.agree(CaseSettings(is_kept=is_kept, days=days))
    key = request.form.get("photo", "")
    if key and is_kept:
        keep_case(get_scored(key)[0])
    return redirect(url_for("snapshot.show", key=key) if key else url_for("accuracy.show"), 303)


@BLUEPRINT.post("/accuracy/delete")
def delete() -> ResponseReturnValue:
    """Delete a photo, or all of them."""
    key = request.form.get("key")
    if key:
        job_services().cases.delete(key)
    else:
        job_services().cases.delete_all()
    return redirect(url_for("accuracy.show"), 303)


@BLUEPRINT.get("/accuracy/<key>.jpg")
@scorer_only
def picture(key: str) -> Response:
    """The picture of a kept photo."""
    return Response(read_photo(_read_case(key)), content_type="image/jpeg")


@BLUEPRINT.get("/accuracy/<key>.zip")
@scorer_only
@answer_in(LaneName.LONG)
def report(key: str) -> Response:
    """A photo with its reading and corrections; with ``whole``, the complete picture."""
    packed = _read_case(key)
    if "whole" not in request.args:
        packed = hide_surroundings(packed)
    return attach(packed, "application/zip", f"crokinole-report-{key}.zip")


def _read_case(key: str) -> bytes:
    """A kept case, or the case of a photo that is in use now."""
    snapshot = job_services().snapshots.get(key)
    if snapshot is not None:
        return pack_snapshot(get_scored(key)[0])
    return or_404(job_services().cases.read(key))
