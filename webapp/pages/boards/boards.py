"""The boards of the server: their addresses and codes; the scorer adds and names them."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, jsonify, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from calibration.phrase import Phrase
from scorer.match.events import MatchError
from webapp.auth import is_scorer, scorer_only
from webapp.pages import Page
from webapp.pages.form_errors import show_note
from webapp.pages.join_code import draw_qr_code, make_public_address
from webapp.services import services

BLUEPRINT = Blueprint("boards", __name__)
PAGES = (Page(endpoint="boards.show", name=Phrase("Boards"), order=12, is_for_scorer=True),)


@dataclass(frozen=True, slots=True, kw_only=True)
class _BoardCodes:
    """A board's name, and the QR codes of its addresses; the scorer's code is "" for others."""

    number: int
    name: str
    address: str
    code: Markup
    scorer_code: Markup | str


@BLUEPRINT.get("/boards")
def show() -> str:
    """All boards, with the codes that open their scoreboards on a phone."""
    return render_template("boards/boards.html", codes=_draw_codes(), is_print=False)


@BLUEPRINT.get("/boards/print")
@scorer_only
def show_print() -> str:
    """The codes of all boards, for printing."""
    return render_template("boards/boards.html", codes=_draw_codes(), is_print=True)


@BLUEPRINT.get("/boards/state")
def state() -> ResponseReturnValue:
    """JSON: all boards with one row each, as on the wall."""
    return jsonify(services().boards.state)


@BLUEPRINT.post("/boards")
def add() -> ResponseReturnValue:
    """Add a board."""
    added = services().boards.add_board(request.form.get("name", ""))
    show_note(
        Phrase(
            "%(name)s was added. Its address is /boards/%(number)s.",
            name=added.name,
            number=added.number,
        ),
        "done",
    )
    return redirect(url_for("boards.show"), 303)


@BLUEPRINT.post("/boards/<int:number>/name")
def rename(number: int) -> ResponseReturnValue:
    """Give a board another name."""
    services().boards.rename_board(number, request.form.get("name", ""))
    return redirect(url_for("boards.show"), 303)


@BLUEPRINT.post("/boards/<int:number>/remove")
def remove(number: int) -> ResponseReturnValue:
    """Remove a board; its matches stay."""
    boards = services().boards
    match = boards.get(number).scoreboard.state.match if boards.has(number) else None
    if match is not None and not match.is_over:
        raise MatchError(Phrase("A match is in progress at this board. Finish it first."))
    boards.remove_board(number)
    return redirect(url_for("boards.show"), 303)


def _draw_codes() -> list[_BoardCodes]:
    base, parts = make_public_address(), services()
    codes = []
    for name in parts.boards.names:
        address = f"{base}boards/{name.number}"
        secret = f"{address}/join#{parts.secret.board_code(name.number)}"
        codes.append(
            _BoardCodes(
                number=name.number,
                name=name.name,
                address=address,
                code=draw_qr_code(address),
                scorer_code=draw_qr_code(secret) if is_scorer() else "",
            )
        )
    return codes
