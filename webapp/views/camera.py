"""A phone as the referee's camera: its page films and sends, and this takes the frames."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, abort, jsonify, render_template, request

from webapp.auth import limit_as_frames, scorer_only
from webapp.jobs.referee_task import make_task
from webapp.runtime.supervisor import PHONE_GONE
from webapp.services import board_at_hand, services

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
    parts = board_at_hand()
    chosen = parts.supervisor.task
    profile, beside = None, None
    if chosen is not None and chosen.source is None:
        profile, beside = chosen.profile, chosen.beside
    parts.supervisor.start(make_task(services(), parts, None, profile, beside))
    return jsonify({"status": "starting"})


@BLUEPRINT.post("/camera/stop")
def stop() -> Any:
    """This phone films no more; nobody need wait for its frames."""
    parts = board_at_hand()
    task = parts.supervisor.task
    if task is not None and task.is_phone_alone and parts.supervisor.is_running:
        parts.supervisor.stop()
        parts.recorder.on_end(PHONE_GONE)
    return jsonify({"status": "ended"})


@BLUEPRINT.post("/camera/frame")
@limit_as_frames
def frame() -> Any:
    """Take a JPEG frame; JSON: whether more are wanted, and the rates."""
    body = request.get_data(cache=False)
    if len(body) > _FRAME_BYTES:
        abort(413)
    if not body.startswith(_JPEG_START):
        abort(400)
    runtime = board_at_hand().supervisor
    if runtime.has_phone_left and runtime.task is not None:  # it is back
        runtime.start(runtime.task)
    return jsonify({"is_wanted": runtime.push(body)} | runtime.facts())
