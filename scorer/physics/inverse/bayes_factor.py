"""Bayes factor of fitted flicks against a hand that moved discs, by Laplace's approximation.

The comparison uses more than the misfit. A flick whose outcome depends strongly on uncertain
parameters does not predict any board, so the spread of its outcomes counts against it. This is the
marginal likelihood, the integral over all fitted parameters. Laplace's method takes it from the
fit's curvature, which is wrong if the likelihood is far from a Gaussian, as at the edge of a
contact (``contact_probability`` samples there). A hand may leave a disc anywhere on the board.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.numerics.arrays import FloatArray
from calibration.parameters import StageParameters, parameter
from scorer.physics import kernels
from scorer.physics.engine import BatchResult
from scorer.physics.inverse.flick_fit import FlickFits
from scorer.physics.inverse.flick_model import (
    CLOCK,
    CLOCK_UNIT,
    DIRECTION,
    DIRECTION_UNIT,
    SPEED,
    SPEED_UNIT,
    FlickModel,
    Linearisation,
)


class BayesFactorParameters(StageParameters):
    """Parameters of ``bayes_factor``."""

    #: Prior probability that a hand moves a given disc during a shot.
    hand_moves: float = parameter(
        3e-6, unit="probability", source="chosen on the shots and near misses of ``bench explain``"
    )
    #: Probability that a track point is an outlier.
    wrong_point: float = parameter(
        0.02, unit="probability", source="chosen: one point in fifty of a track is wrong"
    )
    #: Probability that a disc moved by hand ends in the hole or the ditch.
    hand_takes: float = parameter(
        0.1,
        unit="probability",
        source="chosen: hands put discs on the board more often than they take them away",
    )
    #: Prior sigma of a flick's direction.
    direction_spread_rad: float = parameter(
        1.0,
        unit="rad",
        source="geometry: flicks that cross the board point near its centre",
    )
    #: The same of the logarithm of its speed.
    log_speed_spread: float = parameter(
        0.8, unit="", source="chosen: usual flicks of 800 to 3000 mm/s are within this"
    )
    #: The same of its time.
    clock_spread_s: float = parameter(
        0.6, unit="s", source="chosen: the accuracy with which the start of a motion is known"
    )


PARAMS = BayesFactorParameters()


@dataclass(frozen=True, slots=True, kw_only=True)
class FlickLikelihood:
    """Likelihood of the observations under one fitted flick.

    chi2         misfit of all discs plus prior cost, less the misfit of the discs that did not move
    log_shot     ln of the probability of the observations, with the flick alone
    log_hand     the same, with a hand for the discs that it explains better; -inf if there are none
    spread       (d, 2) each disc's displacement for one sigma of all parameters with priors
    touching     probability that an opponent's disc was touched, given this flick
    """

    chi2: float
    log_shot: float
    log_hand: float
    by_hand: tuple[int, ...]
    spread: FloatArray
    touching: float


class LikelihoodModel:
    """Marginal likelihoods of flicks that explain one pair of boards."""

    def __init__(self, model: FlickModel) -> None:
        self.model = model
        flat = model.pair.states == kernels.FLAT
        area = math.pi * model.table.board.surface_radius_mm**2
        # Relative to the density of a place seen with noise, both over the same small area.
        anywhere = 2 * math.pi * model.noise_mm**2 / area
        self.hand_cost = -np.log(PARAMS.hand_moves * np.where(flat, anywhere, PARAMS.hand_takes))
        self.outlier_cost = -np.log(2 * math.pi * model.track.sigmas_mm**2 / area)
        # Free parameters have wide spreads: direction, speed, clock.
        self.prior_precision = model.held.astype(np.float64)
        for column, unit, spread in (
            (DIRECTION, DIRECTION_UNIT, PARAMS.direction_spread_rad),
            (SPEED, SPEED_UNIT, PARAMS.log_speed_spread),
            (CLOCK, CLOCK_UNIT, PARAMS.clock_spread_s),
        ):
            self.prior_precision[column] = (unit / spread) ** 2
        used = [DIRECTION, SPEED, *([CLOCK] if len(model.track) else [])]
        self.log_prior_volume = 0.5 * float(np.log(self.prior_precision[used]).sum())

    @property
    def log_hand_alone(self) -> float:
        """ln of the observations' probability if a hand moved every disc that moved."""
        return -float(self.hand_cost[self.model.moved].sum() + self.outlier_cost.sum())

    def log_points(self, squares: FloatArray) -> FloatArray:
        """ln of the likelihood of track points (..., m), with outliers."""
        return np.asarray(
            np.logaddexp(-squares / 2, np.log(PARAMS.wrong_point) - self.outlier_cost)
        )

    def likelihoods(self, fits: FlickFits, at_fits: Linearisation) -> list[FlickLikelihood]:
        """The likelihood of each flick, from the linearisation at its fit."""
        touching = touches_opponent(self.model, at_fits.residuals.outcomes)
        return [
            self._evaluate_flick(fits, at_fits, k, float(touches))
            for k, touches in enumerate(touching)
        ]

    def _evaluate_flick(
        self, fits: FlickFits, at_fits: Linearisation, k: int, touching: float
    ) -> FlickLikelihood:
        model, residuals, columns = self.model, at_fits.residuals, at_fits.columns
        weights = self._outlier_weights(residuals.offsets[k])
        theta, held = fits.theta[k], model.held
        fit = _LinearisedFit(
            offsets=weights[:, None] * residuals.offsets[k],
            slopes=weights[:, None, None] * at_fits.slopes[k],
            held=held[columns],
            theta=theta[columns] * held[columns],
            prior_precision=self.prior_precision[columns],
            prior_cost=float((theta[held] ** 2).sum()),
        )
        baseline = model.baseline
        chi2 = fit.chi2 - baseline
        log_shot = -0.5 * chi2 + self.log_prior_volume - 0.5 * fit.log_volume(())
        by_hand, log_hand = self._find_hand_moves(fit, baseline)
        return FlickLikelihood(
            chi2=chi2,
            log_shot=log_shot,
            log_hand=log_hand,
            by_hand=by_hand,
            spread=fit.spread()[: model.discs],
            touching=touching,
        )

    def _outlier_weights(self, offsets: FloatArray) -> FloatArray:
        """Weights of offsets (d + m,): likely outliers count less."""
        squares = (offsets[self.model.discs :] ** 2).sum(axis=1)
        cost = np.maximum(-2 * self.log_points(squares), 0.0)
        weights = np.ones(len(offsets))
        weights[self.model.discs :] = np.minimum(np.sqrt(cost / np.maximum(squares, 1e-12)), 1.0)
        return weights

    def _find_hand_moves(
        self, fit: _LinearisedFit, baseline: float
    ) -> tuple[tuple[int, ...], float]:
        """Discs that a hand explains better than the flick, added greedily."""
        by_hand: tuple[int, ...] = ()
        best = -math.inf
        rest = set(np.flatnonzero(self.model.moved).tolist())
        while rest:
            tried = {disc: self._log_hand_without(fit, (*by_hand, disc), baseline) for disc in rest}
            which = max(sorted(tried), key=lambda disc: tried[disc])
            if tried[which] <= best:
                break
            by_hand, best = (*by_hand, which), tried[which]
            rest.remove(which)
        return by_hand, best

    def _log_hand_without(
        self, fit: _LinearisedFit, dropped: tuple[int, ...], baseline: float
    ) -> float:
        cost = float(self.hand_cost[list(dropped)].sum())
        chi2, volume = fit.drop_discs(dropped)
        return -0.5 * (chi2 - baseline) + self.log_prior_volume - 0.5 * volume - cost


@dataclass(frozen=True, slots=True, kw_only=True)
class _LinearisedFit:
    """One flick's residuals (d + m, 2) and slopes (d + m, 2, active), with or without some discs.

    held             (active,) parameters that have a prior
    theta            (active,) those numbers, 0 where free
    prior_precision  (active,) one over the prior variance of each
    prior_cost       of all numbers that are held, active or not
    """

    offsets: FloatArray
    slopes: FloatArray
    held: NDArray[np.bool_]
    theta: FloatArray
    prior_precision: FloatArray
    prior_cost: float

    @property
    def chi2(self) -> float:
        """Chi squared of all offsets, plus the prior cost of the parameters."""
        return float((self.offsets**2).sum()) + self.prior_cost

    def normal(self, dropped: tuple[int, ...]) -> FloatArray:
        """The normal matrix (active, active) without those discs."""
        kept = np.delete(self.slopes, list(dropped), axis=0).reshape(-1, len(self.prior_precision))
        return np.asarray(kept.T @ kept + np.diag(self.prior_precision))

    def log_volume(self, dropped: tuple[int, ...]) -> float:
        """ln of the normal matrix's determinant: the precision of the parameters."""
        return float(np.linalg.slogdet(self.normal(dropped))[1])

    def drop_discs(self, dropped: tuple[int, ...]) -> tuple[float, float]:
        """Chi squared after one more step, and ``log_volume``, without those discs.

        It does not include the improvement that a step makes only if all discs count.
        """
        chi2 = float((np.delete(self.offsets, list(dropped), axis=0) ** 2).sum()) + self.prior_cost
        gain = max(self._step_gain(dropped) - self._step_gain(()), 0.0)
        return chi2 - min(gain, chi2), self.log_volume(dropped)

    def _step_gain(self, dropped: tuple[int, ...]) -> float:
        """The fall of chi squared by one more step."""
        rows = list(dropped)
        offsets = np.delete(self.offsets, rows, axis=0).ravel()
        slopes = np.delete(self.slopes, rows, axis=0).reshape(-1, len(self.prior_precision))
        down = slopes.T @ offsets + self.theta
        return float(down @ np.linalg.solve(self.normal(dropped), down))

    def spread(self) -> FloatArray:
        """Change of each offset for one sigma of all parameters with priors: (d + m, 2)."""
        return np.asarray(np.sqrt(((self.slopes * self.held) ** 2).sum(axis=2)))


def touches_opponent(model: FlickModel, outcomes: BatchResult) -> NDArray[np.bool_]:
    """Which of the flicks touch an opponent's disc (n,)."""
    kept = np.arange(outcomes.contacts.shape[1])[None] < outcomes.counts[:, None]
    theirs = np.flatnonzero(model.pair.opponents)
    return np.asarray((np.isin(outcomes.contacts, theirs).any(axis=2) & kept).any(axis=1))
