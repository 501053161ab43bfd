"""Simulated rounds between two sides: positions, and the later gain of one side over the other.

Rounds are played in lockstep, a few hundred at once. A side tries flicks at the other's discs, at
its own and at the hole, once with its own scatter; then others around the best of them, and the
best few many times. The best on average is played with a fresh scatter. The value of a result is
the value network's answer, or, without a network, the points on the board minus a share of the
discs that can be hit.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scorer.analysis.judge_many import BoardToShoot, JudgedShots, judge_many
from scorer.analysis.positions import NOWHERE_MM, Positions, board_points, features, turn_places
from scorer.physics import kernels
from scorer.physics.engine import parameter_vector, simulate_many
from scorer.physics.scene import TableSpec
from scorer.physics.skills import SKILLS
from scorer.rules.choices import PlacementQuadrant
from scorer.rules.sets import RULE_SETS, RuleSet

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
#: Expected points by which the side to shoot outscores the other until the round ends (n,).
Value = Callable[[FloatArray], FloatArray]

TRIED, NUDGED, REFINED, REPEATS = 60, 10, 8, 6
_LINE_MM, _SPIN_RAD_S, _CAPTURE_SPREAD = 304.8, 5.0, 0.1
#: Share of random flicks, so that unusual positions occur too.
_RANDOM_SHARE = 0.05
#: Radius, mm, within which rounds are played; there is no disc farther from the middle.
TABLE, _FAR_MM = TableSpec(), 1e3
#: Columns of ``features`` for the side that shoots next, and points for threats before a fit.
_THREAT_ON_THEM, _THREAT_ON_US = 4, 15
_HEURISTIC = np.array([-5.0, 2.0])
_LADDER = np.array([[side.aim_mrad, side.speed_ratio] for side in SKILLS.values()])


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedRounds:
    """Positions of rounds that were played to their end.

    features  (n, f); gain (n,) points that the side to shoot later gained on the other
    rules     (n,) number of the rule set; unequal (n,) whether the sides' skills differ
    round     (n,) number of the round; per_side (n,) its discs a side
    across    (n,) whether the next shooter sits across, as in singles, or to the left
    twenties  (k, 3) a side's skill on the ladder, its 20s in a round, and its discs
    """

    features: FloatArray
    gain: FloatArray
    rules: NDArray[np.int64]
    unequal: BoolArray
    round: NDArray[np.int64]
    per_side: NDArray[np.int64]
    across: BoolArray
    twenties: FloatArray


def draw_skills(rng: np.random.Generator, count: int) -> tuple[FloatArray, FloatArray]:
    """Both sides' skills (n, 2, 2), half of them equal, and their places on the ladder (n, 2)."""
    level = rng.uniform(-0.6, 3.0, (count, 2))
    is_equal = rng.random(count) < 0.5
    level[is_equal, 1] = level[is_equal, 0]
    steps = np.arange(len(_LADDER))
    low = np.clip(np.floor(level), 0, len(_LADDER) - 2).astype(int)
    share = (level - steps[low])[..., None]
    return np.exp((1 - share) * np.log(_LADDER[low]) + share * np.log(_LADDER[low + 1])), level


@dataclass(slots=True, kw_only=True)
class Rounds:
    """Rounds in progress, all after the same number of shots; the side to shoot sits in the lowest
    quadrant.

    places  (n, d, 2) with row 0 free for the disc that is shot; side (n, d) the discs' owners
    score   (n,) 20s times 20 of side 0 minus side 1's; twenties (n, 2) of both sides
    """

    rules: RuleSet
    per_side: int
    turn_rad: float
    skills: FloatArray
    places: FloatArray
    side: NDArray[np.int64]
    score: FloatArray
    twenties: FloatArray
    shot: int = 0
    table: TableSpec = TABLE

    @classmethod
    def begin(
        cls,
        rules: RuleSet,
        per_side: int,
        turn_rad: float,
        skills: FloatArray,
        table: TableSpec = TABLE,
    ) -> Rounds:
        """Empty boards."""
        count, size = len(skills), 2 * per_side + 1
        return cls(
            rules=rules,
            per_side=per_side,
            turn_rad=turn_rad,
            skills=skills,
            places=np.full((count, size, 2), NOWHERE_MM),
            side=np.zeros((count, size), dtype=np.int64),
            score=np.zeros(count),
            twenties=np.zeros((count, 2)),
            table=table,
        )

    @property
    def is_over(self) -> bool:
        """Whether all discs are shot."""
        return self.shot >= 2 * self.per_side

    @property
    def mover(self) -> int:
        """The side to shoot."""
        return self.shot % 2

    def repeat(self, times: int) -> Rounds:
        """Every round repeated a number of times."""
        many = (self.places, self.side, self.score, self.twenties, self.skills)
        places, side, score, twenties, skills = (np.repeat(one, times, axis=0) for one in many)
        return replace(
            self, places=places, side=side, score=score, twenties=twenties, skills=skills
        )

    def positions(self) -> Positions:
        """Positions for the side to shoot; discs are moved to the front."""
        used = _pack(self.places, self.side)
        left = [self.per_side - self.shot // 2, self.per_side - (self.shot + 1) // 2]
        return Positions(
            places_mm=self.places[:, 1:used],
            own=self.side[:, 1:used] == self.mover,
            left=np.tile(np.array(left, dtype=np.float64), (len(self.places), 1)),
            skills=self.skills[:, [self.mover, 1 - self.mover]],
            turn_rad=self.turn_rad,
        )

    def lead(self) -> FloatArray:
        """Points of side 0 less side 1's, now (n,)."""
        return self.score + _difference(self.table, self.places, self.side == 0)

    def play_shot(
        self,
        at: Positions,
        value: Value | None,
        rng: np.random.Generator,
        flicks: FloatArray | None = None,
        draws: int = 1,
    ) -> FloatArray:
        """Play one shot in every round: these flicks (n, 5), or the best that a side finds.

        Returns its luck (n,), for the side that shoots: the value of the shot minus the average
        value of that flick over draws of the hand, including the one played. So luck is 0 on
        average, whatever the value network's error.
        """
        used = at.own.shape[1] + 1
        own = np.concatenate([np.ones((len(at.own), 1), dtype=np.bool_), at.own], axis=1)
        boards, sign = self.places[:, :used], 1 if self.mover == 0 else -1
        if flicks is None:
            flicks = _choose(self.table, self.rules, boards, own, at, value, rng)
        again = np.repeat(flicks[:, None], draws, axis=1)
        worth, every = _rate(self.table, self.rules, boards, own, again, at, value, rng)
        self.score = self.score + sign * every.gained[::draws]
        self.twenties[:, self.mover] += every.own_twenty[::draws]
        self.places[:, :used] = every.places_mm[::draws]
        self.side[:, 0] = self.mover
        self.places = turn_places(self.places, -self.turn_rad)
        self.places[np.abs(self.places).max(axis=-1) > _FAR_MM] = NOWHERE_MM
        self.shot += 1
        return np.asarray(worth[:, 0] - worth.mean(axis=1))


def play_rounds(
    number: int,
    count: int,
    rng: np.random.Generator,
    value: Value | None,
    *,
    table: TableSpec = TABLE,
    first: int = 0,
) -> PlayedRounds:
    """Rounds of a rule set, all begun at once and numbered from ``first``."""
    rules = list(RULE_SETS.values())[number]
    per_side = rules.options.discs_singles if rng.random() < 0.7 else 12
    turn_rad = math.pi if rng.random() < 0.7 else -math.pi / 2
    skills, level = draw_skills(rng, count)
    rounds = Rounds.begin(rules, per_side, turn_rad, skills, table)
    rows, marks, signs = [], [], []
    while not rounds.is_over:
        at = rounds.positions()
        signs.append(1 if rounds.mover == 0 else -1)
        rows.append(features(table, rules.options, at))
        marks.append(signs[-1] * rounds.lead())
        rounds.play_shot(at, value, rng)
    gain = np.array(signs)[:, None] * rounds.lead() - np.array(marks)
    return PlayedRounds(
        features=np.concatenate(rows),
        gain=gain.ravel(),
        rules=np.full(gain.size, number),
        unequal=np.tile(level[:, 0] != level[:, 1], len(signs)),
        round=np.tile(first + np.arange(count), len(signs)),
        per_side=np.full(gain.size, per_side),
        across=np.full(gain.size, turn_rad == math.pi),
        twenties=np.stack(
            [level.ravel(), rounds.twenties.ravel(), np.full(2 * count, per_side)], axis=1
        ),
    )


def _pack(places: FloatArray, side: NDArray[np.int64]) -> int:
    """Free row 0 for the shooter's disc, move discs to the front, and count the rows in use."""
    is_there = places[..., 0] < NOWHERE_MM
    order = np.argsort(~is_there, axis=1, kind="stable")
    most = int(is_there.sum(axis=1).max())
    places[:, 1:] = np.take_along_axis(places, order[..., None], axis=1)[:, : places.shape[1] - 1]
    side[:, 1:] = np.take_along_axis(side, order, axis=1)[:, : side.shape[1] - 1]
    places[:, 0] = NOWHERE_MM
    return most + 1


def _difference(table: TableSpec, places: FloatArray, own: BoolArray) -> FloatArray:
    return np.asarray((board_points(table, places) * np.where(own, 1.0, -1.0)).sum(axis=1))


def _choose(
    table: TableSpec,
    rules: RuleSet,
    places: FloatArray,
    own: BoolArray,
    at: Positions,
    value: Value | None,
    rng: np.random.Generator,
) -> FloatArray:
    """The flicks (n, 5) that a side plays in all rounds."""
    count = len(places)
    tried = try_flicks(table, rules, places, own, TRIED, rng)
    worth, _ = _rate(table, rules, places, own, tried, at, value, rng)
    order = np.argsort(-worth, axis=1)[:, :NUDGED]
    near = nudge_flicks(np.take_along_axis(tried, order[..., None], axis=1), table, places, rng)
    tried = np.concatenate([tried, near], axis=1)
    worth_near, _ = _rate(table, rules, places, own, near, at, value, rng)
    worth = np.concatenate([worth, worth_near], axis=1)
    order = np.argsort(-worth, axis=1)[:, :REFINED]
    best = np.take_along_axis(tried, order[..., None], axis=1)
    again = np.repeat(best, REPEATS, axis=1)
    worth, _ = _rate(table, rules, places, own, again, at, value, rng)
    mean = worth.reshape(count, REFINED, REPEATS).mean(axis=2)
    chosen = best[np.arange(count), mean.argmax(axis=1)]
    is_random = rng.random(count) < _RANDOM_SHARE
    chosen[is_random] = tried[is_random, 0]
    return chosen


def nudge_flicks(
    flicks: FloatArray, table: TableSpec, places: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Flicks (n, k, 5) from places nearby at the same target, only where the disc has room."""
    near = np.repeat(flicks, 3, axis=1)
    turn = rng.normal(0, 0.05, near.shape[:2])
    spots = turn_many(near[..., :2], turn)
    steps = spots[:, :, None] - places[:, None, 1:]
    has_room = (np.hypot(steps[..., 0], steps[..., 1]) > 2 * table.disc.radius_mm + 0.1).all(axis=2)
    has_room &= np.abs(np.arctan2(spots[..., 0], -spots[..., 1])) < math.radians(42.0)
    # the point 250 mm ahead, at which the flick was aimed, stays
    aim = near[..., :2] + 250.0 * np.stack([np.cos(near[..., 3]), np.sin(near[..., 3])], axis=-1)
    ahead = aim - spots
    near[..., 3] = np.where(has_room, np.arctan2(ahead[..., 1], ahead[..., 0]), near[..., 3])
    near[..., :2] = np.where(has_room[..., None], spots, near[..., :2])
    near[..., 2] *= np.exp(rng.normal(0, 0.15, near.shape[:2]))
    near[..., 3] += rng.normal(0, 0.02, near.shape[:2])
    return near


def turn_many(places: FloatArray, angles: FloatArray) -> FloatArray:
    """Places (..., 2), turned by their own angles."""
    c, s = np.cos(angles), np.sin(angles)
    x, y = places[..., 0], places[..., 1]
    return np.stack([c * x - s * y, s * x + c * y], axis=-1)


def try_flicks(
    table: TableSpec,
    rules: RuleSet,
    places: FloatArray,
    own: BoolArray,
    tried: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Flicks (n, tried, 5) from free places on the line at discs and the hole."""
    count, size = own.shape
    reach = {PlacementQuadrant.WITHIN: 42.0}.get(rules.options.placement_quadrant, 44.9)
    azimuth = -math.pi / 2 + np.radians(rng.uniform(-reach, reach, (count, tried, 6)))
    spots = _LINE_MM * np.stack([np.cos(azimuth), np.sin(azimuth)], axis=-1)
    away = np.full(azimuth.shape, np.inf)
    for disc in range(1, size):
        step = spots - places[:, None, None, disc]
        away = np.minimum(away, np.hypot(step[..., 0], step[..., 1]))
    spots = np.take_along_axis(
        spots, (away > 2 * table.disc.radius_mm + 0.1).argmax(axis=2)[..., None, None], axis=2
    )[:, :, 0]
    is_there = places[:, 1:, 0] < NOWHERE_MM
    is_open = ~(is_there & ~own[:, 1:]).any(axis=1, keepdims=True)
    # an opponent's disc must be hit if there is one; otherwise the target is the hole
    own_weight = np.where(is_open, 0.3, 0.15)
    weight = np.concatenate(
        [
            np.where(is_open, 3.0, 0.2),
            np.where(is_there, np.where(own[:, 1:], own_weight, 1.0), 0.0),
        ],
        axis=1,
    )
    edges = np.cumsum(weight, axis=1)
    pick = (rng.random((count, tried, 1)) * edges[:, None, -1:] > edges[:, None]).sum(axis=2)
    targets = np.concatenate(
        [np.broadcast_to(np.asarray(table.board.hole_centre_mm), (count, 1, 2)), places[:, 1:]],
        axis=1,
    )
    aim = np.take_along_axis(targets, pick[..., None], axis=1) - spots
    length = np.hypot(aim[..., 0], aim[..., 1])
    at_hole = pick == 0
    off = rng.uniform(-0.95, 0.95, length.shape) * 2 * table.disc.radius_mm
    off[at_hole] = 0.0
    direction = np.arctan2(aim[..., 1], aim[..., 0])
    direction += np.arcsin(np.clip(off / np.maximum(length, 40.0), -1, 1))
    speed = np.exp(rng.uniform(math.log(750), math.log(2600), length.shape))
    speed[at_hole] = rng.uniform(820, 960, int(at_hole.sum()))
    return np.concatenate(
        [spots, np.stack([speed, direction, np.zeros_like(speed)], axis=-1)], axis=-1
    )


def scatter(flicks: FloatArray, skills: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Flicks (n, k, 5) with the scatter of hands of those skills (n, 2)."""
    out = flicks.copy()
    noise = rng.normal(size=(*flicks.shape[:2], 3))
    out[..., 2] *= np.exp(noise[..., 0] * skills[:, None, 1])
    out[..., 3] += noise[..., 1] * skills[:, None, 0] * 1e-3
    out[..., 4] += noise[..., 2] * _SPIN_RAD_S
    return out


def _simulate(
    table: TableSpec,
    rules: RuleSet,
    places: FloatArray,
    own: BoolArray,
    flicks: FloatArray,
    rng: np.random.Generator,
) -> JudgedShots:
    """The rules' judgement of one flick per board."""
    boards = places.copy()
    boards[:, 0] = flicks[:, :2]
    parameters = np.repeat(parameter_vector(table)[None], len(flicks), axis=0)
    parameters[:, kernels.CAPTURE_SPEED] *= np.exp(rng.normal(0, _CAPTURE_SPREAD, len(flicks)))
    result = simulate_many(table, boards, flicks, parameters=parameters)
    return judge_many(
        BoardToShoot(table=table, places_mm=boards, own=own), rules, flicks[:, :2], result
    )


def _rate(
    table: TableSpec,
    rules: RuleSet,
    places: FloatArray,
    own: BoolArray,
    flicks: FloatArray,
    at: Positions,
    value: Value | None,
    rng: np.random.Generator,
) -> tuple[FloatArray, JudgedShots]:
    """The values (n, k) of one try of every flick (n, k, 5), in points for the side that shoots,
    and the rules' judgement of all of them.
    """
    count, tried = flicks.shape[:2]
    hit = scatter(flicks, at.skills[:, 0], rng).reshape(-1, 5)
    many, flags = np.repeat(places, tried, axis=0), np.repeat(own, tried, axis=0)
    judged = _simulate(table, rules, many, flags, hit, rng)
    after = Positions(
        places_mm=turn_places(judged.places_mm, -at.turn_rad),
        own=~flags,
        left=np.repeat(at.left[:, ::-1] - [0, 1], tried, axis=0),
        skills=np.repeat(at.skills[:, ::-1], tried, axis=0),
        turn_rad=at.turn_rad,
    )
    if at.left[0].sum() <= 1:
        return judged.points.reshape(count, tried), judged
    numbers = features(table, rules.options, after)
    if value is None:
        worth = judged.points + numbers[:, [_THREAT_ON_US, _THREAT_ON_THEM]] @ _HEURISTIC
    else:
        worth = judged.points - value(numbers)
    return np.asarray(worth).reshape(count, tried), judged


def play(rounds: int, seed: int, value: Value | None, *, table: TableSpec = TABLE) -> PlayedRounds:
    """A number of rounds, evenly of all rule sets."""
    rng = np.random.default_rng(seed)
    batch = 200
    parts, began = [], time.time()
    for k in range(max(rounds // batch, 1)):
        number = k % len(RULE_SETS)
        parts.append(play_rounds(number, batch, rng, value, table=table, first=k * batch))
        print(f"{(k + 1) * batch} rounds, {time.time() - began:.0f} s", flush=True)
    return PlayedRounds(
        **{
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in PlayedRounds.__slots__
        }
    )


def save(played: PlayedRounds, path: Path) -> None:
    """Write positions to a file for ``load``."""
    np.savez_compressed(path, **{name: getattr(played, name) for name in PlayedRounds.__slots__})


def main() -> None:
    """Play and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--rounds", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--weights", type=Path)
    options = parser.parse_args()
    value = None
    if options.weights:
        from scorer.analysis.value import read_network

        value = read_network(options.weights).gain
    save(play(options.rounds, options.seed, value), options.out)


if __name__ == "__main__":
    main()
