"""Fit the value network to positions of simulated rounds: Adam on the cross-entropy of gains."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sample_images.train_analysis.self_play import PlayedRounds
from scorer.analysis.positions import DISCS_LEFT
from scorer.analysis.value import GAINS, MOST, MOST_LEFT, STEP, ValueNetwork

FloatArray = NDArray[np.float64]
_BATCH, _RATE, _DECAY = 2048, 3e-3, 1e-5
_MOMENTS, _TINY = (0.9, 0.999), 1e-8


def load(paths: list[Path]) -> PlayedRounds:
    """Positions of several files combined."""
    stored = [np.load(path) for path in paths]
    return PlayedRounds(
        **{name: np.concatenate([one[name] for one in stored]) for name in PlayedRounds.__slots__}
    )


def write_network(network: ValueNetwork, path: Path) -> None:
    """Write weights for ``read_network``."""
    arrays = asdict(network)
    version = np.array(arrays.pop("version"))
    weights = {name: array.astype(np.float32) for name, array in arrays.items()}
    np.savez_compressed(path, version=version, **weights)


def fit(played: PlayedRounds, hidden: int, epochs: int, seed: int, version: str) -> ValueNetwork:
    """The network after that many passes over the positions."""
    rng = np.random.default_rng(seed)
    numbers = played.features
    offset, scale = numbers.mean(axis=0), np.maximum(numbers.std(axis=0), 1e-3)
    inputs = np.concatenate(
        [(numbers - offset) / scale, np.ones((len(numbers), 1))], axis=1
    ).astype(np.float32)
    left = np.rint(numbers[:, DISCS_LEFT].sum(axis=1) * 12).astype(int)
    answer = np.clip(np.rint((played.gain + MOST) / STEP), 0, len(GAINS) - 1).astype(int)
    weights = [
        rng.normal(0, 1 / np.sqrt(inputs.shape[1]), (inputs.shape[1], hidden)),
        rng.normal(0, 0.1 / np.sqrt(hidden), (hidden + 1, len(GAINS))),
        np.zeros((MOST_LEFT + 1, len(GAINS))),
    ]
    weights = [weight.astype(np.float32) for weight in weights]
    first = [np.zeros_like(weight) for weight in weights]
    second = [np.zeros_like(weight) for weight in weights]
    steps, total = 0, epochs * (len(inputs) // _BATCH)
    for epoch in range(epochs):
        order, loss = rng.permutation(len(inputs)), 0.0
        for start in range(0, len(inputs) - _BATCH + 1, _BATCH):
            rows = order[start : start + _BATCH]
            gradients, cost = _gradients(weights, inputs[rows], left[rows], answer[rows])
            loss += cost * len(rows) / len(inputs)
            steps += 1
            rate = _RATE * 0.5 * (1 + np.cos(np.pi * steps / total))
            for k, gradient in enumerate(gradients):
                first[k] += (1 - _MOMENTS[0]) * (gradient - first[k])
                second[k] += (1 - _MOMENTS[1]) * (gradient**2 - second[k])
                mean = first[k] / (1 - _MOMENTS[0] ** steps)
                spread = second[k] / (1 - _MOMENTS[1] ** steps)
                weights[k] -= rate * (mean / (np.sqrt(spread) + _TINY) + _DECAY * weights[k])
        print(f"pass {epoch + 1}: {loss:.4f}", flush=True)
    return ValueNetwork(
        offset=offset,
        scale=scale,
        hidden=weights[0].astype(np.float64),
        out=weights[1].astype(np.float64),
        by_left=weights[2].astype(np.float64),
        version=version,
    )


def _gradients(
    weights: list[NDArray[np.float32]],
    inputs: NDArray[np.float32],
    left: NDArray[np.int64],
    answer: NDArray[np.int64],
) -> tuple[list[NDArray[np.float32]], float]:
    """Gradients of the mean cross-entropy by every weight, and the cross-entropy itself."""
    hidden, out, by_left = weights
    inside = np.tanh(inputs @ hidden)
    logits = inside @ out[:-1] + out[-1] + by_left[left]
    logits -= logits.max(axis=1, keepdims=True)
    odds = np.exp(logits)
    odds /= odds.sum(axis=1, keepdims=True)
    rows = np.arange(len(answer))
    cost = float(-np.log(np.maximum(odds[rows, answer], 1e-12)).mean())
    odds[rows, answer] -= 1
    odds /= len(answer)
    for_out = np.concatenate([inside.T @ odds, odds.sum(axis=0, keepdims=True)])
    for_left = np.zeros_like(by_left)
    np.add.at(for_left, left, odds)
    back = (odds @ out[:-1].T) * (1 - inside**2)
    return [inputs.T @ back, for_out, for_left], cost


def main() -> None:
    """Fit and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("positions", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--hidden", type=int, default=48)
    parser.add_argument("--passes", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--version", default="1")
    options = parser.parse_args()
    network = fit(
        load(options.positions), options.hidden, options.passes, options.seed, options.version
    )
    write_network(network, options.out)


if __name__ == "__main__":
    main()
