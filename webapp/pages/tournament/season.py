"""A season's pages: the table over several evenings, a player's evenings, and both as CSV."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from flask import Response, abort, render_template, request

from scorer.local_day import find_day
from scorer.store.tournament_store import StoredTournament
from scorer.texts import guard_cell
from scorer.tournament.season import SeasonRow, build_season
from webapp.http.lanes import LaneName, answer_in
from webapp.http.parse_number import read_whole_number
from webapp.pages.files import attach, format_csv
from webapp.pages.tournament.blueprint import BLUEPRINT
from webapp.services import services

_COLUMNS = (
    "rank",
    "player",
    "season_points",
    "day",
    "tournament",
    "place",
    "entries",
    "points",
    "played",
    "wins",
    "draws",
    "twenties",
    "rating",
    "sigma",
)


def read_season(wanted: list[str]) -> tuple[list[StoredTournament], tuple[SeasonRow, ...]]:
    """The evenings of these numbers, or all with a result, and their table."""
    numbers = {read_whole_number(text) for text in wanted}
    evenings = [
        stored
        for stored in services().tournaments.list_tournaments()
        if stored.state is not None and any(match.result for match in stored.state.matches)
    ]
    chosen = [stored for stored in evenings if not numbers or stored.id in numbers]
    return chosen, build_season([stored.state for stored in chosen if stored.state is not None])


@BLUEPRINT.get("/tournaments/season")
@answer_in(LaneName.LONG)
def show_season() -> str:
    """The table of the chosen evenings, or of a player in them."""
    evenings, rows = read_season(request.args.getlist("t"))
    name = request.args.get("player", "").casefold()
    row = next((row for row in rows if row.player.casefold() == name), None)
    if name and row is None:
        abort(404)
    return render_template(
        "tournament/tournament_season.html",
        row=row,
        rows=rows,
        chosen=evenings,
        evenings=read_season([])[0],
    )


@BLUEPRINT.get("/tournaments/season.csv")
@answer_in(LaneName.LONG)
def export_season() -> Response:
    """One line per player and evening."""
    evenings, rows = read_season(request.args.getlist("t"))
    lines = (line for row in rows for line in _list_evenings(row, evenings))
    return attach(
        format_csv(chain([_COLUMNS], lines)), "text/csv; charset=utf-8", "crokinole-season.csv"
    )


def _list_evenings(row: SeasonRow, evenings: list[StoredTournament]) -> Iterator[list[object]]:
    for one in row.evenings:
        stored, rating = evenings[one.evening], one.rating
        assert stored.state is not None
        yield [
            row.rank,
            guard_cell(row.player),
            row.points,
            guard_cell(find_day(stored.created)),
            guard_cell(stored.state.setup.name),
            one.rank,
            one.entries,
            one.points,
            one.played,
            one.wins,
            one.draws,
            one.twenties,
            *([round(rating.mean, 2), round(rating.sigma, 2)] if rating else ["", ""]),
        ]
