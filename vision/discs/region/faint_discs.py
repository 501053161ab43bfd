"""Discs of nearly the surface's own colour, in a steep view: by their rims' votes and little else.

Such a disc is no region of another colour. Its rim shows all the same: the shade under it, its wall
against its face, the grain that its face cuts off. So its place comes from the votes for rims, and
its log odds from a logistic regression on its rim, its votes and what little of it differs from the
surface, whose weights are rounded. It was fitted to 39 renders of boards at 60 to 78 degrees and to
36 photographs of hands, cups and discs, none of which shows a disc of the board's colour.

What lies beside other foreign things is none, for a hand's parts look so; nor is what lies where
another disc has its mirror image or its shadow. In grain or noise as strong as its rim's steps such
a disc is missed without a word.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from vision.discs.detector_input import DetectorInput
from vision.discs.hough_votes import HoughVotes, suppress_non_maxima
from vision.discs.region.region_search import compute_net_gain
from vision.discs.region.scored_regions import look_up_votes
from vision.discs.region.silhouettes import SilhouetteScorer, SilhouetteScores
from vision.discs.vote_peaks import find_vote_peaks


class FaintDiscsParameters(StageParameters):
    """What ``faint_discs`` takes for granted."""

    stage: ClassVar[str] = "discs.region.faint_discs"

    #: Least share of a rim that edges must support, and how many places are tried.
    min_vote_share: float = parameter(
        0.1, unit="share", source="renders: faint discs have 0.11 to 0.5"
    )
    max_places: int = parameter(200, unit="", source="chosen: speed")
    #: A face this far from the surface around it shows as a region.
    like_surface_lab: float = parameter(
        12.0, unit="weighted Lab", source="renders: discs that no region shows differ by 0 to 12"
    )
    #: None has a rim of less, ...
    least_rim_log_odds: float = parameter(
        1.0, unit="log odds", source="renders: three fifths of the faint discs have more"
    )
    #: ... or surroundings that are more foreign, but for other discs, ...
    most_spilling: float = parameter(
        0.4, unit="share", source="photographs: beside hands 0.3 to 0.9, beside a cup 0.5"
    )
    #: ... or is seen by less.
    least_visible: float = parameter(0.55, unit="share", source="chosen: more than half")
    #: ... or lies so near to the hole's edge, which is a clear circle, too.
    off_hole_mm: float = parameter(8.0, unit="mm", source="chosen: half a disc's radius")
    #: What a unit of the rim's log odds, of the logarithm of its share of votes (with a share
    #: added that every rim has), and of what it explains as a region adds to the log odds; and the
    #: log odds where all are zero.
    per_rim_log_odds: float = parameter(0.35, unit="", source="regression")
    per_log_share: float = parameter(5.3, unit="log odds", source="regression")
    added_share: float = parameter(0.02, unit="share", source="chosen: a fifth of the least")
    per_fit: float = parameter(4.0, unit="log odds", source="regression")
    bias: float = parameter(8.3, unit="log odds", source="regression")
    #: Of less nobody is told.
    least_log_odds: float = parameter(
        0.5, unit="log odds", source="5 to 3: one place of 36 photographs of hands has more"
    )
    #: Several likely ones speak for each other by this, and it speaks against one alone.
    company_log_odds: float = parameter(
        1.5, unit="log odds", source="36 photographs: never two likely places, of parts of hands"
    )
    #: A mirror image lies nearer by what the disc hides behind it; shades and edges about it begin
    #: at this share of that, end a diameter beyond it, and lie this far to a side at most.
    mirrored_from: float = parameter(0.4, unit="share", source="chosen: within the disc's own wall")
    mirrored_beside_mm: float = parameter(
        12.0, unit="mm", source="chosen: most of a disc's radius, for light falls from a side"
    )


PARAMS = FaintDiscsParameters.active()


def find_faint_places(accumulator: HoughVotes, inputs: DetectorInput) -> FloatArray:
    """Where discs may lie on the surface that no region shows (n, 3): (x_mm, y_mm, share)."""
    place = find_vote_peaks(accumulator, inputs, PARAMS.min_vote_share, PARAMS.max_places)[:, :2]
    place = place[np.hypot(*place.T) < inputs.spec.surface_radius_mm]
    return np.column_stack([place, look_up_votes(accumulator, inputs, place)])


def compute_faint_log_odds(
    place: FloatArray,
    rim_log_odds: FloatArray,
    differs_lab: FloatArray,
    scorer: SilhouetteScorer,
    sure_mm: FloatArray,
    inputs: DetectorInput,
) -> FloatArray:
    """Log odds (n,) that fitted places (n, 3), as (x_mm, y_mm, share of votes), are faint discs.

    Minus infinity where they are none. Faces differ by ``differs_lab`` (n,) from the surface around
    them; ``sure_mm`` (m, 2) are discs that regions show.
    """
    foot_mm = place[:, :2]
    scores = _score_beside(foot_mm, scorer, sure_mm)
    fit = compute_net_gain(scores) / np.maximum(scores.visible, PARAMS.least_visible)
    log_odds = (
        PARAMS.bias
        + PARAMS.per_rim_log_odds * rim_log_odds
        + PARAMS.per_log_share * np.log(place[:, 2] + PARAMS.added_share)
        + PARAMS.per_fit * fit
    )
    is_possible = (
        (rim_log_odds > PARAMS.least_rim_log_odds)
        & (differs_lab < PARAMS.like_surface_lab)
        & (scores.spilling < PARAMS.most_spilling)
        & (scores.visible > PARAMS.least_visible)
        & find_possible_places(foot_mm, sure_mm, inputs)
    )
    return _weigh_company(foot_mm, np.where(is_possible, log_odds, -np.inf), inputs)


def find_possible_places(
    foot_mm: FloatArray, sure_mm: FloatArray, inputs: DetectorInput
) -> np.ndarray:
    """Which places (n, 2) on the surface are neither about the hole's edge, nor about one of the
    discs at ``sure_mm`` (m, 2) or its mirror image: (n,) bool."""
    to_sure = np.linalg.norm(foot_mm[:, None] - sure_mm[None], axis=-1)
    off_hole_mm = inputs.measure_hole_distance_mm(foot_mm) - inputs.spec.hole_radius_mm
    return np.asarray(
        (np.hypot(*foot_mm.T) < inputs.spec.surface_radius_mm)
        & (off_hole_mm > PARAMS.off_hole_mm)
        & (to_sure.min(axis=1, initial=np.inf) > inputs.min_separation_mm)
        & ~_is_mirrored(foot_mm, sure_mm, inputs)
    )


def _weigh_company(foot_mm: FloatArray, log_odds: FloatArray, inputs: DetectorInput) -> FloatArray:
    """Log odds (n,) of faint discs at (n, 2), each place once, with what others say of each.

    Discs of one side have one colour: where one is faint, others are.
    """
    possible = np.flatnonzero(np.isfinite(log_odds))
    order = possible[np.argsort(-log_odds[possible], kind="stable")]
    kept: list[int] = []
    for each in order[suppress_non_maxima(foot_mm[order], inputs.min_separation_mm)]:
        if not _is_mirrored(foot_mm[[each]], foot_mm[kept], inputs)[0]:
            kept.append(int(each))
    has_company = np.count_nonzero(log_odds[kept] > 0) > 1
    weighed = np.full(len(log_odds), -np.inf)
    weighed[kept] = log_odds[kept] + PARAMS.company_log_odds * (1.0 if has_company else -1.0)
    return np.where(weighed > PARAMS.least_log_odds, weighed, -np.inf)


def _score_beside(
    foot_mm: FloatArray, scorer: SilhouetteScorer, sure_mm: FloatArray
) -> SilhouetteScores:
    """Scores of silhouettes (n, 2) beside the discs at ``sure_mm`` (m, 2)."""
    taken = np.zeros(scorer.foreign_map.foreign.shape, np.uint8)
    for foot in sure_mm:
        scorer.draw(foot, taken)
    return scorer.score(foot_mm, taken)


def _is_mirrored(foot_mm: FloatArray, sure_mm: FloatArray, inputs: DetectorInput) -> np.ndarray:
    """Which places (n, 2) lie where one of the discs at ``sure_mm`` (m, 2) has its mirror image."""
    eye_mm, height_mm = inputs.picture.eye_mm, inputs.shape.height_mm
    to_eye = eye_mm[:2] - sure_mm
    range_mm = np.linalg.norm(to_eye, axis=-1)
    to_eye = to_eye / range_mm[:, None]
    hidden_mm = height_mm * range_mm / (eye_mm[2] - height_mm)
    apart = foot_mm[:, None] - sure_mm[None]
    nearer_mm = np.einsum("nmk,mk->nm", apart, to_eye)
    aside_mm = np.abs(apart[..., 0] * to_eye[:, 1] - apart[..., 1] * to_eye[:, 0])
    is_below = (nearer_mm > PARAMS.mirrored_from * hidden_mm) & (
        nearer_mm < hidden_mm + 2 * inputs.shape.radius_mm
    )
    return np.asarray((is_below & (aside_mm < PARAMS.mirrored_beside_mm)).any(axis=1))
