"""A match as it may stand, with everything that a screen can show: for previews."""

from __future__ import annotations

from scorer.match.events import MatchStarted, RoundScored, RoundStarted
from scorer.rules.choices import Format
from scorer.store.board_store import default_name
from webapp.live.calls import make_call
from webapp.live.live_state import Status, make_off_state
from webapp.live.match_summary import match_json
from webapp.live.scoreboard import now

#: Where each side's discs lie, mm, and their zones.
_DISCS = ((0, 20.0, 55.0, 15), (1, -120.0, 80.0, 10), (0, 60.0, -40.0, 15), (1, 180.0, 160.0, 5))


def make_sample_state() -> dict[str, object]:
    """Everything that a screen shows, of a match that nobody plays."""
    time = now()
    log = (
        MatchStarted(
            rules="nca", format=Format.TWO, players=("Ann", "Bob"), colours=("natural", "black")
        ),
        RoundScored(points=(45, 30), twenties=(1, 0)),
        RoundStarted(minutes=20),
    )
    match = match_json(0, log, [time] * len(log))
    discs = [
        {
            "id": f"d{k}",
            "team": team,
            "x_mm": x_mm,
            "y_mm": y_mm,
            "zone": zone,
            "state": "flat",
            "margin_mm": 9.0,
            "sigma_mm": 0.2,
            "is_close": False,
            "is_to_go": False,
        }
        for k, (team, x_mm, y_mm, zone) in enumerate(_DISCS)
    ]
    teams = [
        {"team": k, "colour": side["colour"], "colour_name": side["colour_name"]}
        for k, side in enumerate(match["sides"])
    ]
    live = make_off_state() | {
        "status": str(Status.REFEREEING),
        "discs": discs,
        "teams": teams,
    }
    call = make_call("foul", "Foul", "Ann did not touch an opponent's disc.", "", side=0)
    return {
        "board": {"number": 1, "name": default_name(1)},
        "match": match,
        "pairing": None,
        "live": live,
        "call": {"id": "sample", "at": time, **call},
        "now": time,
    }
