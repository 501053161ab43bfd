"""The public pages of tournaments: the list, a tournament, its wall, print-outs, files, ratings."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from json import JSONEncoder
from typing import Any
from urllib.parse import urlsplit

from flask import Response, abort, jsonify, render_template
from flask.typing import ResponseReturnValue

from calibration.json_text import to_plain
from scorer.store.tournament_store import StoredTournament
from scorer.texts import guard_cell
from scorer.tournament.ratings import rate_players
from scorer.tournament.state import TournamentState
from scorer.tournament.tournament_file import write_log
from webapp.auth import is_scorer
from webapp.http.lanes import LaneName, answer_in
from webapp.pages.files import attach, format_csv
from webapp.pages.join_code import draw_qr_code, make_public_address
from webapp.pages.tournament.blueprint import BLUEPRINT
from webapp.pages.tournament.board import board_address
from webapp.pages.tournament.forms import CRITERIA, KINDS
from webapp.pages.tournament.tournament_page import (
    REASONS,
    build_boards,
    build_player,
    build_podium,
    build_stages,
    build_wall_pages,
    find_round_clock,
    tournament_json,
)
from webapp.services import services

#: Host names by which a phone cannot find this computer.
_OWN_HOSTS = ("localhost", "127.0.0.1", "::1")
_PRINTS = ("pairings", "standings", "cards", "codes")


@BLUEPRINT.get("/tournaments")
@answer_in(LaneName.LONG)
def list_tournaments() -> str:
    """All tournaments, the newest first."""
    stored = services().tournaments.list_tournaments()
    return render_template("tournament/tournaments.html", stored=stored[::-1])


@BLUEPRINT.get("/tournaments/ratings")
@answer_in(LaneName.LONG)
def show_ratings() -> str:
    """Players' strength, from all tournaments."""
    stored = services().tournaments.list_tournaments()
    ratings = rate_players(
        tournament.state for tournament in stored if tournament.state is not None
    )
    return render_template("tournament/tournament_ratings.html", ratings=ratings)


@BLUEPRINT.get("/tournaments/<int:number>")
def show(number: int) -> str:
    """A tournament: its matches, its standings, and the organiser's forms."""
    return render_template(
        "tournament/tournament.html",
        **_page_values(number),
        kinds=KINDS,
        orders=CRITERIA,
        reasons=REASONS,
    )


@BLUEPRINT.get("/tournaments/<int:number>/wall")
def show_wall(number: int) -> str:
    """All boards at a glance, for a screen that the whole room sees."""
    values = _page_values(number)
    return render_template(
        "tournament/tournament_wall.html",
        **values,
        wall_pages=build_wall_pages(values["stages"], values["state"]),
    )


@BLUEPRINT.get("/tournaments/<int:number>/players/<int:entry>")
def show_player(number: int, entry: int) -> str:
    """A player's own page for the evening: my board, my next match, my standing."""
    values = _page_values(number)
    if entry not in range(len(values["state"].entries)):
        abort(404)
    return render_template(
        "tournament/tournament_player.html", **values, player=build_player(values["state"], entry)
    )


@BLUEPRINT.get("/tournaments/<int:number>/result")
def show_result(number: int) -> str:
    """A tournament's result, to share and to print: podium, brackets, tables, every match."""
    return render_template("tournament/tournament_result.html", **_page_values(number))


@BLUEPRINT.get("/tournaments/<int:number>/print/<what>")
@answer_in(LaneName.LONG)
def show_print(number: int, what: str) -> str:
    """Pairings, standings, score cards or the boards' codes, for printing."""
    if what not in _PRINTS or (what == "codes" and not is_scorer()):
        abort(404)
    values = _page_values(number)
    codes = []
    if what == "codes":
        boards = values["state"].setup.boards
        addresses = [board_address(number, k) for k in range(len(boards))]
        codes = [(name, at, draw_qr_code(at)) for name, at in zip(boards, addresses, strict=True)]
        follow = make_public_address() + f"tournaments/{number}"
        codes.insert(0, ("", follow, draw_qr_code(follow)))
    is_local = any(urlsplit(at).hostname in _OWN_HOSTS for _, at, _ in codes)
    return render_template(
        "tournament/tournament_print.html", what=what, codes=codes, is_local=is_local, **values
    )


@BLUEPRINT.get("/tournaments/<int:number>/export.<kind>")
@answer_in(LaneName.LONG)
def export(number: int, kind: str) -> Response:
    """The tournament as a file for other programs."""
    stored, state = read_tournament(number)
    if kind == "json":
        content = tournament_json(stored) | {"log": write_log(stored.log, stored.recorded)}
        body, media = JSONEncoder(indent=1).iterencode(to_plain(content)), "application/json"
    elif kind == "csv":
        body, media = format_csv([_COLUMNS, *_list_matches(state)]), "text/csv; charset=utf-8"
    else:
        abort(404)
    return attach(body, media, f"crokinole-tournament-{number}.{kind}")


@BLUEPRINT.get("/tournaments/<int:number>/events")
def count_events(number: int) -> ResponseReturnValue:
    """Number of events of a tournament; a page made with fewer reloads itself."""
    return jsonify({"events": read_tournament(number)[0].events})


def read_tournament(number: int) -> tuple[StoredTournament, TournamentState]:
    """A tournament with its state; 404 if there is none of that number."""
    tournaments = services().tournaments
    if not tournaments.has(number):
        abort(404)
    stored = tournaments.read(number)
    assert stored.state is not None
    return stored, stored.state


def _page_values(number: int) -> dict[str, Any]:
    stored, state = read_tournament(number)
    return {
        "stored": stored,
        "state": state,
        "stages": build_stages(state),
        "boards": build_boards(state),
        "podium": build_podium(state),
        "waiting": [k for k in state.open_matches if state.matches[k].board is None],
        "clock": find_round_clock(stored.log, stored.recorded),
    }


#: The columns of a tournament's table of matches.
_COLUMNS = (
    "stage",
    "round",
    "board",
    "first",
    "second",
    "first_points",
    "second_points",
    "first_20s",
    "second_20s",
    "walkover",
    "annulled",
)


def _list_matches(state: TournamentState) -> Iterator[list[object]]:
    """One line per match."""
    for stage in build_stages(state):
        for row in chain.from_iterable(reversed(stage.rounds_of_matches)):
            result = row.match.result
            yield [
                stage.name,
                row.match.round + 1,
                *map(guard_cell, (row.board or "", row.first, row.second or "")),
                *((*result.points, *result.twenties) if result else ("",) * 4),
                "yes" if result and result.is_walkover else "",
                "yes" if result and result.is_annulled else "",
            ]
