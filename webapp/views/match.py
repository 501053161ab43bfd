"""Matches: the list, a new one, and everything that the scorer does in one. Everybody may look."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from flask import Blueprint, Response, abort, flash, redirect, render_template, request, url_for

from scorer.match.events import Event, MatchError
from scorer.match.exchange import (
    match_as_cmn,
    match_as_csv,
    match_as_json,
    match_from_csv,
    match_from_json,
)
from scorer.match.fold import fold, may_choose_starter
from scorer.match.statistics import compute_player_statistics
from scorer.match.turns import player_count, sides_of
from scorer.rules.choices import Choice, Format
from scorer.rules.sets import RULE_SETS
from scorer.rules.sources import DOCUMENTS, TOPICS
from webapp.auth import scorer_only
from webapp.jobs.referee_task import apply_match_rules
from webapp.presenters.match_log import build_entries, describe_undo
from webapp.presenters.shot_json import shot_row
from webapp.runtime.match_summary import match_json, match_row
from webapp.runtime.side_colours import COLOUR_HEX
from webapp.services import services
from webapp.views import Page
from webapp.views.match_form import ZONES, parse_event, parse_setup

BLUEPRINT = Blueprint("match", __name__)
PAGES = (Page(endpoint="match.show_newest", name="Match", order=10),)


@BLUEPRINT.get("/match")
def show_newest() -> Any:
    """To the match at hand, or to where one begins."""
    number = services().scoreboard.match_id()
    if number is None:
        return redirect(url_for("match.list_matches"))
    return redirect(url_for("match.show", number=number))


@BLUEPRINT.get("/matches")
def list_matches() -> str:
    """All matches, the newest first."""
    rows = [match_row(each) for each in reversed(services().store.list_states())]
    return render_template("matches.html", rows=rows)


@BLUEPRINT.get("/match/new")
@scorer_only
def new() -> str:
    """The form of a new match."""
    name = request.args.get("rules", "nca")
    chosen = RULE_SETS.get(name)  # type: ignore[call-overload]  # a name is a str
    if chosen is None:
        abort(404)
    formats = [each for each in Format if each in chosen.options.formats]
    return render_template(
        "match_new.html",
        rules=_describe_rules(chosen),
        documents={str(name): words for name, words in DOCUMENTS.items()},
        formats=[(each, player_count(each), len(sides_of(each))) for each in formats],
        colours=list(COLOUR_HEX),
        teams=services().scoreboard.state["live"]["teams"],
    )


@BLUEPRINT.post("/match/new")
def create() -> Any:
    """Begin a match."""
    number = services().scoreboard.begin(parse_setup(request.form))
    apply_match_rules(services())
    return redirect(url_for("match.show", number=number), 303)


@BLUEPRINT.get("/match/<int:number>")
def show(number: int) -> str:
    """One match: how it stands, its log and its figures; the scorer's forms too."""
    log = _get_log(number)
    times = services().store.times(number)[: len(log)]  # an event may come between the two reads
    state, shots = fold(log), services().shots.of_match(number)
    is_now = bool(shots) and shots[0].round == len(state.rounds) + 1
    return render_template(
        "match.html",
        match=match_json(number, log, times),
        setup=state.setup,
        play=state.round,
        state=state,
        may_choose_starter=may_choose_starter(state),
        zones=ZONES,
        entries=build_entries(log, times),
        undoable=describe_undo(log),
        figures=compute_player_statistics(log),
        fouls=sorted(state.setup.options.called_fouls),
        is_newest=number == services().scoreboard.match_id(),
        live=services().scoreboard.state["live"],
        shots=[shot_row(each) for each in shots],
        last_shot=shots[0].key if is_now else None,
    )


@BLUEPRINT.app_template_filter("shot_name")
def _name_shot(shot: dict[str, Any]) -> str:
    """A shot as a list names it."""
    whose = f", {shot['colour_name']}" if shot["colour_name"] else ""
    return f"Round {shot['round']}, shot {shot['number']}{whose}: {shot['words']}"


@BLUEPRINT.post("/match/<int:number>/<action>")
def act(number: int, action: str) -> Any:
    """One entry of the scorer's."""
    state = fold(_get_log(number))
    services().scoreboard.append(number, parse_event(action, request.form, state))
    return redirect(url_for("match.show", number=number), 303)


@BLUEPRINT.get("/match/<int:number>/export.<kind>")
def export(number: int, kind: str) -> Response:
    """The match as a file that other programs read."""
    log = _get_log(number)
    if kind == "json":
        body, media = match_as_json(log), "application/json"
    elif kind == "csv":
        body, media = match_as_csv(log), "text/csv; charset=utf-8"
    elif kind == "cmn":
        created = next(each.created for each in services().store.matches() if each.id == number)
        program_version = version("crokinole-referee")
        body, media = (
            match_as_cmn(log, created=created, version=program_version),
            "application/json",
        )
    else:
        abort(404)
    name = f"crokinole-match-{number}.{kind}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(body, content_type=media, headers=headers)


@BLUEPRINT.post("/matches")
def import_match() -> Any:
    """Take in a match that was exported."""
    file = request.files.get("file")
    if file is None or not file.filename:
        raise MatchError("Choose an exported match first.")
    try:
        text = file.read().decode("utf-8")
    except UnicodeDecodeError:
        raise MatchError("That is no text; choose an exported match.") from None
    read = match_from_csv if file.filename.lower().endswith(".csv") else match_from_json
    number = services().scoreboard.take_in(read(text))
    flash(f"Match {number} is taken in.", "done")
    return redirect(url_for("match.show", number=number), 303)


def _get_log(number: int) -> tuple[Event, ...]:
    """A match's log; 404 where there is none of that number."""
    store = services().store
    if all(each.id != number for each in store.matches()):
        abort(404)
    return store.log(number)


def _describe_rules(chosen: Any) -> dict[str, Any]:
    """A rule set with every option's choices in plain words, by topic."""
    return {
        "name": str(chosen.name),
        "document": DOCUMENTS[chosen.name],
        "topics": [
            {
                "name": topic,
                "source": chosen.source(options[0]),
                "options": [_describe_option(chosen, name) for name in options],
            }
            for topic, options in TOPICS.items()
        ],
    }


def _describe_option(chosen: Any, name: str) -> dict[str, Any]:
    value = getattr(chosen.options, name)
    shown: dict[str, Any] = {"name": name, "words": name.replace("_", " ")}
    if isinstance(value, Choice):
        choices = [(str(each), each.words) for each in type(value)]
        return shown | {"kind": "choice", "value": str(value), "choices": choices}
    if isinstance(value, bool):
        choices = [("yes", "yes"), ("no", "no")]
        return shown | {"kind": "choice", "value": "yes" if value else "no", "choices": choices}
    if isinstance(value, int):
        return shown | {"kind": "number", "value": value}
    return shown | {"kind": "words", "value": "; ".join(each.words for each in sorted(value))}
