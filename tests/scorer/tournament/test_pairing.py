"""Pairings: everybody once, no rematches, byes shared, brackets with one winner."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from played_tournaments import append_event, play_round, random_result, started, with_stage

from scorer.tournament.events import (
    EntryAdded,
    EntryWithdrawn,
    StageKind,
    TournamentError,
    TournamentUndone,
    WalkoverGiven,
)
from scorer.tournament.fold import fold
from scorer.tournament.knockout import pair_first_round
from scorer.tournament.pairing import pair_next_round
from scorer.tournament.round_robin import count_rounds, deal_groups, pair_round_robin
from scorer.tournament.standings import rank_entries
from scorer.tournament.state import entries_alive
from scorer.tournament.swiss import pair_swiss


@given(st.integers(2, 25))
def test_a_round_robin_lets_everybody_meet_everybody_once(count: int) -> None:
    rounds = [pair_round_robin(range(count), k) for k in range(count_rounds(count))]
    met = [frozenset(pair) for pairs, _ in rounds for pair in pairs]
    assert Counter(met) == Counter(frozenset(pair) for pair in combinations(range(count), 2))
    byes = [bye for _, bye in rounds if bye is not None]
    assert Counter(byes) == (Counter(range(count)) if count % 2 else Counter())
    for pairs, bye in rounds:
        playing = [player for pair in pairs for player in pair] + [bye] * (bye is not None)
        assert sorted(playing) == list(range(count))


def test_groups_are_dealt_in_turn_and_back() -> None:
    assert deal_groups(range(8), 2) == ((0, 3, 4, 7), (1, 2, 5, 6))


@settings(deadline=None, max_examples=15)
@given(st.integers(4, 17), st.integers(1, 6), st.randoms(use_true_random=False))
def test_a_swiss_has_no_rematch_while_one_can_be_avoided(
    count: int, rounds: int, rng: random.Random
) -> None:
    rounds = min(rounds, count // 2)  # this many rounds can always be paired without a rematch
    log = with_stage(started(count), StageKind.SWISS, range(count), rounds=rounds)
    for _ in range(rounds):
        log = play_round(log, 0, rng)
    matches = fold(log).matches
    met = Counter(frozenset(match.entries) for match in matches if not match.is_bye)
    assert max(met.values()) == 1
    byes = Counter(match.first for match in matches if match.is_bye)
    assert sum(byes.values()) == rounds * (count % 2)
    assert max(byes.values(), default=1) == 1


def test_a_swiss_pairs_equal_scores_the_upper_half_against_the_lower() -> None:
    scores = {0: 8, 1: 8, 2: 8, 3: 8, 4: 0, 5: 0}
    pairs, bye = pair_swiss(range(6), scores, Counter(), Counter())
    assert pairs == ((0, 2), (1, 3), (4, 5))
    assert bye is None


def test_a_swiss_gives_the_bye_to_the_last_who_had_none() -> None:
    pairs, bye = pair_swiss([0, 1, 2], {0: 8, 1: 4, 2: 0}, Counter(), Counter({2: 1}))
    assert (pairs, bye) == (((0, 2),), 1)


def test_a_swiss_accepts_a_rematch_rather_than_leave_somebody_out() -> None:
    pairs, _ = pair_swiss([0, 1], {0: 8, 1: 0}, Counter({frozenset({0, 1}): 1}), Counter())
    assert pairs == ((0, 1),)


@pytest.mark.parametrize(("count", "rounds"), [(4, 6), (4, 9), (5, 10), (6, 10)])
def test_a_long_swiss_of_few_shares_rematches_and_byes(count: int, rounds: int) -> None:
    log = with_stage(started(count), StageKind.SWISS, range(count), rounds=rounds)
    for seed in range(rounds):
        log = play_round(log, 0, random.Random(seed))
    matches = fold(log).matches
    met = Counter(frozenset(match.entries) for match in matches if not match.is_bye)
    byes = Counter(match.first for match in matches if match.is_bye)
    assert max(met.values()) - min(met.values()) <= 1
    assert len(met) == count * (count - 1) // 2
    assert set(byes.values()) <= {rounds // count}


def test_a_bracket_lets_the_strongest_meet_last_and_gives_them_the_byes() -> None:
    assert pair_first_round(range(8)) == ((0, 7), (3, 4), (1, 6), (2, 5))
    assert pair_first_round(range(5)) == ((0, None), (3, 4), (1, None), (2, None))


@settings(deadline=None, max_examples=12)
@given(st.integers(2, 13), st.booleans(), st.randoms(use_true_random=False))
def test_a_knockout_ends_with_one_who_may_still_win(
    count: int, is_double: bool, rng: random.Random
) -> None:
    kind = StageKind.DOUBLE_KNOCKOUT if is_double else StageKind.SINGLE_KNOCKOUT
    log = with_stage(started(count), kind, range(count))
    while not fold(log).is_stage_over(0):
        log = play_round(log, 0, rng)
        assert fold(log).stages[0].paired <= 3 * count
    state = fold(log)
    played = [match for match in state.matches if not match.is_bye]
    (winner,) = entries_alive(state, 0)
    assert rank_entries(state, 0)[0].entry == winner
    assert len(played) in (
        range(2 * count - 2, 2 * count) if is_double else range(count - 1, count)
    )
    with pytest.raises(TournamentError, match="is over"):
        pair_next_round(state, 0)


def test_the_winner_of_a_ladders_match_takes_the_higher_rung() -> None:
    log = with_stage(started(4), StageKind.LADDER, range(4), rounds=2)
    log = append_event(log, pair_next_round(fold(log), 0))
    state = fold(log)
    assert [match.entries for match in state.matches] == [(0, 1), (2, 3)]
    for number in state.open_matches:
        log = append_event(log, WalkoverGiven(match=number, winner=state.matches[number].second))
    state = fold(log)
    assert [entry.entry for entry in rank_entries(state, 0)] == [1, 0, 3, 2]
    assert [pairing.first for pairing in pair_next_round(state, 0).pairings] == [0]


def test_the_next_round_waits_for_every_result() -> None:
    log = with_stage(started(4), StageKind.SWISS, range(4), rounds=2)
    log = append_event(log, pair_next_round(fold(log), 0))
    with pytest.raises(TournamentError, match="P1 against P3 is missing"):
        pair_next_round(fold(log), 0)


def test_who_comes_late_is_paired_from_then_on_and_who_leaves_no_more() -> None:
    rng = random.Random(5)
    log = with_stage(started(6), StageKind.SWISS, range(6), rounds=4)
    log = play_round(log, 0, rng)
    log = append_event(log, EntryAdded(players=("Late",), stage=0))
    log = append_event(log, EntryWithdrawn(entry=2))
    log = play_round(log, 0, rng)
    second = [match for match in fold(log).matches if match.round == 1]
    playing = sorted(entry for match in second for entry in match.entries)
    assert playing == [0, 1, 3, 4, 5, 6]


def test_who_leaves_loses_the_open_match_and_who_is_disqualified_all() -> None:
    log = with_stage(started(4), StageKind.SWISS, range(4), rounds=3)
    log = play_round(log, 0, random.Random(1))
    log = append_event(log, pair_next_round(fold(log), 0))
    left = append_event(log, EntryWithdrawn(entry=1))
    walkover = [match for match in fold(left).matches if match.result and match.result.is_walkover]
    assert [match.points_of(1) for match in walkover] == [0]
    out = append_event(log, EntryWithdrawn(entry=1, disqualified=True))
    assert [match.points_of(1) for match in fold(out).matches if 1 in match.entries] == [0, 0]
    assert rank_entries(fold(out), 0)[-1].entry == 1


@settings(deadline=None, max_examples=12)
@given(st.integers(2, 12), st.integers(1, 8), st.randoms(use_true_random=False))
def test_nobody_returns_to_a_board_while_another_is_free(
    count: int, rounds: int, rng: random.Random
) -> None:
    boards = count // 2 + rounds  # more visits than anybody can have made
    log = with_stage(started(count, boards=boards), StageKind.ROUND_ROBIN, range(count))
    for _ in range(min(rounds, fold(log).stages[0].rounds or 0)):
        log = play_round(log, 0, rng)
    visits = Counter(
        (entry, match.board)
        for match in fold(log).matches
        for entry in match.entries
        if match.board is not None
    )
    assert max(visits.values()) == 1


@settings(deadline=None, max_examples=12)
@given(st.integers(4, 9), st.randoms(use_true_random=False))
def test_undoing_restores_exactly_what_was(count: int, rng: random.Random) -> None:
    log = with_stage(started(count), StageKind.SWISS, range(count), rounds=3)
    log = play_round(log, 0, rng)
    paired = append_event(log, pair_next_round(fold(log), 0))
    number = fold(paired).open_matches[0]
    reported = append_event(paired, random_result(fold(paired), number, rng))
    once = append_event(reported, TournamentUndone())
    twice = append_event(once, TournamentUndone())
    assert fold(once) == fold(paired)
    assert fold(twice) == fold(log)
