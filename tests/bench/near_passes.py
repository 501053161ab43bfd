"""Calibration of the probability of a contact, for discs seen to pass another disc closely.

Passes with gaps evenly spread around touching are simulated, seen frame by frame with the assumed
noise of paths, and judged by ``scorer.physics.inverse.graze_probability``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from calibration.board import BoardSpec
from scorer.physics.engine import parameter_vector, simulate_tracked
from scorer.physics.inverse.graze_probability import (
    NearPass,
    PassObservation,
    StillDisc,
    estimate_near_pass,
)
from scorer.physics.parameters import PhysicsSpec
from scorer.physics.scene import TableSpec

#: Range of gaps around touching, mm, speed of the discs, and the distance from which they come.
_GAP_MM, _SPEEDS_MM_S, _AWAY_MM = 2.0, (300.0, 1300.0), (130.0, 240.0)
#: Noise of a single position, of all positions together, and of a disc's displacement, mm.
_PLACE_MM, _COMMON_MM, _MOVED_MM = 0.6, 0.4, 0.1
#: Number of frames seen, and their interval, s.
_FRAMES, _FRAME_S = 12, 1 / 30
#: Position of the disc at rest, on a board without posts, so that it is the only obstacle.
_STILL_MM = (0.0, -60.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SeenPass:
    """A simulated pass as a camera sees it, with its true gap (below 0: they touched)."""

    seen: PassObservation
    still: StillDisc
    gap_mm: float
    true_moved_mm: float

    def estimate(self) -> NearPass:
        """The estimate for this pass."""
        table = TableSpec()
        found = estimate_near_pass(self.seen, self.still, table.disc.radius_mm, table.physics)
        if found is None:
            raise RuntimeError("a pass of the bench shows too few places: its bounds are wrong")
        return found


def simulate_pass(rng: np.random.Generator, gap_mm: float | None = None) -> SeenPass:
    """A pass with the given gap, or with a random gap around touching."""
    gap = float(rng.uniform(-_GAP_MM, _GAP_MM)) if gap_mm is None else gap_mm
    physics = PhysicsSpec(friction=0.1 * math.exp(rng.normal(0, 0.2)))
    table = TableSpec(board=BoardSpec(post_count=0), physics=physics)
    away_mm, speed = float(rng.uniform(*_AWAY_MM)), float(rng.uniform(*_SPEEDS_MM_S))
    began = math.sqrt(speed**2 + 2 * physics.friction * physics.gravity_mm_s2 * away_mm)
    off_mm = math.copysign(2 * table.disc.radius_mm + gap, rng.uniform(-1, 1))
    boards = np.array([[[_STILL_MM[0] + off_mm, _STILL_MM[1] - away_mm], _STILL_MM]])
    shot = np.array([[*boards[0, 0], began, math.pi / 2, 0.0]])
    passing_s = 2 * away_mm / (began + speed)
    times = passing_s + (np.arange(_FRAMES) - _FRAMES / 2 + rng.uniform()) * _FRAME_S
    times = times[times > 0]
    result, places = simulate_tracked(
        table,
        boards,
        shot,
        parameters=parameter_vector(table)[None],
        discs=np.zeros(len(times), dtype=np.int64),
        times_s=times[None].astype(np.float64),
    )
    moved = result.places_mm[0, 1] - boards[0, 1]
    noise = rng.normal(0, _PLACE_MM, (len(times), 2)) + rng.normal(0, _COMMON_MM, 2)
    return SeenPass(
        seen=PassObservation(
            times_s=times,
            places_mm=places[0] + noise,
            covariances_mm2=np.tile(_PLACE_MM**2 * np.eye(2), (len(times), 1, 1)),
            common_mm2=_COMMON_MM**2 * np.eye(2),
            still_mm=np.array(_STILL_MM),
        ),
        still=StillDisc(moved_mm=moved + rng.normal(0, _MOVED_MM, 2), sigma_mm=_MOVED_MM),
        gap_mm=gap,
        true_moved_mm=float(np.hypot(*moved)),
    )
