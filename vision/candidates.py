"""Circles that may be discs: fitted, looked at, and weighed before any team is known.

Knows rims and faces. Refuses to know teams, and what to do about doubt.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.camera import FloatArray
from vision.colour import Faces, look_at_faces
from vision.disc_radius import DITCH_MM
from vision.evidence import RimEvidence, rim_features, weigh_rims
from vision.lift import RimFit, fit_rims, lasting_share
from vision.rim_votes import RimShares, apart, peaks, rim_shares, turned_to_eye
from vision.scene import Scene

#: Discs cannot overlap: centres nearer than this share of two radii are one disc.
EXCLUSION = 0.85
#: Least share of a rim that edges must support for a candidate (noise reaches 0.2).
_LEAST_SHARE = 0.18
#: Near a hard shadow the votes have several peaks; the fits decide between them.
_CANDIDATES_APART_MM = 4.0
_SAME_PLACE_MM = 1.2
_MOST_CANDIDATES = 150
#: Discs beside wood lighter than usual by this, weighted L, lie in glare and teach no colour.
_GLARE_LAB = 8.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Candidates:
    """Circles that may be discs, and what was measured of them; n of each.

    evidence  by rim and face alone, before any team is known
    """

    rims: RimFit
    faces: Faces
    evidence: RimEvidence


def _places(share: RimShares, scene: Scene) -> FloatArray:
    """Where discs may be (n, 3), as (x, y, share): peaks of the votes, of either kind alone too."""
    total = share.total
    found = [
        peaks(votes, scene.plan, apart_mm=_CANDIDATES_APART_MM, least=_LEAST_SHARE)
        for votes in (total, share.bright, share.dark)
    ]
    place = np.concatenate(found)
    reach = np.hypot(*place[:, :2].T)
    place = place[reach < scene.spec.surface_radius_mm + DITCH_MM]
    place = place[apart(place[:, :2], _SAME_PLACE_MM)][:_MOST_CANDIDATES]
    column, row = np.rint(scene.plan.to_px(place[:, :2])).astype(np.intp).T
    return np.column_stack([place[:, :2], total[row, column]])


def find_candidates(scene: Scene) -> Candidates:
    """Circles of the discs' radius, fitted and looked at."""
    voters = turned_to_eye(scene.plan, scene.edges, scene.picture.eye_mm)
    share = rim_shares(scene.plan, voters, scene.shape.radius_mm)
    place = _places(share, scene)
    rims = fit_rims(scene.picture, place[:, :2], scene.shape, radius_sigma_mm=0.4)
    faces = look_at_faces(scene.picture, rims.foot_mm, scene.shape, scene.wood_bgr)
    lasting = lasting_share(scene.picture, rims, faces.rgb[:, ::-1])
    features = rim_features(rims, place[:, 2], lasting, faces.scatter)
    return Candidates(rims=rims, faces=faces, evidence=weigh_rims(features))


#: Another radius than the likeliest is believed for at least so many sure discs, and where their
#: log odds sum to this many times as much (photographs of odd discs: twice; of empty boards: one
#: disc or none).
_RIVAL_DISCS, _RIVAL_LEAD = 3, 1.4
#: Mean log odds of the sure discs from which on their radius is not questioned: a wrong one that
#: another beats reaches 4.7 on photographs.
_BEYOND_DOUBT = 5.0


def best_sized(scene: Scene) -> tuple[Scene, Candidates]:
    """The scene with whichever of its likely radii the discs surely have, and its candidates.

    A wrong radius still finds some discs by their shadows and bevels, but fewer and less surely.
    """
    best, found = scene, find_candidates(scene)
    of_best = _sure_log_odds(found, scene)
    sum_of_best = float(of_best.sum())
    is_beyond_doubt = len(of_best) >= _RIVAL_DISCS and sum_of_best >= _BEYOND_DOUBT * len(of_best)
    for radius_mm in () if is_beyond_doubt else scene.rivals_mm:
        other = scene.with_radius(radius_mm)
        candidates = find_candidates(other)
        log_odds = _sure_log_odds(candidates, other)
        if len(log_odds) >= _RIVAL_DISCS and log_odds.sum() > _RIVAL_LEAD * sum_of_best:
            best, found, sum_of_best = other, candidates, float(log_odds.sum())
    return best, found


def _sure_log_odds(found: Candidates, scene: Scene) -> FloatArray:
    """Log odds (n,) of the sure discs."""
    return found.evidence.log_odds[surely_discs(found, scene)]


#: Log odds from which on nobody would doubt a disc: 9 to 1; of a whole board, whose grain has a
#: hundred chances to look like one, at least one disc must be surer than that (true ones: 4.5).
_SURE, _SUREST = 2.2, 3.0


def surely_discs(found: Candidates, scene: Scene) -> np.ndarray:
    """Indices of candidates that nobody would doubt, on the surface or in the ditch."""
    off_hole = np.hypot(*(found.rims.foot_mm - scene.hole_mm).T) > 20
    sure = np.flatnonzero((found.evidence.log_odds > _SURE) & off_hole)
    if found.evidence.log_odds[sure].max(initial=0.0) < _SUREST:
        return sure[:0]
    order = sure[np.argsort(-found.evidence.log_odds[sure], kind="stable")]
    return order[apart(found.rims.foot_mm[order], 2 * EXCLUSION * scene.shape.radius_mm)]


def out_of_glare(found: Candidates, sure: np.ndarray, scene: Scene) -> np.ndarray:
    """Those of the discs ``sure`` that show their own colour; all of them, if none does."""
    in_ditch = np.hypot(*found.rims.foot_mm[sure].T) > scene.spec.surface_radius_mm
    clear = sure[in_ditch | (found.faces.glare[sure] < _GLARE_LAB)]
    return clear if len(clear) > 0 else sure


#: A circle this clear must be explained, and so must several of this clearness: bare boards show
#: one at the most, of 0.75.
_CLEAR_CIRCLE, _FAIR_CIRCLE, _SEVERAL = 0.85, 0.55, 3
#: The hole's own edge lies within this of its radius, mm, and its floor at most this deep.
_HOLE_EDGE_MM, _DEEPEST_HOLE_MM = 5.0, 12.0


def other_circles(scene: Scene, known_mm: FloatArray) -> FloatArray:
    """Clear circles (n, 2) of any disc's size on the surface, away from all of ``known_mm`` (m, 2).

    Were the discs' radius mistaken, they would be the discs.
    """
    circles = scene.circles
    if circles is None:
        return np.zeros((0, 2))
    foot = circles.foot_mm
    inside = np.linalg.norm(foot, axis=-1) + circles.radius_mm < scene.spec.surface_radius_mm
    inside &= _off_hole_mm(scene, foot) > scene.spec.hole_radius_mm + _HOLE_EDGE_MM
    gap = np.linalg.norm(foot[:, None] - known_mm[None], axis=-1).min(axis=1, initial=np.inf)
    unknown = inside & (gap > scene.shape.radius_mm)
    fair = unknown & (circles.quality > _FAIR_CIRCLE)
    if fair.sum() >= _SEVERAL:
        return foot[fair]
    return foot[unknown & (circles.quality > _CLEAR_CIRCLE)]


def _off_hole_mm(scene: Scene, foot_mm: FloatArray) -> FloatArray:
    """How far circles (n, 2), fitted as rims of discs, are from where hole or floor is so seen."""
    eye = scene.picture.eye_mm
    arm = scene.hole_mm - eye[:2]
    edge, floor = (
        eye[:2] + arm * ((eye[2] - scene.shape.height_mm) / (eye[2] + depth_mm))
        for depth_mm in (0.0, _DEEPEST_HOLE_MM)
    )
    way = floor - edge
    share = np.clip((foot_mm - edge) @ way / max(float(way @ way), 1e-9), 0.0, 1.0)
    return np.asarray(np.linalg.norm(foot_mm - edge - share[:, None] * way, axis=-1))
