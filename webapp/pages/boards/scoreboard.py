"""The scoreboard: the room's view, and the time of day for its clocks."""

from __future__ import annotations

from flask import Blueprint, g, jsonify, render_template, request
from flask.typing import ResponseReturnValue

from calibration.phrase import Phrase
from webapp.live.scoreboard import now
from webapp.live.side_colours import COLOUR_HEX
from webapp.pages import Page
from webapp.pages.tournament.tournament_page import (
    build_stages,
    build_wall_pages,
    find_round_clock,
    find_running,
)
from webapp.services import board_at_hand, services

BLUEPRINT = Blueprint("board", __name__)
PAGES = (Page(endpoint="board.scoreboard", name=Phrase("Scoreboard"), order=0),)

#: Looks of a page, regardless of the device's preference.
LOOKS = ("light", "dark", "stage")


@BLUEPRINT.get("/")
def scoreboard() -> str:
    """The page: ``?tv`` without a menu, ``?look=stage``, ``?view=camera`` for the camera's view of
    the board from above, ``?view=both`` for the camera's picture beside the drawn board,
    ``?odds=shown`` for both sides' chances.

    It then follows the event stream. With several boards and none in the address, it is the wall
    with all of them.
    """
    look, view = request.args.get("look", ""), request.args.get("view", "")
    is_demo = services().config.is_demo
    if "board_number" not in g and services().boards.are_several:
        return _show_wall(look)
    return render_template(
        "boards/scoreboard.html",
        state=board_at_hand().scoreboard.state,
        looks=LOOKS,
        look=look if look in LOOKS else "",
        view=view if view in ("camera", "both") else "both" if is_demo else "",
        is_tv="tv" in request.args,
        colours=COLOUR_HEX,
        odds=request.args.get("odds", ""),
        is_demo=is_demo,
    )


def _show_wall(look: str) -> str:
    """All boards at a glance; on a television in turn with the current tournament."""
    is_tv = "tv" in request.args
    stored = find_running(services().tournaments.list_tournaments(), now()) if is_tv else None
    stages = () if stored is None or stored.state is None else build_stages(stored.state)
    return render_template(
        "boards/wall.html",
        state=services().boards.state,
        look=look if look in LOOKS else "",
        is_tv=is_tv,
        stored=stored,
        stages=stages,
        clock=None if stored is None else find_round_clock(stored.log, stored.recorded),
        wall_pages=build_wall_pages(stages, stored.state if stored else None),
    )


@BLUEPRINT.get("/clock")
def clock() -> ResponseReturnValue:
    """JSON: the server's time of day, for all pages' round clocks."""
    return jsonify({"now": now()})
