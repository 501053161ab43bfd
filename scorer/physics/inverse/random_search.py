"""Random search for flicks: many at once over all directions and speeds, then around the best.

Knows where a flick may be aimed. Refuses to know what is fitted along; that comes after.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from calibration.parameters import StageParameters, parameter
from scorer.physics.inverse.flick_model import FlickBatch, FlickModel, Residuals

FloatArray = NDArray[np.float64]

#: Slowest and fastest flick tried, mm/s.
SPEEDS_MM_S = (150.0, 4000.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomSearchParameters(StageParameters):
    """What ``random_search`` takes for granted."""

    stage: ClassVar[str] = "physics.inverse.random_search"

    #: Points on the shooter's own way that are aimed at: the first ones, before it meets something.
    most_own: int = parameter(4, unit="", source="")
    #: Half explained are a disc that passes by where it was seen this far, and one that ends this
    #: far off in the wide and in the close search, mm.
    pass_mm: float = parameter(8.0, unit="mm", source="")
    far_mm: float = parameter(12.0, unit="mm", source="")
    near_mm: float = parameter(6.0, unit="mm", source="")
    #: Cost of a disc in a wrong state (hole, ditch, surface), in the wide and the close search.
    state_mismatch_wide: float = parameter(3.5, unit="", source="")
    state_mismatch_close: float = parameter(4.5, unit="", source="")
    #: Share of the directions that are aimed at something, and the half-width of an own path, mm.
    aimed: float = parameter(0.85, unit="", source="")
    path_mm: float = parameter(6.0, unit="mm", source="")


PARAMS = RandomSearchParameters.active()
#: Contacts by which flicks are told apart when few of each kind are kept.
FIRST_CONTACTS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class FlickSearchBudget:
    """How much is tried: flicks all over, neighbourhoods of the best, repeats a round,
    and how many flicks are returned."""

    flicks: int = 60_000
    neighbourhoods: int = 640
    repeats: int = 24
    kept: int = 200


def search_flicks(
    model: FlickModel, budget: FlickSearchBudget, rng: np.random.Generator
) -> FlickBatch:
    """The best flicks of many, best first."""
    directions = _sample_directions(model, budget.flicks, rng)
    low, high = np.log(SPEEDS_MM_S)
    speeds = rng.uniform(low, high, len(directions))
    flicks = _make_flicks(directions, speeds)
    cost, _, orders = _compute_costs(model, flicks, PARAMS.far_mm, PARAMS.state_mismatch_wide)
    best = flicks.chosen(
        select_diverse(cost, orders, budget.neighbourhoods, budget.neighbourhoods // 16)
    )
    spread = np.array([0.012, 0.03])
    for _ in range(2):
        jitter = rng.normal(0, 1, (len(best) * budget.repeats, 2)) * spread
        jitter[:: budget.repeats] = 0.0
        again = np.repeat(np.arange(len(best)), budget.repeats)
        tried = best.chosen(again)
        tried = _make_flicks(tried.directions + jitter[:, 0], tried.log_speeds + jitter[:, 1])
        cost, clocks, orders = _compute_costs(
            model, tried, PARAMS.near_mm, PARAMS.state_mismatch_close
        )
        order = select_diverse(cost, orders, budget.kept, budget.kept // 12)
        best = FlickBatch(
            directions=tried.directions[order],
            log_speeds=tried.log_speeds[order],
            clocks_s=clocks[order],
        )
        spread = spread / 4
    return best


def _make_flicks(directions: FloatArray, log_speeds: FloatArray) -> FlickBatch:
    return FlickBatch(
        directions=directions, log_speeds=log_speeds, clocks_s=np.zeros(len(directions))
    )


def _compute_costs(
    model: FlickModel, flicks: FlickBatch, far_mm: float, mismatch_cost: float
) -> tuple[FloatArray, FloatArray, NDArray[np.int16]]:
    """How badly flicks explain what was seen (n,), their moments on the track's clock (n,), and
    their first contacts."""
    theta = np.repeat(model.start[None], len(flicks), axis=0)
    found, passes = model.compute_passes(flicks, theta)
    cost = _rest_cost(model, found, far_mm) + mismatch_cost * found.state_mismatches.sum(axis=1)
    orders = found.outcomes.contacts[:, :FIRST_CONTACTS]
    track = model.coarse_track
    if track is None:
        return cost, flicks.clocks_s, orders
    cost = cost + np.log1p((passes[:, :, 0] / PARAMS.pass_mm) ** 2).sum(axis=1)
    clocks = np.asarray(np.median(track.times_s[None] - passes[:, :, 1], axis=1))
    return cost, clocks, orders


def select_diverse(
    cost: FloatArray, orders: NDArray[np.int16], most: int, of_one_order: int
) -> NDArray[np.int64]:
    """Rows of least cost, of each order of contacts (n, c, 2) only so many."""
    counts: Counter[bytes] = Counter()
    chosen: list[int] = []
    for k in np.argsort(cost, kind="stable").tolist():
        key = orders[k].tobytes()
        counts[key] += 1
        if counts[key] <= max(of_one_order, 1):
            chosen.append(k)
            if len(chosen) == most:
                break
    return np.array(chosen)


def _rest_cost(model: FlickModel, found: Residuals, far_mm: float) -> FloatArray:
    """Logarithms: one disc right and one far off is worth more than both half off."""
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
    # In any order: of flicks that explain alike, the first are taken.
    return rng.permutation(np.concatenate(parts))


def _find_aim_targets(model: FlickModel) -> tuple[list[tuple[FloatArray, float]], FloatArray]:
    """Places to aim at with their radii, and how much each is tried."""
    pair, table = model.pair, model.table
    targets = [
        (pair.before_mm[i], 2 * table.disc.radius_mm)
        for i in np.flatnonzero(model.moved).tolist()
        if i != 0
    ]
    weights = [4.0] * len(targets)
    if pair.states[0] == 0 and model.known[0]:
        targets.append((pair.after_mm[0], PARAMS.path_mm))
    targets += [(post, table.post_reach_mm) for post in table.posts_mm]
    targets.append((model.hole, table.tip_radius_mm))
    weights += [1.0] * (len(targets) - len(weights))
    if model.track is not None:
        own = model.track.places_mm[model.track.discs == 0]
        far = own[np.hypot(*(own - pair.before_mm[0]).T) > 2 * table.disc.radius_mm]
        targets += [(place, PARAMS.path_mm) for place in far[: PARAMS.most_own]]
        weights += [8.0] * min(len(far), PARAMS.most_own)
    return targets, np.array(weights)
