"""On a ladder neighbours play, and the winner has the higher place afterwards."""

from __future__ import annotations

from dataclasses import replace

import pytest
from played_tournaments import append_event, started, with_stage

from scorer.tournament.events import ResultReported, StageKind, WalkoverGiven
from scorer.tournament.fold import fold
from scorer.tournament.ladder import order_ladder, pair_ladder
from scorer.tournament.pairing import pair_next_round


@pytest.mark.parametrize(
    ("entries", "round_number", "pairs"),
    [
        (5, 0, ((0, 1), (2, 3))),
        (5, 1, ((1, 2), (3, 4))),
        (4, 1, ((1, 2),)),
        (2, 1, ((0, 1),)),
    ],
)
def test_neighbours_meet_and_the_pairs_shift_by_one_in_every_other_round(
    entries: int, round_number: int, pairs: tuple[tuple[int, int], ...]
) -> None:
    assert pair_ladder(tuple(range(entries)), round_number) == pairs


def test_a_lower_winner_changes_places_and_a_tie_changes_none() -> None:
    log = with_stage(started(4), StageKind.LADDER, range(4), rounds=3)
    log = append_event(log, pair_next_round(fold(log), 0))
    assert order_ladder(fold(log), 0) == (0, 1, 2, 3)
    below = append_event(log, ResultReported(match=0, points=(2, 6), twenties=(0, 0)))
    assert order_ladder(fold(below), 0) == (1, 0, 2, 3)
    tied = append_event(below, ResultReported(match=1, points=(4, 4), twenties=(0, 0)))
    assert order_ladder(fold(tied), 0) == (1, 0, 2, 3)
    given = append_event(tied, WalkoverGiven(match=1, winner=3))
    assert order_ladder(fold(given), 0) == (1, 0, 3, 2)


def test_a_bye_moves_nobody() -> None:
    state = fold(with_stage(started(3), StageKind.LADDER, range(3), rounds=2))
    paired = fold(
        append_event(
            with_stage(started(3), StageKind.LADDER, range(3), rounds=2), pair_next_round(state, 0)
        )
    )
    byes = [replace(match, second=None) for match in paired.matches]
    assert order_ladder(replace(paired, matches=tuple(byes)), 0) == (0, 1, 2)
