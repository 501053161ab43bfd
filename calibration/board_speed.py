"""Friction and restitution of one board, as fitted, with their covariance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.camera import FloatArray

#: Closing speed for which the restitution of discs is stated, m/s: that of a usual hit.
STATED_AT_M_S = 1.0
#: Largest accepted loss of restitution, and its largest sigma, s/m.
MOST_LOSS_S_M = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardSpeed:
    """A board's speed.

    friction, restitution, post_restitution  disc on board, disc on disc, disc on post: ratios
    restitution_loss_s_m                     decrease of the discs' restitution for every m/s;
                                             restitution is stated at 1 m/s. 0: none was found
    ..._sigma                                one sigma of each
    correlations                             friction and restitution, friction and post
                                             restitution, restitution and post restitution
    """

    friction: float
    friction_sigma: float
    restitution: float
    restitution_sigma: float
    post_restitution: float
    post_restitution_sigma: float
    correlations: tuple[float, float, float] = (0.0, 0.0, 0.0)
    restitution_loss_s_m: float = 0.0
    restitution_loss_sigma_s_m: float = 0.0

    def __post_init__(self) -> None:
        for name, low in (("friction", 0.005), ("restitution", 0.0), ("post_restitution", 0.0)):
            value, sigma = getattr(self, name), getattr(self, f"{name}_sigma")
            if not low <= value <= 1:
                raise ValueError(f"{name} must be between {low:g} and 1, not {value:g}")
            if not 0 <= sigma <= 1:
                raise ValueError(f"{name}_sigma must be between 0 and 1, not {sigma:g}")
        for name in ("restitution_loss_s_m", "restitution_loss_sigma_s_m"):
            if not 0 <= getattr(self, name) <= MOST_LOSS_S_M:
                raise ValueError(
                    f"{name} must be between 0 and {MOST_LOSS_S_M:g}, not {getattr(self, name):g}"
                )
        for correlation in self.correlations:
            if not -1 <= correlation <= 1:
                raise ValueError(f"correlations must be between -1 and 1, not {correlation:g}")

    @property
    def restitution_at_rest(self) -> float:
        """Restitution of discs extrapolated to zero closing speed."""
        return min(self.restitution + STATED_AT_M_S * self.restitution_loss_s_m, 1.0)

    @property
    def sigmas(self) -> FloatArray:
        """One sigma of friction, restitution and post restitution (3,)."""
        return np.array([self.friction_sigma, self.restitution_sigma, self.post_restitution_sigma])

    @property
    def covariance(self) -> FloatArray:
        """Covariance (3, 3) of friction, restitution and post restitution."""
        a, b, c = self.correlations
        correlation = np.array([[1.0, a, b], [a, 1.0, c], [b, c, 1.0]])
        return np.asarray(correlation * np.outer(self.sigmas, self.sigmas))


def build_board_speed(
    values: Sequence[float], covariance: FloatArray, loss: tuple[float, float] = (0.0, 0.0)
) -> BoardSpeed:
    """Board speed from friction, restitution and post restitution and their covariance (3, 3).

    ``loss`` is the loss of restitution for every m/s, with its sigma.
    """
    sigmas = np.sqrt(np.diag(covariance))
    correlation = np.clip(covariance / np.outer(sigmas, sigmas), -1.0, 1.0)
    friction, restitution, post = values
    return BoardSpeed(
        friction=min(max(friction, 0.005), 1.0),
        friction_sigma=float(sigmas[0]),
        restitution=min(max(restitution, 0.0), 1.0),
        restitution_sigma=float(sigmas[1]),
        post_restitution=min(max(post, 0.0), 1.0),
        post_restitution_sigma=float(sigmas[2]),
        restitution_loss_s_m=min(max(loss[0], 0.0), MOST_LOSS_S_M),
        restitution_loss_sigma_s_m=min(loss[1], MOST_LOSS_S_M),
        correlations=(float(correlation[0, 1]), float(correlation[0, 2]), float(correlation[1, 2])),
    )
