"""How fast one board is: its friction and how discs bounce on it, as a fit found them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.camera import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardSpeed:
    """A board's speed.

    friction, restitution, post_restitution  disc on board, disc on disc, disc on post: ratios
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

    def __post_init__(self) -> None:
        for name, low in (("friction", 0.005), ("restitution", 0.0), ("post_restitution", 0.0)):
            value, sigma = getattr(self, name), getattr(self, f"{name}_sigma")
            if not low <= value <= 1:
                raise ValueError(f"{name} must lie between {low:g} and 1, not {value:g}")
            if not 0 <= sigma <= 1:
                raise ValueError(f"{name}_sigma must lie between 0 and 1, not {sigma:g}")
        for each in self.correlations:
            if not -1 <= each <= 1:
                raise ValueError(f"correlations must lie between -1 and 1, not {each:g}")

    @property
    def sigmas(self) -> FloatArray:
        """One sigma of friction, restitution and post restitution (3,)."""
        return np.array([self.friction_sigma, self.restitution_sigma, self.post_restitution_sigma])

    @property
    def covariance(self) -> FloatArray:
        """Of friction, restitution and post restitution (3, 3)."""
        a, b, c = self.correlations
        correlation = np.array([[1.0, a, b], [a, 1.0, c], [b, c, 1.0]])
        return np.asarray(correlation * np.outer(self.sigmas, self.sigmas))


def build_board_speed(values: Sequence[float], covariance: FloatArray) -> BoardSpeed:
    """The speed of friction, restitution and post restitution with their covariance (3, 3)."""
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
        correlations=(float(correlation[0, 1]), float(correlation[0, 2]), float(correlation[1, 2])),
    )
