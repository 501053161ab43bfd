"""The inputs for measuring the speed of the rules are as described; the speed itself is not
tested.
"""

from __future__ import annotations

from bench.rules import build_long_log, full_board_shot, measure_rules_speed
from scorer.match.fold import fold
from scorer.rules.judge_shot import Verdict, judge
from scorer.rules.sets import rule_set


def test_the_timed_shot_is_a_miss_on_a_full_board() -> None:
    shot = full_board_shot(is_seen=True)
    assert len(shot.before) == 23
    assert judge(shot, rule_set("nca")).verdict is Verdict.FOUL
    unseen = full_board_shot(is_seen=False)
    assert judge(unseen, rule_set("nca")).verdict is Verdict.NEEDS_REVIEW


def test_the_timed_match_has_a_thousand_events() -> None:
    log = build_long_log()
    assert len(log) == 1_000
    assert len(fold(log).rounds) == 58


def test_every_time_is_told() -> None:
    speed = measure_rules_speed()
    assert min(speed.judge_seen_ms, speed.judge_unseen_ms, speed.fold_ms) > 0
