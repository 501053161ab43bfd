"""The scoreboard: what the room sees."""

from __future__ import annotations

from flask import Blueprint, render_template

from webapp.services import services
from webapp.views import Page

BLUEPRINT = Blueprint("board", __name__)
PAGES = (Page(endpoint="board.scoreboard", name="Scoreboard", order=0),)


@BLUEPRINT.get("/")
def scoreboard() -> str:
    """The page; it follows the event stream from there on."""
    return render_template("scoreboard.html", state=services().scoreboard.state)
