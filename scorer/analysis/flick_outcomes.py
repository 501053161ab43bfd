"""Other likely outcomes of a flick within the player's scatter, by frequency.

Monte Carlo as in ``best_shots``, from a fixed seed. Repeats form one outcome if the shooter's disc
scores the same points and equally many own and opponent's discs are lost. The repeat nearest to the
flick itself represents it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.numerics.arrays import FloatArray
from scorer.analysis.best_shots import PARAMS
from scorer.analysis.judge_many import BoardToShoot, judge_many, zone_values
from scorer.physics import kernels
from scorer.physics.engine import simulate_many
from scorer.physics.scene import TableSpec
from scorer.physics.skills import Skill
from scorer.rules.sets import RuleSet


@dataclass(frozen=True, slots=True, kw_only=True)
class FlickOutcome:
    """One possible outcome of a flick.

    share      of the repeats
    points     the zone value of the shooter's disc; None if it left the board
    lost       number of opponent's discs that left the board; own_lost: of other own discs
    is_foul    by the rules in force; the discs are at their resting places
    places_mm  (d, 2), and states (d,), of the repeat that represents it
    """

    share: float
    points: int | None
    lost: int
    own_lost: int
    is_foul: bool
    places_mm: FloatArray
    states: NDArray[np.int8]


def list_outcomes(
    table: TableSpec,
    places_mm: FloatArray,
    own: NDArray[np.bool_],
    shot: FloatArray,
    skill: Skill,
    rules: RuleSet,
) -> tuple[FlickOutcome, ...]:
    """The outcomes of a flick of disc 0, the most frequent first; arguments as for ``forecast``."""
    rng = np.random.default_rng(0)
    repeats = PARAMS.repeats
    scatter = rng.normal(0.0, 1.0, (repeats, 3))
    scatter = scatter[np.argsort(np.linalg.norm(scatter, axis=1), kind="stable")]
    shots = np.repeat(np.asarray(shot, dtype=np.float64)[None], repeats, axis=0)
    shots[:, 2] *= np.exp(skill.speed_ratio * scatter[:, 0])
    shots[:, 3] += skill.aim_mrad * 1e-3 * scatter[:, 1]
    shots[:, 4] += skill.spin_rad_s * scatter[:, 2]
    result = simulate_many(table, places_mm, shots)
    gone = result.states == kernels.DITCH
    board = BoardToShoot(table=table, places_mm=places_mm, own=own)
    points = np.where(gone[:, 0], -1, zone_values(board, result)[:, 0]).astype(int)
    lost = (gone & ~own[None]).sum(axis=1)
    own_lost = (gone[:, 1:] & own[None, 1:]).sum(axis=1)
    fouls = judge_many(board, rules, shots[:, :2], result).is_foul
    kinds = list(
        zip(points.tolist(), lost.tolist(), own_lost.tolist(), fouls.tolist(), strict=True)
    )
    return tuple(
        FlickOutcome(
            share=count / repeats,
            points=None if kind[0] < 0 else kind[0],
            lost=kind[1],
            own_lost=kind[2],
            is_foul=kind[3],
            places_mm=result.places_mm[kinds.index(kind)],
            states=result.states[kinds.index(kind)],
        )
        for kind, count in Counter(kinds).most_common()
    )
