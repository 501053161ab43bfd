"""The end of a tournament: third place, podium, and the order of all entries."""

from __future__ import annotations

import random

import pytest
from played_tournaments import Log, append_event, play_round, started, with_stage

from scorer.tournament.events import (
    EntryWithdrawn,
    ResultReported,
    StageKind,
    StageStarted,
    TournamentError,
)
from scorer.tournament.fold import fold
from scorer.tournament.pairing import foresee_round, pair_next_round
from scorer.tournament.standings import find_podium, rank_entries, rank_overall


def _knockout(log: Log, entries: tuple[int, ...], *, third_place: bool) -> Log:
    return append_event(
        log,
        StageStarted(
            kind=StageKind.SINGLE_KNOCKOUT, name="Finals", entries=entries, third_place=third_place
        ),
    )


def _play_for_favourites(log: Log, stage: int) -> Log:
    """A round in which the lower number wins."""
    log = append_event(log, pair_next_round(fold(log), stage))
    for number in fold(log).open_matches:
        match = fold(log).matches[number]
        points = (8, 0) if match.first < (match.second or 0) else (0, 8)
        log = append_event(log, ResultReported(match=number, points=points))
    return log


@pytest.mark.parametrize("count", [4, 5, 8, 13])
def test_the_losers_of_the_semifinals_play_for_the_third_place(count: int) -> None:
    log = _knockout(started(count), tuple(range(count)), third_place=True)
    while not fold(log).is_stage_over(0):
        assert find_podium(fold(log)) == ()
        log = _play_for_favourites(log, 0)
    ranked = rank_entries(fold(log), 0)
    assert [row.entry for row in ranked][:4] == [0, 1, 2, 3]
    assert [row.rank for row in ranked][:4] == [1, 2, 3, 4]
    assert find_podium(fold(log)) == ((0, 1), (1, 2), (2, 3))
    last = fold(log).matches[-1]
    assert set(last.entries) == {2, 3}


def test_without_that_match_two_share_the_third_place() -> None:
    log = _knockout(started(4), (0, 1, 2, 3), third_place=False)
    for _ in range(2):
        log = _play_for_favourites(log, 0)
    assert find_podium(fold(log)) == ((0, 1), (1, 2), (2, 3), (3, 3))


def test_the_stage_that_the_best_go_on_to_decides_and_a_consolation_does_not() -> None:
    rng = random.Random(3)
    log = with_stage(started(8), StageKind.SWISS, range(8), rounds=2)
    for _ in range(2):
        log = play_round(log, 0, rng)
    ranked = [row.entry for row in rank_entries(fold(log), 0)]
    log = _knockout(log, tuple(ranked[:4]), third_place=True)
    log = _knockout(log, tuple(ranked[4:]), third_place=False)
    assert find_podium(fold(log)) == ()
    for stage in (2, 1):
        for _ in range(2):
            log = play_round(log, stage, rng)
    state = fold(log)
    assert [entry for entry, _ in find_podium(state)] == [
        row.entry for row in rank_entries(state, 1)[:3]
    ]
    order = rank_overall(state)
    assert [entry for entry, _ in order][4:] == ranked[4:]
    assert [rank for _, rank in order][:5] == [1, 2, 3, 4, 5]


def test_the_next_round_is_known_beforehand_where_it_can_be() -> None:
    swiss = with_stage(started(6), StageKind.SWISS, range(6), rounds=2)
    swiss = append_event(swiss, pair_next_round(fold(swiss), 0))
    assert foresee_round(fold(swiss), 0) == ()
    robin = with_stage(started(6), StageKind.ROUND_ROBIN, range(6))
    robin = play_round(robin, 0, random.Random(1))
    robin = append_event(robin, pair_next_round(fold(robin), 0))
    coming = foresee_round(fold(robin), 0)
    for number in fold(robin).open_matches:
        robin = append_event(robin, ResultReported(match=number, points=(4, 4)))
    paired = pair_next_round(fold(robin), 0).pairings
    assert [(pairing.first, pairing.second) for pairing in paired] == list(coming)


def test_a_knockout_that_all_but_one_have_left_is_not_paired_and_foresees_nothing() -> None:
    log = _knockout(started(2), (0, 1), third_place=True)
    log = append_event(log, EntryWithdrawn(entry=0))
    assert foresee_round(fold(log), 0) == ()
    with pytest.raises(TournamentError, match="Too few"):
        pair_next_round(fold(log), 0)
