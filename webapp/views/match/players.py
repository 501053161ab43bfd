"""The pages about players: everybody who played, and what one did in all matches."""

from __future__ import annotations

from collections import Counter
from typing import Any

from flask import abort, render_template, request

from webapp.presenters.player_page import build_player_record
from webapp.presenters.players.practice_page import summarise_drills
from webapp.presenters.players.shot_figures import list_seen_shots, summarise_shots
from webapp.services import services
from webapp.views.match.blueprint import BLUEPRINT


@BLUEPRINT.get("/players")
def list_players() -> str:
    """Everybody who played or practised, by name, with how many matches."""
    counts = Counter(
        name for _, setup in services().store.setups() if setup for name in setup.players
    )
    for each in services().practices.list_all():
        counts[each.state.setup.player] += 0
    return render_template("players.html", players=sorted(counts.items()))


@BLUEPRINT.get("/player")
def show_player() -> Any:
    """One player's matches, 20s a round over time, practice, and results against everybody else."""
    name, store = request.args.get("name", ""), services().store
    played = [stored for stored, setup in store.setups() if setup and name in setup.players]
    practised = services().practices.list_of(name)
    if not played and not practised:
        abort(404)
    listed = store.list_states_of(played)
    return render_template(
        "player.html",
        player=build_player_record(name, listed),
        shots=summarise_shots(list_seen_shots(name, listed, store)),
        drills=summarise_drills(practised),
    )
