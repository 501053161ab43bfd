"""Assigns boards to matches: players get the boards where they have played least.

A round is a linear assignment (``calibration/numerics/assignment.py``) of matches to free boards.
The cost of a board is the squared number of times that the two players have played there, so nobody
returns to a board while another is free.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from calibration.numerics.assignment import assign
from scorer.tournament.events import BoardAssigned
from scorer.tournament.state import TournamentState


def assign_boards(
    state: TournamentState, pairs: Sequence[tuple[int, int]]
) -> tuple[int | None, ...]:
    """Boards for matches, in the same order; None for a match that waits for a free board."""
    free = _free_boards(state)
    result: list[int | None] = [None] * len(pairs)
    visits = _count_visits(state)
    # If not all matches can be played at once, those at the end wait, where the weaker players are.
    playing = pairs[: len(free)]
    if not playing:
        return tuple(result)
    cost = np.array(
        [[sum(visits[entry, board] for entry in pair) for board in free] for pair in playing]
    )
    for match, column in zip(*assign(cost.astype(float) ** 2), strict=True):
        result[match] = free[column]
    return tuple(result)


def assign_free_boards(state: TournamentState) -> tuple[BoardAssigned, ...]:
    """Free boards for waiting matches; a board goes to the match whose players have played there
    least.
    """
    waiting = [k for k in state.open_matches if state.matches[k].board is None]
    visits = _count_visits(state)
    events = []
    for board in _free_boards(state):
        if not waiting:
            break
        least = _choose_match(state, waiting, board, visits)
        waiting.remove(least)
        events.append(BoardAssigned(match=least, board=board))
    return tuple(events)


def _choose_match(
    state: TournamentState, waiting: Sequence[int], board: int, visits: Counter[tuple[int, int]]
) -> int:
    return min(
        waiting, key=lambda k: sum(visits[entry, board] for entry in state.matches[k].entries)
    )


def find_next_match(state: TournamentState, board: int) -> int | None:
    """The match that would get this board if it became free now."""
    waiting = [k for k in state.open_matches if state.matches[k].board is None]
    if not waiting:
        return None
    return _choose_match(state, waiting, board, _count_visits(state))


def _free_boards(state: TournamentState) -> list[int]:
    busy = {state.matches[k].board for k in state.open_matches}
    return [index for index in range(len(state.setup.boards)) if index not in busy]


def _count_visits(state: TournamentState) -> Counter[tuple[int, int]]:
    """Number of times that entries were given boards, by (entry, board)."""
    return Counter(
        (entry, match.board)
        for match in state.matches
        if match.board is not None
        for entry in match.entries
    )
