"""Evolutionary search for flicks, for shots in which a few contacts magnify errors too much for
least squares.

It is an evolution strategy without recombination. Flicks have children with small changes of all
parameters, including nuisance parameters, and the best of them are the next parents. The tolerance
of a disc's place shrinks with the generations. Only a limited number per order of contacts and per
parent survive (niching), so no local optimum takes over.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.numerics.arrays import FloatArray
from calibration.parameters import StageParameters, parameter
from scorer.physics.inverse.flick_fit import FlickFits, init_fits
from scorer.physics.inverse.flick_model import (
    DIRECTION,
    DIRECTION_UNIT,
    FREE,
    SPEED,
    SPEED_UNIT,
    FlickModel,
    Residuals,
)
from scorer.physics.inverse.random_search import FIRST_CONTACTS, select_diverse


class EvolutionarySearchParameters(StageParameters):
    """Parameters of ``evolutionary_search``."""

    generations: int = parameter(8, unit="", source="chosen for the time that a search takes")
    parents: int = parameter(400, unit="", source="chosen for the time that a search takes")
    #: Children of each parent.
    children: int = parameter(20, unit="", source="chosen for the time that a search takes")
    #: Largest number of parents with the same first contacts.
    of_one_order: int = parameter(
        8, unit="", source="chosen: at least 50 orders of contacts survive"
    )
    #: Largest number of parents with the same parent.
    of_one_parent: int = parameter(
        3, unit="", source="chosen: with this limit, at least 134 lines of descent survive"
    )
    #: Misfit at which a disc counts as half explained in the first generation.
    far_mm: float = parameter(
        12.0, unit="mm", source="the same as in the first round of ``random_search``"
    )
    #: The same in the last generation.
    near_mm: float = parameter(
        3.0, unit="mm", source="chosen: three sigmas of the difference of two places of 0.7 mm each"
    )
    #: One sigma of the largest step of direction.
    direction_step_rad: float = parameter(
        0.01, unit="rad", source="chosen: about the first step of ``random_search``"
    )
    #: One sigma of the largest step of the logarithm of speed.
    log_speed_step: float = parameter(
        0.02, unit="", source="chosen: about the first step of ``random_search``"
    )
    #: One sigma of the largest step of parameters that have spreads.
    number_step: float = parameter(
        0.5,
        unit="σ",
        source="chosen: four such steps lead from one end of the likely range to the other",
    )
    #: Most steps are smaller, uniform in their logarithm, down to this share of the largest.
    smallest_step: float = parameter(
        0.03, unit="", source="chosen: changes a shot by less than the noise of a disc's position"
    )
    #: Cost of a disc in another state than seen.
    state_mismatch: float = parameter(
        5.0,
        unit="",
        source="chosen: the cost of a disc 3.3 tolerances off: 40 mm at first, 10 mm at last",
    )
    #: Weight of the squared parameters that have spreads in the cost.
    prior_weight: float = parameter(
        0.25,
        unit="",
        source="chosen below 1, because misfits count by their logarithms, which are smaller "
        "than squares",
    )


PARAMS = EvolutionarySearchParameters()


def evolve_flicks(model: FlickModel, flicks: FloatArray, rng: np.random.Generator) -> FlickFits:
    """The last generation, best first; its costs are the search's, not chi squared."""
    found = init_fits(flicks)
    for far_mm in np.geomspace(PARAMS.far_mm, PARAMS.near_mm, PARAMS.generations).tolist():
        found = _next_generation(model, found, far_mm, rng)
    return found


def _next_generation(
    model: FlickModel, parents: FlickFits, far_mm: float, rng: np.random.Generator
) -> FlickFits:
    """The best of all children; the first child of a parent is the parent itself."""
    parent = np.repeat(np.arange(len(parents.costs)), PARAMS.children)
    theta = _mutate(model, parents.theta[parent], rng)
    residuals = model.residuals(theta)
    prior_squares = theta[:, model.held] ** 2
    cost = _compute_costs(model, residuals, far_mm)
    cost = cost + PARAMS.prior_weight * prior_squares.sum(axis=1)
    first = residuals.outcomes.contacts[:, :FIRST_CONTACTS]
    niches: list[tuple[NDArray[Any], int]] = [
        (first, PARAMS.of_one_order),
        (parent, PARAMS.of_one_parent),
    ]
    chosen = select_diverse(np.argsort(cost, kind="stable"), niches, PARAMS.parents)
    return FlickFits(
        theta=theta[chosen],
        costs=cost[chosen],
        contacts=residuals.outcomes.contacts[chosen],
    )


def _mutate(model: FlickModel, parents: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Numbers (n, size) of children at steps of all sizes from their parents'."""
    theta, count = parents.copy(), len(parents)
    size = np.exp(rng.uniform(np.log(PARAMS.smallest_step), 0, count))
    size[:: PARAMS.children] = 0.0
    steps = rng.normal(0, 1, (count, 2)) * size[:, None]
    columns = np.array(
        [column for column in model.active_columns(model.moved) if column not in FREE]
    )
    # Steps that preserve the prior's spread.
    step = PARAMS.number_step * size[:, None]
    theta[:, columns] *= np.sqrt(1 - step**2)
    theta[:, columns] += step * rng.normal(0, 1, (count, len(columns)))
    theta[:, DIRECTION] += PARAMS.direction_step_rad / DIRECTION_UNIT * steps[:, 0]
    theta[:, SPEED] += PARAMS.log_speed_step / SPEED_UNIT * steps[:, 1]
    return theta


def _compute_costs(model: FlickModel, residuals: Residuals, far_mm: float) -> FloatArray:
    """Costs (n,) of flicks by their misfit: one exact disc is better than two half wrong."""
    away = residuals.squares
    away[:, : model.discs] *= model.noise_mm**2
    away[:, model.discs :] *= model.track.sigmas_mm**2
    away[:, : model.discs][residuals.state_mismatches] = 0.0
    squares = np.log1p(away / far_mm**2)
    squares[:, model.discs :] *= model.track_point_weight
    return np.asarray(
        2 * squares.sum(axis=1) + PARAMS.state_mismatch * residuals.state_mismatches.sum(axis=1)
    )
