"""The organiser's actions: a new tournament, and all events in one."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from flask import flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from calibration.phrase import Phrase
from scorer.rules.sources import TITLES
from scorer.store.tournament_store import StoredTournament
from scorer.tournament.events import (
    BoardAssigned,
    BoardsSwapped,
    EntriesSwapped,
    LeaverResults,
    TournamentError,
    TournamentEvent,
)
from scorer.tournament.fold import apply_events, find_places_in_force, fold, judge_leaving
from scorer.tournament.pairing import pair_next_round
from scorer.tournament.state import TournamentState
from scorer.tournament.tournament_file import read_file
from webapp.auth import scorer_only
from webapp.http.parse_number import read_whole_number
from webapp.jobs.referee_task import apply_match_rules
from webapp.live.live_boards import free_boards
from webapp.live.scoreboard import now
from webapp.pages.tournament.blueprint import BLUEPRINT
from webapp.pages.tournament.forms import (
    ACTIONS,
    CRITERIA,
    KINDS,
    PLANS,
    Events,
    parse_board,
    parse_events,
    parse_setup,
)
from webapp.pages.tournament.show import read_tournament
from webapp.pages.tournament.tournament_page import REASONS, build_stages
from webapp.services import services


@BLUEPRINT.get("/tournaments/new")
@scorer_only
def new() -> str:
    """The form of a new tournament."""
    return _render_form({})


@BLUEPRINT.post("/tournaments/new")
def create() -> ResponseReturnValue:
    """Start a tournament; a refusal keeps the typed values and points at the line."""
    try:
        setup, events = parse_setup(request.form)
        number = services().tournaments.create(setup, events, now=now())
    except TournamentError as refusal:
        return _render_form(request.form, refusal), 409
    services().boards.provide(setup.boards)
    if request.form.get("pair") == "yes":
        services().tournaments.append(number, lambda state: [pair_next_round(state, 0)], now=now())
        services().boards.publish_tournament(number)
    return redirect(url_for("tournament.show", number=number), 303)


@BLUEPRINT.post("/tournaments/import")
def import_tournament() -> ResponseReturnValue:
    """Import an exported tournament, with all its events and their times."""
    file = request.files.get("file")
    try:
        text = file.read().decode("utf-8") if file else ""
    except UnicodeDecodeError:
        text = ""
    return redirect(url_for("tournament.show", number=take_in(text)), 303)


def take_in(text: str) -> int:
    """The number of an exported tournament in this database. Raises ``TournamentError``."""
    (setup, *events), times = read_file(text)
    number = services().tournaments.create(setup, events, now=now(), recorded=times)
    services().boards.provide(setup.boards)
    services().boards.publish_tournament(number)
    return number


def _render_form(values: Mapping[str, str], refusal: TournamentError | None = None) -> str:
    return render_template(
        "tournament/tournament_new.html",
        values=values,
        problem=refusal and str(refusal),
        line=getattr(refusal, "line", None),
        kinds=KINDS,
        plans=PLANS,
        orders=CRITERIA,
        reasons=REASONS,
        rules={str(name): words for name, words in TITLES.items()},
    )


@BLUEPRINT.get("/tournaments/<int:number>/leave")
@scorer_only
def show_leaving(number: int) -> str:
    """The tables after an entry's possible withdrawal, for each way of counting its matches; the
    usual way first.
    """
    stored, state = read_tournament(number)
    entry = read_whole_number(request.args.get("entry"))
    if entry not in range(len(state.entries)) or entry is None:
        raise TournamentError(Phrase("Choose the player who is withdrawing."))
    rule = judge_leaving(state, entry)
    ways: list[dict[str, str]] = [{"disqualified": "yes"}]
    rule_first = sorted(LeaverResults, key=lambda way: way is not rule)
    ways[:0] = [{}] if rule is None else [{"results": way} for way in rule_first]
    tables = []
    for way in ways:
        after = apply_events(state, parse_events("leave", {"entry": str(entry)} | way, state))
        tables.append(
            [stage for stage in build_stages(after) if entry in after.stages[stage.number].entries]
        )
    return render_template(
        "tournament/tournament_leave.html",
        stored=stored,
        state=state,
        entry=entry,
        rule=rule,
        ways=list(zip(ways, tables, strict=True)),
    )


@BLUEPRINT.post("/tournaments/<int:number>/board")
def move(number: int) -> ResponseReturnValue:
    """Move a match, even a started one, to another board; a match waiting there for its players
    takes the free board.
    """
    read_tournament(number)
    event = parse_board(request.form)
    begun = services().boards.find_begun(number, event.match)
    if begun is not None:
        services().boards.move_match(begun, event.board + 1)
        apply_match_rules(services(), services().boards.get(event.board + 1))
    else:
        services().tournaments.append(
            number,
            lambda state: free_boards(state, [_swap_or_assign(number, state, event)]),
            now=now(),
        )
    services().boards.publish_tournament(number)
    return redirect(url_for("tournament.show", number=number), 303)


def _swap_or_assign(
    number: int, state: TournamentState, event: BoardAssigned
) -> BoardAssigned | BoardsSwapped:
    """The match to be played at the board gets the other's board, unless it has started there."""
    at_board = [k for k in state.open_matches if state.matches[k].board == event.board]
    others = [k for k in at_board if k != event.match]
    if not others or services().boards.find_begun(number, others[0]) is not None:
        return event
    return BoardsSwapped(first=event.match, second=others[0])


@BLUEPRINT.post(f"/tournaments/<int:number>/<any({', '.join(map(repr, ACTIONS))}):action>")
def act(number: int, action: str) -> ResponseReturnValue:
    """One entry by the organiser; a page is refused if it is outdated.

    The page of a result or a walkover is outdated only if its match has changed.
    """
    stored, state = read_tournament(number)
    seen, match = (read_whole_number(request.form.get(name)) for name in ("events", "match"))
    if match is not None and fold(stored.log[:seen]).match_at(match) == state.match_at(match):
        seen = stored.events  # for a match's result, it does not matter what happened elsewhere

    def follow(state: TournamentState) -> Events:
        events = parse_events(action, request.form, state)
        if action == "undo":
            return [*events] * _count_together(stored)
        for event in events:
            check_not_begun(number, state, event)
        return events

    services().tournaments.append(
        number,
        follow,
        now=now(),
        expected=seen,
    )
    services().boards.publish_tournament(number)
    if action == "enter":
        flash(
            Phrase("%(name)s joined the tournament.", name=" ".join(request.form["entry"].split())),
            "done",
        )
    return redirect(url_for("tournament.show", number=number), 303)


def _count_together(stored: StoredTournament) -> int:
    """The number of events to undo: the last one in force, and the board assignments right after
    it.
    """
    places, count = find_places_in_force(stored.log), 1
    for last, before in pairwise(reversed(places)):
        is_given = isinstance(stored.log[last], BoardAssigned)
        if not is_given or stored.recorded[last] != stored.recorded[before]:
            break
        count += 1
    return count


def check_not_begun(number: int, state: TournamentState, event: TournamentEvent) -> None:
    """Raise ``TournamentError`` if a match to be swapped is being scored at its board."""
    if not isinstance(event, EntriesSwapped):
        return
    for match_number in state.open_matches:
        is_meant = {event.first, event.second} & set(state.matches[match_number].entries)
        if is_meant and services().boards.find_begun(number, match_number) is not None:
            raise TournamentError(
                Phrase("One of these matches has already started at its board. Finish it first.")
            )
