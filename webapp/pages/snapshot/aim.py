"""A phone aims at a board: the lines in a frame of its preview, and advice."""

from __future__ import annotations

from flask import abort, request
from flask.typing import ResponseReturnValue

from webapp.auth import allow_anyone, limit_itself, limit_rate
from webapp.jobs.aim_frames import MAX_FRAME_BYTES
from webapp.jobs.job_services import job_services
from webapp.pages.snapshot.blueprint import BLUEPRINT

_JPEG_START = b"\xff\xd8"
_MAX_KEY_LETTERS = 32


@BLUEPRINT.post("/aim")
@allow_anyone
@limit_itself
def aim() -> ResponseReturnValue:
    """JSON: the reading of a frame (a JPEG as the body); ``is_busy`` if there is no time for it."""
    aims = job_services().aims
    limit_rate(aims.limiter)
    body = request.get_data(cache=False)
    if len(body) > MAX_FRAME_BYTES:
        abort(413)
    client = request.args.get("client", "")
    finer = request.args.get("finer", 1.0, type=float)
    if not body.startswith(_JPEG_START) or not 0 < len(client) <= _MAX_KEY_LETTERS:
        abort(400)
    reading = aims.look(client, body, finer)
    if reading is None:
        return {"is_busy": True}
    return {
        "is_busy": False,
        "has_board": reading.view is not None,
        "is_sure": reading.is_sure,
        "sentence": reading.sentence,
        "size": reading.size_px,
        "rings": reading.rings,
    }
