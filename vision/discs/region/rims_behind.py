"""Rims behind the regions' places in an oblique view: the true places of the discs.

A mirror image in the surface, or a shadow in front of a disc, shifts a region's place nearer along
the line of sight, by at most the distance that the disc's height hides. The votes for its rim are
at the true place.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from vision.discs.outline.contour import DiscGeometry


class RimsBehindParameters(StageParameters):
    """Parameters of ``rims_behind``."""

    #: A rim is behind another if it is farther away by more than this and offset sideways by less
    #: than this.
    least_behind_mm: float = parameter(
        7.0,
        unit="mm",
        source="chosen: regions in shade are this far off at 60°; fits that start nearer are right",
    )
    most_beside_mm: float = parameter(
        8.0,
        unit="mm",
        source="chosen: half a radius, because light comes from one side and shifts a region "
        "sideways",
    )
    #: It must have this many times as many votes, ...
    more_votes: float = parameter(
        1.2,
        unit="times",
        source="measured on stills and renders: right rims have 1.3 to 2.7, wrong ones 1.0",
    )
    #: ... and its log odds may be lower by no more than this.
    even_log_odds: float = parameter(
        0.2,
        unit="log odds",
        source="measured on stills and renders: the log odds of right rims are -0.1 to 3 higher",
    )


PARAMS = RimsBehindParameters()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FittedRims:
    """Fitted rims of n discs: bases (n, 2), log odds (n,) and shares of votes (n,)."""

    base_mm: FloatArray
    log_odds: FloatArray
    share: FloatArray


def find_rims_behind(
    found: FittedRims, voted: FittedRims, camera_mm: FloatArray, shape: DiscGeometry
) -> np.ndarray:
    """Index of the ``voted`` rim that replaces a disc's own, for n ``found`` discs; -1 for its own:
    (n,).

    The new rim is farther away by at most the distance that a disc's height hides, is as certain,
    and has more votes.
    """
    sight = found.base_mm - camera_mm[:2]
    range_mm = np.linalg.norm(sight, axis=-1, keepdims=True)
    sight, hidden_mm = sight / range_mm, shape.height_mm * range_mm / camera_mm[2]
    apart = voted.base_mm - found.base_mm[:, None]
    behind_mm = np.einsum("nmk,nk->nm", apart, sight)
    beside_mm = np.abs(apart[..., 1] * sight[:, :1] - apart[..., 0] * sight[:, 1:])
    is_behind = (behind_mm > PARAMS.least_behind_mm) & (behind_mm < hidden_mm)
    is_behind &= beside_mm < PARAMS.most_beside_mm
    is_behind &= voted.share > PARAMS.more_votes * found.share[:, None]
    is_behind &= voted.log_odds > found.log_odds[:, None] - PARAMS.even_log_odds
    none = np.full((len(found.base_mm), 1), -np.inf)  # for n discs without any rims
    surest = np.hstack([np.where(is_behind, voted.log_odds, -np.inf), none]).argmax(axis=1)
    return np.where(is_behind.any(axis=1), surest, -1)
