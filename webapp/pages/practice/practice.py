"""Practice: a player and a drill are chosen in two taps; shots are tapped, or the camera counts."""

from __future__ import annotations

from flask import Blueprint, abort, jsonify, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from calibration.phrase import Phrase
from scorer.practice.events import (
    Drill,
    Outcome,
    PracticeEnded,
    PracticeError,
    PracticeEvent,
    PracticeShot,
    PracticeShotUndone,
    PracticeStarted,
    read_practice_event,
)
from scorer.store.player_store import PlayerStore
from webapp.auth import may_write_at
from webapp.http.lanes import LaneName, answer_in
from webapp.http.or_404 import or_404
from webapp.http.parse_number import read_whole_number
from webapp.live.live_state import Status
from webapp.pages import Page
from webapp.pages.form_errors import redirect_with_problem
from webapp.pages.practice.practice_page import describe_practice, list_practice_players
from webapp.services import board_at_hand, services

BLUEPRINT = Blueprint("practice", __name__)
PAGES = (Page(endpoint="practice.choose", name=Phrase("Practice"), order=12),)

#: Number of practices on the page, and of practices and matches in which players are searched for.
_LISTED, _REMEMBERED = 12, 60


@BLUEPRINT.get("/practice")
@answer_in(LaneName.LONG)
def choose() -> str:
    """Players and drills; the player of the last practice is preselected."""
    held = services().practices.list_newest(_REMEMBERED)
    players = list_practice_players(held, services().store.recent_setups(_REMEMBERED))
    asked = request.args.get("player", "")
    return render_template(
        "practice/practice.html",
        players=players,
        chosen=asked if asked in players else next(iter(players), ""),
        drills=list(Drill),
        listed=held[:_LISTED],
    )


@BLUEPRINT.post("/practice")
def begin() -> ResponseReturnValue:
    """Start a drill; a typed name takes precedence over a tapped one."""
    form = request.form
    name = form.get("name", "").strip() or form.get("player", "").strip()
    (name,) = PlayerStore(services().store.database).spell([name])
    if not name:
        return redirect_with_problem(
            Phrase("Choose a player for the practice session."), url_for("practice.choose")
        )
    try:
        setup = read_practice_event(
            {"type": "practice_started", "player": name, "drill": form.get("drill", "")}
        )
    except PracticeError as error:
        return redirect_with_problem(str(error), url_for("practice.choose"))
    assert isinstance(setup, PracticeStarted)
    return redirect(url_for("practice.show", number=board_at_hand().practice.begin(setup)), 303)


@BLUEPRINT.get("/practice/<int:number>")
def show(number: int) -> str:
    """A practice: the count so far, the discs' resting places, and the number to beat."""
    held = or_404(services().practices.get(number))
    played = services().practices.list_of(held.state.setup.player)
    status = board_at_hand().scoreboard.state.referee.status
    return render_template(
        "practice/practice_run.html",
        held=held,
        practice=describe_practice(held, played),
        is_watching=status in (Status.REFEREEING, Status.STARTING),
        is_counting=board_at_hand().practice.number == number,
    )


@BLUEPRINT.get("/practice/<int:number>/events")
def events(number: int) -> ResponseReturnValue:
    """JSON: number of events of a practice."""
    return jsonify({"events": or_404(services().practices.get(number)).events})


@BLUEPRINT.post("/practice/<int:number>/<any(shot, undo, end, count):action>")
def act(number: int, action: str) -> ResponseReturnValue:
    """Enter a shot, undo the last one, stop early, or let the camera count."""
    or_404(services().practices.get(number))
    counting = services().practices.find_board(number)
    if counting is not None and not may_write_at(counting):
        abort(401)
    back = url_for("practice.show", number=number)
    if action == "count":
        board_at_hand().practice.resume(number)
        return redirect(back, 303)
    try:
        seen = read_whole_number(request.form.get("seen"))
        board_at_hand().practice.append(number, _make_event(action), expected=seen)
    except PracticeError as error:
        return redirect_with_problem(str(error), back)
    return redirect(back, 303)


def _make_event(action: str) -> PracticeEvent:
    """The event of a form. Raises ``PracticeError``."""
    if action == "undo":
        return PracticeShotUndone()
    if action == "end":
        return PracticeEnded()
    form = request.form
    try:
        return PracticeShot(
            outcome=Outcome(form.get("outcome", "")),
            right_mm=float(form["right_mm"]) if form.get("right_mm") else None,
            beyond_mm=float(form["beyond_mm"]) if form.get("beyond_mm") else None,
        )
    except ValueError:  # pydantic's errors are of this kind
        raise PracticeError(
            Phrase("That result does not belong to this drill. Tap one of the drill's buttons.")
        ) from None
