"""An organiser's changes by hand: they are events, and can be undone like any other."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from played_tournaments import Log, append_event, play_round, random_result, started, with_stage

from scorer.tournament.events import (
    BoardsSwapped,
    CriteriaChanged,
    Criterion,
    EntriesSwapped,
    EntryAdded,
    EntryRenamed,
    EntryReturned,
    EntryWithdrawn,
    RoundSatOut,
    StageKind,
    TournamentError,
    TournamentEvent,
    TournamentUndone,
)
from scorer.tournament.fold import fold
from scorer.tournament.pairing import pair_next_round
from scorer.tournament.standings import rank_entries
from scorer.tournament.state import find_unmet


def _paired(kind: StageKind, count: int) -> Log:
    """One round played, and the next paired."""
    rounds = {"rounds": 4} if kind is StageKind.SWISS else {}
    log = with_stage(started(count), kind, range(count), **rounds)
    log = play_round(log, 0, random.Random(count))
    return append_event(log, pair_next_round(fold(log), 0))


def _last_round(log: Log) -> list[tuple[int, ...]]:
    state = fold(log)
    last = state.stages[0].paired - 1
    return [match.entries for match in state.matches if match.round == last]


@pytest.mark.parametrize("kind", [StageKind.SWISS, StageKind.ROUND_ROBIN])
def test_two_of_a_round_change_places_and_boards_stay(kind: StageKind) -> None:
    log = _paired(kind, 7)
    before = _last_round(log)
    (a, b), (c, d), *_ = [pair for pair in before if len(pair) == 2]
    (free,) = next(pair for pair in before if len(pair) == 1)
    swapped = append_event(log, EntriesSwapped(stage=0, first=a, second=d))
    assert _last_round(swapped)[:2] == [(d, b), (c, a)]
    boards = [[match.board for match in fold(events).matches] for events in (log, swapped)]
    assert boards[0] == boards[1]
    bye = append_event(log, EntriesSwapped(stage=0, first=free, second=b))
    assert (b,) in _last_round(bye)
    assert (a, free) in _last_round(bye)
    assert fold(append_event(swapped, TournamentUndone())) == fold(log)


@settings(deadline=None, max_examples=10)
@given(st.integers(4, 8), st.integers(1, 6), st.randoms(use_true_random=False))
def test_a_round_robin_that_was_swapped_or_joined_late_lets_all_meet_once(
    count: int, before: int, rng: random.Random
) -> None:
    log = with_stage(started(count), StageKind.ROUND_ROBIN, range(count))
    for _ in range(min(before, count - 2)):
        log = play_round(log, 0, rng)
    log = append_event(log, EntryAdded(players=("Late",), stage=0))
    log = append_event(log, pair_next_round(fold(log), 0))
    pairs = [pair for pair in _last_round(log) if len(pair) == 2]
    if len(pairs) > 1:
        log = append_event(log, EntriesSwapped(stage=0, first=pairs[0][0], second=pairs[1][0]))
    for number in fold(log).open_matches:
        log = append_event(log, random_result(fold(log), number, rng))
    while find_unmet(fold(log), 0):
        log = play_round(log, 0, rng)
        assert fold(log).stages[0].paired <= 3 * count
    state = fold(log)
    assert state.is_stage_over(0)
    met = Counter(frozenset(match.entries) for match in state.matches if not match.is_bye)
    assert len(met) == count * (count + 1) // 2
    assert sum(met.values()) - len(met) <= 2  # only pairs swapped by hand may meet again
    # Byes of the first rounds, which the late player could not have, count for nobody.
    assert all(row.played == row.wins + row.draws + _lost(log, row.entry) for row in _table(log))


def _table(log: Log) -> tuple:
    return rank_entries(fold(log), 0)


def _lost(log: Log, entry: int) -> int:
    return sum(
        match.winner not in (entry, None)
        for match in fold(log).matches
        if entry in match.entries and not match.is_bye
    )


def test_two_matches_change_boards_also_with_one_that_waits() -> None:
    log = with_stage(started(6, boards=2), StageKind.SWISS, range(6), rounds=2)
    log = append_event(log, pair_next_round(fold(log), 0))
    assert [match.board for match in fold(log).matches].count(None) == 1
    boards = [match.board for match in fold(log).matches]
    swapped = append_event(log, BoardsSwapped(first=0, second=2))
    assert [match.board for match in fold(swapped).matches] == [boards[2], boards[1], boards[0]]
    assert fold(append_event(swapped, TournamentUndone())) == fold(log)
    over = append_event(log, random_result(fold(log), 0, random.Random(1)))
    with pytest.raises(TournamentError, match="is over"):
        append_event(over, BoardsSwapped(first=0, second=1))


def test_who_sits_a_round_out_gets_nothing_and_plays_the_one_after() -> None:
    log = with_stage(started(6), StageKind.SWISS, range(6), rounds=4)
    log = play_round(log, 0, random.Random(3))
    log = append_event(log, RoundSatOut(entry=0))
    before = {row.entry: row.points for row in rank_entries(fold(log), 0)}
    log = play_round(log, 0, random.Random(4))
    assert 0 not in {entry for pair in _last_round(log) for entry in pair}
    assert {row.entry: row.points for row in rank_entries(fold(log), 0)}[0] == before[0]
    log = play_round(log, 0, random.Random(5))
    assert 0 in {entry for pair in _last_round(log) for entry in pair}


def test_who_left_comes_back_with_the_points_and_is_paired() -> None:
    log = with_stage(started(6), StageKind.SWISS, range(6), rounds=4)
    log = play_round(log, 0, random.Random(3))
    points = {row.entry: row.points for row in rank_entries(fold(log), 0)}
    log = append_event(log, EntryWithdrawn(entry=1))
    log = play_round(log, 0, random.Random(4))
    log = append_event(log, EntryReturned(entry=1))
    assert {row.entry: row.points for row in rank_entries(fold(log), 0)}[1] == points[1]
    log = play_round(log, 0, random.Random(5))
    assert 1 in {entry for pair in _last_round(log) for entry in pair}


def test_a_new_name_stands_everywhere_and_no_name_twice() -> None:
    log = _paired(StageKind.SWISS, 4)
    renamed = append_event(log, EntryRenamed(entry=1, players=("Bob",)))
    assert fold(renamed).entries[1].name == "Bob"
    assert fold(append_event(renamed, EntryRenamed(entry=1, players=("bob",)))).entries[1].name
    with pytest.raises(TournamentError, match="has already entered"):
        append_event(renamed, EntryRenamed(entry=2, players=("BOB",)))


def test_an_order_of_ones_own_ranks_from_then_on() -> None:
    log = _paired(StageKind.SWISS, 6)
    order = (Criterion.TWENTIES, Criterion.POINTS)
    ranked = rank_entries(fold(append_event(log, CriteriaChanged(stage=0, criteria=order))), 0)
    twenties = [row.twenties for row in ranked]
    assert twenties == sorted(twenties, reverse=True)


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (EntriesSwapped(stage=0, first=0, second=0), "two players from different matches"),
        (EntriesSwapped(stage=0, first=0, second=99), "two players from different matches"),
        (EntriesSwapped(stage=7, first=0, second=1), "no stage 8"),
        (EntryReturned(entry=0), "has not withdrawn"),
        (EntryReturned(entry=99), "no player or pair 100"),
        (RoundSatOut(entry=99), "no player or pair 100"),
        (EntryRenamed(entry=99, players=("A",)), "no player or pair 100"),
    ],
)
def test_what_cannot_be_done_by_hand_is_one_sentence(event: TournamentEvent, sentence: str) -> None:
    with pytest.raises(TournamentError, match=sentence):
        append_event(_paired(StageKind.SWISS, 6), event)


def test_a_knockout_waits_for_nobody() -> None:
    log = with_stage(started(4), StageKind.SINGLE_KNOCKOUT, range(4))
    with pytest.raises(TournamentError, match="sit out in a knock-out"):
        append_event(log, RoundSatOut(entry=0))
