"""Many shots judged at once get the same verdicts as one by one."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from random_boards import random_board

from scorer.analysis.judge_many import (
    BoardToShoot,
    judge_many,
    score_outcome,
    shot_facts,
)
from scorer.analysis.positions import NOWHERE_MM
from scorer.physics import kernels
from scorer.physics.engine import BatchResult, simulate_many
from scorer.physics.parameters import PhysicsSpec
from scorer.physics.scene import TableSpec
from scorer.rules.choices import (
    BounceBack,
    ContactRule,
    OpenDisc,
    OpenTarget,
    OpenWhen,
    OutAtRest,
    PenaltyScope,
    TwentyOwner,
)
from scorer.rules.judge_shot import Verdict, judge
from scorer.rules.names import RuleSetName
from scorer.rules.sets import RULE_SETS, RuleSet

#: The options that decide the consequences of a shot, with their possible values.
CHOICES: dict[str, tuple[Any, ...]] = {
    "contact": tuple(ContactRule),
    "miss_penalty": tuple(PenaltyScope),
    "open_penalty": tuple(PenaltyScope),
    "penalty_takes_twenties": (True, False),
    "open_target": tuple(OpenTarget),
    "open_disc": tuple(OpenDisc),
    "out_at_rest": tuple(OutAtRest),
    "twenty_owner": tuple(TwentyOwner),
    "bounce_back": tuple(BounceBack),
}


def random_rules(rng: np.random.Generator) -> RuleSet:
    """A rule set with random values of all options that concern a shot."""
    nca = RULE_SETS[RuleSetName.NCA]
    chosen = {name: values[rng.integers(len(values))] for name, values in CHOICES.items()}
    if chosen["open_target"] is not OpenTarget.ANYWHERE:
        chosen["open_when"] = tuple(OpenWhen)[rng.integers(2)]
    return dataclasses.replace(nca, options=dataclasses.replace(nca.options, **chosen))


def shots_on(
    board: BoardToShoot, rng: np.random.Generator, count: int
) -> tuple[np.ndarray, BatchResult]:
    """Random flicks from the shooting line, and their outcomes."""
    angles = -np.pi / 2 + rng.uniform(-0.7, 0.7, count)
    starts = 304.8 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    aims = np.arctan2(-starts[:, 1], -starts[:, 0]) + rng.normal(0, 0.5, count)
    shots = np.column_stack([starts, rng.uniform(500, 3200, count), aims, np.zeros(count)])
    return starts, simulate_many(board.table, board.places_mm, shots)


def a_board(rng: np.random.Generator, discs: int, table: TableSpec | None = None) -> BoardToShoot:
    """Discs anywhere, with random owners; sometimes only one side has discs."""
    places = random_board(rng, discs + 2)[1][: discs + 1]
    own = rng.random(discs + 1) < rng.choice([0.0, 0.5, 0.9, 1.0])
    own[0] = True
    if rng.random() < 0.2 and discs:
        places[1] = 0.5, 0.3  # in the hole
    return BoardToShoot(table=table or TableSpec(), places_mm=places, own=own)


def assert_same(
    board: BoardToShoot, rules: RuleSet, starts: np.ndarray, result: BatchResult
) -> int:
    """Check every shot against the judge; returns how many were fouls."""
    many = judge_many(board, rules, starts, result)
    for k in range(len(starts)):
        judgement = judge(shot_facts(board, starts[k], result, k), rules, board.geometry)
        outcomes = [alternative.outcome for alternative in judgement.alternatives] or [
            judgement.outcome
        ]
        points = [score_outcome(board, outcome) for outcome in outcomes]
        worst = outcomes[int(np.argmin(points))]
        assert many.is_foul[k] == any(outcome.verdict is Verdict.FOUL for outcome in outcomes)
        assert many.points[k] == pytest.approx(min(points), abs=1e-9)
        assert many.own_twenty[k] == any(twenty.team == "own" for twenty in worst.twenties)
        left = {disc.id for disc in worst.board_after} | {twenty.id for twenty in worst.twenties}
        assert many.stays[k] == ("0" in left)
        lying = {str(d) for d in np.flatnonzero(many.places_mm[k, :, 0] < NOWHERE_MM)}
        assert lying == {rest.id for rest in worst.board_after}
        twenties = [20 if twenty.team == "own" else -20 for twenty in worst.twenties]
        assert many.gained[k] == sum(twenties)
    return int(many.is_foul.sum())


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=list(RULE_SETS))
@pytest.mark.parametrize("discs", [0, 1, 3, 8])
def test_simulated_shots_are_judged_as_one_by_one(rules: RuleSet, discs: int) -> None:
    rng = np.random.default_rng([1, discs])
    for _ in range(4):
        board = a_board(rng, discs)
        assert_same(board, rules, *shots_on(board, rng, 12))


def test_rules_of_ones_own_are_judged_as_one_by_one() -> None:
    rng = np.random.default_rng(2)
    for _ in range(60):
        board = a_board(rng, int(rng.integers(0, 7)))
        assert_same(board, random_rules(rng), *shots_on(board, rng, 5))


def made_up(board: BoardToShoot, rng: np.random.Generator, count: int) -> BatchResult:
    """Outcomes that need not follow from any flick: random contacts in any order, random final
    places.
    """
    discs = len(board.places_mm)
    states = rng.choice([kernels.FLAT, kernels.FLAT, kernels.DITCH], (count, discs)).astype(np.int8)
    for k in np.flatnonzero(rng.random(count) < 0.5):
        states[k, rng.integers(discs)] = kernels.IN_HOLE
    states[:, board.in_hole] = kernels.IN_HOLE
    radius, angle = rng.uniform(20, 325, (count, discs)), rng.uniform(0, 7, (count, discs))
    contacts = np.full((count, 8, 2), -1, dtype=np.int16)
    flat = [i for i in range(discs) if not board.in_hole[i]]
    for k in range(count):
        for c in range(rng.integers(0, 8)):
            a, b = rng.choice(flat, 2)
            post = int(rng.choice([kernels.POST_0 + 2, kernels.OUTSIDE_CODE, kernels.SUNK_CODE]))
            contacts[k, c] = a, (post if a == b else b)
    return BatchResult(
        places_mm=np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1),
        states=states,
        contacts=contacts,
        counts=(contacts[..., 0] >= 0).sum(axis=1),
    )


def test_boards_of_other_counts_are_judged_together_as_one_by_one() -> None:
    rng = np.random.default_rng(6)
    boards = [a_board(rng, int(rng.integers(0, 9))) for _ in range(60)]
    most = max(len(board.places_mm) for board in boards)
    places = np.full((len(boards), most, 2), NOWHERE_MM)
    own = np.zeros((len(boards), most), dtype=np.bool_)
    for k, board in enumerate(boards):
        places[k, : len(board.own)], own[k, : len(board.own)] = board.places_mm, board.own
    together = BoardToShoot(table=TableSpec(), places_mm=places, own=own)
    shots = np.tile([0.0, -304.8, 0.0, math.pi / 2, 0.0], (len(boards), 1))
    shots[:, 2], shots[:, 3] = rng.uniform(600, 2500, 60), rng.uniform(1.3, 1.8, 60)
    result = simulate_many(TableSpec(), places, shots)
    for rules in RULE_SETS.values():
        many = judge_many(together, rules, shots[:, :2], result)
        for k, board in enumerate(boards):
            alone = simulate_many(TableSpec(), board.places_mm, shots[k : k + 1])
            one = judge_many(board, rules, shots[k : k + 1, :2], alone)
            assert (many.is_foul[k], many.points[k]) == (one.is_foul[0], one.points[0])
            assert (many.stays[k], many.own_twenty[k]) == (one.stays[0], one.own_twenty[0])
            assert many.gained[k] == one.gained[0]
            count = len(board.own)
            assert (many.places_mm[k, :count] == one.places_mm[0]).all()
            assert (many.places_mm[k, count:] == NOWHERE_MM).all()


def test_outcomes_that_no_flick_makes_are_judged_as_one_by_one() -> None:
    rng = np.random.default_rng(3)
    start = np.array([0.0, -304.8])
    fouls = 0
    for _ in range(150):
        board = a_board(rng, int(rng.integers(1, 7)))
        result = made_up(board, rng, 8)
        fouls += assert_same(board, random_rules(rng), np.tile(start, (8, 1)), result)
    assert 200 < fouls < 1000


def test_a_disc_that_comes_back_from_the_rail_is_judged_by_the_judge() -> None:
    rng = np.random.default_rng(4)
    physics = PhysicsSpec(ditch_width_mm=30.0, rail_restitution=1.0, return_drop_mm=20.0)
    returned = 0
    for rules in RULE_SETS.values():
        for _ in range(8):
            board = a_board(rng, 5, TableSpec(physics=physics))
            starts, result = shots_on(board, rng, 6)
            assert_same(board, rules, starts, result)
            went = (result.contacts[..., 1] == kernels.OUTSIDE_CODE).sum(axis=1)
            returned += int((went > (result.states == kernels.DITCH).sum(axis=1)).sum())
    assert returned > 20


def test_a_shot_from_a_place_that_the_rules_forbid_is_a_foul() -> None:
    rng = np.random.default_rng(5)
    board, rules = a_board(rng, 4), RULE_SETS[RuleSetName.NCA]
    _, result = shots_on(board, rng, 20)
    inside = np.tile([0.0, -200.0], (20, 1))
    many = judge_many(board, rules, inside, result, is_misplaced=True)
    for k in range(20):
        judgement = judge(shot_facts(board, inside[k], result, k), rules, board.geometry)
        assert judgement.verdict is Verdict.FOUL
        assert many.points[k] == score_outcome(board, judgement.outcome)
    assert many.is_foul.all()
