"""The value of positions: the points by which the side to shoot will still outscore the other.

A small network gives the chance of every gain, in steps of 5 points. A table by the number of discs
left is added to its output, so that the network's errors average out over many rounds. It is fitted
to simulated rounds by ``sample_images.train_analysis``; docs/how/analysis.md describes its
calibration.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from calibration.numerics.arrays import FloatArray
from scorer.analysis.positions import DISCS_LEFT, FEATURE_COUNT

#: Step between two outputs of the network, in points, and the largest gain that it knows.
STEP, MOST = 5, 120
GAINS = np.arange(-MOST, MOST + STEP, STEP, dtype=np.float64)
#: Largest number of discs left, both sides together.
MOST_LEFT = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueNetwork:
    """One hidden layer; ``offset`` and ``scale`` (f,) bring features to a spread of 1.

    hidden      (f + 1, h), the last row is the constant; out (h + 1, len(GAINS))
    by_left     (MOST_LEFT + 1, len(GAINS)) added to the output by discs left
    version     of the weights
    """

    offset: FloatArray
    scale: FloatArray
    hidden: FloatArray
    out: FloatArray
    by_left: FloatArray
    version: str = ""

    def chances(self, numbers: FloatArray) -> FloatArray:
        """The chances (n, len(GAINS)) of all gains, from positions' features (n, f)."""
        left = np.rint(numbers[:, DISCS_LEFT].sum(axis=1) * 12).astype(int)
        scaled = (numbers - self.offset) / self.scale
        inside = np.tanh(scaled @ self.hidden[:-1] + self.hidden[-1])
        logits = inside @ self.out[:-1] + self.out[-1] + self.by_left[np.minimum(left, MOST_LEFT)]
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))

    def gain(self, numbers: FloatArray) -> FloatArray:
        """The expected gain (n,)."""
        return np.asarray(self.chances(numbers) @ GAINS)


def read_network(source: Any) -> ValueNetwork:
    """The network in a file. Raises ``ValueError`` for one with other features."""
    with np.load(source) as stored:
        arrays = {name: stored[name].astype(np.float64) for name in _ARRAYS}
        network = ValueNetwork(**arrays, version=str(stored["version"]))
    if network.hidden.shape[0] != FEATURE_COUNT + 1:
        raise ValueError(
            f"the network has {network.hidden.shape[0] - 1} features, not {FEATURE_COUNT}"
        )
    return network


_ARRAYS = ("offset", "scale", "hidden", "out", "by_left")


@cache
def value_network() -> ValueNetwork:
    """The network included in the package."""
    with (files("scorer.analysis") / "value.npz").open("rb") as stored:
        return read_network(stored)
