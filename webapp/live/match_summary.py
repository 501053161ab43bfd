"""A match for its scoreboard and its scorer's page; the API's answers are made from it.

It is read from the fold of the match's log (``scorer.match.fold``), which knows the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from calibration.phrase import Phrase, join
from scorer.match.colours import list_colours
from scorer.match.descriptions import describe_goal
from scorer.match.events import DiscInZone, Event, FoulCalled, RoundScored, RoundStarted, ShotPlayed
from scorer.match.fold import Played, replay_log
from scorer.match.scoring import winning_total
from scorer.match.state import DisputeState, MatchState
from scorer.match.turns import side_of, sides_of
from scorer.rules.choices import GameEnd
from scorer.rules.sources import DOCUMENTS, TITLES
from scorer.store import ListedMatch
from webapp.live.questions import MatchQuestion, list_left_out, list_questions
from webapp.live.ruling_messages import CALLED_FOULS, describe_penalty
from webapp.live.side_colours import COLOUR_HEX, NEUTRAL_HEX

_TWENTY = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A side of a match; ``needs``: the points to a win, if points end the game."""

    name: str
    players: tuple[str, ...]
    colour_name: str | None
    colour: str
    total: int
    needs: int | None
    games_won: int
    round_points: int
    round_twenties: int
    twenties: int
    discs: int
    discs_left: int
    has_turn: bool
    has_hammer: bool
    is_winner: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """A finished round: amounts by side; ``is_seen``: a camera saw it."""

    points: tuple[int, ...]
    twenties: tuple[int, ...]
    value: tuple[int, ...]
    source: str
    is_open: bool
    starter: str
    is_seen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """The round's clock."""

    began: str | None
    minutes: int | None
    is_out: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingFoul:
    """A foul that a person called, until the next shot."""

    player: str
    words: str
    penalty: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """The state of a match.

    ``waiting`` is the number of a camera's observations that wait for the side of a colour.
    ``left_out`` names the entries that no longer fit since colours or starters were corrected.
    """

    id: int
    events: int
    at_board: int
    tournament: tuple[int, ...] | None
    rules: str
    rules_title: str
    document: str
    format: str
    goal: str
    players: tuple[str, ...]
    sides: tuple[Side, ...]
    round: int
    game: int
    games: int
    turn: str | None
    hammer: str
    starter: str
    shots: int
    clock: Clock
    rounds: tuple[Round, ...]
    foul: StandingFoul | None
    disputes: tuple[DisputeState, ...]
    board: tuple[DiscInZone, ...]
    is_over: bool
    winners: tuple[str, ...]
    shootout: tuple[str, ...]
    next: str
    questions: tuple[MatchQuestion, ...]
    waiting: int
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRow:
    """One line of the list of matches; ``damage`` is the reason if one cannot be read."""

    id: int
    created: str
    sides: tuple[str, ...]
    totals: tuple[int, ...]
    is_over: bool
    damage: str | None = None


def summarise_match(match_id: int, log: Sequence[Event], times: Sequence[str]) -> Match:
    """The state of a match, from its log and the times of its events."""
    played = list(replay_log(log))
    state = played[-1].state
    setup, play = state.setup, state.round
    return Match(
        id=match_id,
        events=len(log),
        at_board=setup.at_board,
        tournament=setup.tournament or None,
        rules=str(setup.rules.name),
        rules_title=TITLES[setup.rules.name],
        document=DOCUMENTS[setup.rules.name],
        format=str(setup.format),
        goal=describe_goal(state.setup),
        players=setup.players,
        sides=tuple(_show_side(state, side) for side in range(len(setup.sides))),
        round=len(state.rounds) - state.game_start + (0 if state.is_over else 1),
        game=min(len(state.games) + 1, setup.games),
        games=setup.games,
        turn=None if state.turn is None else setup.players[state.turn],
        hammer=setup.players[state.hammer],
        starter=setup.players[play.starter],
        shots=play.shot_count,
        clock=_show_clock(state, played, times),
        rounds=show_rounds(state),
        foul=_find_foul(state, played),
        disputes=state.disputes,
        board=play.board,
        is_over=state.is_over,
        winners=tuple(setup.sides[side] for side in state.winners),
        shootout=tuple(setup.sides[side] for side in state.shootout),
        next=describe_next(state),
        questions=list_questions(state),
        waiting=len(state.waiting),
        left_out=list_left_out(state),
    )


def list_match(listed: ListedMatch) -> MatchRow:
    """A match for a list of matches; a damaged one without sides, but with the reason."""
    summary = listed.summary
    return MatchRow(
        id=listed.id,
        created=listed.created,
        sides=() if summary is None else summary.sides,
        totals=() if summary is None else summary.totals,
        is_over=summary is not None and summary.is_over,
        damage=listed.damage,
    )


def _show_side(state: MatchState, side: int) -> Side:
    setup, play = state.setup, state.round
    colour_name = list_colours(setup)[side] or None
    players = sides_of(setup.format)[side]
    turn = None if state.turn is None else side_of(setup.format, state.turn)
    on_board = sum(disc.zone for disc in play.board if disc.side == side)
    return Side(
        name=setup.sides[side],
        players=tuple(setup.players[player] for player in players),
        colour_name=colour_name,
        colour=COLOUR_HEX.get(colour_name or "", NEUTRAL_HEX),
        total=state.totals[side],
        needs=_count_needed(state, side),
        games_won=sum(side in game.winners for game in state.games),
        round_points=on_board + _TWENTY * play.twenties[side],
        round_twenties=play.twenties[side],
        twenties=state.twenties[side] + play.twenties[side],
        discs=setup.discs[side],
        discs_left=sum(state.discs_left[player] for player in players),
        has_turn=turn == side,
        has_hammer=side_of(setup.format, state.hammer) == side,
        is_winner=side in state.winners and not state.is_tied,
    )


def _count_needed(state: MatchState, side: int) -> int | None:
    """The points that a side needs to win the game; None if points do not end it."""
    options = state.setup.options
    if options.game_end is not GameEnd.POINTS:
        return None
    return max(0, winning_total(options, len(state.totals)) - state.totals[side])


def show_rounds(state: MatchState) -> tuple[Round, ...]:
    """The finished rounds."""
    return tuple(
        Round(
            points=result.points,
            twenties=result.twenties,
            value=result.value,
            source=str(result.source),
            is_open=result.is_open,
            starter=state.setup.players[result.starter],
            is_seen=result.is_seen,
        )
        for result in state.rounds
    )


def _find_foul(state: MatchState, played: Sequence[Played]) -> StandingFoul | None:
    """The foul that a person called with no shot since; None if there is none."""
    found = None
    for entry in played:
        if isinstance(entry.event, FoulCalled):
            found = entry.event
        elif isinstance(entry.event, ShotPlayed | RoundScored):
            found = None
    if found is None:
        return None
    return StandingFoul(
        player=state.setup.players[found.player],
        words=CALLED_FOULS[found.foul],
        penalty=describe_penalty(found.foul, state.setup.options),
    )


def _show_clock(state: MatchState, played: Sequence[Played], times: Sequence[str]) -> Clock:
    """The start of the current round, and its time limit."""
    began = None
    for entry in played:
        if isinstance(entry.event, RoundStarted):
            began = times[entry.place]
        elif isinstance(entry.event, RoundScored):
            began = None
    return Clock(began=began, minutes=state.round.minutes, is_out=state.round.is_timed_out)


def describe_next(state: MatchState) -> str:
    """One sentence: the next step."""
    setup, names = state.setup, state.setup.players
    if state.is_over:
        winners = join(Phrase(" and "), (setup.sides[side] for side in state.winners))
        if state.is_tied:
            return Phrase("The match is tied between %(winners)s.", winners=winners)
        return Phrase("%(winners)s won the match.", winners=winners)
    if state.shootout:
        tied = join(Phrase(" and "), (setup.sides[side] for side in state.shootout))
        return Phrase("%(level)s are tied, so a shoot-out for 20s decides the match.", level=tied)
    if state.round.is_timed_out:
        return _describe_time_out(state)
    if state.turn is None:
        return Phrase("All discs have been shot. The round can be scored.")
    if state.round.shot_count:
        return Phrase(
            "%(shooter)s to shoot. %(hammer)s has the hammer.",
            shooter=names[state.turn],
            hammer=names[state.hammer],
        )
    return Phrase(
        "%(starter)s starts. %(hammer)s has the hammer.",
        starter=names[state.round.starter],
        hammer=names[state.hammer],
    )


def _describe_time_out(state: MatchState) -> str:
    """The players who still shoot after time is up, so that all sides have equally many turns."""
    if not state.round.shot_count:  # a round scored by hand, without entries of shots
        return Phrase(
            "Time is up. The side with fewer shots takes one more, then the round is scored."
        )
    shooters = [
        name for name, left in zip(state.setup.players, state.discs_left, strict=True) if left
    ]
    if not shooters:
        return Phrase(
            "Time is up and both sides have had the same number of shots. The round can be scored."
        )
    if len(shooters) == 1:
        return Phrase(
            "Time is up. %(player)s takes one more shot, then the round is scored.",
            player=shooters[0],
        )
    names = join(Phrase(" and "), shooters)
    return Phrase(
        "Time is up. %(names)s take one more shot, then the round is scored.", names=names
    )
