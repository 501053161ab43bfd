"""A tournament's matches at the server's boards: their boards, and the matches as scored round by
round.

Board 1 of a tournament is board 1 of the server, and so on. A finished match reports its result to
its tournament with the organiser's authority, and again if it is corrected.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scorer.match.events import MatchStarted
from scorer.match.state import MatchState
from scorer.rules.choices import EndTie, Format, GameEnd, RoundScore
from scorer.store.tournament_store import StoredTournament
from scorer.texts import MAX_NAME_LETTERS
from scorer.tournament.events import BoardAssigned, MatchPlan, ResultReported
from scorer.tournament.state import Entry, TournamentState

#: A match to more points than this counts the discs' points, not match points.
_MOST_MATCH_POINTS = 49


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardPairing:
    """A tournament's next match at a board; ``match`` counts from 0."""

    tournament: int
    title: str
    match: int
    sides: tuple[str, ...]
    stage: str
    round: int
    is_disputed: bool


def find_pairings(stored: StoredTournament) -> dict[int, BoardPairing]:
    """The open matches of a tournament by the number of the server's board."""
    state = stored.state
    if state is None:
        return {}
    found = {}
    for number in state.open_matches:
        match = state.matches[number]
        if match.board is None or match.second is None:
            continue
        found[match.board + 1] = BoardPairing(
            tournament=stored.id,
            title=state.setup.name,
            match=number,
            sides=tuple(state.entries[entry].name for entry in match.entries),
            stage=state.stages[match.stage].name,
            round=match.round + 1,
            is_disputed=match.is_disputed,
        )
    return found


def make_match(
    stored: StoredTournament, number: int, at_board: int, colours: tuple[str, ...]
) -> MatchStarted:
    """The match of a tournament in the form for starting it at a board. Raises
    ``TournamentError``.
    """
    state = stored.state
    assert state is not None
    match = state.match_at(number)
    entries = [state.entries[entry] for entry in match.entries]
    seating, players = _seat(entries)
    is_knockout = state.stages[match.stage].kind.is_knockout
    return MatchStarted(
        rules=state.setup.rules,
        format=seating,
        players=players,
        options=tuple(_list_options(state.plan, is_knockout=is_knockout).items()),
        colours=colours,
        at_board=at_board,
        tournament=(stored.id, number),
    )


def find_result(played: MatchState, state: TournamentState) -> ResultReported | None:
    """A match's report to its tournament; None while it is open, or if already known.

    A shoot-out that decided a tied match moves one match point to the winner.
    """
    number = played.setup.tournament[1]
    if not played.is_over or number >= len(state.matches):
        return None
    first, second = played.totals[0], played.totals[1]
    if first == second and len(played.winners) == 1:
        move = 1 if played.winners[0] == 0 else -1
        first, second = first + move, second - move
    twenties = (played.twenties[0], played.twenties[1])
    known = state.matches[number].result
    if known is not None and (known.points, known.twenties) == ((first, second), twenties):
        return None
    return ResultReported(match=number, points=(first, second), twenties=twenties)


def find_move(played: MatchState, state: TournamentState) -> BoardAssigned | None:
    """The new board of a tournament's match; None if the tournament knows it."""
    number, board = played.setup.tournament[1], played.setup.at_board - 1
    if number >= len(state.matches) or state.matches[number].result is not None:
        return None
    is_known = state.matches[number].board == board
    return None if is_known else BoardAssigned(match=number, board=board)


def _seat(entries: list[Entry]) -> tuple[Format, tuple[str, ...]]:
    """The seats of the players of two entries, clockwise; larger teams play as one name each."""
    if all(len(entry.players) == 2 for entry in entries):
        first, second = (entry.players for entry in entries)
        return Format.TEAMS, (first[0], second[0], first[1], second[1])
    return Format.TWO, tuple(entry.name[:MAX_NAME_LETTERS] for entry in entries)


def _list_options(plan: MatchPlan, *, is_knockout: bool) -> Mapping[str, object]:
    """The rule options that make a match follow the tournament's plan."""
    if plan.points is not None:
        counts = {"round_score": str(RoundScore.MATCH_PLAY)}
        goal = {"game_end": str(GameEnd.POINTS), "game_points": plan.points}
        return goal if plan.points > _MOST_MATCH_POINTS else counts | goal
    return {
        "round_score": str(RoundScore.MATCH_PLAY),
        "game_end": str(GameEnd.ROUNDS),
        "game_rounds": plan.rounds or 1,
        "end_tie": str(EndTie.SHOOTOUT if is_knockout else EndTie.BOTH_WIN),
    }
