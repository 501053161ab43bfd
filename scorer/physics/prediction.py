"""What a flick of a player's skill is likely to do, and which flicks are best on a given board.

Monte Carlo: a flick is repeated with the player's scatter and the hole's, from a fixed seed. The
best are sought at random, then by repeats, so that a lucky one is found out. Of the rules only the
points by zone and the foul of touching no opponent's disc are counted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from calibration.parameters import StageParameters, parameter
from scorer.physics import kernels
from scorer.physics.engine import BatchResult, parameter_vector, simulate_many
from scorer.physics.scene import TableSpec

FloatArray = NDArray[np.float64]

#: What discs are worth, as in ``scorer.zones``, which the physics stand beside and do not import:
#: in the hole, and clear inside the 15-, the 10- and the 5-line.
_TWENTY, _ZONES = 20, (15, 10, 5)


class PredictionParameters(StageParameters):
    """What ``prediction`` takes for granted."""

    stage: ClassVar[str] = "physics.prediction"

    #: Flicks tried at random, without scatter.
    tried: int = parameter(6000, unit="", source="chosen for the time that advice takes")
    #: Flicks forecast in full; ten times as many are forecast roughly before.
    kept: int = parameter(60, unit="", source="chosen for the time that advice takes")
    #: Repeats of a flick with the player's scatter, roughly and in full.
    rough_repeats: int = parameter(20, unit="", source="binomial: a chance within 0.11, one sigma")
    repeats: int = parameter(300, unit="", source="binomial: a chance within 0.03, one sigma")
    #: Spread of the hole's capture speed, relative.
    capture_spread: float = parameter(
        0.1, unit="", source="half of PhysicsSpec.hole_capture_doubt, taken as two sigmas"
    )
    #: Speeds tried.
    speeds_mm_s: tuple[float, float] = parameter(
        (500.0, 3200.0), unit="mm/s", source="usual flicks are 800 to 3000 mm/s, and some more"
    )
    #: How far to each side of the board's centre a shooter may aim.
    fan_rad: float = parameter(1.2, unit="rad", source="chosen: flatter flicks leave soon")
    #: Flicks advised point at least this far apart.
    min_separation_rad: float = parameter(
        math.radians(3), unit="rad", source="chosen: so that advice differs for a person"
    )


PARAMS = PredictionParameters.active()


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """One sigma of a player's flick: direction in mrad, speed relative, angular speed in rad/s.

    The defaults are assumed: an experienced player's, not measured.
    """

    aim_mrad: float = 10.0
    speed_ratio: float = 0.06
    spin_rad_s: float = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """What a flick is likely to do.

    twenty   chance that an own disc falls into the hole
    stays    chance that the shooter's disc ends on the board or in the hole
    foul     chance that an opponent's disc had to be touched and was not
    points   expected own points less the opponent's, after the shot
    """

    shot: FloatArray
    twenty: float
    stays: float
    foul: float
    points: float


def forecast(
    table: TableSpec,
    places_mm: FloatArray,
    own: NDArray[np.bool_],
    shot: FloatArray,
    skill: Skill,
    *,
    repeats: int = PARAMS.repeats,
) -> Forecast:
    """The likely outcome of a flick of disc 0, the same for the same input.

    places_mm  (d, 2), the shooter's first
    own        (d,) whether a disc is of the shooter's side
    shot       (5,): place in mm, speed in mm/s, direction in rad, spin in rad/s
    """
    rng = np.random.default_rng(0)
    shots = np.repeat(np.asarray(shot, dtype=np.float64)[None], repeats, axis=0)
    shots[:, 2] *= np.exp(rng.normal(0, skill.speed_ratio, repeats))
    shots[:, 3] += rng.normal(0, skill.aim_mrad * 1e-3, repeats)
    shots[:, 4] += rng.normal(0, skill.spin_rad_s, repeats)
    parameters = np.repeat(parameter_vector(table)[None], repeats, axis=0)
    parameters[:, kernels.CAPTURE_SPEED] *= np.exp(rng.normal(0, PARAMS.capture_spread, repeats))
    result = simulate_many(table, places_mm, shots, parameters=parameters)
    made_twenty = _find_sunk_discs(table, places_mm, result)
    foul = find_fouls(own, result)
    return Forecast(
        shot=shot,
        twenty=float((made_twenty & own[None]).any(axis=1).mean()),
        stays=float((result.states[:, 0] != kernels.DITCH).mean()),
        foul=float(foul.mean()),
        points=float(_compute_gains(table, own, result, foul).mean()),
    )


def advise(
    table: TableSpec,
    others_mm: FloatArray,
    others_own: NDArray[np.bool_],
    start_mm: FloatArray,
    skill: Skill,
    *,
    count: int = 3,
) -> tuple[Forecast, ...]:
    """At most ``count`` flicks from a place (2,), best first, on a board of other discs (d, 2).

    Best by expected gain in points; ``others_own`` (d,) says which discs are the shooter's side's.
    """
    rng = np.random.default_rng(0)
    places = np.concatenate([start_mm[None], others_mm.reshape(-1, 2)])
    own = np.concatenate([[True], others_own])
    to_centre_rad = math.atan2(-start_mm[1], -start_mm[0])
    shots = np.zeros((PARAMS.tried, 5))
    shots[:, :2] = start_mm
    shots[:, 2] = rng.uniform(*PARAMS.speeds_mm_s, PARAMS.tried)
    shots[:, 3] = to_centre_rad + rng.uniform(-PARAMS.fan_rad, PARAMS.fan_rad, PARAMS.tried)
    result = simulate_many(table, places, shots)
    gains = _compute_gains(table, own, result, find_fouls(own, result))
    best = np.argsort(-gains, kind="stable")[: 10 * PARAMS.kept]
    # Lucky ones are found out by a few repeats, and only the lasting are repeated in full.
    rough = [
        forecast(table, places, own, shots[k], skill, repeats=PARAMS.rough_repeats) for k in best
    ]
    rough.sort(key=lambda each: -each.points)
    close = [forecast(table, places, own, each.shot, skill) for each in rough[: PARAMS.kept]]
    close.sort(key=lambda each: -each.points)
    chosen: list[Forecast] = []
    for each in close:
        if len(chosen) < count and all(
            abs(each.shot[3] - other.shot[3]) > PARAMS.min_separation_rad for other in chosen
        ):
            chosen.append(each)
    return tuple(chosen)


def _find_sunk_discs(
    table: TableSpec, places_mm: FloatArray, result: BatchResult
) -> NDArray[np.bool_]:
    """Which discs (n, d) fell into the hole."""
    away = np.hypot(*(places_mm - np.asarray(table.board.hole_centre_mm)).T)
    was_in_hole = away < table.tip_radius_mm
    return np.asarray((result.states == kernels.IN_HOLE) & ~was_in_hole[None])


def find_fouls(own: NDArray[np.bool_], result: BatchResult) -> NDArray[np.bool_]:
    """Which shots (n,) touch no opponent's disc although there is one."""
    theirs = np.flatnonzero(~own)
    if not len(theirs):
        return np.zeros(len(result.counts), dtype=np.bool_)
    kept = np.arange(result.contacts.shape[1])[None] < result.counts[:, None]
    met = np.isin(result.contacts, theirs).any(axis=2) & kept
    return np.asarray(~met.any(axis=1))


def _compute_gains(
    table: TableSpec, own: NDArray[np.bool_], result: BatchResult, foul: NDArray[np.bool_]
) -> FloatArray:
    """Own points less the opponent's (n,), the shooter's disc taken off after a foul."""
    points = score_discs(table, result)
    points[foul, 0] = 0.0
    return np.asarray(points @ np.where(own, 1.0, -1.0))


def score_discs(table: TableSpec, result: BatchResult) -> FloatArray:
    """Points of every disc (n, d); a line that the contact edge touches gives the lower zone."""
    board = table.board
    points = np.zeros(result.states.shape)
    for line in (2, 1, 0):
        inside = board.inside_line_mm(line, result.places_mm.reshape(-1, 2))
        clear = inside > board.line_width_mm / 2 + table.disc.contact_radius_mm
        points[clear.reshape(points.shape)] = _ZONES[line]
    points[result.states == kernels.IN_HOLE] = _TWENTY
    points[result.states == kernels.DITCH] = 0.0
    return points
