"""Other places where a disc in a steep view may as well lie, and how unsure they leave its place.

Where a window's light makes the surface white, it makes faces white, too. All that shows of a disc
is its wall; and with the wall's mirror image below, it looks like face and wall of a disc that lies
nearer by as much of the line of sight as its height hides. In less light a mirror image, or a shade
before a disc, draws the place of its region as far; its rim is voted for where it is.
"""

from __future__ import annotations

from dataclasses import dataclass
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
    #: A rim lies behind another if it is farther by more than this, beside it by less than this.
    least_behind_mm: float = parameter(
        7.0, unit="mm", source="chosen: as discs.disc_hypotheses restarts fits, which end nearer"
    )
    most_beside_mm: float = parameter(
        8.0, unit="mm", source="chosen: half a radius, for light falls from a side"
    )
    #: It has this many times as many votes, ...
    more_votes: float = parameter(
        1.2, unit="times", source="stills and renders: right ones 1.3 to 2.7, wrong ones 1.0"
    )
    #: ... and is as sure if its log odds are lower by no more than this.
    even_log_odds: float = parameter(
        0.2, unit="log odds", source="stills and renders: right ones are surer by -0.1 to 3"
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FittedRims:
    """Rims of n discs that were fitted: feet (n, 2), log odds (n,) and shares of votes (n,)."""

    foot_mm: FloatArray
    log_odds: FloatArray
    share: FloatArray


def find_rims_behind(
    found: FittedRims, voted: FittedRims, eye_mm: FloatArray, shape: DiscGeometry
) -> np.ndarray:
    """Which of the ``voted`` rims, by index, each of the n ``found`` discs has instead of its own,
    -1 for its own: (n,).

    It lies farther by no more than a disc's height hides, is as sure, and has more votes.
    """
    sight = found.foot_mm - eye_mm[:2]
    range_mm = np.linalg.norm(sight, axis=-1, keepdims=True)
    sight, hidden_mm = sight / range_mm, shape.height_mm * range_mm / eye_mm[2]
    apart = voted.foot_mm - found.foot_mm[:, None]
    behind_mm = np.einsum("nmk,nk->nm", apart, sight)
    beside_mm = np.abs(apart[..., 1] * sight[:, :1] - apart[..., 0] * sight[:, 1:])
    is_behind = (behind_mm > PARAMS.least_behind_mm) & (behind_mm < hidden_mm)
    is_behind &= beside_mm < PARAMS.most_beside_mm
    is_behind &= voted.share > PARAMS.more_votes * found.share[:, None]
    is_behind &= voted.log_odds > found.log_odds[:, None] - PARAMS.even_log_odds
    none = np.full((len(found.foot_mm), 1), -np.inf)  # so that there is a surest one of no rims
    surest = np.hstack([np.where(is_behind, voted.log_odds, -np.inf), none]).argmax(axis=1)
    return np.where(is_behind.any(axis=1), surest, -1)
