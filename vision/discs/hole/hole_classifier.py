"""Twenty detector: a disc in the 20-hole, one that leans on its edge, nothing, or a doubt.

A disc in the hole has its team's colour and a gap all round (``appearance``); a leaner covers
what only it would (``hole_pose_matcher``). A team's colour that fills the hole without a gap is
most often a disc, too, but a person is asked; so they are where it fills the hole as paint would. A
decision list on these signs; without team colours it finds nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import DiscState, PlacedDisc
from vision.discs.detector_input import DetectorInput
from vision.discs.hole.appearance import HoleAppearance, measure_hole
from vision.discs.hole.hole_pose_matcher import HoleMatch, match_hole_templates
from vision.reading import UnexplainedObject


@dataclass(frozen=True, slots=True, kw_only=True)
class HoleClassifierParameters(StageParameters):
    """What ``hole_classifier`` takes for granted."""

    stage: ClassVar[str] = "discs.hole.hole_classifier"

    #: Confidence in a disc over the hole that a person should confirm.
    doubtful: float = parameter(
        0.6, unit="", source="chosen: less than a certain call needs (scorer.zones)"
    )
    #: The place of a leaner is this rough, ...
    leaning_sigma_mm: float = parameter(
        4.0, unit="mm", source="chosen: poses differ by so much between depths and tilts"
    )
    #: ... of a disc in the hole, which is taken for its middle, this.
    in_hole_sigma_mm: float = parameter(
        1.0, unit="mm", source="a disc has 1 to 2 mm of play in the hole"
    )


PARAMS = HoleClassifierParameters.active()


@dataclass(frozen=True, slots=True, kw_only=True)
class HoleDetection:
    """The disc over the hole, if there is one, and what a person should look at there."""

    discs: tuple[PlacedDisc, ...] = ()
    unexplained: tuple[UnexplainedObject, ...] = ()


def detect_hole_disc(
    inputs: DetectorInput, teams_lab: FloatArray, flat_mm: FloatArray
) -> HoleDetection:
    """What lies over the hole of a board with discs on the surface at ``flat_mm`` (n, 2).

    ``teams_lab`` (t, 3) are the teams' colours, weighted Lab. At most one disc or one doubt.
    """
    appearance = measure_hole(inputs.picture, inputs.spec, inputs.shape.radius_mm, teams_lab)
    hole_match = match_hole_templates(inputs.picture, inputs.spec, inputs.shape, teams_lab, flat_mm)
    if hole_match is None:
        return HoleDetection()
    is_sure = is_sure_leaner(appearance, hole_match)
    if is_sure or (hole_match.has_leaner and not appearance.shows_gap_all_round):
        return HoleDetection(discs=(_make_leaner(hole_match, is_sure=is_sure),))
    has_sure_colour = appearance.shows_team and not appearance.may_be_shade
    is_filled = hole_match.is_filled and (has_sure_colour or appearance.has_gap_all_round)
    if appearance.shows_gap or is_filled:
        return HoleDetection(discs=(_make_twenty(inputs, appearance, hole_match),))
    is_full = has_sure_colour and hole_match.is_full_of_colour
    if appearance.may_hold_disc or appearance.has_black_gap or is_full:
        reason = "a disc may lie in the hole, or lean on its edge"
        return HoleDetection(
            unexplained=(UnexplainedObject(centre_mm=inputs.hole_mm, reason=reason),)
        )
    return HoleDetection()


def is_sure_leaner(appearance: HoleAppearance, hole_match: HoleMatch) -> bool:
    """Whether nobody would doubt that a disc leans: it covers what a leaner does, and leaves no gap
    all round."""
    return hole_match.has_sure_leaner and not appearance.has_gap_all_round


def _make_leaner(hole_match: HoleMatch, *, is_sure: bool) -> PlacedDisc:
    return PlacedDisc(
        centre_mm=hole_match.foot_mm,
        covariance_mm2=PARAMS.leaning_sigma_mm**2 * np.eye(2),
        team=hole_match.team,
        state=DiscState.LEANING,
        confidence=1.0 if is_sure else PARAMS.doubtful,
    )


def _make_twenty(
    inputs: DetectorInput, appearance: HoleAppearance, hole_match: HoleMatch
) -> PlacedDisc:
    is_sure = appearance.shows_gap_all_round and appearance.shows_team and not hole_match.has_leaner
    return PlacedDisc(
        centre_mm=inputs.hole_mm,
        covariance_mm2=PARAMS.in_hole_sigma_mm**2 * np.eye(2),
        team=appearance.team,
        state=DiscState.IN_HOLE,
        confidence=1.0 if is_sure else PARAMS.doubtful,
    )
