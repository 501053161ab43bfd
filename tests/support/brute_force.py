"""Compare advice with an independent search: ``python tests/support/brute_force.py [BOARDS]``.

Every advised shot is simulated alone and judged by the judge. If it is a foul, or if the advice
finds no legal shot, many flicks from the whole line are tried one by one to find a legal shot with
more points. Boards are of many kinds, and all five rule sets are tried on every board.
"""

from __future__ import annotations

import math
import sys
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from random_boards import R_MM

from calibration.placed_disc import DiscState
from scorer.physics.engine import simulate
from scorer.physics.scene import FlickSpec, PhysicsScene, SceneDisc, TableSpec
from scorer.physics.skills import Skill
from scorer.rules.board_geometry import LINE_5, LINE_10, LINE_15, BoardGeometry
from scorer.rules.judge_shot import ShotOutcome, Verdict, judge
from scorer.rules.sets import RULE_SETS, RuleSet
from scorer.rules.shot import FinalPosition, ShotFacts, StartPosition
from webapp.formats.advice import advise_shots

SIZES, LINE_MM = BoardGeometry(), 304.8
KINDS = ("mixed", "open", "hidden", "clusters", "rim")


def make_board(rng: np.random.Generator, kind: str) -> list[dict[str, Any]]:
    """Discs of both sides: anywhere, without the opponent's, with the opponent's hidden behind own
    ones, in heaps, or at the edge.
    """
    places: list[tuple[float, float]] = []
    posts = TableSpec().posts_mm
    reach = TableSpec().post_reach_mm

    def put(x: float, y: float) -> None:
        far = all(math.hypot(x - a, y - b) > 2 * R_MM + 0.1 for a, b in places)
        clear = np.hypot(*(posts - [x, y]).T).min() > reach + 0.1
        if far and clear and 12 < math.hypot(x, y) < 313:
            places.append((x, y))

    count = int(rng.integers(1, 16))
    # A wall of own discs in front of the middle, with the opponent's behind it.
    if kind == "hidden":
        for k in range(12):
            angle = -math.pi / 2 + (k - 5.5) * 0.16
            put(230 * math.cos(angle), 230 * math.sin(angle))
        wall = len(places)
        for _ in range(4):
            put(*rng.uniform(-60, 60, 2))
        return _name(places, [k < wall for k in range(len(places))])
    while len(places) < count:
        if kind == "clusters" and places and rng.random() < 0.7:
            x, y = places[-1]
            turn = rng.uniform(0, 2 * math.pi)
            put(x + 32 * math.cos(turn), y + 32 * math.sin(turn))
        radius = rng.uniform(270, 312) if kind == "rim" else 300 * math.sqrt(rng.uniform(0.003, 1))
        turn = rng.uniform(0, 2 * math.pi)
        put(radius * math.cos(turn), radius * math.sin(turn))
    share = 1.0 if kind == "open" else rng.choice([0.0, 0.5, 0.8])
    return _name(places, (rng.random(len(places)) < share).tolist())


def _name(places: list[tuple[float, float]], mine: list[bool]) -> list[dict[str, Any]]:
    return [
        {"id": f"d{k}", "x_mm": x, "y_mm": y, "team": "me" if own else "you"}
        for k, ((x, y), own) in enumerate(zip(places, mine, strict=True))
    ]


def judge_flick(discs: list[dict[str, Any]], shot: FlickSpec, rules: RuleSet) -> tuple[bool, float]:
    """Whether a single flick is a foul, and the own points minus the opponent's after it."""
    lying = tuple(SceneDisc(id=d["id"], x_mm=d["x_mm"], y_mm=d["y_mm"]) for d in discs)
    outcome = simulate(PhysicsScene(discs=lying, shot=shot))
    teams = {d["id"]: d["team"] for d in discs} | {shot.id: "me"}
    facts = ShotFacts(
        shooter=shot.id,
        team="me",
        teams=teams,
        before=(
            *(StartPosition(id=d["id"], x_mm=d["x_mm"], y_mm=d["y_mm"]) for d in discs),
            StartPosition(id=shot.id, x_mm=shot.x_mm, y_mm=shot.y_mm),
        ),
        after=tuple(
            FinalPosition(id=d.id, state=d.state)
            if d.state is DiscState.DITCH
            else FinalPosition(id=d.id, state=d.state, x_mm=d.x_mm, y_mm=d.y_mm)
            for d in outcome.discs
        ),
        contacts=tuple(
            (c.a, c.b) for c in outcome.contacts if c.b not in ("hole", "hole_missed", "sunk")
        ),
        quadrant=3,
    )
    judgement = judge(facts, rules, SIZES)
    return judgement.verdict is not Verdict.LEGAL, points_of(judgement.outcome, teams)


def points_of(outcome: ShotOutcome, teams: dict[str, str]) -> float:
    """Own points minus the opponent's, on the board and in the hole."""
    total = sum(20 if twenty.team == "me" else -20 for twenty in outcome.twenties)
    for rest in outcome.board_after:
        assert rest.x_mm is not None
        assert rest.y_mm is not None
        zone = 0
        for line, worth in ((LINE_5, 5), (LINE_10, 10), (LINE_15, 15)):
            if SIZES.margin_mm(line, rest.x_mm, rest.y_mm) > 0:
                zone = worth
        total += zone if teams[rest.id] == "me" else -zone
    return float(total)


def find_legal(
    discs: list[dict[str, Any]], rules: RuleSet, above: float, rng: np.random.Generator, tries: int
) -> FlickSpec | None:
    """A legal flick with more points than ``above``, from anywhere on the line; None if none is
    found.
    """
    for _ in range(tries):
        angle = -math.pi / 2 + rng.uniform(-0.73, 0.73)
        x, y = LINE_MM * math.cos(angle), LINE_MM * math.sin(angle)
        if any(math.hypot(x - d["x_mm"], y - d["y_mm"]) <= 2 * R_MM for d in discs):
            continue
        aim = math.degrees(math.atan2(-y, -x)) + rng.uniform(-70, 70)
        shot = FlickSpec(
            id="mine", x_mm=x, y_mm=y, speed_mm_s=rng.uniform(400, 3500), direction_deg=aim
        )
        is_foul, points = judge_flick(discs, shot, rules)
        if not is_foul and points > above:
            return shot
    return None


@dataclass
class Tally:
    """The results over many boards."""

    shots: int = 0
    fouls: int = 0
    likely_fouls: int = 0
    said_none: int = 0
    wrong: int = 0
    slowest_s: float = 0.0


def check_board(
    discs: list[dict[str, Any]], rules: RuleSet, tally: Tally, *, seed: int, tries: int
) -> None:
    """Advise on a board, and compare every shot with the search."""
    began = time.process_time()
    advice = advise_shots({"discs": discs}, "me", Skill(), rules=rules)
    tally.slowest_s = max(tally.slowest_s, time.process_time() - began)
    rng = np.random.default_rng(seed)
    tally.said_none += advice.nothing_legal is not None
    for rank, forecast in enumerate(advice.shots):
        is_foul, points = judge_flick(discs, advice.scene(rank).shot, rules)
        assert is_foul == forecast.is_foul, (rules.name, discs, forecast)
        tally.shots += 1
        tally.likely_fouls += not is_foul and forecast.foul >= 0.5
        if is_foul:
            tally.fouls += 1
            better = find_legal(discs, rules, points, rng, tries)
            if better is not None:
                tally.wrong += 1
                print("a legal shot of more points:", rules.name, better, discs, flush=True)
    if advice.nothing_legal is not None and not advice.shots:
        tally.wrong += find_legal(discs, rules, -math.inf, rng, tries) is not None


def main(boards: int) -> int:
    """Check a number of boards in every rule set; returns the number of needless advised fouls."""
    tallies = {name: Tally() for name in RULE_SETS}
    for k in range(boards):
        rng = np.random.default_rng([7, k])
        discs = make_board(rng, KINDS[k % len(KINDS)])
        for name, rules in RULE_SETS.items():
            check_board(discs, rules, tallies[name], seed=k, tries=4000)
        if k % 20 == 19:
            print(k + 1, "boards:", sum(tally.wrong for tally in tallies.values()), flush=True)
    for name, tally in tallies.items():
        print(name, tally)
    return sum(tally.wrong for tally in tallies.values())


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200) > 0)
