"""The quality of the value network: its calibration on fresh rounds, and a comparison with brute
force.

``python -m sample_images.train_analysis.evaluate POSITIONS.npz --weights value.npz`` compares the
chance that the side to shoot outscores the other from here on with the actual frequency, by rule
set and by whether both sides have the same skill (ECE: ten bins, weighted by their counts). With
``--positions N``, the expected gain of N positions is compared with the mean of that many rounds
played to the end from every one.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sample_images.train_analysis.fit_value import load
from sample_images.train_analysis.self_play import TABLE, Rounds, draw_skills
from scorer.analysis.best_shots import RoundToPlay, advise
from scorer.analysis.positions import DISCS_LEFT, features
from scorer.analysis.value import GAINS, ValueNetwork, read_network
from scorer.physics.skills import Skill
from scorer.rules.sets import RULE_SETS

FloatArray = NDArray[np.float64]
_BINS = 10


def find_calibration_error(chance: FloatArray, came: NDArray[np.bool_]) -> float:
    """The expected calibration error of chances (n,) of events (n,)."""
    number = np.minimum((chance * _BINS).astype(int), _BINS - 1)
    gaps = [
        (number == k).mean() * abs(chance[number == k].mean() - came[number == k].mean())
        for k in range(_BINS)
        if (number == k).any()
    ]
    return float(sum(gaps))


def report_calibration(network: ValueNetwork, paths: list[Path]) -> None:
    """Print errors of positions of rounds that the weights never saw."""
    played = load(paths)
    chances = network.chances(played.features)
    wins, came = chances[:, GAINS > 0].sum(axis=1), played.gain > 0
    left = np.rint(played.features[:, DISCS_LEFT].sum(axis=1) * 12).astype(int)
    groups = {"all": np.ones(len(came), dtype=np.bool_)}
    groups |= {str(name): played.rules == k for k, name in enumerate(RULE_SETS)}
    groups |= {"alike": ~played.unequal, "unequal": played.unequal}
    groups |= {"first third": left > 16, "middle": (left > 8) & (left <= 16), "last 8": left <= 8}
    groups["last 2"] = left <= 2
    own, other = played.features[:, 29], played.features[:, 31]
    groups |= {"clumsier than a novice": (own > 1.55) | (other > 1.55)}
    groups |= {"champions": (own < 0.8) & (other < 0.8)}
    expected = chances @ GAINS
    for name, rows in groups.items():
        error = find_calibration_error(wins[rows], came[rows])
        bias = float((played.gain[rows] - expected[rows]).mean())
        r = float(np.corrcoef(expected[rows], played.gain[rows])[0, 1])
        print(f"{name}: {rows.sum()} positions, ECE {error:.4f}, bias {bias:+.2f}, r {r:.3f}")


def hold_to_rollouts(network: ValueNetwork, count: int, rollouts: int, seed: int) -> None:
    """Print the agreement of the network and the search with rounds played to the end."""
    rng, rows = np.random.default_rng(seed), []
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
        sign = 1 if rounds.mover == 0 else -1
        row = [float(network.gain(features(TABLE, rules.options, at))[0])]
        row += [searched.lead + here - now]
        for flick in (None, searched.shot):  # a simulated player's own choice, the advised shot
            many = rounds.repeat(rollouts)
            if flick is not None:
                flicks = np.tile(flick, (rollouts, 1))
                many.play_shot(many.positions(), network.gain, rng, flicks)
            while not many.is_over:
                many.play_shot(many.positions(), network.gain, rng)
            gains = sign * many.lead() - now
            row += [float(gains.mean()), float(gains.std() / np.sqrt(rollouts))]
        rows.append(row)
        if (k + 1) % 10 == 0:
            _report_rollouts(np.array(rows))


def _report_rollouts(rows: FloatArray) -> None:
    for name, said, truth, noise in (
        ("network, players go on", rows[:, 0], rows[:, 2], rows[:, 3]),
        ("search, its shot is played", rows[:, 1], rows[:, 4], rows[:, 5]),
    ):
        error = np.abs(said - truth).mean()
        spread = np.sqrt(max(float(((said - truth) ** 2).mean() - (noise**2).mean()), 0.0))
        r = np.corrcoef(said, truth)[0, 1]
        print(
            f"{len(rows)} positions, {name}: r {r:.3f}, bias {(said - truth).mean():+.2f}, "
            f"error {error:.2f}, of which rollouts {0.8 * noise.mean():.2f}; own {spread:.2f} rms",
            flush=True,
        )


def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("played", type=Path, nargs="*")
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--positions", type=int, default=0)
    parser.add_argument("--rollouts", type=int, default=150)
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args()
    network = read_network(options.weights)
    if options.played:
        report_calibration(network, options.played)
    if options.positions:
        hold_to_rollouts(network, options.positions, options.rollouts, options.seed)


if __name__ == "__main__":
    main()
