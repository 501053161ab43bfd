"""Disputes: questions about a round, raised by people or by the referee, which a person settles.

A scored round with open disputes counts once the last dispute is settled. A ruling may change the
round's score by a disc or by uncounted 20s.
"""

from __future__ import annotations

from dataclasses import replace

from calibration.phrase import Phrase
from scorer.match.board import add_twenties, change_disc, replace_board, replace_twenties
from scorer.match.endings import change_open_round, close_round
from scorer.match.events import DiscInZone, Disputed, MatchError, Ruled
from scorer.match.scoring import Amounts
from scorer.match.state import DisputeState, MatchState
from scorer.zone_values import TWENTY


def open_dispute(
    state: MatchState,
    event: Disputed,
    *,
    missed: int = 0,
    missed_by: Amounts = (),
    is_first: bool = False,
) -> MatchState:
    """The state with one more dispute, about the round in play."""
    opened = DisputeState(
        about=event.about,
        disc=event.disc,
        shot=event.shot,
        round=len(state.rounds) + 1,
        missed=missed,
        missed_by=missed_by,
        is_first=is_first,
        by_camera=event.by_camera,
    )
    return replace(state, disputes=(*state.disputes, opened))


def settle_dispute(state: MatchState, event: Ruled) -> MatchState:
    """The state after a ruling. Raises ``MatchError`` if there is no such open dispute."""
    if not 1 <= event.dispute <= len(state.disputes):
        raise MatchError(Phrase("There is no dispute %(dispute)s.", dispute=event.dispute))
    dispute = state.disputes[event.dispute - 1]
    if not dispute.is_open:
        raise MatchError(
            Phrase(
                "Dispute %(dispute)s is already settled. Record a new one.", dispute=event.dispute
            )
        )
    settled = replace(dispute, decision=event.decision)
    disputes = (*state.disputes[: event.dispute - 1], settled, *state.disputes[event.dispute :])
    ruled = replace(state, disputes=disputes)
    ruling = replace(event, disc=event.disc or dispute.disc)
    if not (dispute.round <= len(state.rounds) and state.rounds[dispute.round - 1].is_open):
        return _change_round_in_play(ruled, ruling)
    changed = _change_open_round(ruled, ruling, dispute.round)
    is_closed = changed.find_open_dispute(dispute.round) is None
    return close_round(changed, dispute.round) if is_closed else changed


def _change_round_in_play(state: MatchState, ruling: Ruled) -> MatchState:
    play = state.round
    board = _change_board(play.board, ruling)
    if board != play.board:
        play = replace_board(state.setup, play, board)
    if ruling.twenties:
        twenties = add_twenties(play.twenties, ruling.twenties, state.setup)
        play = replace_twenties(state.setup, play, twenties)
    return replace(state, round=play)


def _change_open_round(state: MatchState, ruling: Ruled, number: int) -> MatchState:
    result = state.rounds[number - 1]
    more = ruling.twenties or (0,) * len(result.points)
    twenties = add_twenties(result.twenties, more, state.setup)
    board = _change_board(result.board, ruling)
    points = tuple(
        point + TWENTY * more[side] + _points(board, side) - _points(result.board, side)
        for side, point in enumerate(result.points)
    )
    return change_open_round(state, number, points, twenties, board)


def _change_board(board: tuple[DiscInZone, ...], ruling: Ruled) -> tuple[DiscInZone, ...]:
    if ruling.zone is None and ruling.side is None:
        return board
    if ruling.disc is None:
        raise MatchError(Phrase("Choose the disc that this ruling changes."))
    return change_disc(board, ruling.disc, ruling.zone, ruling.side)


def _points(board: tuple[DiscInZone, ...], side: int) -> int:
    return sum(disc.zone for disc in board if disc.side == side)
