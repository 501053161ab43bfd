"""Regions that discs would cover, as log odds of a disc by how well they cover foreign pixels.

A region is only the place where a disc would explain most. Its rim and face decide whether it is a
disc.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from vision.discs.detector_input import DetectorInput
from vision.discs.hough_votes import HoughVotes
from vision.discs.region.region_search import compute_net_gain, find_disc_regions
from vision.discs.region.silhouettes import SilhouetteScorer, SilhouetteScores


class ScoredRegionsParameters(StageParameters):
    """Parameters of ``scored_regions``."""

    #: Log odds that a region's fit adds in an oblique view: this much per unit beyond the usual
    #: share of the visible area.
    per_region_fit: float = parameter(
        10.0,
        unit="log odds",
        source="measured on 18 stills: discs fit by 0.81 to 0.99, hands by up to 0.78",
    )
    usual_region_fit: float = parameter(
        0.72, unit="share", source="chosen: a fit between a perfect disc's and a hand's"
    )
    #: If the votes for its rim have at least this share, a region of little contrast fits as well
    #: as one of full contrast, ...
    voted_share: float = parameter(
        0.15,
        unit="share",
        source="measured on 18 stills: discs have shares of 0.18 to 0.5, hands up to 0.13",
    )
    #: ... provided that its contrast is at least this.
    least_contrast: float = parameter(
        0.5, unit="", source="measured on stills of natural discs on maple: 0.4 to 0.9"
    )
    #: Log odds that a region loses, times its hidden share.
    per_hidden_share: float = parameter(
        4.0,
        unit="log odds",
        source="chosen: half a visible disc has even odds, if nothing else differs",
    )
    #: Votes for rims are looked up within this of a region's place.
    region_reach_mm: float = parameter(
        4.0, unit="mm", source="chosen: the depth of a pixel in a steep view"
    )


PARAMS = ScoredRegionsParameters()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoredRegions:
    """n regions that discs would cover.

    place     (x_mm, y_mm, share of votes): (n, 3)
    gain      explained area as a share of a disc: (n,)
    fit       the same as a share of the disc's visible part: (n,)
    log_odds  contribution of fit and hidden share: (n,)
    """

    place: FloatArray
    gain: FloatArray
    fit: FloatArray
    log_odds: FloatArray


def score_regions(
    accumulator: HoughVotes, scorer: SilhouetteScorer, inputs: DetectorInput
) -> ScoredRegions:
    """The regions of one picture, with the ``accumulator``'s votes around them."""
    found = find_disc_regions(scorer, inputs.spec)
    gain, visible = compute_net_gain(found.scores), np.maximum(found.scores.visible, 1e-9)
    share = look_up_votes(accumulator, inputs, found.base_mm)
    return ScoredRegions(
        place=np.column_stack([found.base_mm, share]),
        gain=gain,
        fit=gain / visible,
        log_odds=compute_region_log_odds(found.scores, share),
    )


def compute_region_log_odds(scores: SilhouetteScores, share: FloatArray) -> FloatArray:
    """Contribution of fit and hidden share to the log odds of silhouettes (n,) whose rims have a
    ``share`` (n,) of votes.
    """
    visible = np.maximum(scores.visible, 1e-9)
    contrast = np.maximum(scores.contrast, PARAMS.least_contrast)
    contrast = np.where(share > PARAMS.voted_share, contrast, 1.0)
    fit = compute_net_gain(scores) / (visible * contrast)
    by_fit = PARAMS.per_region_fit * (fit - PARAMS.usual_region_fit)
    return np.asarray(by_fit - PARAMS.per_hidden_share * (1.0 - visible))


def look_up_votes(
    accumulator: HoughVotes, inputs: DetectorInput, base_mm: FloatArray
) -> FloatArray:
    """The largest share of votes (n,) around the places ``base_mm`` (n, 2)."""
    reach = 2 * round(PARAMS.region_reach_mm / inputs.rectified.mm_per_px) + 1
    around = cv2.dilate(accumulator.total, np.ones((reach, reach), np.uint8))
    column, row = np.rint(inputs.searched.to_px(base_mm)).astype(np.intp).T
    return np.asarray(around[row, column], dtype=np.float64)
