"""The pages on which a browser becomes the scorer's, or stops being it.

The token travels in the part of an address that browsers keep to themselves (``/join#TOKEN``), and
then in a form's body, so no log on the way can contain it.
"""

from __future__ import annotations

from flask import Blueprint, g, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from calibration.phrase import Phrase
from webapp.auth import (
    allow_anyone,
    is_scorer,
    limit_itself,
    limit_rate,
    log_in,
    log_in_at_board,
    log_out,
)
from webapp.http.redirects import safe_redirect_target
from webapp.pages import Page
from webapp.pages.form_errors import show_note
from webapp.pages.join_code import draw_qr_code, make_public_address
from webapp.services import board_at_hand, services

BLUEPRINT = Blueprint("join", __name__)
PAGES = (Page(endpoint="join.join", name=Phrase("Join"), order=90),)


@BLUEPRINT.get("/join")
def join() -> str:
    """The page that takes the token, with QR codes for phones to join."""
    number = g.get("board_number")
    base, token = make_public_address(), services().secret.token
    if number is not None:
        base, token = f"{base}boards/{number}/", services().secret.board_code(number)
    return render_template(
        "join.html",
        spectator_address=base,
        spectator_code=draw_qr_code(base),
        scorer_code=draw_qr_code(f"{base}join#{token}") if is_scorer() else "",
        is_private=services().config.is_private,
        back=request.args.get("back", ""),
    )


@BLUEPRINT.post("/join")
@allow_anyone
@limit_itself
def enter() -> ResponseReturnValue:
    """Sign the scorer in.

    Only wrong tokens are counted, because a whole club may share an address and nobody in it must
    be able to lock the scorer out. A token of 128 bits is too long to be guessed.
    """
    token = request.form.get("token", "").strip()
    if not (log_in(token) or log_in_at_board(token)):
        limit_rate(services().login_limiter)
        show_note(
            Phrase("That is not the scorer's code. Look for the code in the server window."),
            "problem",
        )
        return redirect(url_for("join.join", back=request.form.get("back") or None), 303)
    return redirect(_find_first_page(request.form.get("back", "")), 303)


def _find_first_page(back: str) -> str:
    """The first page for a scorer who has joined: back, to the current match, or to the
    scoreboard.
    """
    if back:
        return safe_redirect_target(back)
    match = board_at_hand().scoreboard.state.match
    is_wall = "board_number" not in g and services().boards.are_several
    if is_wall or services().config.is_demo or match is None or match.is_over:
        return url_for("board.scoreboard")
    return url_for("match.show", number=match.id)


@BLUEPRINT.post("/token")
def rotate() -> ResponseReturnValue:
    """Replace the token; only this browser has the new one."""
    services().secret.replace_token()
    log_in(services().secret.token)
    show_note(Phrase("There is a new code. All other scorers have been signed out."), "done")
    return redirect(url_for("join.join"), 303)


@BLUEPRINT.post("/leave")
@allow_anyone
def leave() -> ResponseReturnValue:
    """Make this browser a spectator's."""
    log_out()
    return redirect(url_for("board.scoreboard"), 303)
