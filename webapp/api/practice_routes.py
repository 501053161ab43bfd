"""The routes of ``/api/v1`` about practice: start a drill, enter its shots, ask for its figures."""

from __future__ import annotations

from dataclasses import asdict

from flask import jsonify, url_for

from scorer.practice.events import PracticeStarted, read_practice_event
from scorer.practice.figures import SuccessRate
from scorer.store.practice_store import StoredPractice
from webapp.api import answers, requests
from webapp.api.blueprint import BLUEPRINT, PRACTICE, count_pages, find_board
from webapp.api.document import API, TOKEN, Reply, describe_answers
from webapp.http.lanes import LaneName, answer_in
from webapp.http.or_404 import or_404
from webapp.pages.match.match_list import PAGE_SIZE
from webapp.pages.practice.practice_page import describe_practice
from webapp.services import services


@BLUEPRINT.get("/practices")
@API.validate(resp=describe_answers(answers.Practices), tags=PRACTICE)
@answer_in(LaneName.LONG)
def practices(query: requests.PracticeSearch) -> Reply:
    """A page of practice sessions, of all players or one, the newest first; ``next`` is the address
    of the next page.

    A page past the end is the last.
    """
    store = services().practices
    shown = count_pages(store.count(query.player), query.page)
    page, is_last = shown["page"], shown["page"] == shown["pages"]
    held = store.list_newest(PAGE_SIZE, skipped=PAGE_SIZE * (page - 1), player=query.player)
    more = None if is_last else url_for("api.practices", player=query.player, page=page + 1)
    rows = [_make_row(stored_practice) for stored_practice in held]
    return jsonify({"practices": rows, **shown, "next": more})


@BLUEPRINT.post("/practices")
@API.validate(
    resp=describe_answers(answers.Practice, code=201, is_writing=True, may_lack=True),
    tags=PRACTICE,
    security=TOKEN,
)
def begin_practice(
    query: requests.AtBoard, json: requests.PracticeSetup, headers: requests.OnceOnly
) -> Reply:
    """Start a drill; the board's camera, if there is one, counts its shots. An ``Idempotency-Key``
    starts only one.
    """
    setup = read_practice_event({"type": "practice_started", **json.model_dump()})
    assert isinstance(setup, PracticeStarted)
    number = find_board(query.board).practice.begin(setup, headers.idempotency_key)
    return jsonify(_describe(number)), 201


@BLUEPRINT.get("/practices/<int:number>")
@API.validate(resp=describe_answers(answers.Practice, may_lack=True), tags=PRACTICE)
@answer_in(LaneName.LONG)
def practice(number: int) -> Reply:
    """A practice session with its state and its figures."""
    return jsonify(_describe(number))


@BLUEPRINT.post("/practices/<int:number>/events")
@API.validate(
    resp=describe_answers(answers.Practice, code=201, is_writing=True, may_lack=True),
    tags=PRACTICE,
    security=TOKEN,
)
def enter_practice(
    number: int,
    query: requests.AtBoard,
    json: requests.PracticeEntry,
    headers: requests.OnceOnly,
) -> Reply:
    """Enter a shot, undo the last one, or stop early. With an ``Idempotency-Key`` it counts
    once.
    """
    or_404(services().practices.get(number))
    practice = find_board(query.board).practice
    practice.append(number, json.root, key=headers.idempotency_key)
    return jsonify(_describe(number)), 201


def _describe(number: int) -> dict[str, object]:
    held = or_404(services().practices.get(number))
    played = services().practices.list_of(held.state.setup.player)
    view = describe_practice(held, played)
    return _make_row(held) | {
        "rate": _make_share(view.rate),
        "whole": _make_share(view.whole),
        "practices": view.runs,
        "spread": asdict(view.spread) if view.spread else None,
        "best": view.best,
        "to_beat": view.to_beat,
        "is_record": view.is_record,
    }


def _make_row(held: StoredPractice) -> dict[str, object]:
    state = held.state
    return {
        "id": held.id,
        "created": held.created,
        "player": state.setup.player,
        "drill": state.setup.drill,
        "shots": state.setup.shots,
        "outcomes": [shot.outcome for shot in state.shots],
        "successes": state.successes,
        "is_over": state.is_over,
    }


def _make_share(rate: SuccessRate) -> dict[str, object]:
    return {**asdict(rate), "share": rate.share, "interval": list(rate.interval)}
