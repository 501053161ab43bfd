"""Random search for flicks: many at once over all directions and speeds, then around the best.

Directions are drawn towards the discs that a flick may have hit (importance sampling) and
uniformly; speeds evenly in their logarithm. Only direction and speed vary here; the rest is fitted
afterwards. An explanation with a window of directions narrower than the spacing of the samples is
missed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.numerics.arrays import FloatArray
from calibration.parameters import StageParameters, parameter
from scorer.physics import kernels
from scorer.physics.inverse.flick_model import (
    CLOCK,
    CLOCK_UNIT,
    DIRECTION,
    DIRECTION_UNIT,
    SPEED,
    SPEED_UNIT,
    FlickModel,
    Residuals,
)


class RandomSearchParameters(StageParameters):
    """Parameters of ``random_search``."""

    #: Slowest and fastest flick tried.
    speeds_mm_s: tuple[float, float] = parameter(
        (150.0, 4000.0),
        unit="mm/s",
        source="chosen: from slips to hard shots; usual flicks are 800 to 3000 mm/s",
    )
    #: Number of first points of the shooter's own track that are aimed at, before it hits anything.
    most_own: int = parameter(
        4, unit="", source="chosen: few are enough, because the path is straight"
    )
    #: A disc that passes its observed place at this distance is half explained.
    pass_mm: float = parameter(8.0, unit="mm", source="chosen: four sigmas of ``track_noise_mm``")
    #: A disc that ends this far off counts as half explained in the wide search.
    far_mm: float = parameter(12.0, unit="mm", source="chosen: over a third of a disc's width")
    #: The same in the close search.
    near_mm: float = parameter(
        6.0, unit="mm", source="half of ``far_mm``, because these tries are closer"
    )
    #: Cost of a disc in a wrong state (hole, ditch, surface), in the wide search.
    state_mismatch_wide: float = parameter(
        3.5, unit="", source="chosen: the cost of a disc 68 mm off: ln(1 + (68 / far_mm)^2)"
    )
    #: The same in the close search.
    state_mismatch_close: float = parameter(
        4.5, unit="", source="chosen: the cost of a disc 57 mm off: ln(1 + (57 / near_mm)^2)"
    )
    #: Share of the directions that are aimed at an object.
    aimed: float = parameter(0.85, unit="", source="chosen: the others cover other causes")
    #: Half-width of the path of the shooter's disc along which flicks are aimed.
    path_mm: float = parameter(6.0, unit="mm", source="chosen: three sigmas of ``track_noise_mm``")
    #: Weights of a moved disc, and of a track point of the shooter, relative to a post.
    moved_weight: float = parameter(
        4.0, unit="", source="chosen: it is a likelier target than a post"
    )
    own_way_weight: float = parameter(
        8.0, unit="", source="chosen: it nearly determines the direction"
    )
    #: One sigma of the first steps around the best flicks: of direction, and of the logarithm of
    #: speed.
    direction_step_rad: float = parameter(
        0.012, unit="rad", source="chosen: moves a disc by 3.6 mm over a distance of 300 mm"
    )
    log_speed_step: float = parameter(0.03, unit="", source="chosen: 6% of the distance travelled")
    #: Rounds of search around the best flicks, and the divisor of the step after each round.
    close_rounds: int = parameter(2, unit="", source="chosen for the time of a search")
    step_divisor: float = parameter(
        4.0,
        unit="",
        source="chosen: the last steps are then smaller than the errors that fits can correct",
    )
    #: In the wide and in the close search, at most one in this many of the kept flicks may share an
    #: order of contacts.
    orders_wide: int = parameter(
        16, unit="", source="chosen: so that no order of contacts takes every place"
    )
    orders_close: int = parameter(
        12, unit="", source="chosen: so that no order of contacts takes every place"
    )


PARAMS = RandomSearchParameters()
#: Number of contacts that define an order of contacts.
FIRST_CONTACTS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class FlickSearchBudget:
    """Budget of a search: the number of flicks tried.

    flicks          tried over the whole range
    neighbourhoods  of the best of them that are searched closely
    repeats         tries per neighbourhood and round
    kept            flicks that are returned
    """

    flicks: int = 60_000
    neighbourhoods: int = 640
    repeats: int = 24
    kept: int = 200


def search_flicks(
    model: FlickModel, budget: FlickSearchBudget, rng: np.random.Generator
) -> FloatArray:
    """Numbers (n, size) of the best flicks of many, best first, with clocks where tracked; at most
    ``budget.kept``.
    """
    directions = _sample_directions(model, budget.flicks, rng)
    low, high = np.log(PARAMS.speeds_mm_s)
    speeds = rng.uniform(low, high, len(directions))
    flicks = model.make_theta(directions, speeds)
    cost, _, orders = _compute_costs(model, flicks, PARAMS.far_mm, PARAMS.state_mismatch_wide)
    of_one_order = budget.neighbourhoods // PARAMS.orders_wide
    best = flicks[select_diverse(_rank(cost), [(orders, of_one_order)], budget.neighbourhoods)]
    spread = np.array([PARAMS.direction_step_rad, PARAMS.log_speed_step])
    spread /= [DIRECTION_UNIT, SPEED_UNIT]
    for _ in range(PARAMS.close_rounds):
        jitter = rng.normal(0, 1, (len(best) * budget.repeats, 2)) * spread
        jitter[:: budget.repeats] = 0.0
        tried = np.repeat(best, budget.repeats, axis=0)
        tried[:, [DIRECTION, SPEED]] += jitter
        cost, clocks, orders = _compute_costs(
            model, tried, PARAMS.near_mm, PARAMS.state_mismatch_close
        )
        of_one_order = budget.kept // PARAMS.orders_close
        order = select_diverse(_rank(cost), [(orders, of_one_order)], budget.kept)
        best = tried[order]
        best[:, CLOCK] = clocks[order] / CLOCK_UNIT
        spread = spread / PARAMS.step_divisor
    return best


def _compute_costs(
    model: FlickModel, theta: FloatArray, far_mm: float, mismatch_cost: float
) -> tuple[FloatArray, FloatArray, NDArray[np.int16]]:
    """Costs (n,) of flicks by their misfit, their times on the track's clock (n,), and
    their first contacts."""
    found, passes = model.compute_passes(theta)
    cost = _rest_cost(model, found, far_mm) + mismatch_cost * found.state_mismatches.sum(axis=1)
    orders = found.outcomes.contacts[:, :FIRST_CONTACTS]
    track = model.coarse_track
    if not len(track):
        return cost, np.zeros(len(theta)), orders
    cost = cost + np.log1p((passes[:, :, 0] / PARAMS.pass_mm) ** 2).sum(axis=1)
    clocks = np.asarray(np.median(track.times_s[None] - passes[:, :, 1], axis=1))
    return cost, clocks, orders


def _rank(cost: FloatArray) -> NDArray[np.int64]:
    """Rows in order of cost (n,)."""
    return np.argsort(cost, kind="stable")


def select_diverse(
    ranked: NDArray[np.int64], groupings: Sequence[tuple[NDArray[Any], int]], most: int
) -> NDArray[np.int64]:
    """The first ``most`` rows, with a limit for each group.

    ranked     (n,) rows, best first
    groupings  keys (n, ...) of groups, equal in all values, and the largest number taken of
               a group, at least one
    """
    counts: list[Counter[bytes]] = [Counter() for _ in groupings]
    chosen: list[int] = []
    for k in ranked.tolist():
        keys = [labels[k].tobytes() for labels, _ in groupings]
        limits = [max(limit, 1) for _, limit in groupings]
        if any(count[key] >= limit for count, key, limit in zip(counts, keys, limits, strict=True)):
            continue
        for count, key in zip(counts, keys, strict=True):
            count[key] += 1
        chosen.append(k)
        if len(chosen) == most:
            break
    return np.array(chosen, dtype=np.int64)


def _rest_cost(model: FlickModel, found: Residuals, far_mm: float) -> FloatArray:
    """Misfit (n,) of the discs' final positions, apart from wrong states.

    Logarithms are used: one exact disc and one far off is better than two halfway.
    """
    away = found.squares[:, : model.discs] * model.noise_mm**2
    away[found.state_mismatches] = 0.0
    return np.asarray(np.log1p(away / far_mm**2).sum(axis=1))


def _sample_directions(model: FlickModel, count: int, rng: np.random.Generator) -> FloatArray:
    """Directions towards discs that moved, posts, the shooter's own end and path, and all over."""
    targets, weights = _find_aim_targets(model)
    counts = (PARAMS.aimed * count * weights / weights.sum()).astype(int)
    parts = [rng.uniform(-math.pi, math.pi, count - int(counts.sum()))]
    start = model.pair.before_mm[0]
    for (place, radius), share in zip(targets, counts.tolist(), strict=True):
        away = place - start
        distance = max(float(np.hypot(*away)), radius * 1.001)
        sine = rng.uniform(-1, 1, share) * radius / distance
        parts.append(math.atan2(away[1], away[0]) + np.arcsin(sine))
    # Shuffled, because among flicks with equal costs the first are taken.
    return rng.permutation(np.concatenate(parts))


def _find_aim_targets(model: FlickModel) -> tuple[list[tuple[FloatArray, float]], FloatArray]:
    """Places to aim at with their radii and weights."""
    pair, table = model.pair, model.table
    targets = [
        (pair.before_mm[i], 2 * table.disc.radius_mm)
        for i in np.flatnonzero(model.moved).tolist()
        if i != 0
    ]
    weights = [PARAMS.moved_weight] * len(targets)
    if pair.states[0] == kernels.FLAT and model.known[0]:
        targets.append((pair.after_mm[0], PARAMS.path_mm))
    targets += [(post, table.post_reach_mm) for post in table.posts_mm]
    targets.append((model.hole, table.tip_radius_mm))
    weights += [1.0] * (len(targets) - len(weights))
    own = model.track.places_mm[model.track.discs == 0]
    far = own[np.hypot(*(own - pair.before_mm[0]).T) > 2 * table.disc.radius_mm]
    targets += [(place, PARAMS.path_mm) for place in far[: PARAMS.most_own]]
    weights += [PARAMS.own_way_weight] * min(len(far), PARAMS.most_own)
    return targets, np.array(weights)
