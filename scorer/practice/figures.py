"""Practice statistics: a success rate with its interval, and the positions of the misses.

Every figure comes with its number of shots. The interval is Wilson's; the spread is the standard
deviation (n - 1) of the positions of missed discs that stayed on the board.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import mean, stdev

from scorer.practice.events import Outcome, PracticeShot
from scorer.practice.fold import PracticeState
from scorer.wilson import wilson_interval


@dataclass(frozen=True, slots=True, kw_only=True)
class SuccessRate:
    """A number of successes among a number of shots."""

    successes: int
    shots: int

    @property
    def share(self) -> float:
        """The share of successes; 0 without shots."""
        return self.successes / self.shots if self.shots else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% confidence interval of the player's true share."""
        return wilson_interval(self.successes, self.shots)


@dataclass(frozen=True, slots=True, kw_only=True)
class RestSpread:
    """Positions of discs at rest around the hole, mm: mean and one standard deviation.

    shots   number of discs
    missed  number of misses, with or without a known position
    """

    shots: int
    missed: int
    mean_right_mm: float
    mean_beyond_mm: float
    sd_right_mm: float
    sd_beyond_mm: float


def rate_success(runs: Iterable[PracticeState]) -> SuccessRate:
    """The success rate over all shots of some practice sessions with one drill."""
    listed = list(runs)
    return SuccessRate(
        successes=sum(practice_state.successes for practice_state in listed),
        shots=sum(len(practice_state.shots) for practice_state in listed),
    )


def measure_spread(shots: Sequence[PracticeShot]) -> RestSpread | None:
    """The spread of missed open 20s; None if fewer than two have a known position."""
    missed = [shot for shot in shots if shot.outcome is not Outcome.TWENTY]
    places = [
        (shot.right_mm, shot.beyond_mm)
        for shot in missed
        if shot.right_mm is not None and shot.beyond_mm is not None
    ]
    if len(places) < 2:
        return None
    right, beyond = zip(*places, strict=True)
    return RestSpread(
        shots=len(places),
        missed=len(missed),
        mean_right_mm=mean(right),
        mean_beyond_mm=mean(beyond),
        sd_right_mm=stdev(right),
        sd_beyond_mm=stdev(beyond),
    )


class Weakness(StrEnum):
    """The part of a shot that a player should practise first, judged by the misses."""

    DIRECTION = "direction"
    SPEED = "speed"
    NEITHER = "neither"


@dataclass(frozen=True, slots=True, kw_only=True)
class MissComparison:
    """Spread of misses of open 20s, as multiples of a simulated club player's spread.

    across, along  sideways and lengthways; spread is the factor by which they are divided and
                   multiplied for a 95% interval
    """

    shots: int
    across: float
    along: float
    spread: float

    @property
    def weakness(self) -> Weakness:
        """The wider of the two, if it is not due to chance."""
        if max(self.across / self.along, self.along / self.across) < self.spread ** math.sqrt(2):
            return Weakness.NEITHER
        return Weakness.DIRECTION if self.across > self.along else Weakness.SPEED


#: One standard deviation of simulated club players' misses that stayed on the board, mm: to the
#: left and right of the hole, and along the shot.
_CLUB_ACROSS_MM, _CLUB_ALONG_MM = 5.7, 110.2
#: With fewer misses there is no comparison.
_LEAST_MISSES = 8


def compare_misses(shots: Sequence[PracticeShot]) -> MissComparison | None:
    """Misses measured by a camera, compared with a club player's; None if there are too few.

    Taps on a phone are ignored, because they are only accurate to a disc's width.
    """
    spread = measure_spread([shot for shot in shots if shot.source == "camera"])
    if spread is None or spread.shots < _LEAST_MISSES:
        return None
    return MissComparison(
        shots=spread.shots,
        across=spread.sd_right_mm / _CLUB_ACROSS_MM,
        along=spread.sd_beyond_mm / _CLUB_ALONG_MM,
        spread=math.exp(2 / math.sqrt(2 * (spread.shots - 1))),
    )


def find_best(runs: Iterable[PracticeState], shots: int) -> int | None:
    """The most successes in a complete practice with the given number of shots; None if there is
    none.
    """
    whole = [run for run in runs if run.is_whole and run.setup.shots == shots]
    return max((practice_state.successes for practice_state in whole), default=None)


def see_from_seat(
    start_mm: tuple[float, float], place_mm: tuple[float, float]
) -> tuple[float, float]:
    """A board point as the shooter sees it: mm to the right of the hole, and mm beyond it.

    ``start_mm`` is the disc's position before the shot; from there the shooter looks at the hole.
    """
    away = math.hypot(*start_mm)
    if away == 0:
        return place_mm
    ahead = (-start_mm[0] / away, -start_mm[1] / away)
    right = place_mm[0] * ahead[1] - place_mm[1] * ahead[0]
    beyond = place_mm[0] * ahead[0] + place_mm[1] * ahead[1]
    return right, beyond
