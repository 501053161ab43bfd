"""A phone as the referee's camera: its page films and sends, and this takes the frames."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, abort, jsonify, render_template, request

from webapp.auth import limit_as_frames, scorer_only
from webapp.jobs.referee_task import make_task
from webapp.services import services

BLUEPRINT = Blueprint("camera", __name__)

#: A frame is a JPEG of at most 1920 × 1080; more would only be slower.
_FRAME_BYTES = 2 * 1024 * 1024
_JPEG_START = b"\xff\xd8"


@BLUEPRINT.get("/camera")
@scorer_only
def show() -> str:
    """The page on which a phone films."""
    return render_template("camera.html")


@BLUEPRINT.post("/camera/start")
def start() -> Any:
    """Watch what this phone sends from now on."""
    parts = services()
    chosen = parts.supervisor.task
    profile = chosen.profile if chosen is not None and chosen.source is None else None
    parts.supervisor.start(make_task(parts, None, profile))
    return jsonify({"status": "starting"})


@BLUEPRINT.post("/camera/frame")
@limit_as_frames
def frame() -> Any:
    """Take a JPEG frame; JSON: whether more are wanted, and the rates."""
    body = request.get_data(cache=False)
    if len(body) > _FRAME_BYTES:
        abort(413)
    if not body.startswith(_JPEG_START):
        abort(400)
    runtime = services().supervisor
    return jsonify({"is_wanted": runtime.push(body)} | runtime.facts())
