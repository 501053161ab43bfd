"""Disc hypotheses: circles from Hough votes, fitted, measured and scored before any team is known.

Knows rims and faces. Refuses to know teams, and what to do about doubt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from vision.discs.detector_input import DetectorInput
from vision.discs.hough_votes import (
    HoughVotes,
    accumulate_votes,
    find_peaks,
    orient_edges,
    suppress_non_maxima,
)
from vision.discs.outline.outline_fit import OutlineFit, fit_outlines, measure_lasting_share
from vision.discs.radius_estimate import DITCH_SEARCH_MM
from vision.discs.rim_classifier import RimScores, measure_rim_features, score_rims
from vision.discs.team_colours import FaceColours, measure_face_colours

#: Discs cannot overlap: centres nearer than this share of two radii are one disc.
MIN_SEPARATION_DIAMETERS = 0.85


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscsHypothesesParameters(StageParameters):
    """What ``hypotheses`` takes for granted."""

    stage: ClassVar[str] = "discs.hypotheses"

    #: Least share of a rim that edges must support for a hypothesis (noise reaches 0.2).
    min_vote_share: float = parameter(0.18, unit="share", source="")
    #: Near a hard shadow the votes have several peaks; the fits decide between them.
    min_peak_distance_mm: float = parameter(4.0, unit="mm", source="")
    same_place_mm: float = parameter(1.2, unit="mm", source="")
    max_hypotheses: int = parameter(150, unit="", source="")
    #: Discs beside wood lighter than usual by this, weighted L, lie in glare and teach no colour.
    glare_lab: float = parameter(8.0, unit="weighted Lab", source="")
    #: Another radius than the likeliest is believed for at least so many sure discs, and where
    #: their log odds sum to this many times as much (photographs of odd discs: twice; of empty
    #: boards: one disc or none).
    min_rival_discs: int = parameter(
        3, unit="", source="photographs of odd discs: twice; of empty boards: one disc or none"
    )
    rival_lead: float = parameter(
        1.4, unit="", source="photographs of odd discs: twice; of empty boards: one disc or none"
    )
    #: Mean log odds of the sure discs from which on their radius is not questioned: a wrong one
    #: that another beats reaches 4.7 on photographs.
    unquestioned_log_odds: float = parameter(5.0, unit="", source="")
    #: Log odds from which on nobody would doubt a disc: 9 to 1; of a whole board, whose grain has a
    #: hundred chances to look like one, at least one disc must be surer than that (true ones: 4.5).
    sure_log_odds: float = parameter(2.2, unit="", source="")
    surest_log_odds: float = parameter(3.0, unit="", source="")
    #: A circle this clear must be explained, and so must several of this clearness: bare boards
    #: show one at the most, of 0.75.
    clear_circle: float = parameter(0.85, unit="", source="")
    fair_circle: float = parameter(0.55, unit="", source="")
    min_fair_circles: int = parameter(3, unit="", source="")
    #: The hole's own edge lies within this of its radius, mm, and its floor at most this deep.
    hole_edge_mm: float = parameter(5.0, unit="mm", source="")
    deepest_hole_mm: float = parameter(12.0, unit="mm", source="")


PARAMS = DiscsHypothesesParameters.active()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DiscHypotheses:
    """Circles that may be discs, and what was measured of them; n of each.

    evidence  log odds by rim and face alone, before any team is known
    """

    rims: OutlineFit
    faces: FaceColours
    evidence: RimScores


def _find_vote_peaks(accumulator: HoughVotes, inputs: DetectorInput) -> FloatArray:
    """Where discs may be (n, 3), as (x, y, share): peaks of the votes, of either kind alone too."""
    total = accumulator.total
    found = [
        find_peaks(
            votes,
            inputs.plan,
            min_distance_mm=PARAMS.min_peak_distance_mm,
            min_share=PARAMS.min_vote_share,
        )
        for votes in (total, accumulator.bright, accumulator.dark)
    ]
    place = np.concatenate(found)
    reach = np.hypot(*place[:, :2].T)
    place = place[reach < inputs.spec.surface_radius_mm + DITCH_SEARCH_MM]
    place = place[suppress_non_maxima(place[:, :2], PARAMS.same_place_mm)][: PARAMS.max_hypotheses]
    column, row = np.rint(inputs.plan.to_px(place[:, :2])).astype(np.intp).T
    return np.column_stack([place[:, :2], total[row, column]])


def find_disc_hypotheses(inputs: DetectorInput) -> DiscHypotheses:
    """Disc hypotheses: circles of the discs' radius, fitted, measured and scored."""
    edges = orient_edges(inputs.plan, inputs.edges, inputs.picture.eye_mm)
    accumulator = accumulate_votes(inputs.plan, edges, inputs.shape.radius_mm)
    place = _find_vote_peaks(accumulator, inputs)
    rims = fit_outlines(inputs.picture, place[:, :2], inputs.shape, radius_sigma_mm=0.4)
    faces = measure_face_colours(inputs.picture, rims.foot_mm, inputs.shape, inputs.wood_bgr)
    lasting = measure_lasting_share(inputs.picture, rims, faces.rgb[:, ::-1])
    features = measure_rim_features(rims, place[:, 2], lasting, faces.scatter)
    return DiscHypotheses(rims=rims, faces=faces, evidence=score_rims(features))


def choose_radius(inputs: DetectorInput) -> tuple[DetectorInput, DiscHypotheses]:
    """The input with whichever of its likely radii the discs surely have, and its hypotheses.

    A wrong radius still finds some discs by their shadows and bevels, but fewer and less surely.
    """
    best, hypotheses = inputs, find_disc_hypotheses(inputs)
    of_best = _select_sure_log_odds(hypotheses, inputs)
    sum_of_best = float(of_best.sum())
    is_beyond_doubt = len(
        of_best
    ) >= PARAMS.min_rival_discs and sum_of_best >= PARAMS.unquestioned_log_odds * len(of_best)
    for radius_mm in () if is_beyond_doubt else inputs.rival_radii_mm:
        other = inputs.with_radius(radius_mm)
        alternative = find_disc_hypotheses(other)
        log_odds = _select_sure_log_odds(alternative, other)
        if (
            len(log_odds) >= PARAMS.min_rival_discs
            and log_odds.sum() > PARAMS.rival_lead * sum_of_best
        ):
            best, hypotheses, sum_of_best = other, alternative, float(log_odds.sum())
    return best, hypotheses


def _select_sure_log_odds(hypotheses: DiscHypotheses, inputs: DetectorInput) -> FloatArray:
    """Log odds (n,) of the sure discs."""
    return hypotheses.evidence.log_odds[select_sure_discs(hypotheses, inputs)]


def select_sure_discs(hypotheses: DiscHypotheses, inputs: DetectorInput) -> np.ndarray:
    """Indices of hypotheses beyond doubt, on the surface or in the ditch."""
    off_hole = np.hypot(*(hypotheses.rims.foot_mm - inputs.hole_mm).T) > 20
    sure = np.flatnonzero((hypotheses.evidence.log_odds > PARAMS.sure_log_odds) & off_hole)
    if hypotheses.evidence.log_odds[sure].max(initial=0.0) < PARAMS.surest_log_odds:
        return sure[:0]
    order = sure[np.argsort(-hypotheses.evidence.log_odds[sure], kind="stable")]
    return order[
        suppress_non_maxima(
            hypotheses.rims.foot_mm[order], 2 * MIN_SEPARATION_DIAMETERS * inputs.shape.radius_mm
        )
    ]


def drop_glare(hypotheses: DiscHypotheses, sure: np.ndarray, inputs: DetectorInput) -> np.ndarray:
    """Those of the discs ``sure`` that show their own colour; all of them, if none does."""
    in_ditch = np.hypot(*hypotheses.rims.foot_mm[sure].T) > inputs.spec.surface_radius_mm
    clear = sure[in_ditch | (hypotheses.faces.glare[sure] < PARAMS.glare_lab)]
    return clear if len(clear) > 0 else sure


def find_unexplained_circles(inputs: DetectorInput, known_mm: FloatArray) -> FloatArray:
    """Clear circles (n, 2) of any disc's size on the surface, away from all of ``known_mm`` (m, 2).

    Were the discs' radius mistaken, they would be the discs.
    """
    circles = inputs.circles
    if circles is None:
        return np.zeros((0, 2))
    foot = circles.foot_mm
    inside = np.linalg.norm(foot, axis=-1) + circles.radius_mm < inputs.spec.surface_radius_mm
    inside &= (
        _measure_hole_distance_mm(inputs, foot) > inputs.spec.hole_radius_mm + PARAMS.hole_edge_mm
    )
    gap = np.linalg.norm(foot[:, None] - known_mm[None], axis=-1).min(axis=1, initial=np.inf)
    unknown = inside & (gap > inputs.shape.radius_mm)
    fair = unknown & (circles.quality > PARAMS.fair_circle)
    if fair.sum() >= PARAMS.min_fair_circles:
        return foot[fair]
    return foot[unknown & (circles.quality > PARAMS.clear_circle)]


def _measure_hole_distance_mm(inputs: DetectorInput, foot_mm: FloatArray) -> FloatArray:
    """How far circles (n, 2), fitted as rims of discs, are from where hole or floor is so seen."""
    eye = inputs.picture.eye_mm
    arm = inputs.hole_mm - eye[:2]
    edge, floor = (
        eye[:2] + arm * ((eye[2] - inputs.shape.height_mm) / (eye[2] + depth_mm))
        for depth_mm in (0.0, PARAMS.deepest_hole_mm)
    )
    way = floor - edge
    share = np.clip((foot_mm - edge) @ way / max(float(way @ way), 1e-9), 0.0, 1.0)
    return np.asarray(np.linalg.norm(foot_mm - edge - share[:, None] * way, axis=-1))
