"""The routes of ``/api/v1`` about tournaments: set up, enter, pair, export and import."""

from __future__ import annotations

import json as json_text

from flask import jsonify, request

from scorer.tournament.events import TournamentError, TournamentEvent, TournamentUndone, read_event
from scorer.tournament.pairing import pair_next_round
from scorer.tournament.state import TournamentState
from scorer.tournament.tournament_file import write_log
from webapp.api import tournament_forms as forms
from webapp.api.blueprint import BLUEPRINT, TOURNAMENTS
from webapp.api.document import API, TOKEN, Reply, describe_answers
from webapp.http.lanes import LaneName, answer_in
from webapp.live.live_boards import free_boards
from webapp.live.scoreboard import now
from webapp.pages.tournament.organise import check_not_begun, take_in
from webapp.pages.tournament.season import read_season
from webapp.pages.tournament.show import read_tournament
from webapp.pages.tournament.tournament_page import tournament_json
from webapp.services import services

_WRITES = describe_answers(forms.Tournament, code=201, is_writing=True, may_lack=True)


@BLUEPRINT.get("/tournaments")
@API.validate(resp=describe_answers(forms.Tournaments), tags=TOURNAMENTS)
@answer_in(LaneName.LONG)
def tournaments() -> Reply:
    """All tournaments, the newest first."""
    rows = [
        {
            "id": stored.id,
            "created": stored.created,
            "name": stored.state.setup.name if stored.state else "",
            "entries": len(stored.state.entries) if stored.state else 0,
            "boards": len(stored.state.setup.boards) if stored.state else 0,
            "damage": stored.damage,
        }
        for stored in reversed(services().tournaments.list_tournaments())
    ]
    return jsonify({"tournaments": rows})


@BLUEPRINT.post("/tournaments")
@API.validate(resp=_WRITES, tags=TOURNAMENTS, security=TOKEN)
def begin_tournament(json: forms.TournamentSetup) -> Reply:
    """Set up a tournament, with its entries and its first stage if given."""
    given = json.model_dump(mode="json", exclude_unset=True)
    entries, stage = given.pop("entries", []), given.pop("stage", None)
    setup = {name: value for name, value in given.items() if value is not None}
    events: list[dict[str, object]] = [{"type": "tournament_started", **setup}]
    events += [{"type": "entry_added", "players": entry} for entry in entries]
    if stage is not None:
        stage = {"name": "Swiss", "kind": "swiss"} | stage
        events.append({"type": "stage_started", **stage, "entries": list(range(len(entries)))})
    log = [read_event(json_text.dumps(event)) for event in events]
    number = services().tournaments.create(log[0], log[1:], now=now())  # type: ignore[arg-type]
    services().boards.provide(json.boards)
    return jsonify(tournament_json(services().tournaments.read(number))), 201


@BLUEPRINT.get("/tournaments/season")
@API.validate(resp=describe_answers(forms.Season), tags=TOURNAMENTS)
@answer_in(LaneName.LONG)
def season(query: forms.OfSeason) -> Reply:
    """The table of several tournaments, with every player's evenings and ratings."""
    chosen, rows = read_season(query.t.split(",") if query.t else [])
    players = [
        {
            "rank": row.rank,
            "player": row.player,
            "points": row.points,
            "evenings": [
                {
                    "tournament": chosen[one.evening].id,
                    "place": one.rank,
                    "entries": one.entries,
                    "points": one.points,
                    "played": one.played,
                    "wins": one.wins,
                    "draws": one.draws,
                    "twenties": one.twenties,
                    "rating": one.rating and one.rating.mean,
                    "sigma": one.rating and one.rating.sigma,
                }
                for one in row.evenings
            ],
        }
        for row in rows
    ]
    return jsonify({"tournaments": [stored.id for stored in chosen], "players": players})


@BLUEPRINT.get("/tournaments/<int:number>")
@API.validate(resp=describe_answers(forms.Tournament, may_lack=True), tags=TOURNAMENTS)
def tournament(number: int) -> Reply:
    """The state of a tournament: entries, standings, matches."""
    return jsonify(tournament_json(read_tournament(number)[0]))


@BLUEPRINT.post("/tournaments/<int:number>/events")
@API.validate(resp=_WRITES, tags=TOURNAMENTS, security=TOKEN)
def enter_tournament(number: int, json: forms.TournamentEntry, query: forms.AfterEvents) -> Reply:
    """Enter an event; an undo is an entry too. With ``after``, a request that is sent twice counts
    once: the second one is refused with 409.
    """
    return _append(number, json.root, query.after)


@BLUEPRINT.post("/tournaments/<int:number>/stages/<int:stage>/pair")
@API.validate(resp=_WRITES, tags=TOURNAMENTS, security=TOKEN)
def pair(number: int, stage: int, query: forms.AfterEvents) -> Reply:
    """Pair the next round of a stage, and assign boards to its matches."""
    return _append(number, stage, query.after)


def _append(number: int, what: TournamentEvent | int, after: int | None) -> Reply:
    """Store an event, or the pairing of a stage's next round."""
    read_tournament(number)

    def follow(state: TournamentState) -> tuple[TournamentEvent, ...]:
        event = pair_next_round(state, what) if isinstance(what, int) else what
        check_not_begun(number, state, event)
        is_undoing = isinstance(event, TournamentUndone)
        return (event,) if is_undoing else tuple(free_boards(state, [event]))

    services().tournaments.append(number, follow, now=now(), expected=after)
    services().boards.publish_tournament(number)
    return jsonify(tournament_json(services().tournaments.read(number))), 201


@BLUEPRINT.get("/tournaments/<int:number>/export")
@API.validate(resp=describe_answers(forms.TournamentFile, may_lack=True), tags=TOURNAMENTS)
@answer_in(LaneName.LONG)
def export_tournament(number: int) -> Reply:
    """A tournament with its whole log, for ``/tournaments/import``."""
    stored = read_tournament(number)[0]
    return jsonify(tournament_json(stored) | {"log": write_log(stored.log, stored.recorded)})


@BLUEPRINT.post("/tournaments/import")
@API.validate(
    resp=describe_answers(forms.ImportedTournament, code=201, is_writing=True),
    tags=TOURNAMENTS,
    security=TOKEN,
)
def import_tournament() -> Reply:
    """Import an exported tournament, with all its events and their times."""
    try:
        text = request.get_data(cache=False).decode("utf-8")
    except UnicodeDecodeError:
        raise TournamentError("This is not JSON. Export the tournament again.") from None
    return jsonify({"tournament": take_in(text)}), 201
