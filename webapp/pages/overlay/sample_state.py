"""A sample match with everything that a screen can show, for previews."""

from __future__ import annotations

from calibration.phrase import Phrase
from calibration.placed_disc import DiscState
from scorer.board_names import default_name
from scorer.match.events import (
    DiscInZone,
    Event,
    MatchStarted,
    RoundScored,
    RoundStarted,
    ShotPlayed,
)
from scorer.referee.events import SeenTeam
from scorer.rules.choices import Format
from scorer.store.board_store import NamedBoard
from scorer.zones import CallCertainty
from webapp.live.live_state import LiveDisc, LiveState, Status
from webapp.live.match_summary import summarise_match
from webapp.live.pairings import BoardPairing
from webapp.live.scoreboard import RefereeStanding, State, now
from webapp.live.spoken_calls import Call

#: Discs in the order of their shots: side, position in mm, zone.
_DISCS = ((1, 20.0, 55.0, 15), (0, -120.0, 80.0, 10), (1, 60.0, -40.0, 15), (0, 180.0, 160.0, 5))


def make_sample_state() -> State:
    """Everything that a screen shows, of an invented match."""
    time = now()
    board = tuple(
        DiscInZone(id=f"d{k}", side=side, zone=zone)
        for k, (side, _x, _y, zone) in enumerate(_DISCS)
    )
    log: tuple[Event, ...] = (
        MatchStarted(
            rules="nca", format=Format.TWO, players=("Ann", "Bob"), colours=("natural", "black")
        ),
        RoundScored(points=(45, 30), twenties=(1, 0)),
        RoundStarted(minutes=20),
        *(
            ShotPlayed(player=1 - k % 2, verdict="legal", board=board[: k + 1], twenties=(0, 0))
            for k in range(len(board))
        ),
    )
    match = summarise_match(0, log, [time] * len(log))
    discs = tuple(
        LiveDisc(
            id=f"d{k}",
            team=team,
            x_mm=x_mm,
            y_mm=y_mm,
            state=DiscState.FLAT,
            zone=zone,
            margin_mm=9.0,
            sigma_mm=0.2,
            call=CallCertainty.CERTAIN,
            is_close=False,
            is_to_go=False,
        )
        for k, (team, x_mm, y_mm, zone) in enumerate(_DISCS)
    )
    teams = tuple(
        SeenTeam(team=k, colour=side.colour, colour_name=side.colour_name or "")
        for k, side in enumerate(match.sides)
    )
    words = Phrase("Ann did not touch an opponent's disc.")
    return State(
        board=NamedBoard(number=1, name=default_name(1)),
        match=match,
        pairing=None,
        playing=BoardPairing(
            tournament=0,
            title=Phrase("Club evening"),
            match=0,
            sides=tuple(side.name for side in match.sides),
            stage="Swiss",
            round=2,
            is_disputed=False,
        ),
        live=LiveState(status=Status.REFEREEING, discs=discs, teams=teams),
        referee=RefereeStanding(status=Status.REFEREEING, reason=None, advice=None),
        call=Call(
            id="sample", at=time, kind="foul", title=Phrase("Foul"), words=words, spoken="", side=0
        ),
        now=time,
        pictures={},
    )
