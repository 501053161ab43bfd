"""One match: its state, and the scorer's forms for entries.

A form contains the version of the match for which it was filled in (``seen``, the number of events)
and a key with which it is entered once (``key``). Entries that others made since are merged, or
both values are shown as a question. A refused form keeps the typed values.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence

from flask import Response, abort, current_app, jsonify, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from calibration.phrase import Phrase, term
from scorer.match.descriptions import SOURCE_WORDS, name_disc
from scorer.match.events import (
    Event,
    MatchError,
    MatchMoved,
    ScoreSource,
    Undone,
    event_json,
)
from scorer.match.exchange import CMN_FORMATS
from scorer.match.fold import fold, may_choose_starter
from scorer.match.merge import ConflictError, MergeOption, merge_event
from scorer.match.state import MatchState
from scorer.match.statistics import compute_player_statistics
from scorer.match.undo import find_entry_taken_back, find_round_taken_back
from scorer.zone_values import COUNTED_ZONES, TWENTY
from webapp.auth import is_scorer, is_server_scorer
from webapp.http.accepts import wants_json
from webapp.jobs.referee_task import apply_match_rules
from webapp.live.match_summary import summarise_match
from webapp.live.ruling_messages import describe_penalty
from webapp.live.side_colours import COLOUR_HEX
from webapp.pages import Page
from webapp.pages.match.blueprint import BLUEPRINT, get_log
from webapp.pages.match.match_form import TypedForm, parse_board, parse_event, parse_stamp
from webapp.pages.match.match_log import build_entries, describe_undo
from webapp.pages.match.shot_json import ShotRow, shot_row
from webapp.services import board_at_hand, services

PAGES = (Page(endpoint="match.show_newest", name=Phrase("Match"), order=10),)


@BLUEPRINT.get("/match")
def show_newest() -> ResponseReturnValue:
    """Go to the current match, or to the page where the scorer starts one."""
    number = board_at_hand().scoreboard.match_id()
    if number is None:
        return redirect(url_for("match.new" if is_scorer() else "match.list_matches"))
    return redirect(url_for("match.show", number=number))


@BLUEPRINT.get("/match/<int:number>")
def show(number: int) -> str:
    """One match: its state, its log and its figures; and the scorer's forms."""
    return _render_match(number, TypedForm())


@BLUEPRINT.post("/match/<int:number>/<action>")
def act(number: int, action: str) -> ResponseReturnValue:
    """One entry by the scorer; a refusal keeps the typed values."""
    try:
        note = _enter(number, action)
    except MatchError as refusal:
        options = refusal.options if isinstance(refusal, ConflictError) else ()
        return _answer_refusal(number, str(refusal), options)
    if wants_json():
        return jsonify({"events": len(services().store.log(number)), "note": note})
    return redirect(url_for("match.show", number=number), 303)


@BLUEPRINT.post("/match/<int:number>/move")
def move(number: int) -> ResponseReturnValue:
    """Move the match to another board; for the scorer of all boards."""
    get_log(number)
    if not is_server_scorer():
        abort(401)
    board = parse_board(request.form)
    services().boards.move_match(number, board)
    apply_match_rules(services(), services().boards.get(board))
    return redirect(url_for("match.show", number=number), 303)


@BLUEPRINT.get("/match-worker.js")
def worker() -> Response:
    """The service worker of the pages under ``/match``; its address must be above theirs."""
    answer = current_app.send_static_file("js/match_worker.js")
    answer.headers["Cache-Control"] = "no-cache"
    return answer


def _enter(number: int, action: str) -> str | None:
    """Enter the current form; returns a note, if there is one. Raises ``MatchError``."""
    get_log(number)
    stamp, notes = parse_stamp(request.form), []

    def make(log: Sequence[Event], keys: Mapping[str, int]) -> Event | None:
        event = parse_event(action, request.form, fold(log))
        version = len(log) if stamp.seen is None else stamp.seen
        own = {place for key, place in keys.items() if stamp.is_own(key)}
        merged = merge_event(event, log, version=version, own=own)
        notes.append(merged.note)
        if merged.event is not None and not is_server_scorer():
            _check_remains_at_board(log, merged.event)
        return merged.event

    board_at_hand().scoreboard.enter(number, make, stamp.key)
    return notes[0] if notes else None


def _check_remains_at_board(log: Sequence[Event], event: Event) -> None:
    """Refuse an entry by a board's scorer after which the match is at another board."""
    is_move = isinstance(event, MatchMoved | Undone)
    if is_move and fold((*log, event)).setup.at_board != fold(log).setup.at_board:
        abort(401)


def _answer_refusal(
    number: int, sentence: str, options: Sequence[MergeOption]
) -> ResponseReturnValue:
    choices = [
        {"words": option.words, "event": None if option.event is None else event_json(option.event)}
        for option in options
    ]
    if wants_json():
        events = len(services().store.log(number))
        return jsonify({"error": sentence, "choices": choices, "events": events}), 409
    typed = TypedForm(form=request.form, problem=sentence, choices=choices)
    return _render_match(number, typed), 409


def _render_match(number: int, typed: TypedForm) -> str:
    log = get_log(number)
    # Another event may come between the two reads.
    times = services().store.times(number)[: len(log)]
    state, shots = fold(log), services().shots.of_match(number)
    is_now = bool(shots) and shots[0].round == len(state.rounds) + 1
    return render_template(
        "match/match.html",
        match=summarise_match(number, log, times),
        setup=state.setup,
        play=state.round,
        state=state,
        may_choose_starter=may_choose_starter(state),
        zones=COUNTED_ZONES,
        name_disc=lambda disc: name_disc(disc, state.round.board),
        taken_back=_get_counts_taken_back(log),
        undone=_describe_taken_back(log),
        entries=build_entries(log, times),
        undoable=describe_undo(log),
        figures=compute_player_statistics(log),
        fouls=_list_fouls(state),
        may_move=is_server_scorer() and services().boards.are_several and not state.is_over,
        is_newest=number == board_at_hand().scoreboard.match_id(),
        live=board_at_hand().scoreboard.state.live,
        shots=[shot_row(shot) for shot in shots],
        last_shot=shots[0].key if is_now else None,
        typed=typed,
        kinds=_list_file_kinds(state),
        colours=COLOUR_HEX,
        new_key=lambda: secrets.token_hex(8),
    )


def _get_counts_taken_back(log: Sequence[Event]) -> tuple[dict[int, int], ...] | None:
    """The sides' discs by zone as counted for a round that was then undone."""
    taken = find_round_taken_back(log)
    if taken is None or taken.source is not ScoreSource.HAND:
        return None
    if taken.counts:
        return tuple(dict(zip(COUNTED_ZONES, side, strict=True)) for side in taken.counts)
    return tuple({TWENTY: made} for made in taken.twenties or ()) or None


def _describe_taken_back(log: Sequence[Event]) -> dict[str, object]:
    """The entry undone last, as JSON, for the form from which it came."""
    undone = find_entry_taken_back(log)
    return {"type": None} if undone is None else event_json(undone)


def _list_fouls(state: MatchState) -> list[dict[str, object]]:
    """The fouls that a person may call, those of a shot first, with their penalties."""
    options = state.setup.options
    return [
        {
            "value": str(foul),
            "words": foul.words,
            "penalty": describe_penalty(foul, options),
            "is_of_shot": foul in options.shot_penalties,
        }
        for foul in options.fouls_to_call
    ]


def _list_file_kinds(state: MatchState) -> list[tuple[str, Phrase]]:
    """The file types for saving this match, with their contents."""
    kinds = [("json", Phrase("complete match (JSON)")), ("csv", Phrase("rounds (CSV)"))]
    if state.is_over and state.setup.format in CMN_FORMATS:
        kinds.append(("cmn", Phrase("Match Notation")))
    return kinds


@BLUEPRINT.app_template_filter("source_words")
def _name_source(source: str) -> str:
    """The source of a round's score."""
    return SOURCE_WORDS[ScoreSource(source)]


@BLUEPRINT.app_template_filter("shot_name")
def _name_shot(shot: ShotRow) -> str:
    """A shot's name in a list."""
    whose = Phrase(", %(colour)s", colour=term(shot.colour_name)) if shot.colour_name else ""
    return Phrase(
        "Round %(round)s, shot %(number)s%(whose)s: %(words)s",
        round=shot.round,
        number=shot.number,
        whose=whose,
        words=term(shot.words),
    )
