"""The discs on the playing surface, with team, place and covariance, from one picture of a board.

1. The plane through the discs' top faces is rectified (``birds_eye``). Edges there, measured
   against the wood's own grain (``edges_above_grain``), vote for rims of this board's disc radius
   (``hough_votes``). A learned detector may propose more, and weighs all of them (``Proposals``).
2. Every hypothesis's outline is fitted on the picture itself (``outline_fit``).
3. The team colours are learned from the certain discs, including those in the ditch
   (``board_teams``). Then every hypothesis is classified by its rim (``rim_classifier``) and its
   colour (``classification``).
4. The discs are fitted together (``bundle_fit``). A twenty or a leaner is looked for over the hole
   (``hole_classifier``).
5. Occluders are found by their colour (``colour_outliers``), and a person is asked about them. The
   same holds for places under a lamp's reflection (``unseen_surface``).

Uncertain discs, and all other things that hide the surface, are returned as unexplained. Discs
without any edge are missed without a question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.board import EmptyHole
from calibration.camera import FloatArray
from calibration.disc import DiscSpec
from calibration.fit import BoardFit
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import PlacedDisc, Team
from vision.discs.board_teams import BoardTeams, learn_board_teams
from vision.discs.classification import PARAMS as CLASSIFICATION
from vision.discs.classification import (
    DiscClassification,
    classify_discs,
    classify_states,
    measure_least_contrast,
)
from vision.discs.colour_outliers import find_colour_outliers
from vision.discs.detector_input import (
    NO_OTHERS,
    DetectorInput,
    OtherPictures,
    Proposals,
    prepare_detector_input,
)
from vision.discs.disc_hypotheses import PARAMS as HYPOTHESES
from vision.discs.disc_hypotheses import (
    DiscHypotheses,
    find_disc_hypotheses,
)
from vision.discs.hole.appearance import measure_hole
from vision.discs.hole.empty_hole import describe_floor, measure_floor
from vision.discs.hole.hole_classifier import HoleDetection, detect_hole_disc
from vision.discs.hough_votes import suppress_non_maxima
from vision.discs.outline.bundle_fit import fit_bundle
from vision.discs.unseen_surface import find_unseen
from vision.discs.visible_surface import compute_free_surface
from vision.reading import UnexplainedObject, UnexplainedReason


class FindDiscsParameters(StageParameters):
    """Parameters of ``find_discs``."""

    #: Signs of one object on the board are within this distance of each other.
    same_occluder_mm: float = parameter(90.0, unit="mm", source="chosen: the width of a hand")
    #: In a hole of at least this radius a disc's gap shows.
    least_hole_px: float = parameter(16.0, unit="px", source="chosen: the gap is then 1.5 px wide")


PARAMS = FindDiscsParameters()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DiscReading:
    """The discs on one board: teams light to dark, discs, sizes and the remaining misfit.

    disc            the discs' sizes: given, measured, or a guess with the uncertainty of nominal
                    sizes
    measured_discs  number of discs that the sizes were measured from; 0 if they were given or could
                    not be measured
    has_faint_team  one team's discs look so much like the surface that some may have been missed,
                    or black discs of an unseen team would not show
    has_bad_light   it differs before and after flat-field correction
    has_open_teams  several discs score, and their colours may equally be those of fewer or more
                    teams
    """

    teams: tuple[Team, ...]
    discs: tuple[PlacedDisc, ...]
    disc: DiscSpec
    measured_discs: int = 0
    unexplained: tuple[UnexplainedObject, ...] = ()
    has_faint_team: bool = False
    has_bad_light: bool = False
    has_open_teams: bool = False


def find_discs(
    image: np.ndarray,
    fit: BoardFit,
    disc: DiscSpec | None = None,
    known: tuple[Team, ...] = (),
    empty_hole: EmptyHole | None = None,
    expected_mm: Sequence[FloatArray] = (),
    *,
    proposals: Proposals | None = None,
    is_single: bool = False,
    others: OtherPictures = NO_OTHERS,
    earlier: tuple[Team, ...] = (),
) -> DiscReading:
    """The discs of a board that was found in ``image`` (h, w, 3) BGR uint8, perhaps none.

    ``disc`` holds the discs' sizes if a profile knows them; otherwise they are measured. ``known``
    are teams that were seen before on this board; they come first, others after them.
    ``empty_hole`` is the appearance of the empty hole, if a profile knows it. ``expected_mm`` are
    places (2,) where discs were last seen. ``proposals`` are the discs that a learned detector
    sees. ``is_single`` says that no other picture shows this board; faint things then lead to a
    question sooner. ``others`` is the evidence from other pictures. ``earlier`` are the teams of
    another picture of the same match.
    """
    inputs = replace(
        prepare_detector_input(image, fit, disc, others.part),
        empty_hole=empty_hole,
        expected_mm=np.reshape(expected_mm, (-1, 2)),
        proposals=proposals,
        is_single=is_single,
    )
    hypotheses = find_disc_hypotheses(inputs)
    teams = learn_board_teams(hypotheses, inputs, known, earlier)
    classification = classify_discs(hypotheses, inputs, teams.lab, teams.lead_lab)
    contrast_lab = measure_least_contrast(hypotheses, classification, inputs, teams.lab)
    if not teams.is_sure:
        classification = _lower_team_confidence(classification)
    classification = _open_single_teams(classification, teams.is_single)
    lying, over_hole = inputs.split_stayed(others.part)
    rough = _place_roughly(hypotheses, classification, teams.named, inputs, lying)
    fitted, size = _fit_discs(rough, inputs)
    hole_detection = HoleDetection(discs=over_hole or ())
    if over_hole is None and not others.show_empty_hole:
        hole_detection = _detect_over_hole(fitted if inputs.is_oblique else rough, teams, inputs)
    discs = _resolve_hole_duplicates(fitted, hole_detection.discs, inputs)
    possible = (
        UnexplainedObject(centre_mm=centre_mm, reason=UnexplainedReason.MAYBE_DISC)
        for centre_mm in classification.possible_mm
    )
    unexplained = (*possible, *hole_detection.unexplained)
    known_mm = np.reshape(
        [*(d.centre_mm for d in discs), *(d.centre_mm for d in unexplained)], (-1, 2)
    )
    if others.may_cover is None or others.may_cover(known_mm):
        unexplained = (*unexplained, *_find_occluders(inputs, hypotheses, known_mm))
    if is_single:
        unexplained = (*unexplained, *find_unseen(inputs, discs))
    return DiscReading(
        teams=teams.named,
        discs=tuple(discs),
        disc=size,
        measured_discs=0 if inputs.known_size is not None else len(fitted),
        unexplained=unexplained,
        has_faint_team=is_single and contrast_lab < CLASSIFICATION.faint_team_lab,
        has_open_teams=is_single and teams.is_open and _count_scoring(discs, inputs) > 1,
    )


def _count_scoring(discs: Sequence[PlacedDisc], inputs: DetectorInput) -> int:
    """Number of the discs within the 5-line that may score."""
    away_mm = np.linalg.norm(np.reshape([disc.centre_mm for disc in discs], (-1, 2)), axis=-1)
    return int((away_mm < inputs.spec.line_radii_mm[2]).sum())


def _lower_team_confidence(classification: DiscClassification) -> DiscClassification:
    """The same discs, with limited confidence if their team is unclear."""
    lowered = np.minimum(classification.confidence, CLASSIFICATION.unclear_team)
    return replace(classification, confidence=lowered)


def _open_single_teams(
    classification: DiscClassification, is_single: np.ndarray
) -> DiscClassification:
    """The same discs; a side with a single disc, besides two other sides, may not be a side."""
    of_single = is_single[classification.team]
    least = np.minimum(classification.confidence, CLASSIFICATION.unclear_team)
    return replace(
        classification,
        has_clear_team=classification.has_clear_team & ~of_single,
        confidence=np.where(of_single, least, classification.confidence),
    )


def _detect_over_hole(
    discs: Sequence[PlacedDisc], teams: BoardTeams, inputs: DetectorInput
) -> HoleDetection:
    """The disc over the hole, in addition to those on the surface. In an oblique view the bundle
    fit may have moved a disc to a place that is only possible in the hole.
    """
    flat_mm = np.reshape([disc.centre_mm for disc in discs], (-1, 2))
    if inputs.is_oblique:
        off_hole_mm = np.linalg.norm(flat_mm - inputs.hole_mm, axis=-1)
        flat_mm = flat_mm[off_hole_mm > inputs.min_hole_distance_mm]
    found = detect_hole_disc(inputs, teams.lab, flat_mm, teams.seen_lab)
    return replace(
        found,
        discs=tuple(replace(disc, team=teams.named[disc.team].number) for disc in found.discs),
    )


def _resolve_hole_duplicates(
    flat: list[PlacedDisc], hole_discs: tuple[PlacedDisc, ...], inputs: DetectorInput
) -> list[PlacedDisc]:
    """All discs, but only one if a disc was read twice: as flat, and as over the hole.

    A disc with its middle over the hole cannot be flat, because it tips. ``classify_discs`` accepts
    none there, but the bundle fit may move one.
    """
    kept, added = list(flat), []
    for disc in hole_discs:
        same = [
            other
            for other in kept
            if np.linalg.norm(other.centre_mm - disc.centre_mm) < inputs.shape.radius_mm
        ]
        off_hole_mm = [np.linalg.norm(other.centre_mm - inputs.hole_mm) for other in same]
        if all(away < inputs.spec.hole_radius_mm for away in off_hole_mm):
            kept = [other for other in kept if not any(other is one for one in same)]
            added.append(disc)
    return kept + added


def measure_empty_hole(image: np.ndarray, fit: BoardFit, reading: DiscReading) -> EmptyHole | None:
    """The appearance of the empty hole; None if it may not be empty by the ``reading`` of its
    board, or hardly shows.

    A disc in it would show its team's colour, known from discs elsewhere, or at least a gap, which
    needs enough pixels. In an oblique view the floor is not visible. A hole as dark as a team's
    discs is taken to be empty, because the person who calibrates shows it empty.
    """
    inputs = prepare_detector_input(image, fit, reading.disc)
    rim_px = fit.spec.hole_radius_mm / fit.view.mm_per_px(fit.spec.hole_centre_mm)
    if inputs.is_oblique or rim_px < PARAMS.least_hole_px:
        return None
    seen = [disc.centre_mm for disc in reading.discs]
    seen += [
        item.centre_mm
        for item in reading.unexplained
        if item.reason is not UnexplainedReason.DARK_HOLE
    ]
    away_mm = np.linalg.norm(np.reshape(seen, (-1, 2)) - inputs.hole_mm, axis=1)
    if (away_mm < fit.spec.hole_radius_mm + inputs.shape.radius_mm).any():
        return None
    picture, shape, nothing = inputs.picture, inputs.shape, np.zeros((0, 2))
    appearance = measure_hole(picture, fit.spec, shape, np.zeros((0, 3)), nothing)
    floor = measure_floor(picture, fit.spec, shape, nothing)
    return None if appearance.may_show_gap or floor is None else describe_floor(floor)


def _find_occluders(
    inputs: DetectorInput, hypotheses: DiscHypotheses, known_mm: FloatArray
) -> tuple[UnexplainedObject, ...]:
    """Objects on the board other than discs, such as hands, cups and boxes, away from the discs at
    places (n, 2); one place per object.
    """
    camera_mm = inputs.picture.camera_mm
    surface = compute_free_surface(inputs.spec, camera_mm, known_mm, inputs.shape)
    outliers = find_colour_outliers(inputs.rectified, camera_mm, surface)
    regions = find_unexplained_regions(hypotheses, inputs, known_mm)
    place = np.concatenate([outliers, regions])
    reason = [UnexplainedReason.COLOUR] * len(outliers)
    reason += [UnexplainedReason.REGION] * len(regions)
    return tuple(
        UnexplainedObject(centre_mm=place[i], reason=reason[i])
        for i in suppress_non_maxima(place, PARAMS.same_occluder_mm)
    )


def find_unexplained_regions(
    hypotheses: DiscHypotheses, inputs: DetectorInput, known_mm: FloatArray
) -> FloatArray:
    """Regions (n, 2), away from all of ``known_mm`` (m, 2), of another colour than the surface, as
    large as a disc or a part of one with a disc's rim. Only in an oblique view, and only where a
    disc would count.
    """
    is_rimmed = hypotheses.region_gain > HYPOTHESES.rimmed_region
    is_rimmed &= hypotheses.rim_scores.log_odds > HYPOTHESES.rimmed_log_odds
    is_large = hypotheses.region_gain > HYPOTHESES.large_region
    place = hypotheses.outlines.base_mm[is_rimmed | is_large]
    gap = np.linalg.norm(place[:, None] - known_mm[None], axis=-1).min(axis=1, initial=np.inf)
    may_count = np.linalg.norm(place, axis=-1) < inputs.spec.line_radii_mm[2]
    return place[(gap > inputs.min_separation_mm) & may_count]


def _place_roughly(
    hypotheses: DiscHypotheses,
    classification: DiscClassification,
    teams: Sequence[Team],
    inputs: DetectorInput,
    stayed: Sequence[PlacedDisc],
) -> list[PlacedDisc]:
    """The classified discs at their outlines' positions, and the discs that ``stayed``, which are
    not searched for again.
    """
    base_mm = hypotheses.outlines.base_mm[classification.accepted]
    stayed_mm = np.reshape([disc.centre_mm for disc in stayed], (-1, 2))
    away_mm = np.linalg.norm(base_mm[:, None] - stayed_mm, axis=-1).min(axis=1, initial=np.inf)
    state = classify_states(base_mm, inputs)
    found = [
        PlacedDisc(
            centre_mm=base_mm[i],
            covariance_mm2=np.zeros((2, 2)),
            team=teams[classification.team[i]].number,
            state=state[i],
            confidence=float(classification.confidence[i]),
            has_clear_team=bool(classification.has_clear_team[i]),
        )
        for i in np.flatnonzero(away_mm > inputs.shape.radius_mm)
    ]
    return [*found, *stayed]


def _fit_discs(
    rough: Sequence[PlacedDisc], inputs: DetectorInput
) -> tuple[list[PlacedDisc], DiscSpec]:
    """Discs fitted together, and their sizes: given, measured, or estimated from circles.

    In an oblique view bases are fitted only to outlines, because shadows would appear as another
    height and shift them.
    """
    if len(rough) == 0:
        return [], inputs.likely_size
    base_mm, oblique = np.array([disc.centre_mm for disc in rough]), inputs.is_oblique
    shape, sigma_mm = inputs.shape, inputs.shape_sigma_mm
    bundle = fit_bundle(
        inputs.picture, base_mm, shape, sigma_mm, is_oblique=oblique, keeps_bases=oblique
    )
    discs = [
        replace(disc, centre_mm=base, covariance_mm2=covariance_mm2)
        for disc, base, covariance_mm2 in zip(
            rough, bundle.base_mm, bundle.covariance_mm2, strict=True
        )
    ]
    return discs, inputs.known_size or bundle.size
