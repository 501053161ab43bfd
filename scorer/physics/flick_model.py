"""From the numbers of a flick to what is left unexplained: the inverse search's residuals.

Knows which numbers a flick has: where the shooter lay, direction, speed, the clock of what was seen
on the way, spin, the board's friction and bounce, and where every other disc lay. Direction, speed
and clock are free; every other number is in sigmas of its own spread. Refuses to know how good
numbers are found.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorer.physics import kernels
from scorer.physics.engine import ManyOutcomes, parameter_vector, simulate_many, simulate_seen
from scorer.physics.evidence import BoardPair, Spreads
from scorer.physics.scene import Table

FloatArray = NDArray[np.float64]

# Columns of a flick's numbers; two for each disc but the shooter's follow.
PLACE, DIRECTION, SPEED, CLOCK, SPIN = 0, 2, 3, 4, 5
FRICTION, RESTITUTION, POST_RESTITUTION, CAPTURE, COMMON = 6, 7, 8, 9, 10
FREE = (DIRECTION, SPEED, CLOCK)
#: Units of the three free numbers: rad, relative, seconds.
DIRECTION_UNIT, SPEED_UNIT, CLOCK_UNIT = 0.01, 0.02, 0.01
#: A disc that is elsewhere than in the hole, the ditch or on the surface as seen: sigmas, and one
#: more for every so many millimetres that it is away from there.
_ELSEWHERE, _ELSEWHERE_MM = 12.0, 10.0
#: A disc that is seen to lie within this many sigmas of its old place did not move.
_MOVED_SIGMAS = 4.5
#: Points of a track that are fitted, and that are looked at while searching.
_FITTED_POINTS, _SEARCHED_POINTS = 36, 10
#: Step of the numerical slopes, in sigmas; steeper ones cross into another order of events.
_STEP, _STEEPEST = 1e-3, 1e4
#: ln of the slowest and the fastest speed, mm/s, that is ever tried.
_LOG_SPEEDS = (3.0, 9.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flicks:
    """Flicks about which numbers vary: directions in rad, ln speeds (mm/s) and clocks in s, (n,).

    A clock is the moment of the flick, on the clock of what was seen on the way.
    """

    directions: FloatArray
    log_speeds: FloatArray
    clocks_s: FloatArray

    def __len__(self) -> int:
        return len(self.directions)

    def chosen(self, rows: NDArray[np.int64]) -> Flicks:
        """Those flicks, in that order."""
        return Flicks(
            directions=self.directions[rows],
            log_speeds=self.log_speeds[rows],
            clocks_s=self.clocks_s[rows],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Residuals:
    """What n flicks leave: offsets (n, d + m, 2) in sigmas of discs at rest, then on their way.

    elsewhere (n, d) says which discs are in another state than seen
    """

    offsets: FloatArray
    elsewhere: NDArray[np.bool_]
    outcomes: ManyOutcomes

    @property
    def squares(self) -> FloatArray:
        """Square of each offset (n, d + m)."""
        return np.asarray((self.offsets**2).sum(axis=2))


class FlickModel:
    """One pair of boards with its table and spreads; ``theta`` (n, size) are flicks' numbers."""

    def __init__(
        self, table: Table, pair: BoardPair, spreads: Spreads, noise_mm: float | FloatArray
    ) -> None:
        self.table, self.pair, self.spreads = table, pair, spreads
        points = pair.track if pair.track is not None and len(pair.track.times_s) else None
        self.track = points.thinned(_FITTED_POINTS) if points else None
        self.coarse_track = points.thinned(_SEARCHED_POINTS) if points else None
        self.discs = len(pair.before_mm)
        self.noise_mm = np.broadcast_to(np.asarray(noise_mm, dtype=np.float64), (self.discs,))
        self.vector = parameter_vector(table)
        flat = pair.states == kernels.FLAT
        shift = np.hypot(*(pair.after_mm - pair.before_mm).T)
        hole = np.asarray(table.board.hole_centre_mm)
        was_sunk = np.hypot(*(pair.before_mm - hole).T) < table.tip_radius_mm
        was_sunk[0] = False
        stayed_sunk = was_sunk & (pair.states == kernels.IN_HOLE)
        self.known = pair.end_is_known
        self.moved = ~stayed_sunk & (~flat | (shift > _MOVED_SIGMAS * self.noise_mm))
        self.moved[~self.known] = np.isin(np.flatnonzero(~self.known), self._tracked())
        self.stayed_sunk, self.hole = stayed_sunk, hole
        self.size = COMMON + 2 * (self.discs - 1)
        self.held = np.ones(self.size, dtype=bool)
        self.held[list(FREE)] = False

    def _tracked(self) -> NDArray[np.int64]:
        """Discs that were seen in motion."""
        return np.unique(self.track.discs) if self.track is not None else np.zeros(0, np.int64)

    @property
    def point_share(self) -> float:
        """How much one point of the track counts while searching: all of them as ten discs."""
        count = len(self.track.times_s) if self.track is not None else 1
        return min(_SEARCHED_POINTS / count, 1.0)

    @property
    def start(self) -> FloatArray:
        """Numbers (size,) before anything is found: a disc that stayed was seen twice."""
        theta = np.zeros(self.size)
        half = (self.pair.after_mm - self.pair.before_mm) / (2 * self.noise_mm[:, None])
        half[self.moved | self.stayed_sunk | ~self.known] = 0.0
        theta[PLACE:2] = half[0]
        theta[COMMON:] = half[1:].ravel()
        return theta

    @property
    def baseline(self) -> float:
        """Chi squared of the discs that stayed, when nothing touches them."""
        return float(2 * (self.start**2).sum())

    def active(self, discs: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Columns of the numbers that matter when those discs (d,) do."""
        columns = [column for column in range(COMMON) if column != CLOCK or self.track is not None]
        for i in np.flatnonzero(discs[1:]).tolist():
            columns += [COMMON + 2 * i, COMMON + 2 * i + 1]
        return np.array(columns)

    def shots(self, flicks: Flicks, theta: FloatArray) -> FloatArray:
        """The flicks (n, 5) as the engine takes them."""
        speed = np.clip(flicks.log_speeds + SPEED_UNIT * theta[:, SPEED], *_LOG_SPEEDS)
        return np.column_stack(
            [
                self.pair.before_mm[0] + self.noise_mm[0] * theta[:, PLACE:2],
                np.exp(speed),
                flicks.directions + DIRECTION_UNIT * theta[:, DIRECTION],
                self.spreads.spin_rad_s * theta[:, SPIN],
            ]
        )

    def boards(self, theta: FloatArray) -> FloatArray:
        """Places before (n, d, 2)."""
        others = theta[:, COMMON:].reshape(len(theta), -1, 2)
        all_discs = np.concatenate([theta[:, None, PLACE:2], others], axis=1)
        return np.asarray(self.pair.before_mm + self.noise_mm[:, None] * all_discs)

    def parameters(self, theta: FloatArray) -> FloatArray:
        """The kernels' parameters (n, kernels.PARAMETER_COUNT)."""
        spreads = self.spreads
        p = np.repeat(self.vector[None], len(theta), axis=0)
        p[:, kernels.MU_G] *= np.exp(spreads.friction * theta[:, FRICTION])
        p[:, kernels.CAPTURE_SPEED] *= np.exp(spreads.capture_speed * theta[:, CAPTURE])
        for column, spread, unit in (
            (kernels.RESTITUTION, spreads.restitution, theta[:, RESTITUTION]),
            (kernels.POST_RESTITUTION, spreads.post_restitution, theta[:, POST_RESTITUTION]),
        ):
            p[:, column] = np.clip(p[:, column] + spread * unit, 0, 1)
        return p

    def residuals(self, flicks: Flicks, theta: FloatArray) -> Residuals:
        """What is left unexplained of everything that was seen."""
        boards, p, shots = self.boards(theta), self.parameters(theta), self.shots(flicks, theta)
        track = self.track
        if track is None:
            result = simulate_many(self.table, boards, shots, parameters=p)
            offsets, elsewhere = self._rests(result)
            return Residuals(offsets=offsets, elsewhere=elsewhere, outcomes=result)
        clocks = flicks.clocks_s + CLOCK_UNIT * theta[:, CLOCK]
        times = track.times_s[None] - clocks[:, None]
        result, seen = simulate_seen(
            self.table, boards, shots, parameters=p, discs=track.discs, times_s=times
        )
        offsets, elsewhere = self._rests(result)
        on_way = (seen - track.places_mm) / track.sigmas_mm[:, None]
        both = np.concatenate([offsets, on_way], axis=1)
        return Residuals(offsets=both, elsewhere=elsewhere, outcomes=result)

    def passes(self, flicks: Flicks, theta: FloatArray) -> tuple[Residuals, FloatArray]:
        """Residuals at rest, and how near discs pass by where they were seen, and when."""
        track = self.coarse_track
        if track is None:
            return self.residuals(flicks, theta), np.empty((len(flicks), 0, 2))
        result, passes = simulate_seen(
            self.table,
            self.boards(theta),
            self.shots(flicks, theta),
            parameters=self.parameters(theta),
            discs=track.discs,
            passing_mm=track.places_mm,
        )
        offsets, elsewhere = self._rests(result)
        return Residuals(offsets=offsets, elsewhere=elsewhere, outcomes=result), passes

    def linearised(
        self, flicks: Flicks, theta: FloatArray, active: NDArray[np.int64]
    ) -> tuple[Residuals, FloatArray]:
        """Residuals, and slopes of their offsets (n, d + m, 2, active) with the active numbers."""
        count = len(theta)
        steps = np.zeros((len(active) + 1, self.size))
        steps[np.arange(1, len(active) + 1), active] = _STEP
        tried = (theta[:, None] + steps[None]).reshape(-1, self.size)
        rows = np.repeat(np.arange(count), len(steps))
        every = self.residuals(flicks.chosen(rows), tried)
        offsets = every.offsets.reshape(count, len(steps), -1, 2)
        slopes = np.moveaxis(offsets[:, 1:] - offsets[:, :1], 1, -1) / _STEP
        slopes[np.abs(slopes) > _STEEPEST] = 0.0
        first = rows_of(every, np.arange(count) * len(steps))
        return first, slopes

    def _rests(self, result: ManyOutcomes) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Offsets (n, d, 2) of the discs at rest in sigmas, and who is elsewhere."""
        pair = self.pair
        offsets = (result.places_mm - pair.after_mm) / self.noise_mm[:, None]
        elsewhere = result.states != pair.states
        elsewhere &= self.known
        offsets[:, (pair.states != kernels.FLAT) | ~self.known] = 0.0
        row, disc = np.nonzero(elsewhere)
        if len(row):
            offsets[row, disc] = self._towards(result.places_mm[row, disc], disc)
        return offsets, elsewhere

    def _towards(self, places_mm: FloatArray, discs: NDArray[np.int64]) -> FloatArray:
        """Offsets (k, 2) that lead discs from a wrong state to where they were seen."""
        states = self.pair.states[discs]
        wanted = self.pair.after_mm[discs].copy()
        wanted[states == kernels.IN_HOLE] = self.hole
        out = states == kernels.DITCH
        radius = np.maximum(np.hypot(places_mm[out, 0], places_mm[out, 1]), 1.0)
        edge = self.table.board.surface_radius_mm
        wanted[out] = places_mm[out] * (edge / radius)[:, None]
        away = places_mm - wanted
        length = np.maximum(np.hypot(away[:, 0], away[:, 1]), 1e-6)[:, None]
        return np.asarray(away / length * (_ELSEWHERE + length / _ELSEWHERE_MM))


def rows_of(residuals: Residuals, rows: NDArray[np.int64]) -> Residuals:
    """Those flicks' residuals."""
    known = residuals.outcomes
    return Residuals(
        offsets=residuals.offsets[rows],
        elsewhere=residuals.elsewhere[rows],
        outcomes=ManyOutcomes(
            places_mm=known.places_mm[rows],
            states=known.states[rows],
            contacts=known.contacts[rows],
            counts=known.counts[rows],
            hole_doubts=known.hole_doubts[rows],
        ),
    )
