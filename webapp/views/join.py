"""How a browser becomes the scorer's, and stops being it.

The token travels in the part of an address that browsers keep to themselves (``/join#TOKEN``), and
then in a form's body: no log on the way can hold it.
"""

from __future__ import annotations

from typing import Any

from flask import Blueprint, flash, redirect, render_template, request, url_for

from webapp.access import anyone_may_send, let_in, let_out, limit_rate
from webapp.services import services
from webapp.views import Page

BLUEPRINT = Blueprint("join", __name__)
PAGES = (Page(endpoint="join.join", name="Join", order=90),)


@BLUEPRINT.get("/join")
def join() -> str:
    """Where the token is told."""
    return render_template("join.html")


@BLUEPRINT.post("/join")
@anyone_may_send
def enter() -> Any:
    """Let the scorer in."""
    limit_rate(services().guesses)
    if not let_in(request.form.get("token", "").strip()):
        flash(
            "That is not the scorer's token; the window that runs the server shows it.", "problem"
        )
        return redirect(url_for("join.join"), 303)
    return redirect(url_for("board.scoreboard"), 303)


@BLUEPRINT.post("/leave")
@anyone_may_send
def leave() -> Any:
    """Make this browser a spectator's."""
    let_out()
    return redirect(url_for("board.scoreboard"), 303)
