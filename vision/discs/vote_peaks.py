"""Peaks of votes for rims: places of discs to be fitted; few votes are enough where a disc is
expected.

Votes for bright and for dark rims are examined together and separately, because beside a hard
shadow one of them has its own peak. A peak where a disc was seen a moment ago is accepted, however
low it is.
"""

from __future__ import annotations

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from vision.discs.detector_input import DetectorInput
from vision.discs.hough_votes import HoughVotes, find_peaks, suppress_non_maxima
from vision.discs.radius_estimate import DITCH_SEARCH_MM


class VotePeaksParameters(StageParameters):
    """Parameters of ``vote_peaks``."""

    #: Least share of a rim that edges must support for a hypothesis.
    min_vote_share: float = parameter(
        0.18,
        unit="share",
        source="chosen: slightly less than the 0.2 that noise reaches, because the fits then "
        "decide",
    )
    #: ... and the same where a disc was seen a moment ago.
    min_expected_vote_share: float = parameter(
        0.06, unit="share", source="chosen: a tenth of the rim stands out from the wood"
    )
    #: Distance between two peaks in one accumulator; near a hard shadow the votes have several.
    min_peak_distance_mm: float = parameter(
        4.0, unit="mm", source="chosen: separates a shadow's peak from its disc's"
    )


PARAMS = VotePeaksParameters()
#: Most places that are fitted, for time.
_MAX_PEAKS = 150
#: Peaks of different accumulators this close are one hypothesis: slightly more than a pixel.
_SAME_PEAK_MM = 1.2


def find_vote_peaks(accumulator: HoughVotes, inputs: DetectorInput) -> FloatArray:
    """Possible places of discs (n, 3), as (x_mm, y_mm, share): peaks of all votes, and of bright or
    dark votes.

    The share counts all votes at a peak of any kind.
    """
    total = accumulator.total
    found = [
        find_peaks(
            votes,
            inputs.searched,
            min_distance_mm=PARAMS.min_peak_distance_mm,
            min_share=PARAMS.min_vote_share,
        )
        for votes in (total, accumulator.bright, accumulator.dark)
    ]
    if len(inputs.expected_mm):
        # the first places of the array are kept
        found.insert(0, _find_expected_peaks(total, inputs))
    place = np.concatenate(found)
    reach = np.hypot(*place[:, :2].T)
    place = place[reach < inputs.spec.surface_radius_mm + DITCH_SEARCH_MM]
    place = place[suppress_non_maxima(place[:, :2], _SAME_PEAK_MM)][:_MAX_PEAKS]
    column, row = np.rint(inputs.searched.to_px(place[:, :2])).astype(np.intp).T
    return np.column_stack([place[:, :2], total[row, column]])


def _find_expected_peaks(votes: np.ndarray, inputs: DetectorInput) -> FloatArray:
    """Peaks (n, 3) of the votes (side, side) where discs are expected, even if few votes agree."""
    near, reach_px = np.zeros(votes.shape, np.uint8), inputs.expected_reach_px
    for column, row in np.rint(inputs.searched.to_px(inputs.expected_mm)).astype(int).tolist():
        cv2.circle(near, (column, row), reach_px, 1, cv2.FILLED)
    return find_peaks(
        votes * near,
        inputs.searched,
        min_distance_mm=PARAMS.min_peak_distance_mm,
        min_share=PARAMS.min_expected_vote_share,
    )
