"""The number of unseen shots in a round, from the turn and the board at rest.

The board at rest is taken as correct. The result is the smallest number of shots after which it is
the shooter's turn and the discs on the board can have been shot; None if no number fits.
"""

from __future__ import annotations

from calibration.phrase import Phrase
from scorer.match.board import replace_board, skip_shots
from scorer.match.descriptions import join_amounts
from scorer.match.events import DiscInZone, MatchError
from scorer.match.state import MatchState, RoundState
from scorer.match.turns import player_to_shoot, side_of

Board = tuple[DiscInZone, ...]


def count_missed_shots(state: MatchState, side: int, before: Board, after: Board) -> int | None:
    """Number of missed shots before a shot by ``side``, given the boards before and after it.

    0 if the log fits; None if no possible number of shots makes it fit.
    """
    for missed in range(state.round.last_shot - state.round.shot_count):
        if side_of(state.setup.format, find_shooter(state, missed)) != side:
            continue
        boards = ((missed, before), (missed + 1, after))
        if all(fit_board(state, shots, board) is not None for shots, board in boards):
            return missed
    return None


def find_shooter(state: MatchState, ahead: int) -> int:
    """The player whose turn it is after the given number of shots."""
    return player_to_shoot(state.setup.format, state.round.starter, state.round.shot_count + ahead)


def fit_board(state: MatchState, shots: int, board: Board) -> Board | None:
    """The possible board after the given number of shots; None if there is none.

    If the board has more discs than were shot, those waiting on the starting line are left out.
    """
    play = skip_shots(state.setup, state.round, shots)
    tried = (board, tuple(disc for disc in board if disc.zone))
    return next((shots for shots in tried if _can_rest(state, play, shots)), None)


def _can_rest(state: MatchState, play: RoundState, board: Board) -> bool:
    try:
        replace_board(state.setup, play, board)
    except MatchError:
        return False
    return True


def ask_about_missed(state: MatchState, missed: int, when: str) -> str:
    """The one question about missed shots; ``when`` such as "before shot 5"."""
    shooters = [state.setup.players[find_shooter(state, shot)] for shot in range(missed)]
    if missed == 1:
        return Phrase(
            "%(player)s's shot %(when)s was not seen. Did it go in for 20? "
            "If not, the score is counted from the discs on the board.",
            player=shooters[0],
            when=when,
        )
    names = list(dict.fromkeys(shooters))
    counts = join_amounts(names, map(shooters.count, names))
    return Phrase(
        "%(missed)s shots %(when)s were not seen (%(counts)s). Which of "
        "them went in for 20? If none did, the score is counted from the "
        "discs on the board.",
        missed=missed,
        when=when,
        counts=counts,
    )
