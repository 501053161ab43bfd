"""Every page of a board also at its own address: ``/boards/3/referee`` is ``/referee`` of board 3.

A page knows the current board (``webapp.services.board_at_hand``) by its address, or by its match,
and ``url_for`` stays within that board. Otherwise it is the first board.
"""

from __future__ import annotations

from typing import Any

from flask import Flask, abort, g, request

from webapp.services import find_board_number, services

#: Blueprints whose pages exist for every board, and the name of the board's number in their
#: addresses.
_BLUEPRINTS = frozenset(
    {
        "board",
        "match",
        "practice",
        "snapshot",
        "referee",
        "camera",
        "calibrate",
        "overlay",
        "join",
    }
)
_NUMBER = "board_number"
#: Pages that exist only once, whatever the board.
_SHARED = frozenset(
    {"board.clock", "overlay.manifest", "match.worker", "join.rotate", "calibrate.drop"}
)


def add_board_addresses(app: Flask) -> None:
    """Add the addresses under a board for the pages registered so far."""
    for rule in list(app.url_map.iter_rules()):
        is_of_match = "number" in rule.arguments and _name_blueprint(rule.endpoint) == "match"
        if _name_blueprint(rule.endpoint) not in _BLUEPRINTS or rule.endpoint in _SHARED | {
            "static"
        }:
            continue
        if is_of_match:
            continue
        path = f"/boards/<int:{_NUMBER}>{rule.rule.rstrip('/')}"
        methods = (rule.methods or set()) - {"HEAD", "OPTIONS"}
        app.add_url_rule(path, endpoint=rule.endpoint, methods=sorted(methods))
    app.url_value_preprocessor(_take_board)
    app.url_defaults(lambda endpoint, values: _keep_board(app, endpoint, values))


def _take_board(endpoint: str | None, values: dict[str, Any] | None) -> None:
    """Find the current board before anything else; 404 if there is no such number."""
    values = values or {}
    if _NUMBER in values:
        g.board_number = values.pop(_NUMBER)
        if not services().boards.has(g.board_number):
            abort(404)
    elif _name_blueprint(endpoint or "") == "match" and "number" in values:
        g.match_board = services().store.board_of(values["number"])


def _keep_board(app: Flask, endpoint: str, values: dict[str, object]) -> None:
    """Keep addresses within the current board; ``board_number=None`` leaves it."""
    number = find_board_number() if request else None
    if number is not None and app.url_map.is_endpoint_expecting(endpoint, _NUMBER):
        values.setdefault(_NUMBER, number)


def _name_blueprint(endpoint: str) -> str:
    return endpoint.partition(".")[0]
