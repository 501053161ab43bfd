"""Which circles are discs on the playing surface, of which team, and how each of them lies.

Knows rims, colours and the surface's edge. Refuses to measure anything, and to know what lies over
the hole (``over_hole``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.camera import FloatArray
from calibration.state import DiscState
from vision.candidates import EXCLUSION, Candidates
from vision.colour import Faces, team_of
from vision.rim_votes import apart
from vision.scene import Scene

#: Log odds within this of even are a doubt that a person should settle.
_DOUBT = 0.7
#: The ditch lies this deep; a disc in it touches the surface's wall at the nearest, give or take.
_DITCH_DEPTH_MM = 12.7
_DITCH_SLACK_MM = 4.0
#: What a face's distance from its team's colour adds to the log odds: this much a weighted Lab
#: unit beyond the usual, within bounds.
_PER_COLOUR_LAB = -0.12
_USUAL_COLOUR_LAB = 10.0
_COLOUR_BOUNDS = (-4.0, 1.2)
#: A disc over the edge rarely stays there, and discs in the ditch look much like it: so much less
#: likely is one, in log odds.
_OVERHANGING_LOG_ODDS = -0.5
#: A face this far from the wood around it stands out of it, weighted Lab.
_FACE_DIFFERS_LAB = 10.0
#: Wood this far from a team's colour is never taken for it, weighted Lab.
_WOOD_DIFFERS_LAB = 20.0


def _colour_evidence(faces: Faces, distance: FloatArray, team_lab: FloatArray) -> FloatArray:
    """What the colours add to the log odds (n,).

    Nothing for a team of the wood's own colour, nor for a face that looks like the wood beside it.
    """
    stands_out = np.linalg.norm(faces.lab - faces.around_lab, axis=-1) / _FACE_DIFFERS_LAB
    stands_out = np.minimum(stands_out, 1.0)
    # glare bleaches what lies in it, but bare wood in glare is no disc
    usual = _USUAL_COLOUR_LAB + np.maximum(faces.glare, 0.0) * stands_out
    by_colour = np.clip(_PER_COLOUR_LAB * (distance - usual), *_COLOUR_BOUNDS)
    wood_differs = np.linalg.norm(faces.around_lab - team_lab, axis=-1) / _WOOD_DIFFERS_LAB
    speaks_for = np.minimum(wood_differs, 1.0) ** 2 * stands_out
    return np.where(by_colour > 0, by_colour * speaks_for, by_colour)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judgement:
    """Which candidates are discs on the surface.

    chosen     their indices among the candidates: (m,)
    team       (m,)
    confidence 0 to 1: (m,)
    doubtful_mm  places (d, 2) of what may or may not be a disc, chosen or not
    """

    chosen: np.ndarray
    team: np.ndarray
    confidence: FloatArray
    doubtful_mm: FloatArray


def judge(found: Candidates, scene: Scene, teams_lab: FloatArray) -> Judgement:
    """The candidates that are discs, by rim and colour, no two on one place, none over the hole."""
    foot = found.rims.foot_mm
    if len(teams_lab) == 0 or len(foot) == 0:
        return _nothing_sure(found, scene)
    team, distance = team_of(found.faces, teams_lab)
    log_odds = found.evidence.log_odds + _colour_evidence(found.faces, distance, teams_lab[team])
    log_odds += np.where(_hangs_over(foot, scene), _OVERHANGING_LOG_ODDS, 0.0)
    off_hole = np.linalg.norm(foot - scene.hole_mm, axis=-1) > scene.spec.hole_radius_mm
    possible = off_hole & (log_odds > -_DOUBT)
    order = np.flatnonzero(possible)[np.argsort(-log_odds[possible], kind="stable")]
    kept = order[apart(foot[order], 2 * EXCLUSION * scene.shape.radius_mm)]
    kept = kept[_lies_on_surface(foot[kept], scene)]
    chosen = kept[log_odds[kept] > 0]
    return Judgement(
        chosen=chosen,
        team=team[chosen],
        confidence=1 / (1 + np.exp(-log_odds[chosen])),
        doubtful_mm=foot[kept[log_odds[kept] < _DOUBT]],
    )


#: Without any sure disc to learn a colour from, circles from these log odds on are a doubt.
_DOUBT_WITHOUT_TEAMS = 2.2


def _nothing_sure(found: Candidates, scene: Scene) -> Judgement:
    """The judgement without teams: no disc, but what looks much like one is a doubt."""
    foot = found.rims.foot_mm
    off_hole = np.linalg.norm(foot - scene.hole_mm, axis=-1) > scene.spec.hole_radius_mm
    likely = (found.evidence.log_odds > _DOUBT_WITHOUT_TEAMS) & off_hole
    doubtful = foot[likely & _lies_on_surface(foot, scene)]
    none = np.zeros(0, dtype=np.intp)
    return Judgement(
        chosen=none,
        team=none,
        confidence=np.zeros(0),
        doubtful_mm=doubtful[apart(doubtful, 2 * EXCLUSION * scene.shape.radius_mm)],
    )


def _lies_on_surface(foot_mm: FloatArray, scene: Scene) -> np.ndarray:
    """Which discs (n,) lie on the surface: nearer than its edge, and not a ditch disc seen askew.

    A disc that seems to hang over the far edge may as well lie in the ditch behind it, and does so
    far more often.
    """
    edge_mm, radius_mm = scene.spec.surface_radius_mm, scene.shape.radius_mm
    away = np.linalg.norm(foot_mm, axis=-1)
    eye = scene.picture.eye_mm
    in_ditch = foot_mm + (foot_mm - eye[:2]) * (_DITCH_DEPTH_MM / eye[2])
    fits_ditch = np.linalg.norm(in_ditch, axis=-1) > edge_mm + radius_mm - _DITCH_SLACK_MM
    return (away < edge_mm) & ~fits_ditch


def _hangs_over(foot_mm: FloatArray, scene: Scene) -> np.ndarray:
    """Which discs (...,) at (..., 2) reach over the surface's edge."""
    away = np.linalg.norm(foot_mm, axis=-1)
    return np.asarray(away + scene.shape.radius_mm > scene.spec.surface_radius_mm)


def states_of(foot_mm: FloatArray, scene: Scene) -> list[DiscState]:
    """How each disc on the surface lies, by where its centre is."""
    return [
        DiscState.OVERHANGING if _hangs_over(foot, scene) else DiscState.FLAT for foot in foot_mm
    ]
