"""Evolutionary search for flicks, where few contacts magnify errors beyond least squares.

Knows generations: every flick has children a little aside in all its numbers, also in those that
least squares would fit along, and the best of them are the next parents. How far off a disc may end
shrinks with the generations. So that no local optimum takes the whole place, only so many of each
order of contacts and of each parent live on. Refuses to know least squares.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from calibration.parameters import StageParameters, parameter
from scorer.physics.inverse.flick_fit import FlickFits, init_fits
from scorer.physics.inverse.flick_model import FREE, FlickBatch, FlickModel, Residuals
from scorer.physics.inverse.random_search import FIRST_CONTACTS

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvolutionarySearchParameters(StageParameters):
    """What ``evolutionary_search`` takes for granted."""

    stage: ClassVar[str] = "physics.inverse.evolutionary_search"

    #: Generations, parents of each, children of each parent.
    generations: int = parameter(8, unit="", source="")
    parents: int = parameter(400, unit="", source="")
    children: int = parameter(20, unit="", source="")
    #: Parents at most that share their first contacts, or their own parent.
    of_one_order: int = parameter(8, unit="", source="")
    of_one_parent: int = parameter(3, unit="", source="")
    #: How far off half explains a disc, in the first and in the last generation, mm.
    far_mm: float = parameter(12.0, unit="mm", source="")
    near_mm: float = parameter(3.0, unit="mm", source="")
    #: Largest step of direction (rad), ln speed and the numbers with spreads; most steps are
    #: smaller, down to this part of it.
    direction: float = parameter(0.01, unit="", source="")
    speed: float = parameter(0.02, unit="", source="")
    number: float = parameter(0.5, unit="", source="")
    smallest: float = parameter(0.03, unit="", source="")
    #: Cost of a disc in another state than seen, and weight of the prior's pulls in the cost.
    state_mismatch: float = parameter(5.0, unit="", source="")
    prior_weight: float = parameter(0.25, unit="", source="")


PARAMS = EvolutionarySearchParameters.active()


def evolve_flicks(model: FlickModel, flicks: FlickBatch, rng: np.random.Generator) -> FlickFits:
    """The last generation, best first; costs are those of the search."""
    found = init_fits(model, flicks)
    for far_mm in np.geomspace(PARAMS.far_mm, PARAMS.near_mm, PARAMS.generations).tolist():
        found = _next_generation(model, found, far_mm, rng)
    return found


def _next_generation(
    model: FlickModel, parents: FlickFits, far_mm: float, rng: np.random.Generator
) -> FlickFits:
    """The best children of all; the first of each parent is the parent itself."""
    parent = np.repeat(np.arange(len(parents.costs)), PARAMS.children)
    children = _mutate(model, parents.chosen(parent), rng)
    residuals = model.residuals(children.flicks, children.theta)
    prior_squares = children.theta[:, model.held] ** 2
    cost = _compute_costs(model, residuals, far_mm) + PARAMS.prior_weight * prior_squares.sum(
        axis=1
    )
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
    size = np.exp(rng.uniform(np.log(PARAMS.smallest), 0, count))
    size[:: PARAMS.children] = 0.0
    flicks, theta = children.flicks, children.theta.copy()
    steps = rng.normal(0, 1, (count, 2)) * size[:, None]
    columns = np.array([each for each in model.active_columns(model.moved) if each not in FREE])
    # Steps that leave the spread of what is held as it is.
    step = PARAMS.number * size[:, None]
    theta[:, columns] *= np.sqrt(1 - step**2)
    theta[:, columns] += step * rng.normal(0, 1, (count, len(columns)))
    return FlickFits(
        flicks=FlickBatch(
            directions=flicks.directions + PARAMS.direction * steps[:, 0],
            log_speeds=flicks.log_speeds + PARAMS.speed * steps[:, 1],
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
        2 * each.sum(axis=1) + PARAMS.state_mismatch * residuals.state_mismatches.sum(axis=1)
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
        if of_order[key] >= PARAMS.of_one_order or of_parent[parent[k]] >= PARAMS.of_one_parent:
            continue
        of_order[key] += 1
        of_parent[parent[k]] += 1
        chosen.append(k)
        if len(chosen) == PARAMS.parents:
            break
    return np.array(chosen)
