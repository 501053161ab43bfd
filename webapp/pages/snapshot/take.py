"""A photo or film is uploaded, waited for, and cancelled; and the pictures made from it."""

from __future__ import annotations

from flask import (
    Response,
    redirect,
    render_template,
    request,
    url_for,
)
from flask.typing import ResponseReturnValue

from calibration.phrase import Phrase
from vision.io.file_kind import is_film
from webapp.auth import allow_anyone, is_scorer
from webapp.http.accepts import wants_json
from webapp.jobs.job_services import job_services
from webapp.jobs.referee_task import current_rules
from webapp.jobs.snapshot_job import preload
from webapp.jobs.worker import BusyError
from webapp.pages.files import clean_file_name, send_upload_file
from webapp.pages.form_errors import redirect_with_problem
from webapp.pages.snapshot.blueprint import BLUEPRINT
from webapp.pages.waiting import cancel_upload, report_progress
from webapp.services import board_at_hand, services


@BLUEPRINT.get("")
def choose() -> str:
    """The page where a photo is taken or chosen; meanwhile the worker starts."""
    job_services().worker.warm_up(preload)
    return render_template(
        "snapshot/snapshot.html",
        profiles=job_services().profiles.all(),
        most_mb=services().config.upload_bytes // 1024**2,
    )


@BLUEPRINT.post("")
@allow_anyone
def take() -> ResponseReturnValue:
    """Receive a photo, or a film; go to its page, or return that page's address as JSON for a
    script.
    """
    sent = request.files.get("photo")
    content = sent.read() if sent else b""
    if sent is None or not sent.filename:
        return _refuse(Phrase("First choose a photo."), 400)
    if not content:
        return _refuse(Phrase("The file is empty. Copy it again from the camera."), 400)
    profile = job_services().profile(request.form.get("profile", ""))
    name = clean_file_name(sent.filename)
    sender = None if is_scorer() else request.remote_addr or ""
    try:
        if is_film(content):
            rules = current_rules(services(), board_at_hand())
            review = job_services().reviews.read(
                content, name, rules, profile, name=name, sender=sender
            )
            address = url_for("review.show", key=review.key)
        else:
            match = board_at_hand().scoreboard.match_id()
            snapshot = job_services().snapshots.take(content, name, profile, sender, match)
            address = url_for("snapshot.show", key=snapshot.key)
    except BusyError as busy:
        return _refuse(str(busy), 503)
    return {"address": address} if wants_json() else redirect(address, 303)


def _refuse(sentence: str, code: int) -> ResponseReturnValue:
    if wants_json():
        return {"error": sentence}, code, ({"Retry-After": "30"} if code == 503 else {})
    return redirect_with_problem(sentence, url_for("snapshot.choose"))


@BLUEPRINT.post("/<key>/cancel")
@allow_anyone
def cancel(key: str) -> ResponseReturnValue:
    """Cancel a photo, before, during or after reading; only its sender has the key."""
    return cancel_upload(job_services().snapshots, key)


@BLUEPRINT.get("/<key>/progress")
def progress(key: str) -> dict[str, object]:
    """JSON: whether a photo is read, and its current stage."""
    return report_progress(job_services().snapshots, key)


@BLUEPRINT.get("/<key>/<any('photo.jpg', 'plan.jpg'):name>")
def picture(key: str, name: str) -> Response:
    """A photo's picture or rectified image, JPEG."""
    return send_upload_file(job_services().snapshots.get(key), name, "image/jpeg")
