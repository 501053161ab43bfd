"""A film of one disputed shot, uploaded on the photo page: the wait for its review, and the review.

Everybody may look. Nothing is saved permanently, and the ruling is a person's.
"""

from __future__ import annotations

from flask import (
    Blueprint,
    Response,
    render_template,
    url_for,
)
from flask.typing import ResponseReturnValue

from calibration.phrase import Phrase
from scorer.referee.review.review_stage import ReviewStage
from webapp.auth import allow_anyone
from webapp.jobs.job_services import job_services
from webapp.jobs.review_job import FIRST_LOOK, VIDEO, ReviewResult
from webapp.pages.files import send_upload_file
from webapp.pages.form_errors import abort_gone
from webapp.pages.review.review_page import build_review, describe_first_look
from webapp.pages.waiting import cancel_upload, describe_progress, report_progress

BLUEPRINT = Blueprint("review", __name__, url_prefix="/review")


@BLUEPRINT.get("/<key>")
def show(key: str) -> str:
    """The page of a film: its review, why there is none, or the wait for it."""
    session = job_services().reviews.get(key)
    if session is None:
        abort_gone(Phrase("This video"), Phrase("Send it again."), url_for("snapshot.choose"))
    if not session.task.is_done:
        return render_template(
            "review/review_waiting.html",
            session=session,
            words=describe_progress(session),
            stages=ReviewStage,
        )
    outcome: ReviewResult | None = session.task.result
    review = None if outcome is None else outcome.review
    problem = session.task.problem or (outcome.problem if outcome else "")
    return render_template(
        "review/review.html",
        session=session,
        problem=problem,
        review=review,
        shown=None if review is None else build_review(review),
    )


@BLUEPRINT.get("/<key>/progress")
def progress(key: str) -> dict[str, object]:
    """JSON: whether a film's review is finished, and its current stage with the number of
    stages.
    """
    progress, session = (
        report_progress(job_services().reviews, key),
        job_services().reviews.get(key),
    )
    if session is None:
        return progress
    task, stages = session.task, list(ReviewStage)
    if (first_look := session.folder / FIRST_LOOK).is_file():
        progress["first_look"] = describe_first_look(first_look.read_text())
    if task.is_started and task.progress:
        progress |= {"stage": stages.index(ReviewStage(task.progress)), "stages": len(stages)}
    return progress


@BLUEPRINT.get("/<key>/review.mp4")
def video(key: str) -> Response:
    """The slow-motion video, MP4, or the requested parts of it."""
    session = job_services().reviews.get(key)
    is_done = session is not None and session.task.is_done
    return send_upload_file(session if is_done else None, VIDEO, "video/mp4")


@BLUEPRINT.post("/<key>/cancel")
@allow_anyone
def cancel(key: str) -> ResponseReturnValue:
    """Cancel a film, waiting or in review; only its sender has the key."""
    return cancel_upload(job_services().reviews, key)
