"""The routes of ``/api/v1`` about matches: rules, set-up, log, players, export and import."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from flask import Response, abort, jsonify, request, url_for

from scorer.match.events import MatchError, MatchMoved, MatchStarted, event_from_json, event_json
from scorer.match.exchange import read_matches
from scorer.match.fold import fold
from scorer.match.statistics import PlayerStatistics, RunningMean, compute_player_statistics
from scorer.rules.options import option_names, to_json_value
from scorer.rules.sets import RULE_SETS, RuleSet
from scorer.rules.sources import DOCUMENTS
from scorer.store import Store
from webapp.api import answers, requests
from webapp.api.blueprint import BLUEPRINT, MATCHES, count_pages, find_board
from webapp.api.document import API, TOKEN, Reply, describe_answers
from webapp.api.match_events import MatchEvent
from webapp.auth import may_see_chances
from webapp.formats.analysis import Analysis, describe_analysis
from webapp.formats.match_file import KINDS, write_match
from webapp.http.lanes import LaneName, answer_in
from webapp.jobs.referee_task import apply_match_rules
from webapp.live.match_summary import Match, list_match, summarise_match
from webapp.pages.match.blueprint import get_log
from webapp.pages.match.match_list import find_matches
from webapp.services import services

#: Number of matches in an answer if no page is named.
_ROWS = 100


@BLUEPRINT.get("/rules")
@API.validate(resp=describe_answers(answers.AllRules), tags=MATCHES)
def rules() -> Reply:
    """The rule sets, option by option, with sources."""
    return jsonify({"rules": [_rules_json(rule_set) for rule_set in RULE_SETS.values()]})


@BLUEPRINT.get("/matches")
@API.validate(resp=describe_answers(answers.Matches), tags=MATCHES)
@answer_in(LaneName.LONG)
def matches(query: requests.Search) -> Reply:
    """Matches, the oldest first, up to 100 after match ``after``; ``next`` leads to the rest.

    With ``q`` (a name, a date or a number) or ``page``: a page of the matches found, the newest
    first; a page past the end is the last.
    """
    store = services().store
    if query.q is None and query.page is None:
        return jsonify(_list_after(store, query.after))
    found = find_matches(store, query.q or "", query.page or 1)
    rows = [list_match(listed_match) for listed_match in found.matches]
    shown = {"page": found.page, "pages": found.pages, "total": found.total}
    more = {"q": query.q, "page": found.page + 1} if found.page < found.pages else None
    return jsonify({"matches": rows, **shown, "next": _address(more)})


def _list_after(store: Store, after: int) -> dict[str, object]:
    listed = store.list_after(after, _ROWS + 1)
    rows = [list_match(listed_match) for listed_match in listed[:_ROWS]]
    more = {"after": rows[-1].id} if len(listed) > _ROWS else None
    shown = count_pages(store.count(), 1, _ROWS)
    page = 1 + store.count(until=after) // _ROWS
    return {"matches": rows, **shown, "page": page, "next": _address(more)}


def _address(arguments: dict[str, Any] | None) -> str | None:
    return None if arguments is None else url_for("api.matches", **arguments)


@BLUEPRINT.post("/matches")
@API.validate(
    resp=describe_answers(Match, code=201, is_writing=True, may_lack=True),
    tags=MATCHES,
    security=TOKEN,
)
def begin(json: requests.Setup, headers: requests.OnceOnly) -> Reply:
    """Start a match; the scoreboard then shows it. An ``Idempotency-Key`` starts only one."""
    setup = event_from_json({"type": MatchStarted.type, **json.model_dump()})
    assert isinstance(setup, MatchStarted)
    board = find_board(setup.at_board)
    number = board.scoreboard.begin(setup, headers.idempotency_key)
    apply_match_rules(services(), board)
    return jsonify(_summarise(number)), 201


@BLUEPRINT.get("/matches/<int:number>")
@API.validate(resp=describe_answers(Match, may_lack=True), tags=MATCHES)
def match(number: int) -> Reply:
    """The state of a match."""
    return jsonify(_summarise(number))


@BLUEPRINT.get("/matches/<int:number>/events")
@API.validate(resp=describe_answers(answers.Log, may_lack=True), tags=MATCHES)
def log(number: int, query: requests.Slice) -> Reply:
    """A match's log: all of it, or the events after the first ``after``, at most ``limit``."""
    events = get_log(number)
    last = None if query.limit is None else query.after + query.limit
    shown = [event_json(event) for event in events[query.after : last]]
    return jsonify({"events": shown, "total": len(events)})


@BLUEPRINT.post("/matches/<int:number>/events")
@API.validate(
    resp=describe_answers(Match, code=201, is_writing=True, may_lack=True),
    tags=MATCHES,
    security=TOKEN,
)
def append(number: int, json: MatchEvent, headers: requests.OnceOnly) -> Reply:
    """Enter an event; undo and corrections are entries too. With an ``Idempotency-Key`` it counts
    once.
    """
    get_log(number)
    fields = {name: value for name, value in json.model_dump().items() if value is not None}
    event, boards = event_from_json(fields), services().boards
    if isinstance(event, MatchMoved):
        boards.move_match(number, event.at_board, headers.idempotency_key)
    else:
        board = boards.of_match(number)
        board.scoreboard.enter(number, lambda *_: event, headers.idempotency_key)
    return jsonify(_summarise(number)), 201


@BLUEPRINT.get("/matches/<int:number>/players")
@API.validate(resp=describe_answers(answers.Players, may_lack=True), tags=MATCHES)
@answer_in(LaneName.LONG)
def players(number: int) -> Reply:
    """Statistics of all players, with the number of rounds or shots from which they were
    computed.
    """
    rows = [_list_figures(player) for player in compute_player_statistics(get_log(number))]
    return jsonify({"players": rows})


def _list_figures(player: PlayerStatistics) -> dict[str, object]:
    """A player's figures by name, means with their values."""
    figures = {field.name: getattr(player, field.name) for field in fields(player)}
    return {
        name: {**asdict(figure), "mean": figure.mean} if isinstance(figure, RunningMean) else figure
        for name, figure in figures.items()
    }


@BLUEPRINT.get("/matches/<int:number>/analysis")
@API.validate(resp=describe_answers(Analysis, may_lack=True), tags=MATCHES)
@answer_in(LaneName.LONG)
def analysis(number: int, query: requests.OfSkill) -> Reply:
    """Both sides' chances before and after every shot, for players of a skill.

    For a tournament's match, only the organiser may see it until the match is over.
    """
    from scorer.analysis.match_analysis import analyse_match  # importing it loads NumPy

    events = get_log(number)
    if not may_see_chances(fold(events)):
        abort(404)
    return jsonify(describe_analysis(fold(events).setup, analyse_match(events, query.skill)))


@BLUEPRINT.get("/matches/<int:number>/export")
@API.validate(resp=describe_answers(None, may_lack=True, may_refuse=True), tags=MATCHES)
@answer_in(LaneName.LONG)
def export_match(number: int, query: requests.FileForm) -> Reply:
    """A match as a file: everything as JSON, its rounds as CSV, or Crokinole Match Notation."""
    text = write_match(services().store, number, get_log(number), query.format)
    return Response(text, content_type=KINDS[query.format])


@BLUEPRINT.post("/matches/import")
@API.validate(
    resp=describe_answers(answers.TakenIn, code=201, is_writing=True),
    tags=MATCHES,
    security=TOKEN,
)
def import_matches(headers: requests.OnceOnly) -> Reply:
    """Import an exported match, or a batch in Match Notation; CSV by its content type. With an
    ``Idempotency-Key`` it is imported once.
    """
    try:
        text = request.get_data(cache=False).decode("utf-8")
    except UnicodeDecodeError:
        raise MatchError("This is not text; send an exported match.") from None
    name = "match.csv" if request.mimetype == "text/csv" else "match.json"
    records = read_matches(text, name)
    key, take_in = headers.idempotency_key, services().boards.take_in
    numbers = [
        take_in(record.log, record.times, key=None if key is None else f"{key} {place}")
        for place, record in enumerate(records)
    ]
    return jsonify({"matches": numbers}), 201


def _summarise(number: int) -> Match:
    return summarise_match(number, get_log(number), services().store.times(number))


def _rules_json(chosen: RuleSet) -> dict[str, object]:
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
