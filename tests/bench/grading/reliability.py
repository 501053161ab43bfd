"""Stated chances compared with the outcomes: a reliability diagram, and risk against coverage.

In clips of ``grazes``, the truth names the passed disc and the gap. The board looks the same after
a quarter turn, so the referee's disc is identified by its distance from the middle.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

#: Edges of the bins in which chances are compared with outcomes.
_BIN_EDGES = (0.0, 0.02, 0.1, 0.3, 0.7, 0.95, 1.01)
#: Edges of the bins in which probabilities of right totals are compared with outcomes.
TOTAL_EDGES = (0.0, 0.5, 0.8, 0.9, 0.96, 0.99, 1.01)
#: Levels of probability at which pictures might be settled.
LEVELS = (0.5, 0.8, 0.9, 0.96, 0.98, 0.99)
#: A read disc is matched with the true one if their distances from the middle differ by less than
#: this, mm.
_SAME_MM = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityBin:
    """Shots, or pictures, whose stated chance is in one bin."""

    low: float
    high: float
    shots: int
    said: float
    happened: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskAtLevel:
    """Number of pictures that would be settled at a level of probability, and how many of them
    wrongly.
    """

    level: float
    settled: int
    wrong: int


def measure_risk(forecasts: Sequence[tuple[float, bool]]) -> tuple[RiskAtLevel, ...]:
    """Risk against coverage, of (probability of a right total, whether it was right) by picture."""
    return tuple(
        RiskAtLevel(
            level=level,
            settled=sum(said >= level for said, _ in forecasts),
            wrong=sum(said >= level and not right for said, right in forecasts),
        )
        for level in LEVELS
    )


def bin_reliability(
    forecasts: Sequence[tuple[float | None, bool]], edges: Sequence[float] = _BIN_EDGES
) -> tuple[ReliabilityBin, ...]:
    """Stated chances compared with outcomes, by bins of the stated chance; None stands for a
    missing statement.
    """
    known = [(chance, met) for chance, met in forecasts if chance is not None]
    rows = []
    for low, high in itertools.pairwise(edges):
        those = [(p, met) for p, met in known if low <= p < high]
        if those:
            rows.append(
                ReliabilityBin(
                    low=low,
                    high=high,
                    shots=len(those),
                    said=float(np.mean([p for p, _ in those])),
                    happened=float(np.mean([met for _, met in those])),
                )
            )
    return tuple(rows)


def describe_reliability(name: str, rows: Sequence[ReliabilityBin]) -> list[str]:
    """One line per bin."""
    return [
        f"{name:12} said {row.low:.2f} to {row.high:.2f}: {row.shots:3} shots, "
        f"mean said {row.said:.3f}, happened {row.happened:.3f}"
        for row in rows
    ]


def read_forecast(
    true_shot: Mapping[str, Any], shot: Mapping[str, Any]
) -> tuple[float, bool] | None:
    """The chance, stated by a shot's event, of a contact with the disc that it passed according to
    the truth, and whether they touched; None if the truth names no disc, or the disc was not read.
    """
    near = true_shot.get("near_pass")
    if near is None:
        return None
    lay = next(disc for disc in true_shot["before"] if disc["id"] == near["id"])
    away_mm = math.hypot(lay["x"], lay["y"])
    opponents = [disc for disc in shot["before"] if disc["team"] != shot["team"]]
    off = {
        opponent["id"]: abs(math.hypot(opponent["x_mm"], opponent["y_mm"]) - away_mm)
        for opponent in opponents
    }
    name = min(off, key=lambda index: off[index], default=None)
    if name is None or off[name] > _SAME_MM:
        return None
    evidence = shot["evidence"]
    chances = [
        passing["p_contact"] for passing in evidence["near_passes"] if passing["still"] == name
    ]
    plain = 1.0 if name in evidence["moved_mm"] else 0.0
    return max(chances, default=plain), near["gap_mm"] < 0
