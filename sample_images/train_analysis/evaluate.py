"""The quality of the value network: its calibration on fresh rounds, and a comparison with brute
force.

``python -m sample_images.train_analysis.evaluate --weights value.npz --rounds N`` plays N rounds
and compares the chance that the side to shoot outscores the other from here on with the actual
frequency, by rule set, discs, format and skill (ECE: ten bins, weighted by their counts). With
``--positions N`` the expected gain of N positions is compared with the mean of rounds played to the
end from every one.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sample_images.train_analysis.self_play import (
    TABLE,
    PlayedRounds,
    Rounds,
    Value,
    draw_skills,
    play,
)
from scorer.analysis.best_shots import RoundToPlay, advise
from scorer.analysis.positions import DISCS_LEFT, features
from scorer.analysis.value import GAINS, ValueNetwork, read_network
from scorer.physics.skills import Skill
from scorer.rules.sets import RULE_SETS

FloatArray = NDArray[np.float64]
_BINS = 10
_TURNS = 100
#: Number of draws of the hand from which the luck of a shot is estimated.
_DRAWS = 24
#: The mean distance of a normal error from 0, in sigmas.
_MEAN_OF_SIGMA = 0.8


def find_calibration_error(chance: FloatArray, came: NDArray[np.bool_]) -> float:
    """The expected calibration error of chances (n,) of events (n,)."""
    return float(np.abs(_find_gaps(chance, came - chance)).sum())


def find_error_by_chance(
    chance: FloatArray, came: NDArray[np.bool_], rounds: NDArray[np.int64]
) -> float:
    """The calibration error that exact chances would show on average in so many rounds.

    Positions of a round share its end. So the signs of the residuals are flipped at random, for all
    positions of a round together, many times.
    """
    rng, residual = np.random.default_rng(0), came - chance
    number = np.minimum((chance * _BINS).astype(int), _BINS - 1)
    for k in np.unique(number):
        residual[number == k] -= residual[number == k].mean()
    _, round_of = np.unique(rounds, return_inverse=True)
    signs = rng.choice([-1.0, 1.0], (_TURNS, round_of.max() + 1))
    errors = [np.abs(_find_gaps(chance, residual * sign[round_of])).sum() for sign in signs]
    return float(np.mean(errors))


def _find_gaps(chance: FloatArray, residual: FloatArray) -> FloatArray:
    """The mean residual of every bin, times the bin's share of all."""
    number = np.minimum((chance * _BINS).astype(int), _BINS - 1)
    return np.bincount(number, residual, _BINS) / len(chance)


def report_calibration(network: ValueNetwork, played: PlayedRounds) -> None:
    """Print errors of positions of rounds that the weights never saw."""
    chances = network.chances(played.features)
    wins, came = chances[:, GAINS > 0].sum(axis=1), played.gain > 0
    left = np.rint(played.features[:, DISCS_LEFT].sum(axis=1) * 12).astype(int)
    groups = {"all": np.ones(len(came), dtype=np.bool_)}
    groups |= {str(name): played.rules == k for k, name in enumerate(RULE_SETS)}
    groups |= {f"{k} discs a side": played.per_side == k for k in np.unique(played.per_side)}
    groups |= {"singles": played.across, "doubles": ~played.across}
    groups |= {"alike": ~played.unequal, "unequal": played.unequal}
    groups |= {"first third": left > 16, "middle": (left > 8) & (left <= 16), "last 8": left <= 8}
    groups["last 2"] = left <= 2
    own, other = played.features[:, 29], played.features[:, 31]
    groups |= {"clumsier than a novice": (own > 1.55) | (other > 1.55)}
    for name, low, high in (("novice", 1.3, 1.55), ("club", 1.0, 1.3), ("strong", 0.8, 1.0)):
        groups[f"shooter: about {name}"] = (own > low) & (own <= high)
    groups |= {"shooter: about champion": own <= 0.8, "both champions": (own < 0.8) & (other < 0.8)}
    expected = chances @ GAINS
    for name, rows in groups.items():
        if not rows.any():
            continue
        error = find_calibration_error(wins[rows], came[rows])
        floor = find_error_by_chance(wins[rows], came[rows], played.round[rows])
        own_error = np.sqrt(max(error**2 - floor**2, 0.0))
        bias = float((played.gain[rows] - expected[rows]).mean())
        print(
            f"{name}: {len(np.unique(played.round[rows]))} rounds, ECE {error:.4f}, by chance "
            f"alone {floor:.4f}, without it {own_error:.4f}; bias {bias:+.2f}",
            flush=True,
        )


def hold_to_rollouts(
    network: ValueNetwork, count: int, rollouts: int, seed: int, path: Path | None
) -> None:
    """Print the agreement of network and search with rounds played to the end; write positions."""
    rng, rows, numbers = np.random.default_rng(seed), list[list[float]](), list[FloatArray]()
    sets = list(RULE_SETS.values())
    for k in range(count):
        rules = sets[k % len(sets)]
        skills, _ = draw_skills(rng, 1)
        rounds = Rounds.begin(rules, rules.options.discs_singles, np.pi, skills)
        for _ in range(int(rng.integers(1, 2 * rounds.per_side))):
            rounds.play_shot(rounds.positions(), network.gain, rng)
        at = rounds.positions()
        own, other = (Skill(aim_mrad=aim, speed_ratio=speed) for aim, speed in at.skills[0])
        is_there = np.hypot(*at.places_mm[0].T) < TABLE.board.surface_radius_mm
        here = float((rounds.score * (1 if rounds.mover == 0 else -1))[0])
        now = float(rounds.lead()[0] * (1 if rounds.mover == 0 else -1))
        left = (int(at.left[0, 0]), int(at.left[0, 1]))
        searched = advise(
            TABLE,
            at.places_mm[0][is_there],
            at.own[0][is_there],
            rules,
            own,
            ahead=RoundToPlay(left=left, other=other),
        ).shots[0]
        numbers.append(features(TABLE, rules.options, at)[0])
        row = [float(network.gain(numbers[-1][None])[0])]
        row += [searched.lead + here - now]
        # A simulated player's own choice, and the advised shot.
        for flick, times in ((None, max(rollouts // 3, 2)), (searched.shot, rollouts)):
            gains = _play_on(rounds.repeat(times), network.gain, rng, flick) - now
            row += [float(gains.mean()), float(gains.std() / np.sqrt(times))]
        rows.append(row)
        if (k + 1) % 10 == 0:
            _report_rollouts(np.array(rows))
            if path:
                np.savez_compressed(path, rows=np.array(rows), features=np.array(numbers))


def _play_on(
    rounds: Rounds, value: Value, rng: np.random.Generator, flick: FloatArray | None
) -> FloatArray:
    """The leads (n,) at the end of rounds played on, for the side to shoot, without luck."""
    mover, luck = rounds.mover, np.zeros(len(rounds.score))
    flicks = None if flick is None else np.tile(flick, (len(luck), 1))
    while not rounds.is_over:
        sign = 1 if rounds.mover == mover else -1
        luck += sign * rounds.play_shot(rounds.positions(), value, rng, flicks, _DRAWS)
        flicks = None
    return (1 if mover == 0 else -1) * rounds.lead() - luck


def _report_rollouts(rows: FloatArray) -> None:
    """Print the errors as measured, and without the noise of the rollouts."""
    for name, said, truth, noise in (
        ("network, players go on", rows[:, 0], rows[:, 2], rows[:, 3]),
        ("search, its shot is played", rows[:, 1], rows[:, 4], rows[:, 5]),
    ):
        off, noise_2 = said - truth, float((noise**2).mean())
        own = np.sqrt(max(float((off**2).mean()) - noise_2, 0.0))
        r = np.corrcoef(said, truth)[0, 1]
        r_own = r / np.sqrt(1 - noise_2 / truth.var())
        print(
            f"{len(rows)} positions, {name}: r {r:.3f}, bias {off.mean():+.2f}, error "
            f"{np.abs(off).mean():.2f}; noise of rollouts {_MEAN_OF_SIGMA * noise.mean():.2f}; "
            f"without it r {r_own:.3f}, error {_MEAN_OF_SIGMA * own:.2f}",
            flush=True,
        )


def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--friction", type=float, default=TABLE.physics.friction)
    parser.add_argument("--positions", type=int, default=0)
    parser.add_argument("--rollouts", type=int, default=150)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    network = read_network(options.weights)
    if options.rounds:
        physics = replace(TABLE.physics, friction=options.friction)
        table = replace(TABLE, physics=physics)
        played = play(options.rounds, options.seed, network.gain, table=table)
        report_calibration(network, played)
    if options.positions:
        hold_to_rollouts(network, options.positions, options.rollouts, options.seed, options.out)


if __name__ == "__main__":
    main()
