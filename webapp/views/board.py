"""The scoreboard: what the room sees, and the time of day by which its clocks run."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, jsonify, render_template, request

from webapp.runtime.scoreboard import now
from webapp.services import services
from webapp.views import Page

BLUEPRINT = Blueprint("board", __name__)
PAGES = (Page(endpoint="board.scoreboard", name="Scoreboard", order=0),)

#: How a page may look, whatever its device prefers.
LOOKS = ("light", "dark", "stage")


@BLUEPRINT.get("/")
def scoreboard() -> str:
    """The page: ``?tv`` without a menu, ``?look=stage``, ``?view=camera`` for the camera's picture.

    It follows the event stream from there on.
    """
    look = request.args.get("look", "")
    return render_template(
        "scoreboard.html",
        state=services().scoreboard.state,
        looks=LOOKS,
        look=look if look in LOOKS else "",
        view="camera" if request.args.get("view") == "camera" else "",
        is_tv="tv" in request.args,
    )


@BLUEPRINT.get("/clock")
def clock() -> Any:
    """JSON: the server's time of day, by which every page's round clock runs."""
    return jsonify({"now": now()})
