"""Quality of explained shots: their number, the time, the calibration of the chance of a contact,
and how often a hand that moved discs is mistaken for a flick.

Measured on simulated boards seen with noise, whose friction and bounce differ from the known values
by the uncertainty of a fit; on such boards with discs moved by hand after a shot, or without a
shot; on shots that pass an opponent's disc too closely to be certain; and on passes that a camera
follows (``near_passes``).
"""

from __future__ import annotations

import dataclasses
import json
import math
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from bench.grading.reliability import (
    ReliabilityBin,
    bin_reliability,
    describe_reliability,
)
from bench.near_passes import simulate_pass
from bench.physics import random_board, random_flicks
from scorer.physics import kernels
from scorer.physics.engine import simulate_many
from scorer.physics.inverse.explain import InverseSearchResult, explain
from scorer.physics.inverse.observations import PARAMS as OBSERVATION_PARAMS
from scorer.physics.inverse.observations import BoardPair, Spreads
from scorer.physics.parameters import PhysicsSpec
from scorer.physics.scene import TableSpec

_DISCS, _FEW_DISCS = 12, 4
#: Uncertainty that `crokinole speed` leaves with 16 tracked shots, and variation between days.
FIT_SPREADS = Spreads(friction=0.022, restitution=0.011, post_restitution=0.021)
#: Distance by which a hand moves a disc, mm, and the largest number of discs moved; every fourth
#: board has no shot.
_HAND_MM, _HAND_DISCS, _NO_SHOT = (20.0, 150.0), 3, 4
#: Least distance of a placed disc from the edge and from any other object, mm.
_INSIDE_MM, _CLEAR_MM = 10.0, 0.2
#: Distance of a near miss or graze from the exact graze, and the apparent movement of the other
#: disc, mm.
_GRAZE_MM, _SEEMS_MM = 1.5, (2.5, 5.0)
_GRAZE_SPEEDS_MM_S = (800.0, 1500.0)
#: Passes that were seen, per explained shot: they are judged quickly.
_PASSES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticShot:
    """A simulated pair of boards, and whether an opponent's disc was touched."""

    pair: BoardPair
    has_contact: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainFigures:
    """Results of the bench; times are for one core."""

    shots: int
    explained: float
    median_s: float
    slowest_s: float
    hand_moved: int
    hand_explained: int
    contact: tuple[ReliabilityBin, ...]
    grazes: tuple[ReliabilityBin, ...]
    passes: tuple[ReliabilityBin, ...]


def bench_explain(shots: int, *, as_json: bool) -> list[str]:
    """Print figures of a number of shots, and of half as many boards moved by hand and grazes."""
    figures = measure_explanations(shots)
    if as_json:
        print(json.dumps(dataclasses.asdict(figures), indent=1))
        return []
    print(
        f"{figures.shots} shots on {_DISCS} discs: {figures.explained:.1%} explained, "
        f"median {figures.median_s:.2f} s, slowest {figures.slowest_s:.1f} s of one core"
    )
    print(f"{figures.hand_moved} boards moved by hand: {figures.hand_explained} explained")
    for name, rows in (
        ("contact", figures.contact),
        ("near misses", figures.grazes),
        ("passes seen", figures.passes),
    ):
        for line in describe_reliability(name, rows):
            print(line)
    return []


def measure_explanations(shots: int) -> ExplainFigures:
    """The figures; only the times differ between runs."""
    table, half = TableSpec(), max(shots // 2, 1)
    seen = [
        _time_explanation(table, simulate_noisy_shot(seed))
        for seed in _iterate_seeds("shots", shots)
    ]
    hands = [
        explain(table, simulate_manual_move(seed), spreads=FIT_SPREADS)
        for seed in _iterate_seeds("hand", half)
    ]
    grazes = [
        _time_explanation(table, simulate_near_miss(seed))
        for seed in _iterate_seeds("grazes", half)
    ]
    passes = [
        simulate_pass(np.random.default_rng([4, seed]))
        for seed in _iterate_seeds("passes", _PASSES * shots)
    ]
    times = [spent for _, _, spent in seen]
    return ExplainFigures(
        shots=shots,
        explained=float(np.mean([verdict.explained for verdict, _, _ in seen])),
        median_s=float(np.median(times)),
        slowest_s=max(times),
        hand_moved=half,
        hand_explained=sum(verdict.explained for verdict in hands),
        contact=bin_reliability([(verdict.p_contact, met) for verdict, met, _ in seen]),
        grazes=bin_reliability([(verdict.p_contact, met) for verdict, met, _ in grazes]),
        passes=bin_reliability(
            [(seen_pass.estimate().p_contact, seen_pass.gap_mm < 0) for seen_pass in passes]
        ),
    )


def _iterate_seeds(name: str, count: int) -> Iterable[int]:
    """Seeds, with progress on standard error."""
    for seed in range(count):
        if sys.stderr.isatty():
            print(f"\r{name}: {seed + 1} of {count}  ", end="", file=sys.stderr, flush=True)
        yield seed
    if sys.stderr.isatty():
        print("\r" + " " * 40 + "\r", end="", file=sys.stderr, flush=True)


def _time_explanation(
    table: TableSpec, shot: SyntheticShot
) -> tuple[InverseSearchResult, bool, float]:
    began = time.process_time()
    verdict = explain(table, shot.pair, spreads=FIT_SPREADS)
    return verdict, shot.has_contact, time.process_time() - began


def simulate_noisy_shot(seed: int, discs: int = _DISCS) -> SyntheticShot:
    """A random shot on a random board, seen with noise."""
    rng = np.random.default_rng([1, seed])
    table = _sample_table(rng)
    places = random_board(rng, table, discs)
    flick = random_flicks(rng, places, 1)
    flick[:, 4] = rng.normal(0, FIT_SPREADS.spin_rad_s, 1)
    return _observe_shot(rng, table, places, flick)


def simulate_near_miss(seed: int) -> SyntheticShot:
    """A shot past an opponent's disc, which then seems slightly displaced."""
    for attempt in range(1000):
        rng = np.random.default_rng([2, seed, attempt])
        table = _sample_table(rng)
        places = random_board(rng, table, _FEW_DISCS)
        away = places[1] - places[0]
        miss = 2 * table.disc.radius_mm + rng.uniform(-_GRAZE_MM, _GRAZE_MM)
        side = rng.choice([-1.0, 1.0])
        direction = math.atan2(away[1], away[0]) + side * math.asin(miss / np.hypot(*away))
        speed = rng.uniform(*_GRAZE_SPEEDS_MM_S)
        spin = rng.normal(0, FIT_SPREADS.spin_rad_s)
        shot = _observe_shot(rng, table, places, np.array([[*places[0], speed, direction, spin]]))
        pair = shot.pair
        moved = np.hypot(*(pair.after_mm - pair.before_mm).T)
        rests = pair.states == kernels.FLAT
        # the shooter's final position determines its path; in the ditch it would reveal next to
        # nothing
        is_close = rests[0] and rests[1] and _SEEMS_MM[0] < moved[1] < _SEEMS_MM[1]
        if is_close and bool((rests & (moved < _SEEMS_MM[1]))[pair.opponents].all()):
            return shot
    raise RuntimeError("no near miss in a thousand shots: the bounds of the bench are wrong")


def simulate_manual_move(seed: int, discs: int = _DISCS) -> BoardPair:
    """A board with discs moved by hand after a shot, or, every fourth, without any shot."""
    rng = np.random.default_rng([3, seed])
    table = _sample_table(rng)
    places = random_board(rng, table, discs)
    after, states = places.copy(), np.zeros(discs, dtype=np.int8)
    has_shot = seed % _NO_SHOT != 0
    if has_shot:
        result = simulate_many(table, places, random_flicks(rng, places, 1))
        after, states = result.places_mm[0], result.states[0]
    flat = np.flatnonzero(states == kernels.FLAT)
    chosen = rng.permutation(flat)[: rng.integers(1, _HAND_DISCS + 1)]
    if not has_shot:
        # only a board on which the shooter's disc and another moved could be mistaken for a shot
        chosen = np.array([0, *[i for i in chosen.tolist() if i != 0][:2]])
        chosen = chosen if len(chosen) > 1 else np.array([0, 1])
    for i in chosen.tolist():
        after[i] = _move_by_hand(rng, table, after, states, i)
    return BoardPair(
        before_mm=places + rng.normal(0, OBSERVATION_PARAMS.noise_mm, places.shape),
        after_mm=after + rng.normal(0, OBSERVATION_PARAMS.noise_mm, places.shape),
        states=states,
        opponents=np.arange(discs) % 2 == 1,
    )


def _sample_table(rng: np.random.Generator) -> TableSpec:
    """A table that differs from the usual one by the uncertainty of a fit."""
    start = PhysicsSpec()
    physics = PhysicsSpec(
        friction=start.friction * math.exp(rng.normal(0, FIT_SPREADS.friction)),
        restitution=start.restitution + rng.normal(0, FIT_SPREADS.restitution),
        post_restitution=start.post_restitution + rng.normal(0, FIT_SPREADS.post_restitution),
        hole_capture_speed_mm_s=start.hole_capture_speed_mm_s
        * math.exp(rng.normal(0, FIT_SPREADS.capture_speed)),
    )
    return TableSpec(physics=physics)


def _observe_shot(
    rng: np.random.Generator, table: TableSpec, places: np.ndarray, flick: np.ndarray
) -> SyntheticShot:
    """A camera's observation of a shot (1, 5), and the discs it met."""
    result = simulate_many(table, places, flick)
    opponents = np.arange(len(places)) % 2 == 1
    met = {int(disc) for disc in result.contacts[0, : int(result.counts[0])].ravel()}
    noise = rng.normal(0, OBSERVATION_PARAMS.noise_mm, (2, *places.shape))
    pair = BoardPair(
        before_mm=places + noise[0],
        after_mm=result.places_mm[0] + noise[1],
        states=result.states[0],
        opponents=opponents,
    )
    return SyntheticShot(pair=pair, has_contact=bool(met & set(np.flatnonzero(opponents).tolist())))


def _move_by_hand(
    rng: np.random.Generator, table: TableSpec, places: np.ndarray, states: np.ndarray, i: int
) -> np.ndarray:
    """A free place nearby where a hand puts disc i."""
    others = np.delete(places, i, axis=0)[np.delete(states, i) == kernels.FLAT]
    most = table.board.surface_radius_mm - _INSIDE_MM
    while True:
        angle = rng.uniform(0, 2 * math.pi)
        place = places[i] + rng.uniform(*_HAND_MM) * np.array([math.cos(angle), math.sin(angle)])
        from_posts = np.hypot(*(table.posts_mm - place).T).min() - table.post_reach_mm
        from_discs = np.hypot(*(others - place).T).min() - 2 * table.disc.radius_mm
        in_hole = np.hypot(*place) < 2 * table.tip_radius_mm
        if np.hypot(*place) < most and min(from_posts, from_discs) > _CLEAR_MM and not in_hole:
            return np.asarray(place)
