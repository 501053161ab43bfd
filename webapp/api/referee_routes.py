"""The routes of ``/api/v1`` about boards and their referees: live state, sources, shots."""

from __future__ import annotations

from flask import abort, jsonify, url_for

from webapp.api import answers, requests
from webapp.api.blueprint import BLUEPRINT, REFEREE, WATCH, find_board, page_of
from webapp.api.document import API, TOKEN, Reply, describe_answers
from webapp.http.or_404 import or_404
from webapp.jobs.job_services import job_services
from webapp.jobs.referee_task import make_task
from webapp.jobs.source_choice import parse_beside, parse_source
from webapp.live.live_board import LiveBoard
from webapp.live.live_boards import RoomState
from webapp.live.live_state import Status
from webapp.live.scoreboard import State
from webapp.pages.match.shot_json import Plan, Shot, describe_plan, describe_shot, shot_row
from webapp.services import services


@BLUEPRINT.get("/state")
@API.validate(resp=describe_answers(State, may_lack=True), tags=WATCH)
def state(query: requests.AtBoard) -> Reply:
    """Everything that a board's scoreboard shows."""
    return jsonify(find_board(query.board).scoreboard.state)


@BLUEPRINT.get("/boards")
@API.validate(resp=describe_answers(RoomState), tags=WATCH)
def boards() -> Reply:
    """All boards with one row each, as on the wall."""
    return jsonify(services().boards.state)


@BLUEPRINT.get("/referee")
@API.validate(resp=describe_answers(answers.Referee, may_lack=True), tags=REFEREE)
def referee(query: requests.AtBoard) -> Reply:
    """The activity and speed of a board's referee."""
    return jsonify(_referee_json(find_board(query.board)))


@BLUEPRINT.post("/referee")
@API.validate(
    resp=describe_answers(answers.Referee, is_writing=True, may_lack=True),
    tags=REFEREE,
    security=TOKEN,
)
def start(query: requests.AtBoard, json: requests.Source) -> Reply:
    """Start refereeing a board from a camera or video."""
    form = {"kind": json.kind, "camera": str(json.camera), "url": json.url, "clip": json.clip}
    source, beside = parse_source(form), None
    if json.beside is not None:
        second = {"camera": str(json.beside.camera), "url": json.beside.url}
        chosen = {"kind": json.beside.kind, **second}
        beside = parse_beside({f"beside_{name}": value for name, value in chosen.items()}, source)
    profile = job_services().profiles.file(json.profile)
    board = find_board(query.board)
    board.supervisor.start(make_task(services(), board, source, profile, beside))
    return jsonify(_referee_json(board))


@BLUEPRINT.delete("/referee")
@API.validate(
    resp=describe_answers(answers.Referee, is_writing=True, may_lack=True),
    tags=REFEREE,
    security=TOKEN,
)
def stop(query: requests.AtBoard) -> Reply:
    """Stop refereeing a board."""
    board = find_board(query.board)
    board.stop_watching(Status.OFF)
    return jsonify(_referee_json(board))


@BLUEPRINT.post("/referee/pause")
@API.validate(
    resp=describe_answers(answers.Referee, is_writing=True, may_lack=True),
    tags=REFEREE,
    security=TOKEN,
)
def pause(query: requests.AtBoard) -> Reply:
    """Pause refereeing a board; its source is remembered."""
    board = find_board(query.board)
    board.stop_watching(Status.PAUSED)
    return jsonify(_referee_json(board))


@BLUEPRINT.post("/referee/resume")
@API.validate(
    resp=describe_answers(answers.Referee, is_writing=True, may_lack=True),
    tags=REFEREE,
    security=TOKEN,
)
def resume(query: requests.AtBoard) -> Reply:
    """Resume refereeing a board from its last source."""
    board = find_board(query.board)
    board.resume()
    return jsonify(_referee_json(board))


@BLUEPRINT.get("/shots")
@API.validate(resp=describe_answers(answers.Shots), tags=REFEREE)
def shots(query: requests.OfMatch) -> Reply:
    """The shots seen in a match, the newest first; with ``page``, one page of them."""
    rows, shown = page_of(services().shots.of_match(query.match), query.page)
    return jsonify({"shots": [shot_row(row) for row in rows], **shown})


@BLUEPRINT.get("/shots/<key>")
@API.validate(resp=describe_answers(Shot, may_lack=True), tags=REFEREE)
def shot(key: str) -> Reply:
    """A shot: its verdict and evidence, the board at that time, and the addresses of its replay and
    pictures.
    """
    held = or_404(services().shots.get(key))
    video = url_for("shots.video", key=key)
    pictures = [
        url_for("shots.picture", key=key, number=number) for number in range(len(held.times_s))
    ]
    return jsonify(describe_shot(held, pictures, video, _find_plan(key)))


@BLUEPRINT.get("/plans/<key>")
@API.validate(resp=describe_answers(Plan, may_lack=True), tags=REFEREE)
def plan(key: str) -> Reply:
    """A board at rest from straight above, by the name given as ``plan`` in the live state."""
    return jsonify(_find_plan(key) or abort(404))


def _referee_json(board: LiveBoard) -> dict[str, object]:
    status = board.scoreboard.state.live.status
    return {"status": status, **board.supervisor.facts()}


def _find_plan(key: str) -> Plan | None:
    held = services().shots.plan(key)
    return None if held is None else describe_plan(held, url_for("shots.plan", key=key))
