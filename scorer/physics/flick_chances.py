"""The chance that an opponent's disc was touched, by flicks drawn around those that were fitted.

Knows importance sampling: numbers are drawn as the fits' own shape says, run, and weighted by how
well they account for what was seen. So a graze that moves no disc by more than noise, and a flick
that only must reach the ditch, get the chance that they deserve. Refuses to know how flicks are
found.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorer.physics.flick_fit import Fitted
from scorer.physics.flick_model import (
    CLOCK,
    CLOCK_UNIT,
    DIRECTION,
    DIRECTION_UNIT,
    SPEED,
    SPEED_UNIT,
    FlickModel,
    Flicks,
)
from scorer.physics.flick_odds import Scales, touches
from scorer.physics.flick_search import SPEEDS_MM_S

FloatArray = NDArray[np.float64]

#: Flicks drawn around each fit.
_DRAWN = 300
#: With fewer flicks than this that matter, the fits themselves are all that can be said.
_FEWEST = 10.0
#: Flicks of new orders of contacts that are fitted; how bad they are yet says little.
_MOST_NEW = 24
#: A whole turn in the unit of directions.
_TURN = 2 * math.pi / DIRECTION_UNIT


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """Flicks drawn around fits: their costs are -2 ln of how probable what was seen is.

    log_density (n,) is ln of the density they were drawn from; touching (n,) an opponent's disc
    """

    flicks: Fitted
    log_density: FloatArray
    touching: NDArray[np.bool_]

    def touching_chance(self) -> float | None:
        """The chance that an opponent's disc was touched; None when too few flicks tell."""
        log_weight = -0.5 * self.flicks.costs - self.log_density
        if not np.isfinite(log_weight).any():
            return None
        weight = np.exp(log_weight - log_weight.max())
        if weight.sum() ** 2 / (weight**2).sum() < _FEWEST:
            return None
        return float(weight[self.touching].sum() / weight.sum())

    def new_orders(self, known: Fitted) -> Fitted:
        """The likeliest flick of each order of contacts that no known one has."""
        seen = {each.tobytes() for each in known.contacts}
        costs = self.flicks.costs
        chosen: list[int] = []
        for k in np.argsort(costs, kind="stable").tolist():
            if not math.isfinite(costs[k]) or len(chosen) == _MOST_NEW:
                break
            key = self.flicks.contacts[k].tobytes()
            if key not in seen:
                seen.add(key)
                chosen.append(k)
        return self.flicks.chosen(np.array(chosen, dtype=np.int64))


def drawn_around(
    scales: Scales,
    fits: Fitted,
    slopes: FloatArray,
    active: NDArray[np.int64],
    rng: np.random.Generator,
) -> Drawn:
    """Flicks drawn around fits (k,), whose slopes are (k, d + m, 2, active)."""
    centres = _absolute(fits)[:, active]
    flat = slopes.reshape(len(slopes), -1, len(active))
    shapes = np.swapaxes(flat, 1, 2) @ flat + np.diag(scales.pull[active])
    roots = np.asarray(np.linalg.cholesky(shapes), dtype=np.float64)
    noise = rng.normal(0, 1, (len(centres), len(active), _DRAWN))
    around = np.asarray(np.linalg.solve(np.swapaxes(roots, 1, 2), noise))
    drawn = (centres[:, :, None] + around).transpose(0, 2, 1).reshape(-1, len(active))
    flicks, touching = _seen(scales, drawn, active)
    density = _log_density(drawn, centres, roots, active)
    return Drawn(flicks=flicks, log_density=density, touching=touching)


def _absolute(fits: Fitted) -> FloatArray:
    """The fits' numbers (k, size), the free ones counted from nought instead of from each flick."""
    whole = fits.theta.copy()
    whole[:, DIRECTION] += fits.flicks.directions / DIRECTION_UNIT
    whole[:, SPEED] += fits.flicks.log_speeds / SPEED_UNIT
    whole[:, CLOCK] += fits.flicks.clocks_s / CLOCK_UNIT
    return whole


def _seen(
    scales: Scales, drawn: FloatArray, active: NDArray[np.int64]
) -> tuple[Fitted, NDArray[np.bool_]]:
    """The flicks drawn, with -2 ln of how probable what was seen is, and which touch."""
    model: FlickModel = scales.model
    theta = np.repeat(model.start[None], len(drawn), axis=0)
    theta[:, active] = drawn
    flicks = Flicks(
        directions=DIRECTION_UNIT * theta[:, DIRECTION],
        log_speeds=SPEED_UNIT * theta[:, SPEED],
        clocks_s=CLOCK_UNIT * theta[:, CLOCK],
    )
    theta[:, [DIRECTION, SPEED, CLOCK]] = 0.0
    residuals = model.residuals(flicks, theta)
    squares = residuals.squares
    points = scales.log_points(squares[:, model.discs :]).sum(axis=1)
    log_seen = points - 0.5 * squares[:, : model.discs].sum(axis=1)
    log_seen = log_seen - 0.5 * (theta[:, model.held] ** 2).sum(axis=1)
    slow, fast = np.log(SPEEDS_MM_S)
    possible = (flicks.log_speeds > slow) & (flicks.log_speeds < fast)
    found = Fitted(
        flicks=flicks,
        theta=theta,
        costs=np.where(possible, -2 * log_seen, np.inf),
        contacts=residuals.outcomes.contacts,
    )
    return found, touches(model, residuals, np.arange(len(drawn)))


def _log_density(
    drawn: FloatArray, centres: FloatArray, roots: FloatArray, active: NDArray[np.int64]
) -> FloatArray:
    """ln of the density (n,) from which the numbers were drawn, all fits together."""
    away = drawn[None] - centres[:, None]
    turning = int(np.flatnonzero(active == DIRECTION)[0])
    away[:, :, turning] -= _TURN * np.round(away[:, :, turning] / _TURN)
    white = away @ roots
    volume = np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1)
    each = volume[:, None] - 0.5 * (white**2).sum(axis=2)
    return np.asarray(np.logaddexp.reduce(each, axis=0))
