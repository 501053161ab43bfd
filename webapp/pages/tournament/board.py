"""A board's own page, which its QR code opens: its players, and the reports of the sides.

The code in the address is a signature of the tournament and the board by the scorer's code. It
allows reporting results of that board, and nothing else, until there is a new code. A result counts
if both sides report the same on two devices.
"""

from __future__ import annotations

import hashlib
import hmac

from flask import abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from calibration.phrase import Phrase
from scorer.tournament.boards import find_next_match
from scorer.tournament.events import Reporter, ReportRefused, ResultReported, TournamentError
from scorer.tournament.state import TournamentState
from webapp.auth import allow_anyone, device_name
from webapp.http.parse_number import read_whole_number
from webapp.http.token import is_same_secret
from webapp.live.live_boards import free_boards
from webapp.live.match_summary import Match
from webapp.live.scoreboard import now
from webapp.pages.form_errors import show_note
from webapp.pages.join_code import make_public_address
from webapp.pages.tournament.blueprint import BLUEPRINT
from webapp.pages.tournament.forms import Events, parse_result
from webapp.pages.tournament.tournament_page import build_match, find_round_clock
from webapp.services import services

#: Length of the code: 60 bits cannot be guessed over a network if attempts are limited.
_CODE_LETTERS = 15
_SIDES = {"first": Reporter.FIRST, "second": Reporter.SECOND}


def board_address(number: int, board: int) -> str:
    """The address in a board's QR code."""
    path = url_for("tournament.show_board", number=number, board=board, code=_code(number, board))
    return make_public_address() + path.removeprefix(request.script_root).lstrip("/")


@BLUEPRINT.get("/t/<int:number>/<int:board>/<code>")
def show_board(number: int, board: int, code: str) -> str:
    """The players on the board, and the form for the result."""
    state = _read_state(number, board, code)
    playing = next((k for k in state.open_matches if state.matches[k].board == board), None)
    done = [k for k, match in enumerate(state.matches) if match.board == board and match.result]
    stored = services().tournaments.read(number)
    following = find_next_match(state, board)
    return render_template(
        "tournament/tournament_board.html",
        stored=stored,
        state=state,
        board=state.setup.boards[board],
        row=None if playing is None else build_match(state, playing),
        own=None if playing is None else _find_own_side(number, playing, state),
        clock=find_round_clock(stored.log, stored.recorded),
        live=_find_live(number, board, playing),
        following=None if following is None else build_match(state, following),
        done=[build_match(state, k) for k in done[::-1]],
        here={"number": number, "board": board, "code": code},
    )


@BLUEPRINT.post("/t/<int:number>/<int:board>/<code>")
@allow_anyone
def report(number: int, board: int, code: str) -> ResponseReturnValue:
    """Receive the result of the board's match from one of its sides."""
    _read_state(number, board, code)
    by = _SIDES.get(request.form.get("by", ""))

    def follow(state: TournamentState) -> Events:
        if by is None:
            raise TournamentError(Phrase("Choose your side."))
        event: ResultReported | ReportRefused
        if request.form.get("answer") == "no":
            event = ReportRefused(match=read_whole_number(request.form["match"]) or 0, by=by)
        else:
            event = parse_result(request.form, state, by)
            event = event.model_copy(update={"device": _name_device(number, event.match)})
        if _find_own_side(number, event.match, state) not in (None, by):
            raise TournamentError(
                Phrase(
                    "This device has already reported for the other side. Use another "
                    "device, or ask the organiser to enter the result."
                )
            )
        if state.matches[event.match].board != board:
            raise TournamentError(
                Phrase(
                    "That match has moved to another board. Check that you are at the right one."
                )
            )
        return free_boards(state, [event])

    state = services().tournaments.append(number, follow, now=now())
    match = state.matches[int(request.form["match"])]
    services().boards.publish_tournament(number)
    if match.result is not None:
        show_note(Phrase("Both sides reported the same result, so it counts."), "done")
    elif match.is_disputed:
        show_note(
            Phrase("The two sides reported different results. Agree on one, or ask the organiser."),
            "problem",
        )
    else:
        show_note(
            Phrase(
                "Saved. The result counts once the other side reports the same on another phone."
            ),
            "done",
        )
    return redirect(url_for("tournament.show_board", number=number, board=board, code=code), 303)


def _find_live(number: int, board: int, playing: int | None) -> Match | None:
    """The match as scored at the board; None if it is not scored there."""
    if not services().boards.has(board + 1):
        return None
    match = services().boards.get(board + 1).scoreboard.state.match
    return match if match and match.tournament == (number, playing) else None


def _find_own_side(number: int, match: int, state: TournamentState) -> Reporter | None:
    """The side for which this device has reported."""
    device = _name_device(number, match)
    reports = state.match_at(match).reports
    return next((report.by for report in reports if report.device == device), None)


def _read_state(number: int, board: int, code: str) -> TournamentState:
    """The tournament, if the address comes from a QR code; otherwise 404."""
    if not is_same_secret(code, _code(number, board)):
        abort(404)
    tournaments = services().tournaments
    state = tournaments.read(number).state if tournaments.has(number) else None
    if state is None or board not in range(len(state.setup.boards)):
        abort(404)
    return state


def _code(number: int, board: int) -> str:
    """The code of a board; a new scorer's code makes it invalid."""
    return _sign(services().secret.token, "tournament", number, "board", board)


def _name_device(number: int, match: int) -> str:
    """A name for the current device, valid for one match only."""
    return _sign(device_name(), "tournament", number, "match", match)


def _sign(*parts: object) -> str:
    key, text = services().secret.signing_key.encode(), " ".join(map(str, parts))
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()[:_CODE_LETTERS]
