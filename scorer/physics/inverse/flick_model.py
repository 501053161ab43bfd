"""Flick parameters to residuals of the inverse search.

The parameters are the shooter's place, direction, speed, the clock of the track, spin, the board's
friction and restitution, and the place of every other disc. Direction, speed and clock are free;
every other parameter is in sigmas about its prior mean, so that its square is its prior cost.
Residuals are in sigmas of the noise; their slopes are forward differences, which are wrong where a
step changes the order of contacts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.board_speed import STATED_AT_M_S
from calibration.numerics.arrays import FloatArray
from calibration.parameters import StageParameters, parameter
from scorer.physics import kernels
from scorer.physics.array_rows import ArrayRows
from scorer.physics.engine import BatchResult, parameter_vector, simulate_tracked
from scorer.physics.inverse.observations import BoardPair, Spreads, TrackPoints
from scorer.physics.scene import TableSpec

# Columns of a flick's parameters; two more follow for each disc except the shooter's.
PLACE, DIRECTION, SPEED, CLOCK, SPIN = 0, 2, 3, 4, 5
FRICTION, RESTITUTION, POST_RESTITUTION, CAPTURE, LOSS, COMMON = 6, 7, 8, 9, 10, 11
FREE = (DIRECTION, SPEED, CLOCK)
#: Units of the three free numbers: rad, ln of mm/s, seconds on the track's clock.
FREE_UNITS = DIRECTION_UNIT, SPEED_UNIT, CLOCK_UNIT = 0.01, 0.02, 0.01


class FlickModelParameters(StageParameters):
    """Parameters of ``flick_model``."""

    #: Residual of a disc in another state (hole, ditch, surface) than seen, at that place.
    state_mismatch: float = parameter(
        12.0, unit="σ", source="chosen: so high that no misfit of places outweighs a wrong state"
    )
    #: The cost of a wrong state grows by one sigma for every such distance from the place, which
    #: gives the fit a gradient.
    state_mismatch_mm: float = parameter(
        10.0, unit="mm", source="chosen: wide enough for fits to find a direction"
    )
    #: A disc seen within this many sigmas of its old place did not move.
    moved_sigmas: float = parameter(
        4.5,
        unit="σ",
        source="normal noise: 4.5 sigmas of one place are 3.2 of the difference of two, "
        "exceeded by chance once in 160 discs",
    )
    #: Number of track points that are fitted.
    fitted_points: int = parameter(36, unit="", source="chosen for the time that a fit takes")
    #: Number of track points used while searching.
    searched_points: int = parameter(10, unit="", source="chosen for the time of a search")
    #: Step of the numerical slopes.
    slope_step: float = parameter(
        1e-3,
        unit="σ",
        source="chosen: far above rounding, and small enough to keep the contacts nearly always",
    )
    #: Slopes steeper than this come from another order of contacts and count as zero.
    steepest: float = parameter(
        1e4, unit="", source="chosen: the slopes that a few contacts cause are smaller"
    )
    #: Logarithms of the slowest and the fastest speed (mm/s) that a fit may reach.
    log_speeds: tuple[float, float] = parameter(
        (3.0, 9.0),
        unit="",
        source="chosen: 20 and 8100 mm/s, well beyond the speeds that are searched",
    )


PARAMS = FlickModelParameters()


@dataclass(frozen=True, slots=True, kw_only=True)
class Residuals(ArrayRows):
    """The misfit of n flicks.

    offsets           (n, d + m, 2) in sigmas, of d discs at rest and then m points on the way
    state_mismatches  (n, d) whether discs are in another state than seen
    """

    offsets: FloatArray
    state_mismatches: NDArray[np.bool_]
    outcomes: BatchResult

    @property
    def squares(self) -> FloatArray:
        """Square of each offset (n, d + m)."""
        return np.asarray((self.offsets**2).sum(axis=2))


@dataclass(frozen=True, slots=True, kw_only=True)
class Linearisation:
    """Residuals of n flicks, and their derivatives by some of the parameters.

    slopes   (n, d + m, 2, active) of the offsets, by one unit of each number
    columns  (active,) the columns of those numbers
    """

    residuals: Residuals
    slopes: FloatArray
    columns: NDArray[np.int64]


class FlickModel:
    """One pair of boards with its table and spreads; ``theta`` (n, size) are flicks' numbers.

    ``simulated_discs`` counts the work done so far: discs moved, summed over all simulated flicks.
    """

    def __init__(
        self, table: TableSpec, pair: BoardPair, spreads: Spreads, noise_mm: float | FloatArray
    ) -> None:
        self.table, self.pair, self.spreads = table, pair, spreads
        self.simulated_discs = 0
        points = pair.track or TrackPoints.of_none()
        self.track = points.subsample(PARAMS.fitted_points)
        self.coarse_track = points.subsample(PARAMS.searched_points)
        self.discs = len(pair.before_mm)
        self.noise_mm = np.broadcast_to(np.asarray(noise_mm, dtype=np.float64), (self.discs,))
        self.nominal_parameters = parameter_vector(table)
        flat = pair.states == kernels.FLAT
        shift = np.hypot(*(pair.after_mm - pair.before_mm).T)
        hole = np.asarray(table.board.hole_centre_mm)
        was_in_hole = np.hypot(*(pair.before_mm - hole).T) < table.tip_radius_mm
        was_in_hole[0] = False
        stayed_in_hole = was_in_hole & (pair.states == kernels.IN_HOLE)
        self.known = pair.end_is_known
        self.moved = ~stayed_in_hole & (~flat | (shift > PARAMS.moved_sigmas * self.noise_mm))
        self.moved[~self.known] = np.isin(np.flatnonzero(~self.known), self.track.discs)
        self.stayed_in_hole, self.hole = stayed_in_hole, hole
        self.size = COMMON + 2 * (self.discs - 1)
        self.held = np.ones(self.size, dtype=bool)
        self.held[list(FREE)] = False

    @property
    def track_point_weight(self) -> float:
        """Weight of one track point in the search: all of them count as ten discs."""
        return min(PARAMS.searched_points / max(len(self.track), 1), 1.0)

    @property
    def start(self) -> FloatArray:
        """Initial parameters (size,): a disc that did not move was seen twice."""
        theta = np.zeros(self.size)
        half = (self.pair.after_mm - self.pair.before_mm) / (2 * self.noise_mm[:, None])
        half[self.moved | self.stayed_in_hole | ~self.known] = 0.0
        theta[PLACE:2] = half[0]
        theta[COMMON:] = half[1:].ravel()
        return theta

    def make_theta(
        self, directions: ArrayLike, log_speeds: ArrayLike, clocks_s: ArrayLike = 0.0
    ) -> FloatArray:
        """Initial parameters (n, size) of flicks: direction in rad, ln speed (mm/s), clock in s."""
        free = np.broadcast_arrays(directions, log_speeds, clocks_s)
        theta = np.repeat(self.start[None], len(free[0]), axis=0)
        theta[:, list(FREE)] = np.stack(free, axis=1) / FREE_UNITS
        return theta

    @property
    def baseline(self) -> float:
        """Chi squared of the discs that did not move, if nothing touches them."""
        return float(2 * (self.start**2).sum())

    def active_columns(self, discs: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Columns of the parameters that matter for those discs (d,)."""
        unused = set() if len(self.track) else {CLOCK}
        if self.spreads.restitution_loss_s_m == 0:
            unused.add(LOSS)
        columns = [column for column in range(COMMON) if column not in unused]
        for i in np.flatnonzero(discs[1:]).tolist():
            columns += [COMMON + 2 * i, COMMON + 2 * i + 1]
        return np.array(columns)

    def shots(self, theta: FloatArray) -> FloatArray:
        """The flicks (n, 5) as the engine takes them: mm, mm/s, rad, rad/s."""
        speed = np.clip(SPEED_UNIT * theta[:, SPEED], *PARAMS.log_speeds)
        return np.column_stack(
            [
                self.pair.before_mm[0] + self.noise_mm[0] * theta[:, PLACE:2],
                np.exp(speed),
                DIRECTION_UNIT * theta[:, DIRECTION],
                self.spreads.spin_rad_s * theta[:, SPIN],
            ]
        )

    def boards(self, theta: FloatArray) -> FloatArray:
        """Places before, mm (n, d, 2)."""
        others = theta[:, COMMON:].reshape(len(theta), -1, 2)
        all_discs = np.concatenate([theta[:, None, PLACE:2], others], axis=1)
        return np.asarray(self.pair.before_mm + self.noise_mm[:, None] * all_discs)

    def parameters(self, theta: FloatArray) -> FloatArray:
        """The kernels' parameters (n, kernels.PARAMETER_COUNT)."""
        spreads = self.spreads
        p = np.repeat(self.nominal_parameters[None], len(theta), axis=0)
        p[:, kernels.MU_G] *= np.exp(spreads.friction * theta[:, FRICTION])
        p[:, kernels.CAPTURE_SPEED] *= np.exp(spreads.capture_speed * theta[:, CAPTURE])
        loss = spreads.restitution_loss_s_m * theta[:, LOSS]
        p[:, kernels.RESTITUTION_LOSS] += loss
        # The prior is on the restitution at a usual speed, for any loss by speed.
        restitution = spreads.restitution * theta[:, RESTITUTION] + STATED_AT_M_S * loss
        post = spreads.post_restitution * theta[:, POST_RESTITUTION]
        for column, change in (
            (kernels.RESTITUTION, restitution),
            (kernels.POST_RESTITUTION, post),
        ):
            p[:, column] = np.clip(p[:, column] + change, 0, 1)
        return p

    def residuals(self, theta: FloatArray) -> Residuals:
        """The misfit of all observations."""
        track = self.track
        times = track.times_s[None] - CLOCK_UNIT * theta[:, CLOCK, None]
        at_rest, seen = self._simulate(theta, track, times_s=times)
        in_motion = (seen - track.places_mm) / track.sigmas_mm[:, None]
        return replace(at_rest, offsets=np.concatenate([at_rest.offsets, in_motion], axis=1))

    def compute_passes(self, theta: FloatArray) -> tuple[Residuals, FloatArray]:
        """Residuals at rest, and distances (mm) and times (s) at which discs pass their observed
        places.

        The passes are (n, m, 2), of the points of ``coarse_track``; m is 0 without one.
        """
        track = self.coarse_track
        return self._simulate(theta, track, passing_mm=track.places_mm)

    def _simulate(
        self, theta: FloatArray, track: TrackPoints, **queries: FloatArray
    ) -> tuple[Residuals, FloatArray]:
        """Residuals of the discs at rest, and the places or passes of tracked discs from
        ``simulate_tracked``.
        """
        self.simulated_discs += len(theta) * self.discs
        result, answers = simulate_tracked(
            self.table,
            self.boards(theta),
            self.shots(theta),
            parameters=self.parameters(theta),
            discs=track.discs,
            **queries,
        )
        offsets, mismatches = self._compute_rest_offsets(result)
        return Residuals(offsets=offsets, state_mismatches=mismatches, outcomes=result), answers

    def linearise(self, theta: FloatArray, columns: NDArray[np.int64]) -> Linearisation:
        """Residuals, and their derivatives by the parameters of those columns (active,)."""
        count = len(theta)
        steps = np.zeros((len(columns) + 1, self.size))
        steps[np.arange(1, len(columns) + 1), columns] = PARAMS.slope_step
        tried = (theta[:, None] + steps[None]).reshape(-1, self.size)
        every = self.residuals(tried)
        offsets = every.offsets.reshape(count, len(steps), -1, 2)
        slopes = np.moveaxis(offsets[:, 1:] - offsets[:, :1], 1, -1) / PARAMS.slope_step
        slopes[np.abs(slopes) > PARAMS.steepest] = 0.0
        first = every.select_rows(np.arange(count) * len(steps))
        return Linearisation(residuals=first, slopes=slopes, columns=columns)

    def _compute_rest_offsets(self, result: BatchResult) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Offsets (n, d, 2) of the discs at rest in sigmas, and whether states differ."""
        pair = self.pair
        offsets = (result.places_mm - pair.after_mm) / self.noise_mm[:, None]
        mismatches = result.states != pair.states
        mismatches &= self.known
        offsets[:, (pair.states != kernels.FLAT) | ~self.known] = 0.0
        row, disc = np.nonzero(mismatches)
        if len(row):
            offsets[row, disc] = self._offsets_to_observed(result.places_mm[row, disc], disc)
        return offsets, mismatches

    def _offsets_to_observed(self, places_mm: FloatArray, discs: NDArray[np.int64]) -> FloatArray:
        """Offsets (k, 2) from discs in a wrong state to their observed places."""
        states = self.pair.states[discs]
        wanted = self.pair.after_mm[discs].copy()
        wanted[states == kernels.IN_HOLE] = self.hole
        out = states == kernels.DITCH
        radius = np.maximum(np.hypot(places_mm[out, 0], places_mm[out, 1]), 1.0)
        edge = self.table.board.surface_radius_mm
        wanted[out] = places_mm[out] * (edge / radius)[:, None]
        away = places_mm - wanted
        length = np.maximum(np.hypot(away[:, 0], away[:, 1]), 1e-6)[:, None]
        return np.asarray(
            away / length * (PARAMS.state_mismatch + length / PARAMS.state_mismatch_mm)
        )
