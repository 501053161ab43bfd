"""The pictures of shots, and of boards at rest: each keeps its address and never changes."""

from __future__ import annotations

from flask import Blueprint, Response, abort

from webapp.services import services

BLUEPRINT = Blueprint("shots", __name__)

_FOREVER = {"Cache-Control": "private, max-age=86400, immutable"}


@BLUEPRINT.get("/shots/<key>/<int:number>.jpg")
def picture(key: str, number: int) -> Response:
    """One picture of a shot, JPEG; 404 once it is not kept any more."""
    return _jpeg(services().shots.picture(key, number))


@BLUEPRINT.get("/plans/<key>.jpg")
def plan(key: str) -> Response:
    """The rectified image of a board at rest, JPEG."""
    held = services().shots.plan(key)
    return _jpeg(None if held is None else held.jpeg)


def _jpeg(content: bytes | None) -> Response:
    if content is None:
        abort(404)
    return Response(content, content_type="image/jpeg", headers=_FOREVER)
