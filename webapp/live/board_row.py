"""A board in one row, as the wall shows it: players, score, and requests for a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webapp.live.live_state import Status

Row = dict[str, Any]
_ALARMS = {
    str(Status.NOT_REFEREEING): "Not refereeing",
    str(Status.FAILED): "The referee has stopped",
}


def build_board_row(state: Mapping[str, Any]) -> Row:
    """The row of a board from the state of its scoreboard.

    pairing  the tournament's match that is to begin, in place of one that is over
    needs    what a person has to look at, in a few words; "" where nothing
    """
    match, pairing = state["match"], state["pairing"]
    if pairing is not None and (match is None or match["is_over"]):
        match = None
    return {
        **state["board"],
        "sides": [] if match is None else [_side(each, match) for each in match["sides"]],
        "round": None if match is None else match["round"],
        "clock": None if match is None else match["clock"],
        "is_over": match is not None and match["is_over"],
        "next": "" if match is None else match["next"],
        "pairing": pairing if match is None else None,
        "status": state["live"]["status"],
        "needs": _find_need(state, match),
    }


def _side(side: Mapping[str, Any], match: Mapping[str, Any]) -> Row:
    return {
        "name": side["name"],
        "colour": side["colour"],
        "total": side["total"],
        "round_points": side["round_points"] if match["shots"] else None,
        "has_turn": side["has_turn"] and not match["is_over"],
        "is_winner": side["is_winner"],
    }


def _find_need(state: Mapping[str, Any], match: Mapping[str, Any] | None) -> str:
    if state["live"]["status"] in _ALARMS:
        return _ALARMS[state["live"]["status"]]
    pairing = state["pairing"]
    if pairing is not None and pairing["is_disputed"]:
        return "The results differ"
    if match is not None and any(each["is_open"] for each in match["questions"]):
        return "Needs a decision"
    return ""
