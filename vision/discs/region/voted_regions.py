"""Discs that show another colour than the surface, in a steep view, at places that rims vote for.

Where a post or another disc stands in front, the place that explains most of a region may lie
beside the disc; the votes for its rim tell where it is. Greedy selection: the likeliest place is
kept, what it covers is explained, and neither what lies about it nor its mirror image is another.
A rim that few edges support has no such place, and is missed here; over the surface's edge a disc
in the ditch looks the same, and none is told.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from vision.discs.detector_input import DetectorInput
from vision.discs.region.faint_discs import find_possible_places
from vision.discs.region.region_search import compute_net_gain
from vision.discs.region.scored_regions import compute_region_log_odds
from vision.discs.region.silhouettes import SilhouetteScorer


class VotedRegionsParameters(StageParameters):
    """What ``voted_regions`` takes for granted."""

    stage: ClassVar[str] = "discs.region.voted_regions"

    #: Of less nobody is told.
    least_log_odds: float = parameter(
        0.0, unit="log odds", source="chosen: as likely a disc as not, before its team is known"
    )


PARAMS = VotedRegionsParameters.active()


def score_voted_regions(
    foot_mm: FloatArray,
    log_odds: FloatArray,
    share: FloatArray,
    scorer: SilhouetteScorer,
    sure_mm: FloatArray,
    inputs: DetectorInput,
) -> tuple[FloatArray, FloatArray]:
    """What regions add to the ``log_odds`` (n,) of discs at ``foot_mm`` (n, 2), minus infinity
    where none is; and what each explains, as a share of a disc: (n,), (n,).

    Votes for their rims have a ``share`` (n,); ``sure_mm`` (m, 2) are discs that regions show.
    """
    taken = np.zeros(scorer.foreign_map.foreign.shape, np.uint8)
    for foot in sure_mm:
        scorer.draw(foot, taken)
    added, gain = np.full(len(foot_mm), -np.inf), np.zeros(len(foot_mm))
    inner_mm = inputs.spec.surface_radius_mm - inputs.shape.radius_mm
    is_possible = find_possible_places(foot_mm, sure_mm, inputs)
    left = np.flatnonzero(is_possible & (np.hypot(*foot_mm.T) < inner_mm))
    samples = scorer.sample(foot_mm)
    while len(left) > 0:
        scores = samples.score(taken, left)
        by_region = compute_region_log_odds(scores, share[left])
        best = int(np.argmax(log_odds[left] + by_region))
        chosen = left[best]
        if log_odds[chosen] + by_region[best] < PARAMS.least_log_odds:
            break
        added[chosen], gain[chosen] = by_region[best], compute_net_gain(scores)[best]
        scorer.draw(foot_mm[chosen], taken)
        left = left[find_possible_places(foot_mm[left], foot_mm[[chosen]], inputs)]
    return added, gain
