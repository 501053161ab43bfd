"""Which circles are discs on the playing surface, of which team, and how each of them lies.

Knows rims, colours and the surface's edge. Refuses to measure anything, and to know what lies over
the hole (``over_hole``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.state import DiscState
from vision.discs.detector_input import DetectorInput
from vision.discs.hough_votes import suppress_non_maxima
from vision.discs.hypotheses import MIN_SEPARATION_DIAMETERS, DiscHypotheses
from vision.discs.team_colours import FaceColours, assign_teams


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassificationParameters(StageParameters):
    """What ``classification`` takes for granted."""

    stage: ClassVar[str] = "discs.classification"

    #: Log odds within this of even are a doubt that a person should settle.
    doubt_log_odds: float = parameter(0.7, unit="", source="")
    #: The ditch lies this deep; a disc in it touches the surface's wall at the nearest, give or
    #: take.
    ditch_depth_mm: float = parameter(12.7, unit="mm", source="")
    ditch_slack_mm: float = parameter(4.0, unit="mm", source="")
    #: What a face's distance from its team's colour adds to the log odds: this much a weighted Lab
    #: unit beyond the usual, within bounds.
    per_colour_lab: float = parameter(-0.12, unit="weighted Lab", source="")
    usual_colour_lab: float = parameter(10.0, unit="weighted Lab", source="")
    colour_bounds: tuple[float, float] = parameter((-4.0, 1.2), unit="", source="")
    #: A disc over the edge rarely stays there, and discs in the ditch look much like it: so much
    #: less likely is one, in log odds.
    overhanging_log_odds: float = parameter(-0.5, unit="", source="")
    #: A face this far from the wood around it stands out of it, weighted Lab.
    face_differs_lab: float = parameter(10.0, unit="weighted Lab", source="")
    #: Wood this far from a team's colour is never taken for it, weighted Lab.
    wood_differs_lab: float = parameter(20.0, unit="weighted Lab", source="")
    #: Without any sure disc to learn a colour from, circles from these log odds on are a doubt.
    doubt_log_odds_without_teams: float = parameter(2.2, unit="", source="")


PARAMS = ClassificationParameters.active()


def _compute_colour_log_odds(
    faces: FaceColours, distance: FloatArray, team_lab: FloatArray
) -> FloatArray:
    """What the colours add to the log odds (n,).

    Nothing for a team of the wood's own colour, nor for a face that looks like the wood beside it.
    """
    stands_out = np.linalg.norm(faces.lab - faces.surround_lab, axis=-1) / PARAMS.face_differs_lab
    stands_out = np.minimum(stands_out, 1.0)
    # glare bleaches what lies in it, but bare wood in glare is no disc
    usual = PARAMS.usual_colour_lab + np.maximum(faces.glare, 0.0) * stands_out
    by_colour = np.clip(PARAMS.per_colour_lab * (distance - usual), *PARAMS.colour_bounds)
    wood_differs = np.linalg.norm(faces.surround_lab - team_lab, axis=-1) / PARAMS.wood_differs_lab
    weight = np.minimum(wood_differs, 1.0) ** 2 * stands_out
    return np.where(by_colour > 0, by_colour * weight, by_colour)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DiscClassification:
    """Which hypotheses are discs on the surface.

    chosen     their indices among the hypotheses: (m,)
    team       (m,)
    confidence 0 to 1: (m,)
    doubtful_mm  places (d, 2) of what may or may not be a disc, chosen or not
    """

    chosen: np.ndarray
    team: np.ndarray
    confidence: FloatArray
    doubtful_mm: FloatArray


def classify_discs(
    hypotheses: DiscHypotheses, inputs: DetectorInput, teams_lab: FloatArray
) -> DiscClassification:
    """The hypotheses that are discs, by rim and colour, no two on one place, none over the hole."""
    foot = hypotheses.rims.foot_mm
    if len(teams_lab) == 0 or len(foot) == 0:
        return _classify_without_teams(hypotheses, inputs)
    team, distance = assign_teams(hypotheses.faces, teams_lab)
    log_odds = hypotheses.evidence.log_odds + _compute_colour_log_odds(
        hypotheses.faces, distance, teams_lab[team]
    )
    log_odds += np.where(_is_overhanging(foot, inputs), PARAMS.overhanging_log_odds, 0.0)
    off_hole = np.linalg.norm(foot - inputs.hole_mm, axis=-1) > inputs.spec.hole_radius_mm
    possible = off_hole & (log_odds > -PARAMS.doubt_log_odds)
    order = np.flatnonzero(possible)[np.argsort(-log_odds[possible], kind="stable")]
    kept = order[
        suppress_non_maxima(foot[order], 2 * MIN_SEPARATION_DIAMETERS * inputs.shape.radius_mm)
    ]
    kept = kept[_is_on_surface(foot[kept], inputs)]
    chosen = kept[log_odds[kept] > 0]
    return DiscClassification(
        chosen=chosen,
        team=team[chosen],
        confidence=1 / (1 + np.exp(-log_odds[chosen])),
        doubtful_mm=foot[kept[log_odds[kept] < PARAMS.doubt_log_odds]],
    )


def _classify_without_teams(
    hypotheses: DiscHypotheses, inputs: DetectorInput
) -> DiscClassification:
    """The classification without teams: no disc, but what looks much like one is a doubt."""
    foot = hypotheses.rims.foot_mm
    off_hole = np.linalg.norm(foot - inputs.hole_mm, axis=-1) > inputs.spec.hole_radius_mm
    likely = (hypotheses.evidence.log_odds > PARAMS.doubt_log_odds_without_teams) & off_hole
    doubtful = foot[likely & _is_on_surface(foot, inputs)]
    none = np.zeros(0, dtype=np.intp)
    return DiscClassification(
        chosen=none,
        team=none,
        confidence=np.zeros(0),
        doubtful_mm=doubtful[
            suppress_non_maxima(doubtful, 2 * MIN_SEPARATION_DIAMETERS * inputs.shape.radius_mm)
        ],
    )


def _is_on_surface(foot_mm: FloatArray, inputs: DetectorInput) -> np.ndarray:
    """Which discs (n,) lie on the surface: nearer than its edge, and not a ditch disc seen askew.

    A disc that seems to hang over the far edge may as well lie in the ditch behind it, and does so
    far more often.
    """
    edge_mm, radius_mm = inputs.spec.surface_radius_mm, inputs.shape.radius_mm
    away = np.linalg.norm(foot_mm, axis=-1)
    eye = inputs.picture.eye_mm
    in_ditch = foot_mm + (foot_mm - eye[:2]) * (PARAMS.ditch_depth_mm / eye[2])
    fits_ditch = np.linalg.norm(in_ditch, axis=-1) > edge_mm + radius_mm - PARAMS.ditch_slack_mm
    return (away < edge_mm) & ~fits_ditch


def _is_overhanging(foot_mm: FloatArray, inputs: DetectorInput) -> np.ndarray:
    """Which discs (...,) at (..., 2) reach over the surface's edge."""
    away = np.linalg.norm(foot_mm, axis=-1)
    return np.asarray(away + inputs.shape.radius_mm > inputs.spec.surface_radius_mm)


def classify_states(foot_mm: FloatArray, inputs: DetectorInput) -> list[DiscState]:
    """How each disc on the surface lies, by where its centre is."""
    return [
        DiscState.OVERHANGING if _is_overhanging(foot, inputs) else DiscState.FLAT
        for foot in foot_mm
    ]
