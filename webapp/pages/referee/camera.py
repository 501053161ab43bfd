"""A phone as the referee's camera: its page films and sends, and this module receives the
frames.
"""

from __future__ import annotations

from math import isfinite

from flask import Blueprint, abort, jsonify, render_template, request
from flask.typing import ResponseReturnValue

from webapp.auth import limit_as_frames, scorer_only
from webapp.jobs.referee_task import make_task
from webapp.live.end_reason import EndCode, EndReason
from webapp.live.ring_buffer import JpegFrame
from webapp.services import board_at_hand, services

BLUEPRINT = Blueprint("camera", __name__)

#: A frame is a JPEG of at most 1920 × 1080; more would only be slower.
_FRAME_BYTES = 2 * 1024 * 1024
#: The name of a phone is a random code, not free text.
_NAME_LETTERS = 40
_JPEG_START = b"\xff\xd8"


@BLUEPRINT.get("/camera")
@scorer_only
def show() -> str:
    """The page on which a phone films."""
    return render_template("referee/camera.html")


@BLUEPRINT.post("/camera/start")
def start() -> ResponseReturnValue:
    """Watch only this phone's frames from now on; ``phone`` is a name that it chose."""
    parts = board_at_hand()
    chosen = parts.supervisor.task
    profile, beside = None, None
    if chosen is not None and chosen.source is None:
        profile, beside = chosen.profile, chosen.beside
    parts.supervisor.phone = request.form.get("phone", "")[:_NAME_LETTERS]
    parts.supervisor.start(make_task(services(), parts, None, profile, beside))
    return jsonify({"status": "starting"})


@BLUEPRINT.post("/camera/stop")
def stop() -> ResponseReturnValue:
    """This phone stops filming, so nobody waits for its frames."""
    parts = board_at_hand()
    task = parts.supervisor.task
    if task is not None and task.is_phone_alone and parts.supervisor.is_running:
        parts.supervisor.stop()
        parts.recorder.on_end(EndReason(EndCode.PHONE_GONE))
    return jsonify({"status": "ended"})


@BLUEPRINT.post("/camera/frames")
@limit_as_frames
def take_frames() -> ResponseReturnValue:
    """Receive JPEG frames, oldest first; JSON: whether more are wanted, and the rates.

    A form with a file ``frame`` per frame, ``captured_ms``, the capture times in ms of the phone's
    clock, and ``phone``, its name.
    """
    frames = _read_frames()
    runtime = board_at_hand().supervisor
    # another phone has started filming since
    if runtime.phone != request.form.get("phone", "")[:_NAME_LETTERS]:
        return jsonify({"is_wanted": False} | runtime.facts())
    if runtime.has_phone_left and runtime.task is not None:  # the phone is back
        runtime.start(runtime.task)
    return jsonify({"is_wanted": runtime.push(frames)} | runtime.facts())


def _read_frames() -> list[JpegFrame]:
    """The request's frames; refused if one is not a frame, or too large."""
    try:
        times_s = [float(captured_ms) / 1000 for captured_ms in request.form.getlist("captured_ms")]
    except ValueError:
        abort(400)
    jpegs = [storage.read() for storage in request.files.getlist("frame")]
    if any(len(jpeg) > _FRAME_BYTES for jpeg in jpegs):
        abort(413)
    is_well_formed = len(jpegs) == len(times_s) and all(map(isfinite, times_s))
    if not is_well_formed or not all(jpeg.startswith(_JPEG_START) for jpeg in jpegs):
        abort(400)
    return [JpegFrame(t_s=t_s, jpeg=jpeg) for t_s, jpeg in zip(times_s, jpegs, strict=True)]
