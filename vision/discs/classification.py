"""The hypotheses that are discs on the playing surface, with their teams and states.

Log odds of rim and colour are added up (naive Bayes), and the likeliest circle of every place is
kept. Nothing is measured here, and ``hole_classifier`` handles discs over the hole. A person is
asked about a disc whose odds are near even. The same holds for every likely circle if there are no
team colours, or if its colour is not that of the only team seen so far (in a single picture: of any
team). This includes circles over the hole, because ``hole_classifier`` knows teams by their
colours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.camera import FloatArray
from calibration.numerics.medians import column_medians
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import DiscState
from vision.discs.detector_input import PARAMS as DETECTOR_INPUT
from vision.discs.detector_input import DetectorInput
from vision.discs.disc_hypotheses import PARAMS as HYPOTHESES
from vision.discs.disc_hypotheses import DiscHypotheses
from vision.discs.hough_votes import suppress_non_maxima
from vision.discs.teams.appearances import measure_apart_in_any_light
from vision.discs.teams.team_colours import (
    DARK_POINT_L,
    FaceColours,
    assign_teams,
    find_nearest_team,
    find_new_colours,
    measure_wood_distance,
)
from vision.discs.teams.team_colours import PARAMS as TEAM_COLOURS
from vision.rectify.luminance import PARAMS as LUMINANCE


class ClassificationParameters(StageParameters):
    """Parameters of ``classification``."""

    #: If the log odds are this close to even, a person is asked.
    uncertain_log_odds: float = parameter(0.7, unit="log odds", source="chosen: odds of 2 to 1")
    #: In an oblique view, a person is asked about a side's first visible disc if its log odds are
    #: at least this.
    first_log_odds: float = parameter(
        1.4,
        unit="log odds",
        source="chosen: odds of 4 to 1: of 36 photographs of hands, 1 shows such a place",
    )
    #: Log odds added where a disc was seen or stopped a moment ago, because it is probably still
    #: there.
    expected_log_odds: float = parameter(
        3.0,
        unit="log odds",
        source="chosen: odds of 20 to 1, because one in 20 followed discs is gone",
    )
    #: Tolerance of the position of a disc in the ditch, which may touch the surface's wall but not
    #: reach into it.
    ditch_slack_mm: float = parameter(
        4.0, unit="mm", source="chosen: the error of an outline fitted in front of a dark wall"
    )
    #: The ditch may be deeper by this.
    ditch_depth_slack_mm: float = parameter(
        3.5, unit="mm", source="measured: rendered ditches are 10 to 16 mm deep"
    )
    #: Log odds for the distance of a face from its team's colour: this much per unit beyond the
    #: usual distance, within bounds.
    per_colour_lab: float = parameter(
        -0.12, unit="log odds per weighted Lab", source="chosen: 6 units halve the odds"
    )
    usual_colour_lab: float = parameter(
        10.0, unit="weighted Lab", source="chosen: discs of one team are within this of each other"
    )
    colour_bounds: tuple[float, float] = parameter(
        (-4.0, 1.2),
        unit="log odds",
        source="chosen: a colour may rule a disc out, but not prove one",
    )
    #: A colour clearly belongs to a team if it is this much closer to it than to any other, in any
    #: light.
    team_lead_lab: float = parameter(
        8.0,
        unit="weighted Lab",
        source="measured: 388 discs all lead by 11.7 or more, except for 3 in glare",
    )
    #: A colour further than this from every team's, in any light, may belong to another team.
    far_from_team_lab: float = parameter(
        14.0,
        unit="weighted Lab",
        source="measured: 388 discs have 11.6 or less, except for 4 in glare and 2 misread",
    )
    #: Confidence in a disc whose team is unclear.
    unclear_team: float = parameter(
        0.8,
        unit="probability",
        source="chosen: too low for a certain call, because four of ten such discs were wrong",
    )
    #: A team of almost the surface's colour is faint if it has no disc on the surface, or one whose
    #: rim has so little support by edges that other discs may have too little for a hypothesis.
    faint_team_lab: float = parameter(
        8.0,
        unit="weighted Lab",
        source="measured: photographs have 9.5 and more; some renders 2 to 6.5",
    )
    faint_vote_share: float = parameter(
        0.3,
        unit="share",
        source="measured: renders with missed discs have 0.2 to 0.29; photographs 0.41 and more",
    )


PARAMS = ClassificationParameters()
#: Nominal depth of the ditch: half an inch.
_DITCH_DEPTH_MM = 12.7
#: Usually two sides play.
_SIDES = 2


def _compute_colour_log_odds(
    faces: FaceColours, distance: FloatArray, team_lab: FloatArray
) -> FloatArray:
    """The colours' contribution to the log odds (n,), by the distance of a face from its team's
    colour.

    It is at most zero for a team of the wood's own colour, and for a face that looks like the wood
    beside it.
    """
    stands_out = np.minimum(faces.surround_distance / TEAM_COLOURS.stands_out_lab, 1.0)
    # glare makes everything in it pale, but empty wood in glare is not a disc
    usual = PARAMS.usual_colour_lab + np.maximum(faces.glare, 0.0) * stands_out
    by_colour = np.clip(PARAMS.per_colour_lab * (distance - usual), *PARAMS.colour_bounds)
    wood_differs_lab = np.linalg.norm(faces.surround_lab - team_lab, axis=-1)
    like_team = np.minimum(wood_differs_lab / TEAM_COLOURS.wood_differs_lab, 1.0)
    weight = like_team**2 * stands_out
    return np.where(by_colour > 0, by_colour * weight, by_colour)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DiscClassification:
    """The m hypotheses that are discs on the surface.

    accepted        their indices among the hypotheses, likeliest first: (m,)
    team            index of the team colours: (m,)
    has_clear_team  whether the team is clear: (m,)
    confidence      probability of a disc, above 0.5, reduced if its team is not clear: (m,)
    possible_mm     places (d, 2) of possible discs, accepted or not
    """

    accepted: np.ndarray
    team: np.ndarray
    has_clear_team: np.ndarray
    confidence: FloatArray
    possible_mm: FloatArray


def classify_discs(
    hypotheses: DiscHypotheses,
    inputs: DetectorInput,
    teams_lab: FloatArray,
    lead_lab: float,
) -> DiscClassification:
    """The hypotheses that are discs, by rim and colour: no two at one place, and none in the hole.

    ``teams_lab`` (t, 3) are the teams' colours; without them no disc is accepted. A disc clearly
    belongs to a team if its colour is nearer to it than to the next by ``lead_lab``.
    """
    base = hypotheses.outlines.base_mm
    if len(teams_lab) == 0 or len(base) == 0:
        return _classify_without_teams(hypotheses, inputs)
    team, distance = assign_teams(hypotheses.face_colours, teams_lab)
    log_odds = hypotheses.log_odds + _compute_colour_log_odds(
        hypotheses.face_colours, distance, teams_lab[team]
    )
    log_odds += np.where(inputs.is_expected(base), PARAMS.expected_log_odds, 0.0)
    is_sure = hypotheses.rim_scores.log_odds > HYPOTHESES.sure_log_odds
    off_hole = inputs.find_off_hole(base, is_sure)
    is_new = _is_of_no_team(hypotheses.face_colours, teams_lab)
    is_unseen = is_new & (len(teams_lab) == 1)
    possible = off_hole & ~is_unseen & (log_odds > -PARAMS.uncertain_log_odds)
    order = np.flatnonzero(possible)[np.argsort(-log_odds[possible], kind="stable")]
    kept = order[suppress_non_maxima(base[order], inputs.min_separation_mm)]
    kept = kept[_is_on_surface(hypotheses, inputs)[kept]]
    accepted = kept[log_odds[kept] > 0.0]
    # ... and two teams must not be one team in two lights, with the other side's discs in a third
    # colour
    is_asked = is_unseen | (is_new & off_hole & (inputs.is_single and not inputs.is_oblique))
    # from the side, no colour supports the first visible disc of the other side
    least = PARAMS.first_log_odds if inputs.is_oblique and inputs.is_single else None
    possible_discs = [
        *base[kept[log_odds[kept] < PARAMS.uncertain_log_odds]],
        *base[select_likely_discs(hypotheses, inputs, is_asked, base[kept], least)],
    ]
    confidence = 1 / (1 + np.exp(-log_odds[accepted]))
    apart_lab = measure_teams_apart(hypotheses.face_colours, accepted, teams_lab)
    own = apart_lab.argmin(axis=1)
    has_clear_team = _has_clear_team(hypotheses.face_colours, own, accepted, apart_lab, lead_lab)
    own = np.where(has_clear_team, own, team[accepted])
    if len(teams_lab) == 1 and not inputs.is_single:
        has_clear_team[:] = True
    return DiscClassification(
        accepted=accepted,
        team=own,
        has_clear_team=has_clear_team,
        confidence=np.where(
            has_clear_team, confidence, np.minimum(confidence, PARAMS.unclear_team)
        ),
        possible_mm=np.reshape(possible_discs, (-1, 2)),
    )


def measure_least_contrast(
    hypotheses: DiscHypotheses,
    classification: DiscClassification,
    inputs: DetectorInput,
    teams_lab: FloatArray,
) -> float:
    """The least distance, weighted Lab, from the surface's colour to the colours (t, 3) of teams
    whose discs may have been missed; infinite if there is none.

    That is a team without a disc on the surface, or with one of little support. Oblique views are
    left out, because ``region_search`` finds the discs there. An unseen team may have black discs,
    which cannot be seen on a black board.
    """
    black_lab = np.zeros((max(_SIDES - len(teams_lab), 0), 3))
    unseen = measure_wood_distance(black_lab, inputs.wood_bgr).min(initial=np.inf)
    share = hypotheses.rim_scores.vote_share[classification.accepted]
    contrast = measure_wood_distance(teams_lab, inputs.wood_bgr)
    least = [share[classification.team == k].min(initial=np.inf) for k in range(len(teams_lab))]
    may_lack = np.isinf(least) | (np.array(least) < PARAMS.faint_vote_share)
    return float(contrast[may_lack & (not inputs.is_oblique)].min(initial=unseen))


def measure_teams_apart(
    faces: FaceColours, accepted: np.ndarray, teams_lab: FloatArray
) -> FloatArray:
    """Distances of all faces ``accepted`` (m,) from the teams' colours (t, 3) in any light, with
    glare or without: (m, t).
    """
    as_seen = measure_apart_in_any_light(faces.lab[accepted], teams_lab)
    glare_free = measure_apart_in_any_light(faces.glare_free_lab[accepted], teams_lab)
    return np.minimum(as_seen, glare_free)


def _has_clear_team(
    faces: FaceColours,
    own: np.ndarray,
    accepted: np.ndarray,
    apart_lab: FloatArray,
    lead_lab: float,
) -> np.ndarray:
    """Whether the faces ``accepted`` (m,), at distances (m, t) from the teams' colours, certainly
    belong to their ``own`` team (m,), which leads by ``lead_lab``: (m,).

    A dark disc in a lamp's reflection looks like a light disc in the shade. Extra brightness of the
    wood beside it may be glare, which is subtracted, or more light, which scales all colours there.
    A team is clear if the colour as seen and the colour in the board's usual light give the same
    team.
    """
    nearest = np.sort(apart_lab, axis=1)
    is_open = nearest[:, 0] > PARAMS.far_from_team_lab
    if apart_lab.shape[1] < 2 or len(accepted) == 0:
        return np.asarray(~is_open)
    is_open |= nearest[:, 1] - nearest[:, 0] < lead_lab
    dark_point = np.array([DARK_POINT_L, 0.0, 0.0])
    beside = faces.surround_lab[accepted, 0] - DARK_POINT_L
    dimmed = (beside - faces.glare[accepted]) / np.maximum(beside, 1.0)
    relit = dark_point + (faces.lab[accepted] - dark_point) * dimmed[:, None]
    seen = np.unique(own)
    relit_teams = np.array([column_medians(relit[own == k]) for k in seen])
    differs = seen[find_nearest_team(relit, relit_teams)[0]] != own
    is_burnt_out = faces.rgb[accepted].max(axis=1) > LUMINANCE.burnt_out_grey
    return np.asarray(~is_open & (~differs | is_burnt_out))


def _is_of_no_team(faces: FaceColours, teams_lab: FloatArray) -> np.ndarray:
    """Faces (n,) with a colour, with and without glare, that no team seen so far has.

    The other side's discs look like this until one was seen for certain, and so does a hand.
    """
    return find_new_colours(faces.lab, teams_lab) & find_new_colours(
        faces.glare_free_lab, teams_lab
    )


def _classify_without_teams(
    hypotheses: DiscHypotheses, inputs: DetectorInput
) -> DiscClassification:
    """The classification without teams: no disc is accepted, and a person is asked about circles
    that look much like discs.
    """
    none = np.zeros(0, dtype=np.intp)
    return DiscClassification(
        accepted=none,
        team=none,
        has_clear_team=np.zeros(0, dtype=bool),
        confidence=np.zeros(0),
        possible_mm=hypotheses.outlines.base_mm[select_likely_discs(hypotheses, inputs)],
    )


def select_likely_discs(
    hypotheses: DiscHypotheses,
    inputs: DetectorInput,
    among: np.ndarray | None = None,
    known_mm: FloatArray | None = None,
    least_log_odds: float | None = None,
) -> np.ndarray:
    """Indices (k,) of hypotheses that are much like a disc apart from their colour, away from all
    of ``known_mm`` (m, 2) and including leaners over the hole. ``among`` (n,) limits the
    hypotheses.

    They have at least ``least_log_odds``, by default those of a certain disc.

    In a single picture, a face that stands out from the wood counts for a disc, as a team's colour
    would; not in an oblique view, in which hands stand out too.
    """
    base = hypotheses.outlines.base_mm
    sure = HYPOTHESES.sure_log_odds if least_log_odds is None else least_log_odds
    least = np.full(len(base), sure)
    if inputs.is_oblique:
        off_hole = np.linalg.norm(base - inputs.hole_mm, axis=-1) > inputs.min_hole_distance_mm
    else:
        off_hole = inputs.measure_hole_distance_mm(base) > DETECTOR_INPUT.off_floor_mm
    if inputs.is_single and not inputs.is_oblique:
        differs = hypotheses.face_colours.surround_distance / TEAM_COLOURS.wood_differs_lab
        least -= PARAMS.colour_bounds[1] * np.minimum(differs, 1.0)
    likely = off_hole & (hypotheses.log_odds > least) & _is_on_surface(hypotheses, inputs)
    if among is not None:
        likely &= among
    if known_mm is not None:
        gap = np.linalg.norm(base[:, None] - known_mm[None], axis=-1).min(axis=1, initial=np.inf)
        likely &= gap > inputs.min_separation_mm
    order = np.flatnonzero(likely)[np.argsort(-hypotheses.log_odds[likely], kind="stable")]
    return order[suppress_non_maxima(base[order], inputs.min_separation_mm)]


def _is_on_surface(hypotheses: DiscHypotheses, inputs: DetectorInput) -> np.ndarray:
    """Discs (n,) on the surface: nearer than its edge, and not a ditch disc seen at a slant.

    A disc that seems to hang over the far edge may just as well be in the ditch behind it, which is
    far more frequent. In an oblique view, the surface's edge hides a part of such a disc, which
    covers no part of the surface. A disc that covers a part of it is therefore on the surface,
    clear of its edge.
    """
    base_mm = hypotheses.outlines.base_mm
    edge_mm, radius_mm = inputs.spec.surface_radius_mm, inputs.shape.radius_mm
    away = np.linalg.norm(base_mm, axis=-1)
    camera_mm = inputs.picture.camera_mm
    in_ditch = base_mm + (base_mm - camera_mm[:2]) * (_DITCH_DEPTH_MM / camera_mm[2])
    slope = np.linalg.norm(base_mm - camera_mm[:2], axis=-1) / camera_mm[2]
    slack_mm = PARAMS.ditch_slack_mm + PARAMS.ditch_depth_slack_mm * slope * inputs.is_oblique
    fits_ditch = np.linalg.norm(in_ditch, axis=-1) > edge_mm + radius_mm - slack_mm
    covers_surface = hypotheses.region_gain > HYPOTHESES.large_region
    covers_surface &= ~_is_overhanging(base_mm, inputs)
    return (away < edge_mm) & (covers_surface | ~fits_ditch)


def _is_overhanging(base_mm: FloatArray, inputs: DetectorInput) -> np.ndarray:
    """Discs (...,) at (..., 2) that reach over the surface's edge."""
    away = np.linalg.norm(base_mm, axis=-1)
    return np.asarray(away + inputs.shape.radius_mm > inputs.spec.surface_radius_mm)


def classify_states(base_mm: FloatArray, inputs: DetectorInput) -> list[DiscState]:
    """States of the discs at (n, 2): OVERHANGING if a disc reaches over the surface's edge, LEANING
    if its middle is over the hole, otherwise FLAT.
    """
    over_hole = np.linalg.norm(base_mm - inputs.hole_mm, axis=-1) < inputs.spec.hole_radius_mm
    return [
        DiscState.OVERHANGING if over_edge else DiscState.LEANING if tips else DiscState.FLAT
        for over_edge, tips in zip(_is_overhanging(base_mm, inputs), over_hole, strict=True)
    ]
