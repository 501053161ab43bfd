"""Disc hypotheses: circles from Hough votes, fitted, measured and scored before any team is known.

Knows rims and faces. Refuses to know teams, and what to do about doubt.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.camera import FloatArray
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
#: Least share of a rim that edges must support for a hypothesis (noise reaches 0.2).
_MIN_VOTE_SHARE = 0.18
#: Near a hard shadow the votes have several peaks; the fits decide between them.
_MIN_PEAK_DISTANCE_MM = 4.0
_SAME_PLACE_MM = 1.2
_MAX_HYPOTHESES = 150
#: Discs beside wood lighter than usual by this, weighted L, lie in glare and teach no colour.
_GLARE_LAB = 8.0


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
            votes, inputs.plan, min_distance_mm=_MIN_PEAK_DISTANCE_MM, min_share=_MIN_VOTE_SHARE
        )
        for votes in (total, accumulator.bright, accumulator.dark)
    ]
    place = np.concatenate(found)
    reach = np.hypot(*place[:, :2].T)
    place = place[reach < inputs.spec.surface_radius_mm + DITCH_SEARCH_MM]
    place = place[suppress_non_maxima(place[:, :2], _SAME_PLACE_MM)][:_MAX_HYPOTHESES]
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


#: Another radius than the likeliest is believed for at least so many sure discs, and where their
#: log odds sum to this many times as much (photographs of odd discs: twice; of empty boards: one
#: disc or none).
_MIN_RIVAL_DISCS, _RIVAL_LEAD = 3, 1.4
#: Mean log odds of the sure discs from which on their radius is not questioned: a wrong one that
#: another beats reaches 4.7 on photographs.
_UNQUESTIONED_LOG_ODDS = 5.0


def choose_radius(inputs: DetectorInput) -> tuple[DetectorInput, DiscHypotheses]:
    """The input with whichever of its likely radii the discs surely have, and its hypotheses.

    A wrong radius still finds some discs by their shadows and bevels, but fewer and less surely.
    """
    best, hypotheses = inputs, find_disc_hypotheses(inputs)
    of_best = _select_sure_log_odds(hypotheses, inputs)
    sum_of_best = float(of_best.sum())
    is_beyond_doubt = len(
        of_best
    ) >= _MIN_RIVAL_DISCS and sum_of_best >= _UNQUESTIONED_LOG_ODDS * len(of_best)
    for radius_mm in () if is_beyond_doubt else inputs.rival_radii_mm:
        other = inputs.with_radius(radius_mm)
        alternative = find_disc_hypotheses(other)
        log_odds = _select_sure_log_odds(alternative, other)
        if len(log_odds) >= _MIN_RIVAL_DISCS and log_odds.sum() > _RIVAL_LEAD * sum_of_best:
            best, hypotheses, sum_of_best = other, alternative, float(log_odds.sum())
    return best, hypotheses


def _select_sure_log_odds(hypotheses: DiscHypotheses, inputs: DetectorInput) -> FloatArray:
    """Log odds (n,) of the sure discs."""
    return hypotheses.evidence.log_odds[select_sure_discs(hypotheses, inputs)]


#: Log odds from which on nobody would doubt a disc: 9 to 1; of a whole board, whose grain has a
#: hundred chances to look like one, at least one disc must be surer than that (true ones: 4.5).
_SURE_LOG_ODDS, _SUREST_LOG_ODDS = 2.2, 3.0


def select_sure_discs(hypotheses: DiscHypotheses, inputs: DetectorInput) -> np.ndarray:
    """Indices of hypotheses beyond doubt, on the surface or in the ditch."""
    off_hole = np.hypot(*(hypotheses.rims.foot_mm - inputs.hole_mm).T) > 20
    sure = np.flatnonzero((hypotheses.evidence.log_odds > _SURE_LOG_ODDS) & off_hole)
    if hypotheses.evidence.log_odds[sure].max(initial=0.0) < _SUREST_LOG_ODDS:
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
    clear = sure[in_ditch | (hypotheses.faces.glare[sure] < _GLARE_LAB)]
    return clear if len(clear) > 0 else sure


#: A circle this clear must be explained, and so must several of this clearness: bare boards show
#: one at the most, of 0.75.
_CLEAR_CIRCLE, _FAIR_CIRCLE, _MIN_FAIR_CIRCLES = 0.85, 0.55, 3
#: The hole's own edge lies within this of its radius, mm, and its floor at most this deep.
_HOLE_EDGE_MM, _DEEPEST_HOLE_MM = 5.0, 12.0


def find_unexplained_circles(inputs: DetectorInput, known_mm: FloatArray) -> FloatArray:
    """Clear circles (n, 2) of any disc's size on the surface, away from all of ``known_mm`` (m, 2).

    Were the discs' radius mistaken, they would be the discs.
    """
    circles = inputs.circles
    if circles is None:
        return np.zeros((0, 2))
    foot = circles.foot_mm
    inside = np.linalg.norm(foot, axis=-1) + circles.radius_mm < inputs.spec.surface_radius_mm
    inside &= _measure_hole_distance_mm(inputs, foot) > inputs.spec.hole_radius_mm + _HOLE_EDGE_MM
    gap = np.linalg.norm(foot[:, None] - known_mm[None], axis=-1).min(axis=1, initial=np.inf)
    unknown = inside & (gap > inputs.shape.radius_mm)
    fair = unknown & (circles.quality > _FAIR_CIRCLE)
    if fair.sum() >= _MIN_FAIR_CIRCLES:
        return foot[fair]
    return foot[unknown & (circles.quality > _CLEAR_CIRCLE)]


def _measure_hole_distance_mm(inputs: DetectorInput, foot_mm: FloatArray) -> FloatArray:
    """How far circles (n, 2), fitted as rims of discs, are from where hole or floor is so seen."""
    eye = inputs.picture.eye_mm
    arm = inputs.hole_mm - eye[:2]
    edge, floor = (
        eye[:2] + arm * ((eye[2] - inputs.shape.height_mm) / (eye[2] + depth_mm))
        for depth_mm in (0.0, _DEEPEST_HOLE_MM)
    )
    way = floor - edge
    share = np.clip((foot_mm - edge) @ way / max(float(way @ way), 1e-9), 0.0, 1.0)
    return np.asarray(np.linalg.norm(foot_mm - edge - share[:, None] * way, axis=-1))
