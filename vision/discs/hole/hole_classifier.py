"""Twenty detector: a disc in the 20-hole, a leaner on its edge, nothing, or a question.

In an oblique view, an object in the hole is a disc if it stands out (``standing_height``), and its
colour gives the team. If it stands out on one side or too far, it is a leaner. If it is flush, but
has a team's colour that no shade of the surface explains, it is usually a disc. In other views:

A disc in the hole has its team's colour and a gap all round (``appearance``). A leaner covers
places that only a leaner would (``hole_pose_matcher``). A team's colour that fills the hole without
a gap is usually a disc, but a person is asked. A person is also asked if the colour fills the hole
as paint would, or if the hole is as dark as a team's discs (``DARK_HOLE``). These count as discs to
confirm: a colour behind a faint gap that no shade of the surface explains; a colour most like one
team's, but in other light, if it fills the hole or has a gap that no empty hole has; before both
teams were seen, an object with a gap all round; and in a single picture, an object whose gap is
blacker than an empty hole's shade on most sides. If a profile knows the empty hole
(``empty_hole``), an object that looks like it is never a certain disc, and a team's colour that
does not look like it is a disc or leads to a question. The first rule that applies decides. If none
does, a team's colour or a gap is a disc to confirm if the detector's network is certain of a disc,
and a question if it rather sees one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import DiscState, PlacedDisc
from vision.discs.detector_input import DetectorInput
from vision.discs.hole.appearance import PARAMS as APPEARANCE
from vision.discs.hole.appearance import HoleAppearance, measure_hole
from vision.discs.hole.empty_hole import FloorComparison, compare_floor, measure_floor
from vision.discs.hole.hole_pose_matcher import HoleMatch, match_hole_templates
from vision.discs.hole.standing_height import measure_standing_height
from vision.discs.outline.contour import DiscGeometry
from vision.discs.teams.team_colours import (
    FaceColours,
    assign_teams,
    measure_beyond_shade,
    measure_face_colours,
    measure_wood_distance,
)
from vision.reading import UnexplainedObject, UnexplainedReason


class HoleClassifierParameters(StageParameters):
    """Parameters of ``hole_classifier``."""

    #: Confidence in a disc over the hole that a person should confirm.
    uncertain_confidence: float = parameter(
        0.6,
        unit="probability",
        source="chosen: less than the probability that a certain call needs (scorer.zones)",
    )
    #: Sigma of a leaner's position, ...
    leaning_sigma_mm: float = parameter(
        4.0, unit="mm", source="chosen: poses at different depths and tilts differ by this much"
    )
    #: ... and of a disc in the hole, which is assumed to be in the middle.
    in_hole_sigma_mm: float = parameter(
        1.0, unit="mm", source="chosen: a disc has 1 to 2 mm of play in the hole"
    )
    #: In an oblique view a disc in the hole protrudes by at least this, ...
    least_standing_mm: float = parameter(
        1.75,
        unit="mm",
        source="measured on 18 stills: empty holes up to 1.0 mm, discs 2.75 and 3.5 mm",
    )
    #: ... and by at most this; near either limit a person is asked.
    most_standing_mm: float = parameter(
        5.5,
        unit="mm",
        source="chosen: a disc of 9.5 mm in a hole of 5 to 8 mm, and a pixel of blur",
    )
    standing_sigma_px: float = parameter(
        0.35,
        unit="px",
        source="chosen: an error of up to half a pixel at either end, evenly distributed",
    )
    #: A disc that protrudes by this much more on one side than on the other is leaning.
    least_lean_mm: float = parameter(
        3.5,
        unit="mm",
        source="chosen: half the lean of a disc tilted by 15° with its rim in the hole",
    )
    #: A colour this far from the surface's in any light is not an empty hole's.
    foreign_lab: float = parameter(
        20.0,
        unit="weighted Lab",
        source="measured on 36 stills: empty holes have up to 15; renders up to 3",
    )
    #: From this probability on, the detector's network is certain of the hole's state.
    certain_state: float = parameter(
        0.85,
        unit="probability",
        source="measured on 345 pictures: 21 of 22 holes with more were 20s; empty holes had "
        "0.79 at most",
    )


PARAMS = HoleClassifierParameters()


@dataclass(frozen=True, slots=True, kw_only=True)
class HoleDetection:
    """The disc over the hole, if there is one, and the thing that a person should check there."""

    discs: tuple[PlacedDisc, ...] = ()
    unexplained: tuple[UnexplainedObject, ...] = ()


def detect_hole_disc(
    inputs: DetectorInput, teams_lab: FloatArray, flat_mm: FloatArray, seen_lab: FloatArray
) -> HoleDetection:
    """The objects over the hole of a board with discs on the surface at ``flat_mm`` (n, 2).

    ``teams_lab`` (t, 3) are the teams' colours, weighted Lab, and ``seen_lab`` (s, 3) the colours
    of discs elsewhere. Returns at most one disc or one question.
    """
    if inputs.is_oblique:
        return _detect_standing_disc(inputs, teams_lab, flat_mm, seen_lab)
    appearance = measure_hole(inputs.picture, inputs.spec, inputs.shape, teams_lab, flat_mm)
    hole_match = match_hole_templates(inputs.picture, inputs.spec, inputs.shape, teams_lab, flat_mm)
    may_be_unseen = len(teams_lab) < 2 and appearance.has_gap_all_round
    if hole_match is None:
        return _ask_about(inputs) if may_be_unseen else HoleDetection()
    is_shade = appearance.may_be_shade and _is_shaded_surface(
        teams_lab[hole_match.team], inputs.wood_bgr
    )
    is_sure = is_sure_leaner(appearance, hole_match, may_be_shade=is_shade)
    if is_sure or (hole_match.has_leaner and not appearance.shows_gap_all_round):
        return HoleDetection(discs=(_make_leaner(hole_match, is_sure=is_sure),))
    floor = _compare_floor(inputs, teams_lab, flat_mm)
    if _shows_twenty(appearance, hole_match, teams_lab, inputs.wood_bgr):
        return HoleDetection(discs=(_make_twenty(inputs, appearance, hole_match, floor),))
    has_likely_colour = appearance.may_show_team and not appearance.may_be_shade
    is_full = has_likely_colour and hole_match.is_full_of_colour
    may_be_disc = floor is not None and floor.may_be_disc
    shows_gap = appearance.may_hold_disc or appearance.has_black_gap or may_be_unseen
    shows_gap |= inputs.is_single and appearance.may_show_black_gap
    fills_it = hole_match.is_filled and _shows_lit(appearance, teams_lab, inputs.wood_bgr)
    if shows_gap or is_full or may_be_disc or (floor is None and fills_it):
        return _ask_about(inputs)
    if floor is None and appearance.shows_team and hole_match.is_full_of_colour:
        return _ask_about(inputs, UnexplainedReason.DARK_HOLE)
    seen = 0.0 if inputs.proposals is None else inputs.proposals.in_hole
    if seen > 0.5 and (appearance.shows_team or appearance.has_gap_all_round):
        if seen < PARAMS.certain_state:
            return _ask_about(inputs)
        return HoleDetection(discs=(_make_twenty(inputs, appearance, hole_match, floor),))
    return HoleDetection()


def _compare_floor(
    inputs: DetectorInput, teams_lab: FloatArray, flat_mm: FloatArray
) -> FloorComparison | None:
    """The comparison with the empty hole; None if the empty hole is not known, or hidden."""
    if inputs.empty_hole is None:
        return None
    floor = measure_floor(inputs.picture, inputs.spec, inputs.shape, flat_mm)
    return None if floor is None else compare_floor(floor, inputs.empty_hole, teams_lab)


def _ask_about(
    inputs: DetectorInput, reason: UnexplainedReason = UnexplainedReason.HOLE
) -> HoleDetection:
    flagged = UnexplainedObject(centre_mm=inputs.hole_mm, reason=reason)
    return HoleDetection(unexplained=(flagged,))


def _detect_standing_disc(
    inputs: DetectorInput, teams_lab: FloatArray, flat_mm: FloatArray, seen_lab: FloatArray
) -> HoleDetection:
    """The disc that stands out of the hole of a board in an oblique view.

    It is certain if discs elsewhere have its colour, unless its wall hardly shows because that is
    nearly the surface's colour. A person is asked if no team has its colour.
    """
    standing = measure_standing_disc(inputs, flat_mm)
    if standing is None:
        return HoleDetection()
    stands_out = standing.is_standing or standing.is_foreign
    if len(teams_lab) == 0:
        return _ask_about(inputs) if stands_out else HoleDetection()
    team, distance = assign_teams(standing.face, teams_lab)
    if not stands_out:
        is_dark = distance[0] < APPEARANCE.team_colour_lab
        return _ask_about(inputs, UnexplainedReason.DARK_HOLE) if is_dark else HoleDetection()
    if standing.is_uncertain and not standing.is_foreign:
        return _ask_about(inputs)
    if distance[0] > APPEARANCE.shaded_colour_lab:
        return _ask_about(inputs) if standing.is_standing or len(teams_lab) < 2 else HoleDetection()
    is_seen = len(seen_lab) > 0
    is_seen = is_seen and assign_teams(standing.face, seen_lab)[1][0] < APPEARANCE.team_colour_lab
    contrast = measure_wood_distance(teams_lab[team], inputs.wood_bgr)[0]
    is_apart = bool(contrast > APPEARANCE.shaded_colour_lab)
    is_sure = is_seen and is_apart and standing.is_standing and not standing.is_uncertain
    sigma_mm = PARAMS.leaning_sigma_mm if standing.is_leaning else PARAMS.in_hole_sigma_mm
    disc = PlacedDisc(
        centre_mm=inputs.hole_mm,
        covariance_mm2=sigma_mm**2 * np.eye(2),
        team=int(team[0]),
        state=DiscState.LEANING if standing.is_leaning else DiscState.IN_HOLE,
        confidence=1.0 if is_sure and not standing.is_leaning else PARAMS.uncertain_confidence,
    )
    return HoleDetection(discs=(disc,))


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingDisc:
    """The object in the hole in an oblique view.

    face         its face's colours
    is_standing  whether it stands out like a disc in the hole or a leaner
    is_uncertain  whether its height leaves this uncertain
    is_leaning   whether it stands out on one side, or more than a disc in the hole can
    is_foreign   whether no light on the surface explains its colour
    """

    face: FaceColours
    is_standing: bool
    is_uncertain: bool
    is_leaning: bool
    is_foreign: bool


def measure_standing_disc(inputs: DetectorInput, flat_mm: FloatArray) -> StandingDisc | None:
    """The object in the hole of a board in an oblique view; None if the hole is not visible.

    A disc on the surface at one of ``flat_mm`` (n, 2) that reaches over the hole leaves no room for
    another.
    """
    flat = np.reshape(flat_mm, (-1, 2))
    spec, shape, picture = inputs.spec, inputs.shape, inputs.picture
    to_hole = np.linalg.norm(flat - inputs.hole_mm, axis=-1).min(initial=np.inf)
    if to_hole < 3 * shape.radius_mm - spec.hole_radius_mm:  # it touches a disc at the far wall
        return None
    standing = measure_standing_height(picture, spec, flat, shape)
    if standing is None:
        return None
    up = picture.view.project([[*inputs.hole_mm, 0.0], [*inputs.hole_mm, 1.0]])
    sigma_mm = PARAMS.standing_sigma_px / float(np.linalg.norm(up[1] - up[0]))
    low, high = PARAMS.least_standing_mm, PARAMS.most_standing_mm
    height_mm = standing.height_mm
    raised = DiscGeometry(radius_mm=shape.radius_mm, height_mm=max(height_mm, 0.0))
    face = measure_face_colours(picture, inputs.hole_mm[None], raised, inputs.wood_bgr)
    leans = standing.lean_mm > PARAMS.least_lean_mm + sigma_mm
    return StandingDisc(
        face=face,
        is_standing=low - sigma_mm <= height_mm <= high + sigma_mm,
        is_uncertain=not low + sigma_mm < height_mm < high - sigma_mm,
        is_leaning=leans or height_mm > high + sigma_mm,
        is_foreign=_is_foreign(face.lab[0], inputs.wood_bgr),
    )


def _is_shaded_surface(lab: FloatArray, wood_bgr: FloatArray) -> bool:
    """Whether the wood may have a colour (3,), weighted Lab, in some shade."""
    return bool(measure_beyond_shade(lab[None], wood_bgr)[0] < APPEARANCE.shaded_colour_lab)


def _is_foreign(lab: FloatArray, wood_bgr: FloatArray) -> bool:
    """Whether no shade of the wood explains a colour (3,), weighted Lab."""
    return bool(measure_beyond_shade(lab[None], wood_bgr)[0] > PARAMS.foreign_lab)


def is_sure_leaner(
    appearance: HoleAppearance, hole_match: HoleMatch, *, may_be_shade: bool = False
) -> bool:
    """Whether a disc certainly leans: it covers a leaner's area, leaves no gap all around, and
    either shows its colour in the hole's middle or covers far more than that area.

    ``may_be_shade``: the hole's own shade may show the team's colour.
    """
    shows_colour = appearance.may_show_team and not may_be_shade
    covers_enough = hole_match.has_sure_leaner if shows_colour else hole_match.has_clear_leaner
    return covers_enough and not appearance.has_gap_all_round


def _shows_twenty(
    appearance: HoleAppearance, hole_match: HoleMatch, teams_lab: FloatArray, wood_bgr: FloatArray
) -> bool:
    """Whether a disc in the hole is the likeliest explanation, if not a certain one: a team's
    colour there has a gap, or ends like a disc, or is not the surface's in any shade.
    """
    if appearance.shows_gap or appearance.shows_lit_team:
        return True
    has_sure_colour = appearance.shows_team and not appearance.may_be_shade
    if hole_match.is_filled:
        is_lit_team = appearance.may_be_lit_team and _shows_lit(appearance, teams_lab, wood_bgr)
        return has_sure_colour or appearance.has_gap_all_round or is_lit_team
    is_foreign = _is_foreign(teams_lab[appearance.team], wood_bgr)
    is_full = hole_match.is_full_of_colour and hole_match.team == appearance.team
    return has_sure_colour and appearance.may_hold_disc and is_full and is_foreign


def _shows_lit(appearance: HoleAppearance, teams_lab: FloatArray, wood_bgr: FloatArray) -> bool:
    """Whether the hole shows a colour that no shade of its empty floor explains, and that is
    lighter than the most similar team's, while paint in a hole would be in shade.
    """
    is_lighter = bool(appearance.lab[0] > teams_lab[appearance.team, 0])
    return is_lighter and _is_foreign(appearance.lab, wood_bgr)


def _make_leaner(hole_match: HoleMatch, *, is_sure: bool) -> PlacedDisc:
    return PlacedDisc(
        centre_mm=hole_match.base_mm,
        covariance_mm2=PARAMS.leaning_sigma_mm**2 * np.eye(2),
        team=hole_match.team,
        state=DiscState.LEANING,
        confidence=1.0 if is_sure else PARAMS.uncertain_confidence,
    )


def _make_twenty(
    inputs: DetectorInput,
    appearance: HoleAppearance,
    hole_match: HoleMatch,
    floor: FloorComparison | None,
) -> PlacedDisc:
    is_disc = appearance.is_surely_disc and not (floor is not None and floor.is_like_empty)
    if floor is not None and floor.is_covered:
        is_disc = appearance.shows_gap_all_round and appearance.shows_team
    is_sure = is_disc and not hole_match.has_leaner
    return PlacedDisc(
        centre_mm=inputs.hole_mm,
        covariance_mm2=PARAMS.in_hole_sigma_mm**2 * np.eye(2),
        team=appearance.team,
        state=DiscState.IN_HOLE,
        confidence=1.0 if is_sure else PARAMS.uncertain_confidence,
    )
