"""Players get the boards where they have played least, and waiting matches get the next free
board.
"""

from __future__ import annotations

from scorer.tournament.boards import assign_boards, assign_free_boards, find_next_match
from scorer.tournament.events import (
    EntryAdded,
    Pairing,
    ResultReported,
    RoundPaired,
    StageKind,
    StageStarted,
    TournamentEvent,
    TournamentStarted,
)
from scorer.tournament.fold import fold


def begin(boards: int, *rounds: tuple[tuple[int, int, int | None], ...]) -> list[TournamentEvent]:
    """Six players in a ladder, with finished rounds of (first, second, board)."""
    log: list[TournamentEvent] = [
        TournamentStarted(name="Club", boards=tuple(str(k) for k in range(boards)))
    ]
    log += [EntryAdded(players=(f"P{k}",)) for k in range(6)]
    log.append(
        StageStarted(kind=StageKind.LADDER, name="Ladder", entries=tuple(range(6)), rounds=9)
    )
    played = 0
    for pairs in rounds:
        pairings = tuple(Pairing(first=a, second=b, board=board) for a, b, board in pairs)
        log.append(RoundPaired(stage=0, pairings=pairings))
        log += [ResultReported(match=played + k, points=(5, 3)) for k in range(len(pairs))]
        played += len(pairs)
    return log


def test_nobody_returns_to_a_board_while_another_is_free() -> None:
    state = fold(begin(3, ((0, 1, 0), (2, 3, 1), (4, 5, 2))))
    boards = assign_boards(state, [(0, 1), (2, 3), (4, 5)])
    assert set(boards) == {0, 1, 2}
    assert all(board != before for before, board in enumerate(boards))


def test_matches_beyond_the_boards_wait_from_the_end() -> None:
    boards = assign_boards(fold(begin(2)), [(0, 1), (2, 3), (4, 5)])
    assert set(boards[:2]) == {0, 1}
    assert boards[2] is None


def test_a_free_board_goes_to_the_waiting_match_that_knows_it_least() -> None:
    log = begin(1, ((0, 1, 0),))
    pairings = (Pairing(first=0, second=1), Pairing(first=2, second=3))
    log.append(RoundPaired(stage=0, pairings=pairings))
    state = fold(log)
    assert find_next_match(state, 0) == 2
    (event,) = assign_free_boards(state)
    assert (event.match, event.board) == (2, 0)


def test_without_a_waiting_match_no_board_is_given() -> None:
    state = fold(begin(1))
    assert find_next_match(state, 0) is None
    assert assign_free_boards(state) == ()
    assert assign_boards(state, []) == ()
