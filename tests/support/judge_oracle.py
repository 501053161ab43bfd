"""Compare ``judge_many`` with the judge of single shots: ``tests/support/judge_oracle.py [SHOTS]``.

Random flicks, each on its own board, by every rule set; all differences are printed.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from random_boards import random_board

from scorer.analysis.judge_many import (
    BoardToShoot,
    JudgedShots,
    judge_many,
    score_outcome,
    shot_facts,
)
from scorer.analysis.positions import NOWHERE_MM
from scorer.physics.engine import simulate_many
from scorer.physics.scene import TableSpec
from scorer.rules.judge_shot import Verdict, judge
from scorer.rules.sets import RULE_SETS, RuleSet
from scorer.rules.shot import ShotFacts

_BOARDS, _MOST_DISCS = 500, 16


def draw_boards(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions (n, d, 2) of up to 15 discs, their owners, and a flick (n, 5) for each board."""
    places = np.full((_BOARDS, _MOST_DISCS, 2), NOWHERE_MM)
    own = np.zeros((_BOARDS, _MOST_DISCS), dtype=np.bool_)
    shots = np.zeros((_BOARDS, 5))
    for k in range(_BOARDS):
        count = int(rng.integers(1, _MOST_DISCS))
        found = random_board(rng, count + 1)[1][1:]
        places[k, 1 : count + 1] = found
        own[k, 1 : count + 1] = rng.random(count) < rng.choice([0.2, 0.5, 0.9, 1.0])
        azimuth = -np.pi / 2 + rng.uniform(-0.73, 0.73)  # where all rules allow a disc
        start = 304.8 * np.array([np.cos(azimuth), np.sin(azimuth)])
        aim = found[rng.integers(count)] - start if rng.random() < 0.7 else -start
        direction = np.arctan2(aim[1], aim[0]) + rng.normal(0, 0.06)
        shots[k] = [*start, rng.uniform(500, 3200), direction, rng.normal(0, 5)]
    own[:, 0] = True
    return places, own, shots


def list_differences(
    board: BoardToShoot, rules: RuleSet, facts: list[ShotFacts], many: JudgedShots
) -> list[str]:
    """The shots on which the judge of single shots disagrees."""
    found, geometry = [], board.geometry
    for k, shot in enumerate(facts):
        judgement = judge(shot, rules, geometry)
        outcomes = [way.outcome for way in judgement.alternatives] or [judgement.outcome]
        points = [score_outcome(board.take(k), outcome) for outcome in outcomes]
        worst = outcomes[int(np.argmin(points))]
        is_foul = any(outcome.verdict is Verdict.FOUL for outcome in outcomes)
        lying = {int(rest.id) for rest in worst.board_after}
        if (bool(many.is_foul[k]), float(many.points[k])) != (is_foul, min(points)):
            found.append(
                f"{rules.name}: {many.is_foul[k]} {many.points[k]}, not {is_foul}, {points}"
            )
        elif lying != set(np.flatnonzero(many.places_mm[k, :, 0] < NOWHERE_MM).tolist()):
            found.append(f"{rules.name}: other discs than {lying} are left")
    return found


def main() -> None:
    """Judge a number of shots by every rule set."""
    shots = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    rng, began, judged = np.random.default_rng(1), time.time(), 0
    differences = dict.fromkeys(RULE_SETS, 0)
    fouls = dict.fromkeys(RULE_SETS, 0)
    while judged < shots:
        places, own, flicks = draw_boards(rng)
        board = BoardToShoot(table=TableSpec(), places_mm=places, own=own)
        result = simulate_many(board.table, places, flicks)
        facts = [shot_facts(board, flick[:2], result, k) for k, flick in enumerate(flicks)]
        for name, rules in RULE_SETS.items():
            many = judge_many(board, rules, flicks[:, :2], result)
            fouls[name] += int(many.is_foul.sum())
            for words in list_differences(board, rules, facts, many):
                differences[name] += 1
                print(words)
        judged += len(flicks)
        if judged % 50_000 == 0:
            print(f"{judged} shots, {sum(differences.values())} differences", flush=True)
    for name in RULE_SETS:
        print(f"{name}: {judged} shots, {fouls[name]} fouls, {differences[name]} differences")
    print(f"{time.time() - began:.0f} s")


if __name__ == "__main__":
    main()
