"""A match as its scoreboard and its scorer's page show it, as plain JSON values.

All of it is read off the fold of the match's log (``scorer.match.fold``), which knows the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from scorer.match.colours import list_colours
from scorer.match.descriptions import describe_goal
from scorer.match.events import Event, FoulCalled, RoundScored, RoundStarted, ShotPlayed
from scorer.match.fold import Played, replay_places
from scorer.match.scoring import winning_total
from scorer.match.state import MatchSetup, MatchState, RoundResult
from scorer.match.turns import side_of, sides_of
from scorer.rules.choices import GameEnd
from scorer.rules.sources import DOCUMENTS, TITLES
from scorer.store import ListedMatch
from webapp.live.questions import list_left_out, list_questions
from webapp.live.ruling_messages import describe_called_foul, describe_penalty
from webapp.live.side_colours import COLOUR_HEX, NEUTRAL_HEX

_TWENTY = 20


def match_json(match_id: int, log: Sequence[Event], times: Sequence[str]) -> dict[str, Any]:
    """How a match stands, from its log and the time of day of each of its events."""
    played = list(replay_places(log))
    state = played[-1].state
    setup, play = state.setup, state.round
    return {
        "id": match_id,
        "events": len(log),
        "at_board": setup.at_board,
        "tournament": list(setup.tournament) or None,
        "rules": str(setup.rules.name),
        "rules_title": TITLES[setup.rules.name],
        "document": DOCUMENTS[setup.rules.name],
        "format": str(setup.format),
        "goal": describe_goal(state.setup),
        "players": list(setup.players),
        "sides": [_side_json(state, side) for side in range(len(setup.sides))],
        "round": len(state.rounds) - state.game_start + (0 if state.is_over else 1),
        "game": min(len(state.games) + 1, setup.games),
        "games": setup.games,
        "turn": None if state.turn is None else setup.players[state.turn],
        "hammer": setup.players[state.hammer],
        "starter": setup.players[play.starter],
        "shots": play.shot_count,
        "clock": _clock_json(state, played, times),
        "rounds": [_round_json(result, setup) for result in state.rounds],
        "foul": _foul_json(state, played),
        "disputes": [asdict(dispute) for dispute in state.disputes],
        "board": [{"id": disc.id, "side": disc.side, "zone": disc.zone} for disc in play.board],
        "is_over": state.is_over,
        "winners": [setup.sides[side] for side in state.winners],
        "shootout": [setup.sides[side] for side in state.shootout],
        "next": describe_next(state),
        "questions": list_questions(state),
        "waiting": len(state.waiting),
        "left_out": list_left_out(state),
    }


def match_row(listed: ListedMatch) -> dict[str, Any]:
    """A match as a list of matches shows it, as JSON; a damaged one without sides, but why."""
    summary = listed.summary
    return {
        "id": listed.stored.id,
        "created": listed.stored.created,
        "sides": [] if summary is None else list(summary.sides),
        "totals": [] if summary is None else list(summary.totals),
        "is_over": summary is not None and summary.is_over,
        "damage": listed.damage,
    }


def _side_json(state: MatchState, side: int) -> dict[str, Any]:
    setup, play = state.setup, state.round
    colour_name = list_colours(setup)[side] or None
    players = sides_of(setup.format)[side]
    turn = None if state.turn is None else side_of(setup.format, state.turn)
    on_board = sum(disc.zone for disc in play.board if disc.side == side)
    return {
        "name": setup.sides[side],
        "colour_name": colour_name,
        "colour": COLOUR_HEX.get(colour_name or "", NEUTRAL_HEX),
        "total": state.totals[side],
        "needs": _count_needed(state, side),
        "games_won": sum(side in game.winners for game in state.games),
        "round_points": on_board + _TWENTY * play.twenties[side],
        "round_twenties": play.twenties[side],
        "twenties": state.twenties[side] + play.twenties[side],
        "discs": setup.discs[side],
        "discs_left": sum(state.discs_left[player] for player in players),
        "has_turn": turn == side,
        "has_hammer": side_of(setup.format, state.hammer) == side,
        "is_winner": side in state.winners and not state.is_tied,
    }


def _count_needed(state: MatchState, side: int) -> int | None:
    """The points that a side needs to win the game; None where points do not end it."""
    options = state.setup.options
    if options.game_end is not GameEnd.POINTS:
        return None
    return max(0, winning_total(options, len(state.totals)) - state.totals[side])


def _round_json(result: RoundResult, setup: MatchSetup) -> dict[str, Any]:
    return {
        "points": list(result.points),
        "twenties": list(result.twenties),
        "value": list(result.value),
        "source": str(result.source),
        "is_open": result.is_open,
        "starter": setup.players[result.starter],
        "is_seen": result.is_seen,
    }


def _foul_json(state: MatchState, played: Sequence[Played]) -> dict[str, Any] | None:
    """The foul that a person called and after which nobody has shot; None where there is none."""
    found = None
    for each in played:
        if isinstance(each.event, FoulCalled):
            found = each.event
        elif isinstance(each.event, ShotPlayed | RoundScored):
            found = None
    if found is None:
        return None
    return {
        "player": state.setup.players[found.player],
        "words": describe_called_foul(found.foul),
        "penalty": describe_penalty(found.foul, state.setup.options),
    }


def _clock_json(
    state: MatchState, played: Sequence[Played], times: Sequence[str]
) -> dict[str, Any]:
    """When the round in play began, and how long it may last."""
    began = None
    for each in played:
        if isinstance(each.event, RoundStarted):
            began = times[each.place]
        elif isinstance(each.event, RoundScored):
            began = None
    minutes = state.round.minutes
    return {"began": began, "minutes": minutes, "is_out": state.round.is_timed_out}


def describe_next(state: MatchState) -> str:
    """One sentence: what comes next."""
    setup, names = state.setup, state.setup.players
    if state.is_over:
        winners = " and ".join(setup.sides[side] for side in state.winners)
        if state.is_tied:
            return f"The match is tied between {winners}."
        return f"{winners} won the match."
    if state.shootout:
        level = " and ".join(setup.sides[side] for side in state.shootout)
        return f"{level} are tied: a shoot-out for 20s decides."
    if state.round.is_timed_out:
        return _describe_time_out(state)
    if state.turn is None:
        return "All discs have been shot: the round can be scored."
    if state.round.shot_count:
        return f"{names[state.turn]} to shoot; {names[state.hammer]} has the hammer."
    return f"{names[state.round.starter]} starts; {names[state.hammer]} has the hammer."


def _describe_time_out(state: MatchState) -> str:
    """Who still shoots once time is out, so that turns are equal."""
    if not state.round.shot_count:  # a round kept by hand: nobody enters its shots
        return "Time is up: the side with fewer shots takes one more, then the round is scored."
    shooters = [
        name for name, left in zip(state.setup.players, state.discs_left, strict=True) if left
    ]
    if not shooters:
        return (
            "Time is up and both sides have had the same number of shots: the round can be scored."
        )
    if len(shooters) == 1:
        return f"Time is up: {shooters[0]} takes one more shot, then the round is scored."
    names = " and ".join(shooters)
    return f"Time is up: {names} take one more shot, then the round is scored."
