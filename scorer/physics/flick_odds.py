"""How well fitted flicks account for a board, weighed against a hand that moved discs.

Knows probabilities. What is weighed is not the misfit alone: a flick that would go anywhere with
what is not known exactly explains no board in particular, so the spread of where it may lead counts
against it (Laplace's approximation of the integral over all numbers that were fitted along). A hand
leaves a disc anywhere on the board. Refuses to know how flicks are found.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorer.physics import kernels
from scorer.physics.flick_fit import Fitted
from scorer.physics.flick_model import (
    CLOCK,
    CLOCK_UNIT,
    DIRECTION,
    DIRECTION_UNIT,
    SPEED,
    SPEED_UNIT,
    FlickModel,
    Residuals,
    rows_of,
)

FloatArray = NDArray[np.float64]

#: How often somebody moves a given disc by hand during a shot.
HAND_MOVES = 3e-6
#: Chance that a point on the way is of something else.
_WRONG_POINT = 0.02
#: Chance that a disc moved by hand is put into the hole or the ditch.
_HAND_TAKES = 0.1
#: One sigma of flicks before anything is known: direction in rad, speed (relative), moment in s.
_DIRECTION_SPREAD, _SPEED_SPREAD, _CLOCK_SPREAD_S = 1.0, 0.8, 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """One fitted flick's account.

    chi2         misfit of all discs, with the pulls on what was fitted along; less what the discs
                 that stayed leave anyway
    log_shot     ln of the probability of what was seen, the flick alone at work
    log_hand     the same, a hand having moved those discs that it accounts for better; -inf if none
    spread       (d, 2) how far each disc goes for one sigma of all that is held, sigmas
    touching     probability that an opponent's disc was touched, were it this flick
    """

    chi2: float
    log_shot: float
    log_hand: float
    by_hand: tuple[int, ...]
    spread: FloatArray
    touching: float


class Scales:
    """Weighs flicks of one pair of boards."""

    def __init__(self, model: FlickModel) -> None:
        self.model = model
        flat = model.pair.states == kernels.FLAT
        area = math.pi * model.table.board.surface_radius_mm**2
        # Against the density of a place seen with noise, both over the same small area.
        anywhere = 2 * math.pi * model.noise_mm**2 / area
        self.hand_price = -np.log(HAND_MOVES * np.where(flat, anywhere, _HAND_TAKES))
        self.point_price = np.zeros(0)
        if model.track is not None:
            self.point_price = -np.log(2 * math.pi * model.track.sigmas_mm**2 / area)
        # What is free has wide spreads of its own: direction, speed, clock.
        self.pull = model.held.astype(np.float64)
        for column, unit, spread in (
            (DIRECTION, DIRECTION_UNIT, _DIRECTION_SPREAD),
            (SPEED, SPEED_UNIT, _SPEED_SPREAD),
            (CLOCK, CLOCK_UNIT, _CLOCK_SPREAD_S),
        ):
            self.pull[column] = (unit / spread) ** 2
        used = [DIRECTION, SPEED, *([CLOCK] if model.track is not None else [])]
        self.log_free = 0.5 * float(np.log(self.pull[used]).sum())

    @property
    def hand_alone(self) -> float:
        """ln of the probability of what was seen, a hand having moved every disc that moved."""
        return -float(self.hand_price[self.model.moved].sum() + self.point_price.sum())

    def log_points(self, squares: FloatArray) -> FloatArray:
        """ln of how probable points on the way (..., m) are, some being of something else."""
        return np.asarray(np.logaddexp(-squares / 2, np.log(_WRONG_POINT) - self.point_price))

    def weighed(
        self,
        fits: Fitted,
        residuals: Residuals,
        slopes: FloatArray,
        active: NDArray[np.int64],
    ) -> list[Weighed]:
        """The account of each flick."""
        return [self._one(fits, residuals, slopes[k], active, k) for k in range(len(fits.costs))]

    def _one(
        self,
        fits: Fitted,
        residuals: Residuals,
        slopes: FloatArray,
        active: NDArray[np.int64],
        k: int,
    ) -> Weighed:
        model = self.model
        trust = self._trust(residuals.offsets[k])
        account = _Account(
            model,
            trust[:, None] * residuals.offsets[k],
            trust[:, None, None] * slopes,
            fits.theta[k],
            active,
            self.pull[active],
        )
        baseline = model.baseline
        chi2 = account.chi2 - baseline
        log_shot = -0.5 * chi2 + self.log_free - 0.5 * account.log_volume(())
        touching = float(touches(model, residuals, np.array([k]))[0])
        by_hand, log_hand = self._by_hand(account, baseline)
        return Weighed(
            chi2=chi2,
            log_shot=log_shot,
            log_hand=log_hand,
            by_hand=by_hand,
            spread=account.spread()[: model.discs],
            touching=touching,
        )

    def _trust(self, offsets: FloatArray) -> FloatArray:
        """By what to multiply offsets (d + m,): points likelier of something else count less."""
        squares = (offsets[self.model.discs :] ** 2).sum(axis=1)
        cost = np.maximum(-2 * self.log_points(squares), 0.0)
        trust = np.ones(len(offsets))
        trust[self.model.discs :] = np.minimum(np.sqrt(cost / np.maximum(squares, 1e-12)), 1.0)
        return trust

    def _by_hand(self, account: _Account, baseline: float) -> tuple[tuple[int, ...], float]:
        """Which discs a hand accounts for better than the flick, one more as long as it pays."""
        by_hand: tuple[int, ...] = ()
        best = -math.inf
        rest = set(np.flatnonzero(self.model.moved).tolist())
        while rest:
            tried = {each: self._without(account, (*by_hand, each), baseline) for each in rest}
            which = max(sorted(tried), key=lambda each: tried[each])
            if tried[which] <= best:
                break
            by_hand, best = (*by_hand, which), tried[which]
            rest.remove(which)
        return by_hand, best

    def _without(self, account: _Account, dropped: tuple[int, ...], baseline: float) -> float:
        price = float(self.hand_price[list(dropped)].sum())
        chi2, volume = account.without(dropped)
        return -0.5 * (chi2 - baseline) + self.log_free - 0.5 * volume - price


class _Account:
    """One flick's residuals and slopes, with or without some discs."""

    def __init__(
        self,
        model: FlickModel,
        offsets: FloatArray,
        slopes: FloatArray,
        theta: FloatArray,
        active: NDArray[np.int64],
        pull: FloatArray,
    ) -> None:
        self.offsets, self.slopes, self.pull = offsets, slopes, pull
        self.held = model.held[active]
        self.theta = theta[active] * self.held
        self.pulls = float((theta[model.held] ** 2).sum())
        self.chi2 = float((offsets**2).sum()) + self.pulls

    def normal(self, dropped: tuple[int, ...]) -> FloatArray:
        kept = np.delete(self.slopes, list(dropped), axis=0).reshape(-1, len(self.pull))
        return np.asarray(kept.T @ kept + np.diag(self.pull))

    def log_volume(self, dropped: tuple[int, ...]) -> float:
        """ln of the determinant: how narrowly what was seen holds the numbers."""
        return float(np.linalg.slogdet(self.normal(dropped))[1])

    def without(self, dropped: tuple[int, ...]) -> tuple[float, float]:
        """Chi squared with what one more step gains, and ``log_volume``, those discs not counted.

        What a step would gain with all discs counted is not gained by leaving some out.
        """
        chi2 = float((np.delete(self.offsets, list(dropped), axis=0) ** 2).sum()) + self.pulls
        gain = max(self._gain(dropped) - self._gain(()), 0.0)
        return chi2 - min(gain, chi2), self.log_volume(dropped)

    def _gain(self, dropped: tuple[int, ...]) -> float:
        """By how much one more step would lower chi squared."""
        rows = list(dropped)
        offsets = np.delete(self.offsets, rows, axis=0).ravel()
        slopes = np.delete(self.slopes, rows, axis=0).reshape(-1, len(self.pull))
        down = slopes.T @ offsets + self.theta
        return float(down @ np.linalg.solve(self.normal(dropped), down))

    def spread(self) -> FloatArray:
        """How far each offset goes for one sigma of all that is held: (d + m, 2)."""
        return np.asarray(np.sqrt(((self.slopes * self.held) ** 2).sum(axis=2)))


def touches(model: FlickModel, residuals: Residuals, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of those flicks touch an opponent's disc."""
    known = rows_of(residuals, rows).outcomes
    kept = np.arange(known.contacts.shape[1])[None] < known.counts[:, None]
    theirs = np.flatnonzero(model.pair.opponents)
    return np.asarray((np.isin(known.contacts, theirs).any(axis=2) & kept).any(axis=1))
