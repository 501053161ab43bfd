"""Fairness as clubs see it: pairing by rank, byes, and withdrawals."""

from __future__ import annotations

import json
import random

import pytest
from played_tournaments import append_event, play_round, started, with_stage
from simulated_swiss import CRITERIA, PLANS, Counts, simulate

from scorer.tournament.events import (
    EntryAdded,
    EntryReturned,
    EntryWithdrawn,
    LeaverResults,
    StageKind,
    TournamentStarted,
    TournamentUndone,
    WalkoverGiven,
    read_event,
    write_event,
)
from scorer.tournament.fold import fold, judge_leaving
from scorer.tournament.pairing import pair_next_round
from scorer.tournament.standings import rank_entries
from scorer.tournament.state import find_unmet


@pytest.mark.parametrize("preset", CRITERIA)
def test_a_swiss_keeps_no_unbeaten_apart_and_ranks_as_the_results_say(preset: str) -> None:
    counts, rng = Counts(), random.Random(45)
    for _ in range(100):
        simulate(rng, preset, counts)
    assert counts.with_unbeaten > 100
    assert counts.faults == 0, counts


@pytest.mark.parametrize("name", PLANS)
def test_a_bye_and_a_walkover_are_worth_three_quarters_whatever_a_match_is(name: str) -> None:
    plan, worth = PLANS[name]
    setup = TournamentStarted(name="Club", boards=("1",), plan=plan)
    log = (setup, *(EntryAdded(players=(f"P{k}",)) for k in range(3)))
    log = with_stage(log, StageKind.SWISS, range(3), rounds=2)
    log = append_event(log, pair_next_round(fold(log), 0))
    match = fold(log).matches[0]
    log = append_event(log, WalkoverGiven(match=0, winner=match.first))
    assert [match.points_of(match.first) for match in fold(log).matches] == [worth, worth]
    assert read_event(write_event(setup)) == setup


def test_a_stored_tournament_of_first_to_8_keeps_the_byes_that_it_had() -> None:
    body = json.loads(write_event(TournamentStarted(name="Club", boards=("1",))))
    body |= {"bye": None, "plan": {"rounds": None, "points": 8, "minutes": None}}
    setup = read_event(json.dumps(body))
    log = (setup, *(EntryAdded(players=(f"P{k}",)) for k in range(3)))
    log = with_stage(log, StageKind.SWISS, range(3), rounds=2)
    log = append_event(log, pair_next_round(fold(log), 0))
    assert [match.points_of(match.first) for match in fold(log).matches] == [0, 8]


def _leave_after(rounds: int, results: LeaverResults | None, *, entries: int = 6) -> tuple:
    log = with_stage(started(entries), StageKind.ROUND_ROBIN, range(entries))
    rng = random.Random(rounds)
    for _ in range(rounds):
        log = play_round(log, 0, rng)
    rule = judge_leaving(fold(log), 2)
    log = append_event(log, EntryWithdrawn(entry=2, results=results or rule))
    while not fold(log).is_stage_over(0):
        log = play_round(log, 0, rng)
    return log, rule


@pytest.mark.parametrize("rounds", range(1, 5))
@pytest.mark.parametrize("entries", [5, 6])
def test_who_leaves_a_round_robin_early_counts_for_nobody_and_late_for_all(
    rounds: int, entries: int
) -> None:
    log, rule = _leave_after(rounds, None, entries=entries)
    state = fold(log)
    played = sum(
        not (match.is_bye or (match.result and match.result.is_walkover))
        for match in state.matches
        if 2 in match.entries
    )
    assert rule is (LeaverResults.ANNULLED if 2 * played < entries - 1 else LeaverResults.WALKOVERS)
    ranked = {row.entry: row for row in rank_entries(state, 0)}
    others = [ranked[k].played for k in range(entries) if k != 2]
    byes = entries % 2
    expected = entries - 1 - (rule is LeaverResults.ANNULLED) + byes
    assert others == [expected] * (entries - 1)
    if rule is LeaverResults.ANNULLED:
        assert ranked[2].played == 0
        assert rank_entries(state, 0)[-1].entry == 2


def test_the_organisers_choice_goes_before_the_rule_and_can_be_undone() -> None:
    log, rule = _leave_after(1, LeaverResults.WALKOVERS)
    assert rule is LeaverResults.ANNULLED
    assert {row.played for row in rank_entries(fold(log), 0)} == {5}
    before = with_stage(started(6), StageKind.ROUND_ROBIN, range(6))
    before = play_round(before, 0, random.Random(1))
    gone = append_event(before, EntryWithdrawn(entry=2, results=LeaverResults.ANNULLED))
    assert fold(append_event(gone, TournamentUndone())) == fold(before)


def test_who_leaves_a_final_keeps_what_was_played_in_the_groups() -> None:
    log = with_stage(started(4), StageKind.ROUND_ROBIN, range(4))
    for _ in range(3):
        log = play_round(log, 0, random.Random(4))
    table = rank_entries(fold(log), 0)
    log = with_stage(log, StageKind.ROUND_ROBIN, range(4))
    log = play_round(log, 1, random.Random(5))
    log = append_event(log, EntryWithdrawn(entry=2, results=LeaverResults.ANNULLED))
    assert rank_entries(fold(log), 0) == table


def test_who_comes_back_to_a_round_robin_has_all_points_and_meets_all() -> None:
    rng = random.Random(8)
    log = with_stage(started(6), StageKind.ROUND_ROBIN, range(6))
    for _ in range(2):
        log = play_round(log, 0, rng)
    had = {row.entry: row.points for row in rank_entries(fold(log), 0)}
    log = append_event(log, EntryWithdrawn(entry=2, results=LeaverResults.ANNULLED))
    log = append_event(log, EntryReturned(entry=2))
    assert {row.entry: row.points for row in rank_entries(fold(log), 0)} == had
    while find_unmet(fold(log), 0):
        log = play_round(log, 0, rng)
    assert {row.played for row in rank_entries(fold(log), 0)} == {5}
