"""Flicks that graze a disc on the way to the likeliest flick's result, as starts for more fits.

A graze that moves a disc by little more than noise still deflects the flick. So the flick must
start in another direction than one that misses, and the window of such directions is too narrow for
random search or for samples around the missing flick. Here flicks are aimed at all discs beside the
first leg, at depths over three decades, and the best are kept. A graze after a bounce is missed.
"""

from __future__ import annotations

import math

import numpy as np

from calibration.numerics.arrays import FloatArray
from calibration.parameters import StageParameters, parameter
from scorer.physics.inverse.flick_fit import FlickFits, robust_cost
from scorer.physics.inverse.flick_model import (
    DIRECTION,
    DIRECTION_UNIT,
    SPEED,
    SPEED_UNIT,
    FlickModel,
)


class GrazeStartsParameters(StageParameters):
    """Parameters of ``graze_starts``."""

    #: Depths tried: smallest, largest, and number.
    depths_mm: tuple[float, float, int] = parameter(
        (0.003, 3.0, 28), unit="mm", source="chosen: discs at 1 m/s are moved by 0.1 to 100 mm"
    )
    #: Speeds tried, relative to the likeliest flick's: a graze takes some of the speed.
    speeds: tuple[float, ...] = parameter(
        (0.98, 1.0, 1.02, 1.05, 1.1),
        unit="ratio",
        source="chosen: a graze takes away at most 10 % of the speed",
    )
    #: A graze turns a flick by less than this.
    most_turn_rad: float = parameter(
        0.35,
        unit="rad",
        source="chosen: a graze 1 mm deep deflects a disc by this; the search finds deeper ones",
    )
    #: Starts kept for each disc and side, and in total.
    kept: int = parameter(2, unit="", source="chosen for the time that a fit takes")
    most_grazes: int = parameter(5, unit="", source="chosen for the time that a fit takes")
    #: Robust scale for comparing the starts.
    scale: float = parameter(15.0, unit="σ", source="chosen: the scale of the second stage of fits")


PARAMS = GrazeStartsParameters()


def aim_at_grazes(model: FlickModel, likeliest: FlickFits) -> list[FlickFits]:
    """Flicks that graze discs beside the first legs of the likeliest ones; perhaps none."""
    found = []
    for k in range(len(likeliest.costs)):
        flick = likeliest.select_rows(np.array([k]))
        shot = model.shots(flick.theta)[0]
        for disc in range(1, model.discs):
            for side in (-1.0, 1.0):
                aims = _aim(model, shot[:2], disc, side)
                turn = (aims - shot[3] + math.pi) % (2 * math.pi) - math.pi
                aims = aims[np.abs(turn) < PARAMS.most_turn_rad]
                if len(aims):
                    found.append(_keep_best(model, flick, aims, float(shot[2])))
    return sorted(found, key=lambda fits: float(fits.costs[0]))[: PARAMS.most_grazes]


def _aim(model: FlickModel, place_mm: FloatArray, disc: int, side: float) -> FloatArray:
    """Directions (n,) from a place (2,) that graze a disc on one side, at every depth."""
    off = model.pair.before_mm[disc] - place_mm
    away_mm = float(np.hypot(off[0], off[1]))
    least, most, count = PARAMS.depths_mm
    miss_mm = 2 * model.table.disc.radius_mm - np.geomspace(least, most, count)
    return math.atan2(off[1], off[0]) + side * np.arcsin(np.minimum(miss_mm / away_mm, 1.0))


def _keep_best(
    model: FlickModel, likeliest: FlickFits, aims: FloatArray, speed_mm_s: float
) -> FlickFits:
    """The best of these directions, at any of the speeds."""
    directions, shares = (axis.ravel() for axis in np.meshgrid(aims, np.array(PARAMS.speeds)))
    theta = np.repeat(likeliest.theta, len(directions), axis=0)
    theta[:, DIRECTION] = directions / DIRECTION_UNIT
    theta[:, SPEED] = np.log(speed_mm_s * shares) / SPEED_UNIT
    residuals = model.residuals(theta)
    costs = robust_cost(model, residuals, theta, PARAMS.scale)
    best = np.argsort(costs, kind="stable")[: PARAMS.kept]
    every = FlickFits(theta=theta, costs=costs, contacts=residuals.outcomes.contacts)
    return every.select_rows(best)
