"""The organiser's actions: a new tournament, and everything that happens in one."""

from __future__ import annotations

from flask import redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from scorer.rules.sources import TITLES
from scorer.tournament.state import TournamentState
from webapp.auth import scorer_only
from webapp.http.typed_number import read_whole_number
from webapp.jobs.referee_task import apply_match_rules
from webapp.live.live_boards import free_boards
from webapp.live.scoreboard import now
from webapp.pages.tournament.blueprint import BLUEPRINT
from webapp.pages.tournament.forms import (
    CRITERIA,
    KINDS,
    PLANS,
    Events,
    parse_board,
    parse_events,
    parse_setup,
)
from webapp.pages.tournament.show import read_tournament
from webapp.services import services


@BLUEPRINT.get("/tournaments/new")
@scorer_only
def new() -> str:
    """The form of a new tournament."""
    return render_template(
        "tournament/tournament_new.html",
        kinds=KINDS,
        plans=PLANS,
        orders=CRITERIA,
        rules={str(name): words for name, words in TITLES.items()},
    )


@BLUEPRINT.post("/tournaments/new")
def create() -> ResponseReturnValue:
    """Begin a tournament."""
    setup, events = parse_setup(request.form)
    number = services().tournaments.create(setup, events, now=now())
    services().boards.provide(setup.boards)
    return redirect(url_for("tournament.show", number=number), 303)


@BLUEPRINT.post("/tournaments/<int:number>/board")
def move(number: int) -> ResponseReturnValue:
    """Let a match be played at another board, also one that has begun."""
    read_tournament(number)
    event = parse_board(request.form)
    begun = services().boards.find_begun(number, event.match)
    if begun is not None:
        services().boards.move_match(begun, event.board + 1)
        apply_match_rules(services(), services().boards.get(event.board + 1))
    else:
        services().tournaments.append(number, lambda state: free_boards(state, [event]), now=now())
    services().boards.publish_tournament(number)
    return redirect(url_for("tournament.show", number=number), 303)


@BLUEPRINT.post("/tournaments/<int:number>/<action>")
def act(number: int, action: str) -> ResponseReturnValue:
    """One entry of the organiser's; a page that is stale by then is refused."""
    read_tournament(number)

    def follow(state: TournamentState) -> Events:
        return parse_events(action, request.form, state)

    services().tournaments.append(
        number,
        follow,
        now=now(),
        expected=read_whole_number(request.form.get("events")),
    )
    services().boards.publish_tournament(number)
    return redirect(url_for("tournament.show", number=number), 303)
