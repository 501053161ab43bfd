"""The live referee: what it watches, what it sees, and how fast. The scorer starts and stops it."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, jsonify, redirect, render_template, request, url_for

from scorer.match_events import MatchError
from webapp.clip_files import clips
from webapp.desk import desk
from webapp.live_view import Status
from webapp.refereeing import task_for
from webapp.services import services
from webapp.sources import CAMERAS, source_from
from webapp.views import Page

BLUEPRINT = Blueprint("referee", __name__)
PAGES = (Page(endpoint="referee.show", name="Referee", order=30),)


@BLUEPRINT.get("/referee")
def show() -> str:
    """The page."""
    runtime = services().runtime
    return render_template(
        "referee.html",
        live=services().scoreboard.state["live"],
        facts=runtime.facts(),
        is_running=runtime.is_running,
        task=runtime.task,
        cameras=range(CAMERAS),
        clips=sorted(clips()),
        profiles=desk().profiles.all(),
    )


@BLUEPRINT.post("/referee/start")
def start() -> Any:
    """Watch a source from now on."""
    source = source_from(request.form)
    profile = desk().profiles.file(request.form.get("profile", ""))
    services().runtime.start(task_for(services(), source, profile))
    return redirect(url_for("camera.show" if source is None else "referee.show"), 303)


@BLUEPRINT.post("/referee/<any(stop, pause, resume):what>")
def control(what: str) -> Any:
    """Stop, pause, or go on."""
    parts = services()
    if what == "resume":
        task = parts.runtime.task
        if task is None:
            raise MatchError("Choose what the referee is to watch first.")
        parts.runtime.start(task)
    else:
        parts.runtime.stop()
        parts.keeper.on_stop(Status.PAUSED if what == "pause" else Status.OFF)
    return redirect(url_for("referee.show"), 303)


@BLUEPRINT.get("/referee/picture.jpg")
def picture() -> Response:
    """The newest picture of what the referee sees; 204 where there is none yet."""
    look = services().runtime.picture()
    if look is None:
        return Response(status=204)
    return Response(look.jpeg, content_type="image/jpeg", headers={"X-Seen-At": f"{look.t_s:.3f}"})


@BLUEPRINT.get("/referee/facts")
def facts() -> Any:
    """How fast it goes."""
    return jsonify(services().runtime.facts())
