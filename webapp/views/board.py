"""The scoreboard: what the room sees."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, jsonify, render_template

from webapp.runtime.scoreboard import now
from webapp.services import services
from webapp.views import Page

BLUEPRINT = Blueprint("board", __name__)
PAGES = (Page(endpoint="board.scoreboard", name="Scoreboard", order=0),)


@BLUEPRINT.get("/")
def scoreboard() -> str:
    """The page; it follows the event stream from there on."""
    return render_template("scoreboard.html", state=services().scoreboard.state)


@BLUEPRINT.get("/clock")
def clock() -> Any:
    """JSON: the server's time of day, by which every page's round clock runs."""
    return jsonify({"now": now()})
