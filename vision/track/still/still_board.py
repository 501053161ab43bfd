"""Read the discs of a still board against its background model.

The frame alone is read first (``discs``); then the bare board is asked: where a round thing
differs from it a disc was missed, and where nothing differs none was there. Knows discs. Refuses to
know what happened before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from calibration.board import DiscSpec
from calibration.camera import FloatArray
from calibration.fit import BoardFit
from calibration.parameters import StageParameters, parameter
from calibration.state import DiscState, PlacedDisc, Team
from vision.discs.detector_input import prepare_detector_input
from vision.discs.find_discs import DiscReading, find_discs
from vision.discs.outline.bundle_fit import fit_bundle
from vision.discs.team_colours import (
    bgr_to_weighted_lab,
    find_nearest_team,
    find_new_colours,
    get_team_colours_lab,
    name_teams,
)
from vision.reading import UnexplainedObject
from vision.rectify.frame_rectifier import FrameRectifier
from vision.track.background.background_model import BackgroundModel, NormalisedFrame
from vision.track.background.texture_match import matches_background
from vision.track.motion.disc_blobs import DiscBlobs, find_disc_blobs
from vision.track.motion.occluders import find_occluders
from vision.track.still.hole_gap_test import Outline, measure_hole_outline


@dataclass(frozen=True, slots=True, kw_only=True)
class StillBoardParameters(StageParameters):
    """What ``still_board`` takes for granted."""

    stage: ClassVar[str] = "track.still.still_board"

    #: A disc that was read and one that differs from the board are the same within this, mm.
    same_mm: float = parameter(12.0, unit="mm", source="")
    #: A disc that nothing moved is found within this of its place, mm: no other comes to lie there.
    unmoved_mm: float = parameter(3.0, unit="mm", source="")
    #: Two discs lie two radii apart; nearer than this the second is the shadow of the first, mm.
    apart_mm: float = parameter(25.0, unit="mm", source="")
    #: A disc stands on the bare board only where this share of its face differs from it.
    least_different: float = parameter(0.35, unit="", source="")
    #: A round difference is a disc that was missed when it is at least this round (0 to 1).
    sure_roundness: float = parameter(0.6, unit="", source="")
    #: A missed disc's fit that runs farther than this from the difference is wrong, mm; its place
    #: is then that of the difference, with this sigma.
    fit_reach_mm: float = parameter(4.0, unit="mm", source="")
    rough_sigma_mm: float = parameter(2.0, unit="mm", source="")
    #: A face this far from every known team's colour is of another team, weighted Lab.
    other_team_lab: float = parameter(30.0, unit="weighted Lab", source="")
    #: So many sides have discs of their own colour; a third one's are read, not only missed.
    sides: int = parameter(2, unit="", source="")
    #: Something lies in the hole when this share of it differs from the empty hole, and it sticks
    #: out when this share of the wood around does.
    hole_filled: float = parameter(0.5, unit="", source="")
    hole_overflows: float = parameter(0.3, unit="", source="")
    around_hole_mm: tuple[float, float] = parameter((3.0, 9.0), unit="mm", source="")
    #: The middle of the hole, without its wall, as a share of its radius.
    hole_core: float = parameter(0.7, unit="", source="")
    #: A disc in the hole stands out of it: no other lies nearer than touching it, less its play and
    #: the errors of two places, mm.
    hole_clearance_mm: float = parameter(5.0, unit="mm", source="")
    confidence: float = parameter(0.95, unit="", source="")
    #: Around a disc its light is looked at, radii: past its own shadow.
    beside_radii: tuple[float, float] = parameter((1.3, 2.2), unit="", source="")


PARAMS = StillBoardParameters.active()
_OUTLIER_REASON = "something round lies there that looks like neither side's disc"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StillBoard:
    """What lies on a still board.

    teams  all teams seen so far, those that were known before first
    disc   the discs' sizes
    measured_discs  how many told the sizes (see ``DiscReading``)
    """

    discs: tuple[PlacedDisc, ...]
    teams: tuple[Team, ...]
    disc: DiscSpec
    measured_discs: int = 0
    unexplained: tuple[UnexplainedObject, ...] = ()


def read_without_background(
    image: np.ndarray,
    fit: BoardFit,
    disc: DiscSpec | None,
    known: tuple[Team, ...],
    rectifier: FrameRectifier,
) -> StillBoard:
    """The board of a frame (BGR) without a background model."""
    reading = _match_in_sunlight(
        find_discs(image, fit, disc, known), known, rectifier, rectifier.rectify(image)
    )
    return StillBoard(
        discs=reading.discs,
        teams=reading.teams or known,
        disc=reading.disc,
        measured_discs=reading.measured_discs,
        unexplained=reading.unexplained,
    )


def read_with_background(
    image: np.ndarray,
    fit: BoardFit,
    disc: DiscSpec | None,
    known: tuple[Team, ...],
    rectifier: FrameRectifier,
    background: BackgroundModel,
    frame: NormalisedFrame,
    before: Sequence[PlacedDisc] = (),
) -> StillBoard:
    """The board of a frame (BGR) beside its bare ``background``; ``frame`` is the same frame.

    ``before`` lay there when it was last read.
    """
    reading = _keep_previous_teams(find_discs(image, fit, disc, known), known, before)
    radius_mm = reading.disc.radius_mm
    if frame.is_shaded:
        reading = _match_in_shadow(reading, known, rectifier, frame)
    reading = _match_in_sunlight(reading, known, rectifier, frame.image_with_shadows)
    kept = [
        each
        for each in reading.discs
        if _differs_from_background(each, rectifier, background, frame, fit, radius_mm)
    ]
    blobs = find_disc_blobs(rectifier, background, frame, radius_mm)
    missed = _find_missed(kept, blobs, fit, rectifier, background, frame, radius_mm)
    missed, outliers = _split_outliers(blobs, missed, known)
    teams = _add_new_teams(blobs, missed, reading.teams or known)
    added = _fit_missed(image, fit, disc, blobs, missed, teams)
    discs = [*kept, *added]
    discs += _find_missed_twenty(discs, rectifier, background, frame, fit, teams, radius_mm)
    is_sunk = any(each.state is DiscState.IN_HOLE for each in discs)
    outline = measure_hole_outline(image, fit, rectifier, background, frame) if is_sunk else None
    discs = [_apply_outline(each, fit, outline) for each in discs]
    doubts = [
        *_find_leaning_doubts(discs, outline),
        *(
            UnexplainedObject(centre_mm=blobs.centre_mm[i], reason=_OUTLIER_REASON)
            for i in outliers
        ),
    ]
    return StillBoard(
        discs=tuple(discs),
        teams=teams,
        disc=reading.disc,
        measured_discs=reading.measured_discs,
        unexplained=(
            *doubts,
            *_find_unexplained(reading, discs, rectifier, background, frame, radius_mm),
        ),
    )


def _apply_outline(each: PlacedDisc, fit: BoardFit, outline: Outline | None) -> PlacedDisc:
    """The disc, leaning on the hole's edge if its outline says so."""
    if each.state is not DiscState.IN_HOLE or outline is None or not outline.is_leaning:
        return each
    return replace(
        each,
        state=DiscState.LEANING,
        centre_mm=np.array(fit.spec.hole_centre_mm) + outline.offset_mm,
        covariance_mm2=PARAMS.rough_sigma_mm**2 * np.eye(2),
    )


def _find_leaning_doubts(
    discs: list[PlacedDisc], outline: Outline | None
) -> Iterator[UnexplainedObject]:
    for each in discs:
        if each.state is DiscState.IN_HOLE and outline is not None and outline.is_doubtful:
            reason = "a disc lies in the hole, or leans on its edge"
            yield UnexplainedObject(centre_mm=each.centre_mm, reason=reason)


def _keep_previous_teams(
    reading: DiscReading, known: tuple[Team, ...], before: Sequence[PlacedDisc]
) -> DiscReading:
    """The reading, without teams whose discs lie where others lay: in another light they do."""
    numbers = {team.number for team in known}
    discs = []
    for each in reading.discs:
        lay = [
            old
            for old in before
            if np.linalg.norm(old.centre_mm - each.centre_mm) < PARAMS.unmoved_mm
        ]
        is_new = each.team not in numbers
        discs.append(replace(each, team=lay[0].team) if lay and is_new else each)
    if all(now is old for now, old in zip(discs, reading.discs, strict=True)):
        return reading
    return _replace_discs(reading, discs, numbers)


def _match_in_shadow(
    reading: DiscReading, known: tuple[Team, ...], rectifier: FrameRectifier, frame: NormalisedFrame
) -> DiscReading:
    """The reading, without teams that are a known team's colour in a shadow."""
    numbers = {team.number for team in known}
    discs = []
    for each in reading.discs:
        if known and each.team not in numbers:
            face = (
                rectifier.disc_mask(each.centre_mm, PARAMS.hole_core * reading.disc.radius_mm) > 0
            )
            number, away = _match_team(np.median(frame.image[face], axis=0), known)
            each = replace(each, team=number) if away < PARAMS.other_team_lab else each
        discs.append(each)
    return _replace_discs(reading, discs, numbers)


def _match_in_sunlight(
    reading: DiscReading, known: tuple[Team, ...], rectifier: FrameRectifier, image: np.ndarray
) -> DiscReading:
    """The reading, without teams that are a known team's colour in a patch of light.

    How light it is beside a disc is compared with the rest of the board, on rectified ``image``.
    """
    numbers = {team.number for team in known}
    discs = []
    for each in reading.discs:
        if known and each.team not in numbers:
            face = (
                rectifier.disc_mask(each.centre_mm, PARAMS.hole_core * reading.disc.radius_mm) > 0
            )
            light = _measure_light_around(each, reading.disc.radius_mm, rectifier, image)
            colour = np.median(image[face], axis=0) / light
            number, _ = _match_team(colour, known)
            is_known = not find_new_colours(
                bgr_to_weighted_lab(colour[None]), get_team_colours_lab(known)
            )[0]
            each = replace(each, team=number) if is_known else each
        discs.append(each)
    if all(now is before for now, before in zip(discs, reading.discs, strict=True)):
        return reading
    return _replace_discs(reading, discs, numbers)


def _measure_light_around(
    each: PlacedDisc, radius_mm: float, rectifier: FrameRectifier, image: np.ndarray
) -> FloatArray:
    """By how much lighter (3,) the board is around a disc than it is on the whole."""
    ring = rectifier.disc_mask(each.centre_mm, PARAMS.beside_radii[1] * radius_mm)
    ring &= 1 - rectifier.disc_mask(each.centre_mm, PARAMS.beside_radii[0] * radius_mm)
    beside, usual = (np.median(image[where], axis=0) for where in (ring > 0, rectifier.surface))
    return np.asarray((beside + 1.0) / (usual + 1.0))


def _replace_discs(reading: DiscReading, discs: list[PlacedDisc], numbers: set[int]) -> DiscReading:
    """The reading of these discs, with known teams by ``numbers`` and those that discs have."""
    teams = {each.team for each in discs} | numbers
    return replace(
        reading,
        discs=tuple(discs),
        teams=tuple(team for team in reading.teams if team.number in teams),
    )


def _measure_share(mask: np.ndarray, where: np.ndarray) -> float:
    return float(mask[where].mean()) if where.any() else 0.0


def _differs_from_background(
    each: PlacedDisc,
    rectifier: FrameRectifier,
    background: BackgroundModel,
    frame: NormalisedFrame,
    fit: BoardFit,
    radius_mm: float,
) -> bool:
    """Whether the frame differs from the background where a disc was read."""
    reach_mm = radius_mm if each.state is not DiscState.IN_HOLE else fit.spec.hole_radius_mm
    under = rectifier.disc_mask(each.centre_mm, PARAMS.hole_core * reach_mm) > 0
    if not background.valid_mask[under].all():
        return True
    difference = frame.difference > background.threshold
    return _measure_share(difference, under) > PARAMS.least_different and not matches_background(
        background, frame.image, under
    )


def _find_missed(
    kept: list[PlacedDisc],
    blobs: DiscBlobs,
    fit: BoardFit,
    rectifier: FrameRectifier,
    background: BackgroundModel,
    frame: NormalisedFrame,
    radius_mm: float,
) -> np.ndarray:
    """Indices of round differences from the bare surface where no disc was read.

    What the sun leaves dark may be round, too, but it shows the board's grain.
    """
    away = np.linalg.norm(blobs.centre_mm, axis=1)
    off_hole = np.linalg.norm(blobs.centre_mm - np.array(fit.spec.hole_centre_mm), axis=1)
    chosen = (
        (blobs.roundness > PARAMS.sure_roundness)
        & (away < fit.spec.surface_radius_mm)
        & (off_hole > fit.spec.hole_radius_mm)
    )
    column, row = np.rint(rectifier.to_px(blobs.centre_mm)).astype(int).reshape(-1, 2).T
    chosen &= background.valid_mask[row, column]
    for each in kept:
        chosen &= np.linalg.norm(blobs.centre_mm - each.centre_mm, axis=1) > PARAMS.apart_mm
    faces = (
        (i, rectifier.disc_mask(blobs.centre_mm[i], PARAMS.hole_core * radius_mm) > 0)
        for i in np.flatnonzero(chosen)
    )
    return np.array(
        [i for i, face in faces if not matches_background(background, frame.image, face)], np.intp
    )


def _split_outliers(
    blobs: DiscBlobs, missed: np.ndarray, known: tuple[Team, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """The missed discs, and of them those of no side's colour where both sides are known.

    What only differs from the bare board, and looks like no disc so far, may be light.
    """
    if len(known) < PARAMS.sides or len(missed) == 0:
        return missed, missed[:0]
    is_strange = find_new_colours(
        bgr_to_weighted_lab(blobs.colour_bgr[missed]), get_team_colours_lab(known)
    )
    return missed[~is_strange], missed[is_strange]


def _add_new_teams(
    blobs: DiscBlobs, missed: np.ndarray, teams: tuple[Team, ...]
) -> tuple[Team, ...]:
    """The teams, and one more for every missed disc of a colour that none of them has."""
    for i in missed:
        colour = blobs.colour_bgr[i]
        if (
            not teams
            or find_new_colours(bgr_to_weighted_lab(colour[None]), get_team_colours_lab(teams))[0]
        ):
            teams = name_teams([colour[::-1]], teams)
    return teams


def _match_team(colour_bgr: FloatArray, teams: tuple[Team, ...]) -> tuple[int, float]:
    """The team whose colour is nearest, and how far it is, weighted Lab."""
    nearest, away = find_nearest_team(
        bgr_to_weighted_lab(colour_bgr[None]), get_team_colours_lab(teams)
    )
    return teams[int(nearest[0])].number, float(away[0])


def _fit_missed(
    image: np.ndarray,
    fit: BoardFit,
    disc: DiscSpec | None,
    blobs: DiscBlobs,
    missed: np.ndarray,
    teams: tuple[Team, ...],
) -> list[PlacedDisc]:
    """The missed discs, placed as well as their outlines allow."""
    if len(missed) == 0:
        return []
    detector_input = prepare_detector_input(image, fit, disc)
    rough = blobs.centre_mm[missed]
    joint = fit_bundle(
        detector_input.picture, rough, detector_input.shape, detector_input.shape_sigma_mm
    )
    out = []
    for i, place, foot, covariance in zip(
        missed, rough, joint.foot_mm, joint.covariance_mm2, strict=True
    ):
        fits = np.linalg.norm(foot - place) < PARAMS.fit_reach_mm
        out.append(
            PlacedDisc(
                centre_mm=foot if fits else place,
                covariance_mm2=covariance if fits else PARAMS.rough_sigma_mm**2 * np.eye(2),
                team=_match_team(blobs.colour_bgr[i], teams)[0],
                state=_classify_state(foot if fits else place, fit, detector_input.shape.radius_mm),
                confidence=PARAMS.confidence,
            )
        )
    return out


def _classify_state(foot_mm: FloatArray, fit: BoardFit, radius_mm: float) -> DiscState:
    if np.hypot(*foot_mm) + radius_mm > fit.spec.surface_radius_mm:
        return DiscState.OVERHANGING
    return DiscState.FLAT


def _find_missed_twenty(
    discs: list[PlacedDisc],
    rectifier: FrameRectifier,
    background: BackgroundModel,
    frame: NormalisedFrame,
    fit: BoardFit,
    teams: tuple[Team, ...],
    radius_mm: float,
) -> list[PlacedDisc]:
    """The disc in the hole that was not read: the hole differs from the empty one, all over."""
    hole_mm = np.array(fit.spec.hole_centre_mm)
    near = 2 * radius_mm - PARAMS.hole_clearance_mm
    if not teams or any(np.linalg.norm(each.centre_mm - hole_mm) < near for each in discs):
        return []
    middle = rectifier.disc_mask(hole_mm, PARAMS.hole_core * fit.spec.hole_radius_mm) > 0
    inner, outer = (fit.spec.hole_radius_mm + each for each in PARAMS.around_hole_mm)
    beside = np.array([each.centre_mm for each in discs]).reshape(-1, 2)
    around = (rectifier.disc_mask(hole_mm, outer) > 0) & (rectifier.disc_mask(hole_mm, inner) == 0)
    around &= rectifier.disc_mask(beside, radius_mm + PARAMS.around_hole_mm[0]) == 0
    difference = frame.difference > background.threshold
    if (
        _measure_share(difference, middle) < PARAMS.hole_filled
        or _measure_share(difference, around) > PARAMS.hole_overflows
    ):
        return []
    team, _ = _match_team(np.median(frame.image[middle], axis=0), teams)
    return [
        PlacedDisc(
            centre_mm=hole_mm,
            covariance_mm2=np.eye(2),
            team=team,
            state=DiscState.IN_HOLE,
            confidence=PARAMS.confidence,
        )
    ]


def _find_unexplained(
    reading: DiscReading,
    discs: list[PlacedDisc],
    rectifier: FrameRectifier,
    background: BackgroundModel,
    frame: NormalisedFrame,
    radius_mm: float,
) -> tuple[UnexplainedObject, ...]:
    """What a person should look at: what was doubtful and differs from the bare board."""
    feet = np.array([each.centre_mm for each in discs]).reshape(-1, 2)
    difference = frame.difference > background.threshold
    out = []
    for each in reading.unexplained:
        under = rectifier.disc_mask(each.centre_mm, PARAMS.hole_core * radius_mm) > 0
        is_explained = (
            len(feet) > 0 and np.linalg.norm(feet - each.centre_mm, axis=1).min() < PARAMS.same_mm
        )
        if not is_explained and _measure_share(difference, under) > PARAMS.least_different:
            out.append(each)
    occluders = find_occluders(rectifier, background, frame, feet, radius_mm)
    if occluders is not None:
        row, column = np.argwhere(occluders > 0).mean(axis=0)
        place = rectifier.to_mm(np.array([column, row]))
        out.append(
            UnexplainedObject(centre_mm=place, reason="something that is no disc covers the board")
        )
    return tuple(out)
