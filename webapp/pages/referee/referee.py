"""The live referee: its source, its view, and its speed. The scorer starts and stops it."""

from __future__ import annotations

import shutil

from flask import Blueprint, Response, abort, jsonify, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from calibration.phrase import Phrase
from calibration.whole_file import write_whole_file
from scorer.match.events import MatchError
from scorer.physics.skills import SkillName
from scorer.rules.sets import rule_set
from scorer.rules.sources import TITLES
from vision.io.file_kind import is_film
from webapp.jobs.board_to_play import find_board_to_play
from webapp.jobs.demo_round import begin_sample_match
from webapp.jobs.job_services import job_services
from webapp.jobs.play_jobs import advise_board, read_skill
from webapp.jobs.referee_task import current_rules, make_task
from webapp.jobs.source_choice import (
    CAMERAS,
    describe_beside,
    describe_source,
    parse_beside,
    parse_source,
)
from webapp.live.live_state import Status
from webapp.pages import Page
from webapp.pages.files import clean_file_name
from webapp.pages.form_errors import keep_typed, redirect_with_problem
from webapp.pages.match.presets import find_preset_name
from webapp.sample_clips import list_clips
from webapp.services import board_at_hand, services

BLUEPRINT = Blueprint("referee", __name__)
PAGES = (Page(endpoint="referee.show", name=Phrase("Referee"), order=30),)
#: Fields that keep the typed values if something was wrong with them.
_FIELDS = ("kind", "url", "camera", "clip", "profile", "beside_kind", "beside_url", "beside_camera")


@BLUEPRINT.get("/referee")
def show() -> str:
    """The page of the live referee."""
    board = board_at_hand()
    runtime, task = board.supervisor, board.supervisor.task
    return render_template(
        "referee/referee.html",
        live=board.scoreboard.state.live,
        facts=runtime.facts(),
        is_running=runtime.is_running,
        task=task,
        rules_title=TITLES[task.rules.name] if task else "",
        preset=find_preset_name(task.rules) if task else None,
        watched=describe_source(task.source) | describe_beside(task.beside) if task else {},
        cameras=range(CAMERAS),
        clips=list(list_clips()),
        profiles=job_services().profiles.all(),
        skills=list(SkillName),
        most_mb=services().config.upload_bytes // 1024**2,
    )


@BLUEPRINT.post("/referee/start")
def start() -> ResponseReturnValue:
    """Watch a source from now on."""
    try:
        is_file = request.form.get("kind") == "file"
        source = _keep_film() if is_file else parse_source(request.form)
        beside = parse_beside(request.form, source)
    except MatchError as error:
        typed = keep_typed(request.form, *_FIELDS)
        return redirect_with_problem(str(error), url_for("referee.show", **typed))
    profile = job_services().profiles.file(request.form.get("profile", ""))
    board = board_at_hand()
    board.supervisor.start(make_task(services(), board, source, profile, beside))
    return redirect(url_for("camera.show" if source is None else "referee.show"), 303)


def _keep_film() -> str:
    """The path of an uploaded video; the board's next upload replaces it.

    Raises ``MatchError``.
    """
    sent = request.files.get("film")
    content = sent.read() if sent else b""
    if not is_film(content):
        raise MatchError(Phrase("Choose a video of a game first, such as a phone's MP4."))
    if services().config.workers is not None:
        raise MatchError(
            Phrase(
                "On this server, referees run as separate programs, which cannot "
                "open uploaded videos. Choose a camera instead."
            )
        )
    folder = job_services().films.folder() / f"board-{board_at_hand().number}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(exist_ok=True)
    path = folder / clean_file_name(sent.filename if sent else None)
    write_whole_file(path, content)
    return str(path)


@BLUEPRINT.post("/referee/demo")
def play_demo_again() -> ResponseReturnValue:
    """Play the demo's sample round again, in a new match."""
    if not services().config.is_demo:
        abort(404)
    _, task = begin_sample_match(services())
    services().supervisor.start(task)
    return redirect(url_for("board.scoreboard"), 303)


@BLUEPRINT.post("/referee/<any(stop, pause, resume):what>")
def control(what: str) -> ResponseReturnValue:
    """Stop, pause, or continue."""
    if what == "resume":
        board_at_hand().resume()
    else:
        board_at_hand().stop_watching(Status.PAUSED if what == "pause" else Status.OFF)
    return redirect(url_for("referee.show"), 303)


@BLUEPRINT.get("/referee/picture.jpg")
def picture() -> Response:
    """The newest picture with the referee's reading; 204 if there is none yet."""
    frame = board_at_hand().supervisor.picture()
    if frame is None:
        return Response(status=204)
    return Response(
        frame.jpeg, content_type="image/jpeg", headers={"X-Seen-At": f"{frame.t_s:.3f}"}
    )


@BLUEPRINT.get("/referee/facts")
def facts() -> ResponseReturnValue:
    """JSON: the referee's rates and counts of frames."""
    return jsonify(board_at_hand().supervisor.facts())


@BLUEPRINT.get("/referee/advice")
def advice() -> ResponseReturnValue:
    """JSON: suggested shots on the current board, once they are computed.

    They follow the rules of its match, or of the set named by ``rules``, for a player of that
    ``skill``.
    """
    live, named = board_at_hand(), request.args.get("rules")
    try:
        rules = current_rules(services(), live) if named is None else rule_set(named)
        skill = read_skill(request.args.get("skill"))
    except ValueError as error:
        return jsonify({"error": str(error)}), 400
    board = find_board_to_play(live.scoreboard.state)
    if board is None:
        return jsonify({"status": "nothing", "name": None, "discs": [], "shots": []})
    discs = [
        {"id": disc.id, "team": disc.team, "x_mm": disc.x_mm, "y_mm": disc.y_mm}
        for disc in board.discs
    ]
    answer = {"name": board.name, "discs": discs, "shots": []}
    # Requests under other rules do not replace those under the match's own.
    asked: object = live.number if named is None else (live.number, rules.name)
    asked = asked if skill is SkillName.CLUB else (asked, skill)
    plays, key = job_services().plays, ("advice", asked, rules, board.key)
    plays.drop_waiting(key)
    task = plays.ask(
        key, advise_board, board.discs, board.team, board.seat_deg, board.left, rules, skill
    )
    if task is None or not task.is_done:
        return jsonify({"status": "waiting", **answer})
    return jsonify({"status": "done", **answer, "shots": task.result or []})
