"""Evolutionary search for flicks, where few contacts magnify errors beyond least squares.

Knows generations: every flick has children a little aside in all its numbers, also in those that
least squares would fit along, and the best of them are the next parents. How far off a disc may end
shrinks with the generations. So that no local optimum takes the whole place, only so many of each
order of contacts and of each parent live on. Refuses to know least squares.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from scorer.physics.inverse.flick_fit import FlickFits, init_fits
from scorer.physics.inverse.flick_model import FREE, FlickBatch, FlickModel, Residuals
from scorer.physics.inverse.random_search import FIRST_CONTACTS

FloatArray = NDArray[np.float64]

#: Generations, parents of each, children of each parent.
_GENERATIONS, _PARENTS, _CHILDREN = 8, 400, 20
#: Parents at most that share their first contacts, or their own parent.
_OF_ONE_ORDER, _OF_ONE_PARENT = 8, 3
#: How far off half explains a disc, in the first and in the last generation, mm.
_FAR_MM, _NEAR_MM = 12.0, 3.0
#: Largest step of direction (rad), ln speed and the numbers with spreads; most steps are smaller,
#: down to this part of it.
_DIRECTION, _SPEED, _NUMBER, _SMALLEST = 0.01, 0.02, 0.5, 0.03
#: Cost of a disc in another state than seen, and weight of the prior's pulls in the cost.
_STATE_MISMATCH, _PRIOR_WEIGHT = 5.0, 0.25


def evolve_flicks(model: FlickModel, flicks: FlickBatch, rng: np.random.Generator) -> FlickFits:
    """The last generation, best first; costs are those of the search."""
    found = init_fits(model, flicks)
    for far_mm in np.geomspace(_FAR_MM, _NEAR_MM, _GENERATIONS).tolist():
        found = _next_generation(model, found, far_mm, rng)
    return found


def _next_generation(
    model: FlickModel, parents: FlickFits, far_mm: float, rng: np.random.Generator
) -> FlickFits:
    """The best children of all; the first of each parent is the parent itself."""
    parent = np.repeat(np.arange(len(parents.costs)), _CHILDREN)
    children = _mutate(model, parents.chosen(parent), rng)
    residuals = model.residuals(children.flicks, children.theta)
    prior_squares = children.theta[:, model.held] ** 2
    cost = _compute_costs(model, residuals, far_mm) + _PRIOR_WEIGHT * prior_squares.sum(axis=1)
    order = np.argsort(cost, kind="stable")
    chosen = _select_diverse(residuals, parent, order)
    return FlickFits(
        flicks=children.flicks.chosen(chosen),
        theta=children.theta[chosen],
        costs=cost[chosen],
        contacts=residuals.outcomes.contacts[chosen],
    )


def _mutate(model: FlickModel, children: FlickFits, rng: np.random.Generator) -> FlickFits:
    """Children a little aside from their parents, by steps of all sizes."""
    count = len(children.costs)
    size = np.exp(rng.uniform(np.log(_SMALLEST), 0, count))
    size[::_CHILDREN] = 0.0
    flicks, theta = children.flicks, children.theta.copy()
    steps = rng.normal(0, 1, (count, 2)) * size[:, None]
    columns = np.array([each for each in model.active_columns(model.moved) if each not in FREE])
    # Steps that leave the spread of what is held as it is.
    step = _NUMBER * size[:, None]
    theta[:, columns] *= np.sqrt(1 - step**2)
    theta[:, columns] += step * rng.normal(0, 1, (count, len(columns)))
    return FlickFits(
        flicks=FlickBatch(
            directions=flicks.directions + _DIRECTION * steps[:, 0],
            log_speeds=flicks.log_speeds + _SPEED * steps[:, 1],
            clocks_s=flicks.clocks_s,
        ),
        theta=theta,
        costs=children.costs,
        contacts=children.contacts,
    )


def _compute_costs(model: FlickModel, residuals: Residuals, far_mm: float) -> FloatArray:
    """Logarithms, so that one disc right and one far off is worth more than both half off."""
    away = residuals.squares
    away[:, : model.discs] *= model.noise_mm**2
    if model.track is not None:
        away[:, model.discs :] *= model.track.sigmas_mm**2
    away[:, : model.discs][residuals.state_mismatches] = 0.0
    each = np.log1p(away / far_mm**2)
    if model.track is not None:
        each[:, model.discs :] *= model.track_point_weight
    return np.asarray(
        2 * each.sum(axis=1) + _STATE_MISMATCH * residuals.state_mismatches.sum(axis=1)
    )


def _select_diverse(
    residuals: Residuals, parent: NDArray[np.int64], order: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The first in that order, of each order of contacts and of each parent only so many."""
    first = residuals.outcomes.contacts[:, :FIRST_CONTACTS].reshape(len(parent), -1)
    of_order: Counter[bytes] = Counter()
    of_parent: Counter[int] = Counter()
    chosen: list[int] = []
    for k in order.tolist():
        key = first[k].tobytes()
        if of_order[key] >= _OF_ONE_ORDER or of_parent[parent[k]] >= _OF_ONE_PARENT:
            continue
        of_order[key] += 1
        of_parent[parent[k]] += 1
        chosen.append(k)
        if len(chosen) == _PARENTS:
            break
    return np.array(chosen)
