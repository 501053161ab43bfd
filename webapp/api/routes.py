"""The routes of ``/api/v1`` about boards, matches, referees and hooks, by the pages' own parts."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Any

from flask import abort, current_app, jsonify, render_template, request, url_for
from werkzeug.exceptions import ServiceUnavailable

from scorer.match.events import MatchError, MatchStarted, event_from_json, event_json
from scorer.match.statistics import RunningMean, compute_player_statistics
from scorer.rules.options import option_names, to_json_value
from scorer.rules.sets import RULE_SETS, RuleSet
from scorer.rules.sources import DOCUMENTS
from webapp.api import answers, requests
from webapp.api.blueprint import (
    ADMIN,
    BLUEPRINT,
    MATCHES,
    REFEREE,
    WATCH,
    find_board,
    get_log,
    page_of,
)
from webapp.api.document import API, TOKEN, build_document, describe_answers
from webapp.api.documentation import group_operations
from webapp.api.match_events import MatchEvent
from webapp.auth import is_scorer
from webapp.boards.live_board import LiveBoard
from webapp.jobs.job_services import job_services
from webapp.jobs.referee_task import apply_match_rules, make_task
from webapp.jobs.source_choice import parse_source
from webapp.jobs.worker import BusyError
from webapp.presenters.match_list import find_matches
from webapp.presenters.shot_json import plan_json, shot_json, shot_row
from webapp.runtime.live_state import Status
from webapp.runtime.match_summary import match_json, match_row
from webapp.services import services


@BLUEPRINT.get("/openapi.json")
def openapi() -> Any:
    """This document."""
    return jsonify(build_document(current_app._get_current_object()))  # type: ignore[attr-defined]


@BLUEPRINT.get("/docs")
def docs() -> str:
    """The same document as a page."""
    document = build_document(current_app._get_current_object())  # type: ignore[attr-defined]
    return render_template("api.html", document=document, groups=group_operations(document))


@BLUEPRINT.get("/state")
@API.validate(resp=describe_answers(answers.State, may_lack=True), tags=WATCH)
def state(query: requests.AtBoard) -> Any:
    """Everything that a board's scoreboard shows."""
    return jsonify(find_board(query.board).scoreboard.state)


@BLUEPRINT.get("/boards")
@API.validate(resp=describe_answers(answers.Boards), tags=WATCH)
def boards() -> Any:
    """Every board in one row, as the wall shows it."""
    return jsonify(services().boards.state)


@BLUEPRINT.get("/rules")
@API.validate(resp=describe_answers(answers.AllRules), tags=MATCHES)
def rules() -> Any:
    """The rule sets, option by option, each with its source."""
    return jsonify({"rules": [_rules_json(each) for each in RULE_SETS.values()]})


@BLUEPRINT.get("/matches")
@API.validate(resp=describe_answers(answers.Matches), tags=MATCHES)
def matches(query: requests.Search) -> Any:
    """All matches, the oldest first; with ``q`` or ``page``, a page of those found, newest first.

    ``q`` is a name, a date or a number; a page past the end is the last.
    """
    store = services().store
    if query.q is None and query.page is None:
        rows = [match_row(each) for each in store.list_states()]
        return jsonify({"matches": rows, "page": 1, "pages": 1, "total": len(rows)})
    found = find_matches(store, query.q or "", query.page or 1)
    rows = [match_row(each) for each in found.matches]
    shown = {"page": found.page, "pages": found.pages, "total": found.total}
    return jsonify({"matches": rows, **shown})


@BLUEPRINT.post("/matches")
@API.validate(
    resp=describe_answers(answers.Match, code=201, is_writing=True, may_lack=True),
    tags=MATCHES,
    security=TOKEN,
)
def begin(json: requests.Setup) -> Any:
    """Begin a match; the scoreboard then shows it."""
    setup = event_from_json({"type": MatchStarted.type, **json.model_dump()})
    assert isinstance(setup, MatchStarted)
    board = find_board(setup.at_board)
    number = board.scoreboard.begin(setup)
    apply_match_rules(services(), board)
    return jsonify(_match_json(number)), 201


@BLUEPRINT.get("/matches/<int:number>")
@API.validate(resp=describe_answers(answers.Match, may_lack=True), tags=MATCHES)
def match(number: int) -> Any:
    """How a match stands."""
    return jsonify(_match_json(number))


@BLUEPRINT.get("/matches/<int:number>/events")
@API.validate(resp=describe_answers(answers.Log, may_lack=True), tags=MATCHES)
def log(number: int, query: requests.Slice) -> Any:
    """A match's log: all of it, or what follows ``after`` so many events, ``limit`` at most."""
    events = get_log(number)
    last = None if query.limit is None else query.after + query.limit
    shown = [event_json(each) for each in events[query.after : last]]
    return jsonify({"events": shown, "total": len(events)})


@BLUEPRINT.post("/matches/<int:number>/events")
@API.validate(
    resp=describe_answers(answers.Match, code=201, is_writing=True, may_lack=True),
    tags=MATCHES,
    security=TOKEN,
)
def append(number: int, json: MatchEvent) -> Any:
    """Enter what happened; undoing and correcting are entries too."""
    get_log(number)
    fields = {name: value for name, value in json.model_dump().items() if value is not None}
    board = services().boards.of_match(number)
    board.scoreboard.append(number, event_from_json(fields))
    return jsonify(_match_json(number)), 201


@BLUEPRINT.get("/matches/<int:number>/players")
@API.validate(resp=describe_answers(answers.Players, may_lack=True), tags=MATCHES)
def players(number: int) -> Any:
    """Every player's figures, each with its n."""
    rows = []
    for each in compute_player_statistics(get_log(number)):
        row = asdict(each)
        rates = {
            name: value for name in row if isinstance(value := getattr(each, name), RunningMean)
        }
        means = {name: {**row[name], "mean": rate.mean} for name, rate in rates.items()}
        rows.append(row | means)
    return jsonify({"players": rows})


@BLUEPRINT.post("/photos")
@API.validate(
    resp=describe_answers(answers.Photo, code=202, is_writing=True), tags=MATCHES, security=TOKEN
)
def take_photo(query: requests.OnBoard) -> Any:
    """Have a photograph of a board scored; the body is the file. Ask for it by its key then."""
    content = request.get_data(cache=False)
    if not content:
        abort(400)
    try:
        key = job_services().photos.take(content, job_services().profile(query.profile))
    except BusyError as busy:
        raise ServiceUnavailable(str(busy)) from None
    return jsonify(_photo_json(key)), 202


@BLUEPRINT.get("/photos/<key>")
@API.validate(resp=describe_answers(answers.Photo, may_lack=True), tags=MATCHES)
def photo(key: str) -> Any:
    """What became of a photograph; ``score`` is as ``crokinole score --json`` tells it."""
    return jsonify(_photo_json(key))


@BLUEPRINT.get("/referee")
@API.validate(resp=describe_answers(answers.Referee, may_lack=True), tags=REFEREE)
def referee(query: requests.AtBoard) -> Any:
    """What a board's referee does, and how fast."""
    return jsonify(_referee_json(find_board(query.board)))


@BLUEPRINT.post("/referee")
@API.validate(
    resp=describe_answers(answers.Referee, is_writing=True, may_lack=True),
    tags=REFEREE,
    security=TOKEN,
)
def start(query: requests.AtBoard, json: requests.Source) -> Any:
    """Watch a source at a board from now on."""
    form = {"kind": json.kind, "camera": str(json.camera), "url": json.url, "clip": json.clip}
    source = parse_source(form)
    profile = job_services().profiles.file(json.profile)
    board = find_board(query.board)
    board.supervisor.start(make_task(services(), board, source, profile))
    return jsonify(_referee_json(board))


@BLUEPRINT.delete("/referee")
@API.validate(
    resp=describe_answers(answers.Referee, is_writing=True, may_lack=True),
    tags=REFEREE,
    security=TOKEN,
)
def stop(query: requests.AtBoard) -> Any:
    """Watch nothing at a board."""
    board = find_board(query.board)
    board.supervisor.stop()
    board.recorder.on_stop(Status.OFF)
    return jsonify(_referee_json(board))


@BLUEPRINT.post("/referee/pause")
@API.validate(
    resp=describe_answers(answers.Referee, is_writing=True, may_lack=True),
    tags=REFEREE,
    security=TOKEN,
)
def pause(query: requests.AtBoard) -> Any:
    """Watch nothing at a board for a while; what was watched is remembered."""
    board = find_board(query.board)
    board.supervisor.stop()
    board.recorder.on_stop(Status.PAUSED)
    return jsonify(_referee_json(board))


@BLUEPRINT.post("/referee/resume")
@API.validate(
    resp=describe_answers(answers.Referee, is_writing=True, may_lack=True),
    tags=REFEREE,
    security=TOKEN,
)
def resume(query: requests.AtBoard) -> Any:
    """Go on with what was watched last at a board."""
    board = find_board(query.board)
    task = board.supervisor.task
    if task is None:
        raise MatchError("Choose what the referee is to watch first.")
    board.supervisor.start(task)
    return jsonify(_referee_json(board))


@BLUEPRINT.get("/shots")
@API.validate(resp=describe_answers(answers.Shots), tags=REFEREE)
def shots(query: requests.OfMatch) -> Any:
    """The shots that were seen in a match, the newest first; with ``page``, a page of them."""
    rows, shown = page_of(services().shots.of_match(query.match), query.page)
    return jsonify({"shots": [shot_row(each) for each in rows], **shown})


@BLUEPRINT.get("/shots/<key>")
@API.validate(resp=describe_answers(answers.Shot, may_lack=True), tags=REFEREE)
def shot(key: str) -> Any:
    """A shot: its verdict and evidence, the board then, and where its replay and pictures are."""
    held = services().shots.get(key)
    if held is None:
        abort(404)
    video = url_for("shots.video", key=key)
    return jsonify(shot_json(held, partial(_picture_address, key), video, _plan_json(key)))


@BLUEPRINT.get("/plans/<key>")
@API.validate(resp=describe_answers(answers.Plan, may_lack=True), tags=REFEREE)
def plan(key: str) -> Any:
    """A board at rest from straight above, by the name under ``plan`` in the live state."""
    return jsonify(_plan_json(key) or abort(404))


def _picture_address(key: str, number: int) -> str:
    return url_for("shots.picture", key=key, number=number)


def _plan_json(key: str) -> dict[str, Any] | None:
    held = services().shots.plan(key)
    return None if held is None else plan_json(held, url_for("shots.plan", key=key))


@BLUEPRINT.get("/hooks")
@API.validate(resp=describe_answers(answers.Hooks, is_writing=True), tags=ADMIN, security=TOKEN)
def hooks() -> Any:
    """Where events are sent to; only the scorer may know."""
    _require_scorer()
    return jsonify({"hooks": [each.to_json() for each in services().hooks.all()]})


@BLUEPRINT.post("/hooks")
@API.validate(
    resp=describe_answers(answers.KeptHook, code=201, is_writing=True), tags=ADMIN, security=TOKEN
)
def add_hook(json: requests.Hook) -> Any:
    """Send events to an address from now on. The key that signs them is told this once."""
    kept = services().hooks.add(json.url, json.types)
    return jsonify(kept.to_json(with_key=True)), 201


@BLUEPRINT.delete("/hooks/<name>")
@API.validate(
    resp=describe_answers(answers.Hooks, is_writing=True, may_lack=True),
    tags=ADMIN,
    security=TOKEN,
)
def remove_hook(name: str) -> Any:
    """Send no more events there."""
    if not services().hooks.remove(name):
        abort(404)
    return jsonify({"hooks": [each.to_json() for each in services().hooks.all()]})


@BLUEPRINT.post("/token")
@API.validate(resp=describe_answers(answers.NewToken, is_writing=True), tags=ADMIN, security=TOKEN)
def new_token() -> Any:
    """Make a new token; the old one lets nobody in any more."""
    services().secret.replace_token()
    return jsonify({"token": services().secret.token})


def _require_scorer() -> None:
    if not is_scorer():
        abort(401)


def _match_json(number: int) -> dict[str, Any]:
    return match_json(number, get_log(number), services().store.times(number))


def _photo_json(key: str) -> dict[str, Any]:
    task = job_services().photos.get(key)
    if task is None:
        abort(404)
    row = {"key": key, "is_done": task.is_done, "progress": task.progress}
    return row | {"score": task.result if task.is_done else None, "problem": task.problem}


def _referee_json(board: LiveBoard) -> dict[str, Any]:
    status = board.scoreboard.state["live"]["status"]
    return {"status": status, **board.supervisor.facts()}


def _rules_json(chosen: RuleSet) -> dict[str, Any]:
    return {
        "name": str(chosen.name),
        "document": DOCUMENTS[chosen.name],
        "options": {
            name: {
                "value": to_json_value(getattr(chosen.options, name)),
                "source": chosen.source(name),
            }
            for name in option_names()
        },
    }
