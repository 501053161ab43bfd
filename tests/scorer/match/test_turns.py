"""Players and their numbers of discs, turns, and starters."""

from __future__ import annotations

from typing import Any

import pytest
from played_matches import played, refused, scored, shot, shots, start

from scorer.match.events import Event, StarterChosen
from scorer.match.fold import fold
from scorer.rules.sets import rule_set


@pytest.mark.parametrize(
    ("rules", "format_", "discs"),
    [
        ("mayday", "two", (12, 12)),
        ("nca", "two", (8, 8)),
        ("mayday", "two-v-one", (12, 6, 6)),
        ("mayday", "three-sets", (12, 12, 12)),
        ("cogitate", "three-sets", (8, 8, 8)),
        ("nca", "teams", (6, 6, 6, 6)),
        ("family", "four-alone", (6, 6, 6, 6)),
    ],
    ids=str,
)
def test_each_player_has_the_discs_of_the_set(rules: str, format_: str, discs: Any) -> None:
    assert played(rules=rules, format_=format_).discs_left == discs


def test_singles_may_be_played_with_twelve() -> None:
    assert played(discs_singles=12).discs_left == (12, 12)


@pytest.mark.parametrize(
    ("rules", "format_", "turns", "hammer"),
    [
        ("nca", "two", [0, 1, 0, 1], 1),
        ("nca", "teams", [0, 1, 2, 3, 0], 3),
        ("mayday", "two-v-one", [0, 1, 0, 2, 0], 2),
        ("cogitate", "two-v-one", [1, 0, 2, 0, 1], 0),
        ("traditional", "two-v-one", [0, 1, 0, 2, 0], 2),
        ("mayday", "three-sets", [0, 1, 2, 0], 2),
        ("family", "four-alone", [0, 1, 2, 3, 0], 3),
    ],
    ids=str,
)
def test_turns_go_round_and_the_last_has_the_hammer(rules, format_, turns, hammer) -> None:
    log: list[Event] = [start(rules, format_)]
    assert fold(log).hammer == hammer
    for player in turns:
        assert fold(log).turn == player
        log = shots(log, 1)


@pytest.mark.parametrize("rules", ["mayday", "cogitate", "traditional", "family", "nca"])
def test_a_whole_round_is_as_many_shots_as_there_are_discs(rules: str) -> None:
    for format_ in rule_set(rules).options.formats:
        log: list[Event] = [start(rules, str(format_))]
        log = shots(log, sum(fold(log).discs_left))
        state = fold(log)
        assert (state.turn, set(state.discs_left)) == (None, {0})
        refused("Score the round", *log, shot(0))


@pytest.mark.parametrize(
    ("rules", "format_", "starters"),
    [
        ("mayday", "two", [0, 1, 0, 1]),
        ("mayday", "teams", [0, 1, 2, 3]),
        ("traditional", "two", [0, 1, 0, 1]),
        ("traditional", "two-v-one", [0, 1, 0, 1]),
        ("cogitate", "three-sets", [0, 1, 2, 0]),
        ("cogitate", "two-v-one", [1, 2, 1, 2]),
        ("nca", "teams", [0, 1, 2, 3]),
    ],
    ids=str,
)
def test_the_start_moves_on_after_every_round(rules, format_, starters) -> None:
    log: list[Event] = [start(rules, format_)]
    for starter in starters:
        assert fold(log).round.starter == starter
        log.append(scored(*[0] * len(fold(log).setup.sides)))


def test_the_loser_decides_who_starts_where_the_set_says_so() -> None:
    log = [start("cogitate", next_starter="loser-decides"), scored(50, 20)]
    assert fold([*log, StarterChosen(player=0)]).round.starter == 0
    assert fold(log).round.starter == 1
    level = [log[0], scored(20, 20), StarterChosen(player=0)]
    refused("clockwise", *level)
    refused("loser-decides", start("nca"), scored(50, 20), StarterChosen(player=0))


def test_a_draw_decides_the_first_round() -> None:
    assert played(StarterChosen(player=1)).turn == 1
    refused("has already started", start(), shot(0), StarterChosen(player=1))


def test_a_shot_by_the_wrong_player_is_refused() -> None:
    refused("It is Ann's turn, not Bob's", start(), shot(1))


def test_the_lone_player_who_shoots_after_each_of_the_others_never_starts() -> None:
    log = start("cogitate", "two-v-one")
    refused("Ann plays alone and shoots after each", log, StarterChosen(player=0))
    assert fold([log, StarterChosen(player=2)]).turn == 2
    assert fold([start("mayday", "two-v-one"), StarterChosen(player=0)]).turn == 0


def test_a_log_of_earlier_days_folds_in_which_the_lone_player_started() -> None:
    setup = start("cogitate", "two-v-one")
    log: list[Event] = [*shots([setup, shot(0)], 23), scored(0, 0)]
    assert fold(log).turn == 1
    log += [scored(0, 0), scored(0, 0), shot(0)]  # all three have started once
    assert fold(log).turn == 1
    # the first round, judged by its points alone
    assert fold([setup, scored(0, 0), shot(1)]).turn == 0
    refused("It is Bob's turn, not Ann's", setup, shot(0))
