"""The discs of a still board, read with what was learned while watching it.

The frame alone is read first (``discs``); then the bare board is asked: where a round thing
differs from it a disc was missed, and where nothing differs none was there. Knows discs. Refuses to
know what happened before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.board import DiscSpec
from calibration.camera import FloatArray
from calibration.fit import BoardFit
from calibration.state import DiscState, PlacedDisc, Team
from vision.circles import Circles, find_circles
from vision.colour import are_new, name_teams, nearest_team, team_centres, weighted_lab
from vision.discs import DiscReading, find_discs
from vision.grain import shows_board
from vision.hands import find_cover
from vision.joint_fit import fit_together
from vision.plate import Laid, Plate
from vision.reading import Unexplained
from vision.scene import look_at_board
from vision.sheet import Sheet
from vision.standing import Outline, outline_over_hole

#: A disc that was read and one that differs from the board are the same within this, mm.
_SAME_MM = 12.0
#: A disc that nothing moved is found within this of its place, mm: no other comes to lie there.
_UNMOVED_MM = 3.0
#: Two discs lie two radii apart; nearer than this the second is the shadow of the first, mm.
_APART_MM = 25.0
#: A disc stands on the bare board only where this share of its face differs from it.
_LEAST_DIFFERENT = 0.35
#: A round difference is a disc that was missed when it is at least this round (0 to 1).
_SURELY_ROUND = 0.6
#: A missed disc's fit that runs farther than this from the difference is wrong, mm; its place is
#: then that of the difference, with this sigma.
_FIT_REACH_MM, _ROUGH_SIGMA_MM = 4.0, 2.0
#: A face this far from every known team's colour is of another team, weighted Lab.
_OTHER_TEAM_LAB = 30.0
#: So many sides have discs of their own colour; a third one's are read, not only missed.
_SIDES = 2
_STRANGE = "something round lies there that looks like neither side's disc"
#: Something lies in the hole when this share of it differs from the empty hole, and it sticks out
#: when this share of the wood around does.
_HOLE_FILLED, _HOLE_OVERFLOWS = 0.5, 0.3
_AROUND_HOLE_MM = (3.0, 9.0)
#: The middle of the hole, without its wall, as a share of its radius.
_HOLE_MIDDLE = 0.7
#: A disc in the hole stands out of it: no other lies nearer than touching it, less its play and
#: the errors of two places, mm.
_NO_ROOM_MM = 5.0
_CONFIDENCE = 0.95
#: Around a disc its light is looked at, radii: past its own shadow.
_BESIDE_RADII = (1.3, 2.2)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StillBoard:
    """What lies on a still board.

    known  all teams seen so far, those that were known before first
    disc   the discs' sizes
    """

    discs: tuple[PlacedDisc, ...]
    known: tuple[Team, ...]
    disc: DiscSpec
    unexplained: tuple[Unexplained, ...] = ()


def read_alone(
    image: np.ndarray,
    fit: BoardFit,
    disc: DiscSpec | None,
    known: tuple[Team, ...],
    sheet: Sheet,
) -> StillBoard:
    """The board of a frame (BGR) when nothing is known of it bare."""
    seen = _in_the_sun(find_discs(image, fit, disc, known), known, sheet, sheet.lay(image))
    return StillBoard(
        discs=seen.discs, known=seen.teams or known, disc=seen.disc, unexplained=seen.unexplained
    )


def read_still(
    image: np.ndarray,
    fit: BoardFit,
    disc: DiscSpec | None,
    known: tuple[Team, ...],
    sheet: Sheet,
    plate: Plate,
    laid: Laid,
    before: Sequence[PlacedDisc] = (),
) -> StillBoard:
    """The board of a frame (BGR) beside its bare ``plate``; ``laid`` is the same frame.

    ``before`` lay there when it was last read.
    """
    seen = _where_they_lay(find_discs(image, fit, disc, known), known, before)
    radius_mm = seen.disc.radius_mm
    if laid.is_shaded:
        seen = _in_the_light(seen, known, sheet, laid)
    seen = _in_the_sun(seen, known, sheet, laid.as_seen)
    kept = [each for each in seen.discs if _stands_there(each, sheet, plate, laid, fit, radius_mm)]
    circles = find_circles(sheet, plate, laid, radius_mm)
    missed = _missed(kept, circles, fit, sheet, plate, laid, radius_mm)
    missed, strange = _told_from_strange(circles, missed, known)
    teams = _with_teams_of(circles, missed, seen.teams or known)
    added = _fitted(image, fit, disc, circles, missed, teams)
    discs = [*kept, *added]
    discs += _twenty(discs, sheet, plate, laid, fit, teams, radius_mm)
    is_sunk = any(each.state is DiscState.IN_HOLE for each in discs)
    outline = outline_over_hole(image, fit, sheet, plate, laid) if is_sunk else None
    discs = [_leaning_or_not(each, fit, outline) for each in discs]
    doubts = [
        *_leaning_doubts(discs, outline),
        *(Unexplained(centre_mm=circles.centre_mm[i], reason=_STRANGE) for i in strange),
    ]
    return StillBoard(
        discs=tuple(discs),
        known=teams,
        disc=seen.disc,
        unexplained=(*doubts, *_unexplained(seen, discs, sheet, plate, laid, radius_mm)),
    )


def _leaning_or_not(each: PlacedDisc, fit: BoardFit, outline: Outline | None) -> PlacedDisc:
    """The disc, leaning on the hole's edge if its outline says so."""
    if each.state is not DiscState.IN_HOLE or outline is None or not outline.leans:
        return each
    return replace(
        each,
        state=DiscState.LEANING,
        centre_mm=np.array(fit.spec.hole_centre_mm) + outline.off_mm,
        covariance_mm2=_ROUGH_SIGMA_MM**2 * np.eye(2),
    )


def _leaning_doubts(discs: list[PlacedDisc], outline: Outline | None) -> Iterator[Unexplained]:
    for each in discs:
        if each.state is DiscState.IN_HOLE and outline is not None and outline.is_doubtful:
            reason = "a disc lies in the hole, or leans on its edge"
            yield Unexplained(centre_mm=each.centre_mm, reason=reason)


def _where_they_lay(
    seen: DiscReading, known: tuple[Team, ...], before: Sequence[PlacedDisc]
) -> DiscReading:
    """The reading, without teams whose discs lie where others lay: in another light they do."""
    numbers = {team.number for team in known}
    discs = []
    for each in seen.discs:
        lay = [
            old for old in before if np.linalg.norm(old.centre_mm - each.centre_mm) < _UNMOVED_MM
        ]
        is_new = each.team not in numbers
        discs.append(replace(each, team=lay[0].team) if lay and is_new else each)
    if all(now is old for now, old in zip(discs, seen.discs, strict=True)):
        return seen
    return _with_discs(seen, discs, numbers)


def _in_the_light(
    seen: DiscReading, known: tuple[Team, ...], sheet: Sheet, laid: Laid
) -> DiscReading:
    """The reading, without teams that are a known team's colour in a shadow."""
    numbers = {team.number for team in known}
    discs = []
    for each in seen.discs:
        if known and each.team not in numbers:
            face = sheet.discs(each.centre_mm, _HOLE_MIDDLE * seen.disc.radius_mm) > 0
            number, away = _distance(np.median(laid.image[face], axis=0), known)
            each = replace(each, team=number) if away < _OTHER_TEAM_LAB else each
        discs.append(each)
    return _with_discs(seen, discs, numbers)


def _in_the_sun(
    seen: DiscReading, known: tuple[Team, ...], sheet: Sheet, image: np.ndarray
) -> DiscReading:
    """The reading, without teams that are a known team's colour in a patch of light.

    How light it is beside a disc is compared with the rest of the board, on the laid-out ``image``.
    """
    numbers = {team.number for team in known}
    discs = []
    for each in seen.discs:
        if known and each.team not in numbers:
            face = sheet.discs(each.centre_mm, _HOLE_MIDDLE * seen.disc.radius_mm) > 0
            light = _light_beside(each, seen.disc.radius_mm, sheet, image)
            colour = np.median(image[face], axis=0) / light
            number, _ = _distance(colour, known)
            is_known = not are_new(weighted_lab(colour[None]), team_centres(known))[0]
            each = replace(each, team=number) if is_known else each
        discs.append(each)
    if all(now is before for now, before in zip(discs, seen.discs, strict=True)):
        return seen
    return _with_discs(seen, discs, numbers)


def _light_beside(
    each: PlacedDisc, radius_mm: float, sheet: Sheet, image: np.ndarray
) -> FloatArray:
    """By how much lighter (3,) the board is around a disc than it is on the whole."""
    ring = sheet.discs(each.centre_mm, _BESIDE_RADII[1] * radius_mm)
    ring &= 1 - sheet.discs(each.centre_mm, _BESIDE_RADII[0] * radius_mm)
    beside, usual = (np.median(image[where], axis=0) for where in (ring > 0, sheet.surface))
    return np.asarray((beside + 1.0) / (usual + 1.0))


def _with_discs(seen: DiscReading, discs: list[PlacedDisc], numbers: set[int]) -> DiscReading:
    """The reading of these discs, with known teams by ``numbers`` and those that discs have."""
    teams = {each.team for each in discs} | numbers
    return replace(
        seen,
        discs=tuple(discs),
        teams=tuple(team for team in seen.teams if team.number in teams),
    )


def _share(mask: np.ndarray, where: np.ndarray) -> float:
    return float(mask[where].mean()) if where.any() else 0.0


def _stands_there(
    each: PlacedDisc,
    sheet: Sheet,
    plate: Plate,
    laid: Laid,
    fit: BoardFit,
    radius_mm: float,
) -> bool:
    """Whether the plate agrees that something lies where a disc was read."""
    reach_mm = radius_mm if each.state is not DiscState.IN_HOLE else fit.spec.hole_radius_mm
    under = sheet.discs(each.centre_mm, _HOLE_MIDDLE * reach_mm) > 0
    if not plate.bare[under].all():
        return True
    differs = laid.differs > plate.threshold
    return _share(differs, under) > _LEAST_DIFFERENT and not shows_board(plate, laid.image, under)


def _missed(
    kept: list[PlacedDisc],
    circles: Circles,
    fit: BoardFit,
    sheet: Sheet,
    plate: Plate,
    laid: Laid,
    radius_mm: float,
) -> np.ndarray:
    """Indices of round differences from the bare surface where no disc was read.

    What the sun leaves dark may be round, too, but it shows the board's grain.
    """
    away = np.linalg.norm(circles.centre_mm, axis=1)
    off_hole = np.linalg.norm(circles.centre_mm - np.array(fit.spec.hole_centre_mm), axis=1)
    chosen = (
        (circles.round > _SURELY_ROUND)
        & (away < fit.spec.surface_radius_mm)
        & (off_hole > fit.spec.hole_radius_mm)
    )
    column, row = np.rint(sheet.to_px(circles.centre_mm)).astype(int).reshape(-1, 2).T
    chosen &= plate.bare[row, column]
    for each in kept:
        chosen &= np.linalg.norm(circles.centre_mm - each.centre_mm, axis=1) > _APART_MM
    faces = (
        (i, sheet.discs(circles.centre_mm[i], _HOLE_MIDDLE * radius_mm) > 0)
        for i in np.flatnonzero(chosen)
    )
    return np.array([i for i, face in faces if not shows_board(plate, laid.image, face)], np.intp)


def _told_from_strange(
    circles: Circles, missed: np.ndarray, known: tuple[Team, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """The missed discs, and of them those of no side's colour where both sides are known.

    What only differs from the bare board, and looks like no disc so far, may be light.
    """
    if len(known) < _SIDES or len(missed) == 0:
        return missed, missed[:0]
    is_strange = are_new(weighted_lab(circles.colour_bgr[missed]), team_centres(known))
    return missed[~is_strange], missed[is_strange]


def _with_teams_of(
    circles: Circles, missed: np.ndarray, teams: tuple[Team, ...]
) -> tuple[Team, ...]:
    """The teams, and one more for every missed disc of a colour that none of them has."""
    for i in missed:
        colour = circles.colour_bgr[i]
        if not teams or are_new(weighted_lab(colour[None]), team_centres(teams))[0]:
            teams = name_teams([colour[::-1]], teams)
    return teams


def _distance(colour_bgr: FloatArray, teams: tuple[Team, ...]) -> tuple[int, float]:
    """The team whose colour is nearest, and how far it is, weighted Lab."""
    nearest, away = nearest_team(weighted_lab(colour_bgr[None]), team_centres(teams))
    return teams[int(nearest[0])].number, float(away[0])


def _fitted(
    image: np.ndarray,
    fit: BoardFit,
    disc: DiscSpec | None,
    circles: Circles,
    missed: np.ndarray,
    teams: tuple[Team, ...],
) -> list[PlacedDisc]:
    """The missed discs, placed as well as their outlines allow."""
    if len(missed) == 0:
        return []
    scene = look_at_board(image, fit, disc)
    rough = circles.centre_mm[missed]
    joint = fit_together(scene.picture, rough, scene.shape, scene.shape_sigma_mm)
    out = []
    for i, place, foot, covariance in zip(
        missed, rough, joint.foot_mm, joint.covariance_mm2, strict=True
    ):
        fits = np.linalg.norm(foot - place) < _FIT_REACH_MM
        out.append(
            PlacedDisc(
                centre_mm=foot if fits else place,
                covariance_mm2=covariance if fits else _ROUGH_SIGMA_MM**2 * np.eye(2),
                team=_distance(circles.colour_bgr[i], teams)[0],
                state=_state(foot if fits else place, fit, scene.shape.radius_mm),
                confidence=_CONFIDENCE,
            )
        )
    return out


def _state(foot_mm: FloatArray, fit: BoardFit, radius_mm: float) -> DiscState:
    if np.hypot(*foot_mm) + radius_mm > fit.spec.surface_radius_mm:
        return DiscState.OVERHANGING
    return DiscState.FLAT


def _twenty(
    discs: list[PlacedDisc],
    sheet: Sheet,
    plate: Plate,
    laid: Laid,
    fit: BoardFit,
    teams: tuple[Team, ...],
    radius_mm: float,
) -> list[PlacedDisc]:
    """The disc in the hole that was not read: the hole differs from the empty one, all over."""
    hole_mm = np.array(fit.spec.hole_centre_mm)
    near = 2 * radius_mm - _NO_ROOM_MM
    if not teams or any(np.linalg.norm(each.centre_mm - hole_mm) < near for each in discs):
        return []
    middle = sheet.discs(hole_mm, _HOLE_MIDDLE * fit.spec.hole_radius_mm) > 0
    inner, outer = (fit.spec.hole_radius_mm + each for each in _AROUND_HOLE_MM)
    beside = np.array([each.centre_mm for each in discs]).reshape(-1, 2)
    around = (sheet.discs(hole_mm, outer) > 0) & (sheet.discs(hole_mm, inner) == 0)
    around &= sheet.discs(beside, radius_mm + _AROUND_HOLE_MM[0]) == 0
    differs = laid.differs > plate.threshold
    if _share(differs, middle) < _HOLE_FILLED or _share(differs, around) > _HOLE_OVERFLOWS:
        return []
    team, _ = _distance(np.median(laid.image[middle], axis=0), teams)
    return [
        PlacedDisc(
            centre_mm=hole_mm,
            covariance_mm2=np.eye(2),
            team=team,
            state=DiscState.IN_HOLE,
            confidence=_CONFIDENCE,
        )
    ]


def _unexplained(
    seen: DiscReading,
    discs: list[PlacedDisc],
    sheet: Sheet,
    plate: Plate,
    laid: Laid,
    radius_mm: float,
) -> tuple[Unexplained, ...]:
    """What a person should look at: what was doubtful and differs from the bare board."""
    feet = np.array([each.centre_mm for each in discs]).reshape(-1, 2)
    differs = laid.differs > plate.threshold
    out = []
    for each in seen.unexplained:
        under = sheet.discs(each.centre_mm, _HOLE_MIDDLE * radius_mm) > 0
        is_explained = (
            len(feet) > 0 and np.linalg.norm(feet - each.centre_mm, axis=1).min() < _SAME_MM
        )
        if not is_explained and _share(differs, under) > _LEAST_DIFFERENT:
            out.append(each)
    cover = find_cover(sheet, plate, laid, feet, radius_mm)
    if cover is not None:
        row, column = np.argwhere(cover > 0).mean(axis=0)
        place = sheet.to_mm(np.array([column, row]))
        out.append(
            Unexplained(centre_mm=place, reason="something that is no disc covers the board")
        )
    return tuple(out)
