"""The routes of ``/api/v1`` about photos: scored, or used to measure a board and save its
profile.
"""

from __future__ import annotations

import json as json_file
from dataclasses import replace
from datetime import UTC, datetime

from flask import abort, jsonify, request
from werkzeug.exceptions import ServiceUnavailable, UnprocessableEntity

from calibration.profile import ProfileError, format_profile, parse_profile
from webapp.api import answers, requests
from webapp.api.blueprint import BLUEPRINT, MATCHES, REFEREE
from webapp.api.document import API, TOKEN, Reply, describe_answers
from webapp.http.or_404 import or_404
from webapp.jobs.calibration_job import MeasuredBoard
from webapp.jobs.held_uploads import HeldUpload, HeldUploads
from webapp.jobs.job_services import job_services
from webapp.jobs.worker import BusyError


@BLUEPRINT.post("/photos")
@API.validate(
    resp=describe_answers(answers.Photo, code=202, is_writing=True), tags=MATCHES, security=TOKEN
)
def take_photo(query: requests.OnBoard) -> Reply:
    """Send a photo of a board to be scored; the body is the file. Then ask for the score with its
    key.
    """
    profile = job_services().profile(query.profile)
    key = _queue_body(job_services().photos, profile)
    return jsonify(_photo_json(key)), 202


@BLUEPRINT.get("/photos/<key>")
@API.validate(resp=describe_answers(answers.Photo, may_lack=True), tags=MATCHES)
def photo(key: str) -> Reply:
    """The result of a photo; ``score`` is the same as from ``crokinole score --json``."""
    return jsonify(_photo_json(key))


@BLUEPRINT.post("/calibrations")
@API.validate(
    resp=describe_answers(answers.Calibration, code=202, is_writing=True),
    tags=REFEREE,
    security=TOKEN,
)
def calibrate() -> Reply:
    """Send a photo to measure its board; the body is the file. Then ask for the result with its
    key.
    """
    key = _queue_body(job_services().board_photos)
    return jsonify(_calibration_json(key)), 202


@BLUEPRINT.get("/calibrations/<key>")
@API.validate(resp=describe_answers(answers.Calibration, may_lack=True), tags=REFEREE)
def calibration(key: str) -> Reply:
    """The result of a calibration: the profile and its fit in words, or why there is none."""
    return jsonify(_calibration_json(key))


@BLUEPRINT.get("/profiles")
@API.validate(resp=describe_answers(answers.Profiles), tags=REFEREE)
def profiles() -> Reply:
    """The calibrated boards, the newest first."""
    rows = [
        {
            "key": stored_profile.key,
            "name": stored_profile.name,
            "made": stored_profile.profile.origin.made,
        }
        for stored_profile in job_services().profiles.all()
    ]
    return jsonify({"profiles": rows})


@BLUEPRINT.post("/profiles")
@API.validate(
    resp=describe_answers(answers.Profile, code=201, is_writing=True, may_lack=True),
    tags=REFEREE,
    security=TOKEN,
)
def keep_profile(json: requests.NewProfile) -> Reply:
    """Save a calibration's measurements, or your own profile, for photos and the referee."""
    picture = None
    if json.profile is not None:
        profile = parse_profile(json_file.dumps(json.profile))
    elif json.calibration is not None:
        measured = _find_measured(json.calibration)
        if measured.profile is None:
            raise ProfileError(measured.reason)
        profile, picture = measured.profile, measured.picture
    else:
        raise UnprocessableEntity("Give a calibration, or send a profile.")
    name = json.name.strip() or profile.origin.name or "Our board"
    made = profile.origin.made or datetime.now(UTC).isoformat(timespec="seconds")
    named = replace(profile, origin=replace(profile.origin, name=name, made=made))
    return jsonify(_profile_json(job_services().profiles.keep(named, picture))), 201


@BLUEPRINT.get("/profiles/<key>")
@API.validate(resp=describe_answers(answers.Profile, may_lack=True), tags=REFEREE)
def profile(key: str) -> Reply:
    """A board's profile as written by the wizard."""
    return jsonify(_profile_json(key))


@BLUEPRINT.delete("/profiles/<key>")
@API.validate(
    resp=describe_answers(answers.Profiles, is_writing=True, may_lack=True),
    tags=REFEREE,
    security=TOKEN,
)
def drop_profile(key: str) -> Reply:
    """Delete a board's profile."""
    _profile_json(key)
    job_services().profiles.drop(key)
    return profiles()


def _queue_body(uploads: HeldUploads[HeldUpload], *arguments: object) -> str:
    """The key of the job for the request's body; 400 without a body, 503 if too many wait."""
    content = request.get_data(cache=False)
    if not content:
        abort(400)
    try:
        return uploads.read(content, *arguments).key
    except BusyError as busy:
        raise ServiceUnavailable(str(busy)) from None


def _photo_json(key: str) -> dict[str, object]:
    task = or_404(job_services().photos.get(key)).task
    row = {"key": key, "is_done": task.is_done, "progress": task.progress}
    return row | {"score": task.result if task.is_done else None, "problem": task.problem}


def _calibration_json(key: str) -> dict[str, object]:
    task = or_404(job_services().board_photos.get(key)).task
    row = {"key": key, "is_done": task.is_done, "progress": task.progress, "problem": task.problem}
    measured: MeasuredBoard | None = task.result if task.is_done else None
    if measured is None:
        return row | {"words": [], "profile": None}
    if measured.profile is None:
        return row | {"problem": measured.reason, "words": [], "profile": None}
    profile = json_file.loads(format_profile(measured.profile))
    return row | {"words": list(measured.words), "profile": profile}


def _find_measured(key: str) -> MeasuredBoard:
    """The measurements of a calibration. Raises ``ProfileError`` if it is not finished or
    failed.
    """
    task = or_404(job_services().board_photos.get(key)).task
    if not task.is_done:
        raise ProfileError("This board is still being measured. Ask again in a moment.")
    if task.result is None:
        raise ProfileError(task.problem or "This board could not be measured; send it again.")
    measured: MeasuredBoard = task.result
    return measured


def _profile_json(key: str) -> dict[str, object]:
    kept = or_404(job_services().profiles.get(key))
    return {"key": kept.key, "profile": json_file.loads(format_profile(kept.profile))}
