"""Other places where a disc in a steep view may as well lie, and how unsure they leave its place.

Where a window's light makes the surface white, it makes faces white, too. All that shows of a disc
is its wall; and with the wall's mirror image below, it looks like face and wall of a disc that lies
nearer by as much of the line of sight as its height hides.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from vision.discs.outline.contour import DiscGeometry
from vision.discs.teams.team_colours import LIGHTNESS_WEIGHT


class RivalPlacesParameters(StageParameters):
    """What ``rival_places`` takes for granted."""

    stage: ClassVar[str] = "discs.region.rival_places"

    #: A surface so near to white shows nothing but light.
    white_lab: float = parameter(
        7.0, unit="weighted Lab", source="renders of boards before a window: up to 6"
    )
    #: There a rim counts for less by this than one of the wall alone.
    mirrored_log_odds: float = parameter(
        5.0, unit="log odds", source="such renders: mirror images' are surer by 3, the median"
    )


PARAMS = RivalPlacesParameters.active()
_WHITE_LAB = np.array([100.0 * LIGHTNESS_WEIGHT, 0.0, 0.0])


def find_blown_out(surround_lab: FloatArray) -> np.ndarray:
    """Indices (m,) of the discs that lie on white, of surfaces' weighted Lab (n, 3) around them."""
    return np.flatnonzero(np.linalg.norm(surround_lab - _WHITE_LAB, axis=-1) < PARAMS.white_lab)


def compute_unmirrored(foot_mm: FloatArray, eye_mm: FloatArray, shape: DiscGeometry) -> FloatArray:
    """Where the discs lie whose walls and mirror images look like discs at ``foot_mm`` (n, 2)."""
    share = shape.height_mm / (eye_mm[2] - shape.height_mm)
    return np.asarray(foot_mm + share * (foot_mm - eye_mm[:2]))


def is_mirrored(log_odds: FloatArray, unmirrored_log_odds: FloatArray) -> np.ndarray:
    """Which discs (n,) on white are walls and mirror images, by the log odds of either's rim."""
    return unmirrored_log_odds > log_odds - PARAMS.mirrored_log_odds


def compute_rival_covariance(log_odds: FloatArray, ends_mm: FloatArray) -> FloatArray:
    """Covariance (n, 2, 2), mm², of k fits to each of n discs about the likeliest one's place.

    ``log_odds`` (k, n) speak for the fits, which ended at ``ends_mm`` (k, n, 2): second moments of
    a mixture of all.
    """
    chosen, every = log_odds.argmax(axis=0), np.arange(log_odds.shape[1])
    likely = np.exp(log_odds - log_odds[chosen, every])
    apart = ends_mm - ends_mm[chosen, every]
    return np.einsum("kn,kni,knj->nij", likely / likely.sum(axis=0), apart, apart)
