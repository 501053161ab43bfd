"""Estimates one lens from several views by adding up the information of each picture's fit.

Every fit used the same prior, which must count only once: it is removed from every fit's
information and added back once. To first order this is the joint least-squares fit of all pictures.
Views that disagree by a chi-square test are left out, the worst first. If only two views disagree,
either may be wrong, and both are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.board import FloatArray
from calibration.camera import Camera
from calibration.fit import BoardFit
from calibration.lens_prior import LensPrior
from calibration.parameters import StageParameters, parameter
from calibration.ring_residuals import LENS


class LensParameters(StageParameters):
    """Parameters of ``lens``."""

    #: Views that disagree with the others by more than this came from another lens or zoom.
    max_chi_square: float = parameter(
        23.5, unit="σ²", source="chi-square of 4 parameters, one in ten thousand"
    )


PARAMS = LensParameters()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LensEstimate:
    """The common lens of several views.

    covariance  of (log focal length, k1, cx px, cy px): (4, 4)
    used        indices of the views that agreed
    """

    camera: Camera
    covariance: FloatArray
    used: tuple[int, ...]

    @property
    def focal_log_sigma(self) -> float:
        """Relative standard deviation of the focal length."""
        return float(np.sqrt(self.covariance[0, 0]))

    @property
    def k1_sigma(self) -> float:
        """One standard deviation of the distortion."""
        return float(np.sqrt(self.covariance[1, 1]))

    @property
    def centre_sigma_px(self) -> float:
        """One standard deviation of the less certain coordinate of the optical axis."""
        return float(np.sqrt(self.covariance[[2, 3], [2, 3]].max()))


def combine_lenses(fits: Sequence[BoardFit], prior: LensPrior) -> LensEstimate:
    """The lens of pictures of one size, taken at one zoom; views that disagree are left out.

    ``fits`` all used ``prior`` and are in its pixels. Raises ``ValueError`` without any fit.
    """
    if not fits:
        raise ValueError("a lens estimate needs at least one view")
    used = list(range(len(fits)))
    while True:
        mean, covariance = _combine([fits[k] for k in used], prior)
        misfit = [_chi_square(fits[k], mean, covariance) for k in used]
        worst = int(np.argmax(misfit))
        if len(used) < 3 or misfit[worst] < PARAMS.max_chi_square:
            break
        del used[worst]
    camera = Camera(
        fx_px=float(np.exp(mean[0])),
        fy_px=float(np.exp(mean[0])),
        k1=float(mean[1]),
        cx_px=float(mean[2]),
        cy_px=float(mean[3]),
    )
    return LensEstimate(camera=camera, covariance=covariance, used=tuple(used))


def _combine(fits: Sequence[BoardFit], prior: LensPrior) -> tuple[FloatArray, FloatArray]:
    """Mean (4,) and covariance (4, 4) of the lens, from the fits and one prior."""
    prior_mean = np.array([np.log(prior.focal_px), prior.k1, *prior.centre_px])
    sigma = [prior.focal_log_sigma, prior.k1_sigma, prior.centre_sigma_px, prior.centre_sigma_px]
    prior_information = np.diag(np.array(sigma) ** -2.0)
    information = prior_information.copy()
    information_mean = np.zeros(4)  # information times the offset from the prior mean
    for fit in fits:
        own = np.linalg.inv(fit.covariance[LENS, LENS])
        information_mean += own @ (_lens_parameters(fit) - prior_mean)
        information += _clip_to_positive_semidefinite(own - prior_information)
    covariance = np.linalg.inv(information)
    return prior_mean + covariance @ information_mean, covariance


def _lens_parameters(fit: BoardFit) -> FloatArray:
    """Log focal length, k1, cx and cy (4,): in the order of ``LENS``."""
    camera = fit.view.camera
    return np.array([np.log(camera.fx_px), camera.k1, camera.cx_px, camera.cy_px])


def _clip_to_positive_semidefinite(information: FloatArray) -> FloatArray:
    """The nearest positive semidefinite matrix: rounding may leave slightly negative
    eigenvalues."""
    value, vector = np.linalg.eigh((information + information.T) / 2)
    return np.asarray((vector * np.maximum(value, 0.0)) @ vector.T)


def _chi_square(fit: BoardFit, mean: FloatArray, covariance: FloatArray) -> float:
    """Squared Mahalanobis distance between a fit's own lens and the common one."""
    away = _lens_parameters(fit) - mean
    return float(away @ np.linalg.solve(fit.covariance[LENS, LENS] + covariance, away))
