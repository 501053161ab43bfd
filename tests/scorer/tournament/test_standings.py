"""Standings: the criteria in order, and the criterion that decided every rank."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from played_tournaments import Log, append_event, play_round, started, with_stage

from scorer.tournament.events import (
    Criterion,
    Reporter,
    ResultReported,
    StageKind,
    TieBreakPlayed,
    TournamentError,
    read_event,
    write_event,
)
from scorer.tournament.fold import fold
from scorer.tournament.pairing import pair_next_round
from scorer.tournament.ratings import rate_players
from scorer.tournament.standings import CLUB_CRITERIA, order_criteria, rank_entries


def _play(log: Log, results: dict[frozenset[int], tuple[int, int, int]]) -> Log:
    """A whole round robin: by pair, points and 20s of its lower entry, and 20s of the other."""
    for _ in range(fold(log).stages[0].rounds or 0):
        log = append_event(log, pair_next_round(fold(log), 0))
        state = fold(log)
        for number in state.open_matches:
            match = state.matches[number]
            points, own, others = results[frozenset(match.entries)]
            pair = ((points, 8 - points), (own, others))
            if match.first > (match.second or 0):
                pair = ((8 - points, points), (others, own))
            log = append_event(log, ResultReported(match=number, points=pair[0], twenties=pair[1]))
    return log


def _pairs(**results: tuple[int, int, int]) -> dict[frozenset[int], tuple[int, int, int]]:
    return {frozenset((int(key[1]), int(key[2]))): value for key, value in results.items()}


def test_two_that_are_level_are_told_apart_by_who_beat_whom() -> None:
    log = with_stage(started(4), StageKind.ROUND_ROBIN, range(4))
    log = _play(
        log,
        _pairs(
            m01=(0, 9, 0), m02=(8, 0, 0), m03=(8, 0, 0), m12=(0, 0, 0), m13=(8, 0, 0), m23=(0, 0, 0)
        ),
    )
    first, second, *_ = ranked = rank_entries(fold(log), 0)
    assert {first.entry, second.entry} == {0, 1}
    assert (first.entry, second.decided_by) == (1, Criterion.HEAD_TO_HEAD)
    assert [row.rank for row in ranked] == [1, 2, 3, 4]


def test_a_circle_of_wins_is_broken_by_20s() -> None:
    log = with_stage(started(3), StageKind.ROUND_ROBIN, range(3))
    log = _play(log, _pairs(m01=(6, 1, 0), m12=(6, 5, 2), m02=(2, 1, 2)))
    ranked = rank_entries(fold(log), 0)
    assert [row.entry for row in ranked] == [1, 2, 0]
    assert [row.decided_by for row in ranked] == [None, Criterion.TWENTIES, Criterion.TWENTIES]


def test_what_all_criteria_leave_level_needs_a_shootout() -> None:
    log = with_stage(started(2), StageKind.ROUND_ROBIN, range(2))
    log = _play(log, _pairs(m01=(4, 3, 3)))
    assert [entry.rank for entry in rank_entries(fold(log), 0)] == [1, 1]
    assert all(entry.is_tied for entry in rank_entries(fold(log), 0))
    log = append_event(log, TieBreakPlayed(stage=0, entries=(0, 1), twenties=(4, 5)))
    second = rank_entries(fold(log), 0)[1]
    assert (second.entry, second.decided_by) == (0, Criterion.SHOOTOUT)


def test_in_a_swiss_who_beat_whom_comes_after_20s_points_and_buchholz() -> None:
    order = order_criteria(CLUB_CRITERIA, StageKind.SWISS)
    assert order[-2:] == (Criterion.HEAD_TO_HEAD, Criterion.SHOOTOUT)


@settings(deadline=None, max_examples=25)
@given(
    st.sampled_from([StageKind.SWISS, StageKind.ROUND_ROBIN]),
    st.integers(2, 9),
    st.randoms(use_true_random=False),
)
def test_standings_are_an_order_with_reasons(
    kind: StageKind, count: int, rng: random.Random
) -> None:
    rounds = {"rounds": 2} if kind is StageKind.SWISS else {}
    log = with_stage(started(count), kind, range(count), **rounds)
    log = play_round(log, 0, rng)
    ranked = rank_entries(fold(log), 0)
    assert sorted(row.entry for row in ranked) == list(range(count))
    for k, (above, below) in enumerate(pairwise(ranked)):
        assert (above.rank < below.rank) == (below.decided_by is not None)
        assert below.rank == (k + 2 if below.decided_by else above.rank)
        score = [2 * entry.wins + entry.draws for entry in (above, below)]
        assert score[0] >= score[1]


def test_a_result_counts_when_both_sides_say_the_same() -> None:
    log = with_stage(started(2), StageKind.ROUND_ROBIN, range(2))
    log = append_event(log, pair_next_round(fold(log), 0))

    def say(log: Log, by: Reporter, first: int) -> Log:
        said = ResultReported(match=0, points=(first, 8 - first), by=by)
        return append_event(log, said)

    one = say(log, Reporter.FIRST, 5)
    assert fold(one).matches[0].result is None
    disputed = say(one, Reporter.SECOND, 3)
    assert fold(disputed).matches[0].is_disputed
    agreed = say(disputed, Reporter.SECOND, 5)
    assert fold(agreed).matches[0].winner == 0
    with pytest.raises(TournamentError, match="Only the organiser"):
        say(agreed, Reporter.SECOND, 3)
    assert fold(say(agreed, Reporter.ORGANISER, 3)).matches[0].winner == 1


def test_a_knockout_that_went_on_keeps_who_went_on() -> None:
    log = with_stage(started(4), StageKind.SINGLE_KNOCKOUT, range(4))
    log = play_round(log, 0, random.Random(2))
    log = append_event(log, pair_next_round(fold(log), 0))
    first = fold(log).matches[0]
    swapped = tuple(reversed(first.result.points)) if first.result else (0, 0)
    with pytest.raises(TournamentError, match="Undo that pairing first"):
        append_event(log, ResultReported(match=0, points=swapped))


@pytest.mark.parametrize(
    ("points", "sentence"),
    [((5, 5), "8 match points in total"), ((9, 0), "8 match points in total")],
)
def test_points_that_no_match_gives_are_refused(points: tuple[int, int], sentence: str) -> None:
    log = with_stage(started(2), StageKind.ROUND_ROBIN, range(2))
    log = append_event(log, pair_next_round(fold(log), 0))
    with pytest.raises(TournamentError, match=sentence):
        append_event(log, ResultReported(match=0, points=points))


def test_events_survive_being_written_and_read() -> None:
    log = with_stage(started(5), StageKind.SWISS, range(5), rounds=2)
    log = play_round(log, 0, random.Random(3))
    assert tuple(read_event(write_event(event)) for event in log) == log


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("{}", "discriminator"),
        ('{"type": "entry_added", "players": ["\\u0007"]}', "cannot be shown"),
        ('{"type": "entry_added", "players": [""]}', "is empty"),
        ('{"type": "entry_withdrawn", "entry": "1"}', "Entry: "),
    ],
)
def test_a_damaged_event_is_one_sentence(body: str, sentence: str) -> None:
    with pytest.raises(TournamentError, match=sentence):
        read_event(body)


def test_who_wins_is_rated_above_who_loses_with_less_doubt_than_at_first() -> None:
    log = with_stage(started(2), StageKind.SWISS, range(2), rounds=4)
    for number in range(4):
        log = append_event(log, pair_next_round(fold(log), 0))
        first = fold(log).matches[number].first
        points = (8, 0) if first == 1 else (0, 8)
        log = append_event(log, ResultReported(match=number, points=points))
    best, last = rate_players([fold(log)])
    assert (best.player, best.matches) == ("P2", 4)
    assert best.mean > last.mean
    once = rate_players([fold(log[:6])])[0]
    assert once.matches == 1
    assert best.sigma < once.sigma
