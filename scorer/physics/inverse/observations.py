"""Observations of a shot: the board before and after, and perhaps some discs in motion.

Board mm and seconds, each with one sigma: the input of the inverse search, from any source.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.board_speed import BoardSpeed
from calibration.numerics.arrays import FloatArray
from calibration.parameters import StageParameters, parameter
from scorer.physics.array_rows import ArrayRows


class ObservationParameters(StageParameters):
    """Default accuracy of observed places."""

    #: One sigma of a resting disc's place, per axis.
    noise_mm: float = parameter(
        0.7,
        unit="mm",
        source="chosen above the 0.49 mm of photographs (``rules.contacts``), because frames "
        "of a clip are coarser",
    )
    #: One sigma of a moving disc's place, per axis.
    track_noise_mm: float = parameter(
        2.0, unit="mm", source="chosen: motion blur, and the time of a rolling shutter"
    )


PARAMS = ObservationParameters()


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackPoints(ArrayRows):
    """Discs seen in motion, in any order.

    discs      (m,) indices of the pair's discs
    times_s    (m,) from any origin, as the time of the flick is fitted
    places_mm  (m, 2)
    sigmas_mm  (m,) one sigma of the places per axis
    """

    discs: NDArray[np.int64]
    times_s: FloatArray
    places_mm: FloatArray
    sigmas_mm: FloatArray

    @classmethod
    def of_none(cls) -> TrackPoints:
        """No points: no disc was seen in motion."""
        none = np.empty(0)
        discs = np.empty(0, dtype=np.int64)
        return cls(discs=discs, times_s=none, places_mm=np.empty((0, 2)), sigmas_mm=none)

    def __len__(self) -> int:
        return len(self.times_s)

    def keep_first(self, count: int) -> TrackPoints:
        """The first points in order of time."""
        return self.select_rows(np.argsort(self.times_s, kind="stable")[:count])

    def subsample(self, most: int) -> TrackPoints:
        """At most ``most`` of the points, spread evenly over time."""
        order = np.argsort(self.times_s, kind="stable")
        if len(order) > most:
            order = order[np.linspace(0, len(order) - 1, most).round().astype(int)]
        return self.select_rows(order)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardPair:
    """A board before and after a shot; disc 0 is the shooter's.

    before_mm   (d, 2)
    after_mm    (d, 2), of which only flat discs' places count
    states      (d,) of ``kernels.FLAT`` and so on, after the shot
    opponents   (d,) whether the discs are an opponent's
    track       discs seen in motion, if any were
    known_ends  (d,) whether the discs' final places were seen; all by default
    """

    before_mm: FloatArray
    after_mm: FloatArray
    states: NDArray[np.int8]
    opponents: NDArray[np.bool_]
    track: TrackPoints | None = None
    known_ends: NDArray[np.bool_] | None = None

    @property
    def end_is_known(self) -> NDArray[np.bool_]:
        """Whether the final places of the discs were seen: (d,)."""
        everyone = np.ones(len(self.before_mm), dtype=np.bool_)
        return everyone if self.known_ends is None else self.known_ends

    def keep_beginning(self, share: float) -> BoardPair:
        """The shot with only the first points of its track and no final places."""
        track = self.track
        if track is None:
            return self
        return replace(
            self,
            track=track.keep_first(max(round(share * len(track)), 3)),
            known_ends=np.zeros(len(self.before_mm), dtype=np.bool_),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Spreads:
    """One sigma of the uncertain parameters; those of the board come from a fit.

    friction, capture_speed  relative
    spin_rad_s               the unintended spin of a flick
    restitution_loss_s_m     fall of restitution per m/s; 0: as in the table
    """

    friction: float = 0.05
    restitution: float = 0.02
    post_restitution: float = 0.05
    capture_speed: float = 0.1
    spin_rad_s: float = 6.0
    restitution_loss_s_m: float = 0.0


#: Variation of a board from shot to shot and from day to day: wax, humidity. Assumed.
_DAY_SPREADS = Spreads(friction=0.02, restitution=0.01, post_restitution=0.02)


def derive_spreads(speed: BoardSpeed) -> Spreads:
    """The remaining uncertainty of a board with that speed: its sigmas, and the variation between
    days."""
    return Spreads(
        friction=math.hypot(speed.friction_sigma / speed.friction, _DAY_SPREADS.friction),
        restitution=math.hypot(speed.restitution_sigma, _DAY_SPREADS.restitution),
        post_restitution=math.hypot(speed.post_restitution_sigma, _DAY_SPREADS.post_restitution),
    )
