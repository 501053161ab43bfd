"""Leaner matcher: which pose over the hole explains best where a team's colour is seen.

What would be seen of a leaner, tilted by any angle in any direction, of a disc flat in the hole, of
paint in it and of nothing at all is compared with the colours about the hole. Knows colours and
these views (``hole_views``). Refuses to tell a disc in the hole from paint in it (``hole``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from calibration.board import BoardSpec
from calibration.camera import FloatArray
from calibration.robust.medians import column_medians
from vision.discs.hole.pose_templates import (
    DiscPoses,
    pose_in_hole,
    pose_leaners,
    pose_on_surface,
    render_masks,
)
from vision.discs.outline.contour import DiscGeometry, sample_colours
from vision.discs.outline.outline_fit import PosedImage
from vision.discs.team_colours import LIGHTNESS_WEIGHT, bgr_to_weighted_lab

#: The surface is sampled on a grid this fine about the hole's centre, out to here, mm.
_STEP_MM, _REACH_MM = 1.25, 31.0
#: Bare wood is seen from here on; a face, should there be one, within this, mm.
_WOOD_MM, _FACE_MM = 25.0, 8.0
#: Light scales a colour in Lab by its cube root: wood and teams as they look in shade and sun, ...
_WOOD_SCALES = (1.03, 1.0, 0.95, 0.89, 0.82, 0.74, 0.63, 0.5, 0.35)
_TEAM_SCALES = (0.7, 0.8, 0.9, 1.0, 1.1, 1.2)
#: ... a team the less likely the more so, weighted Lab per scale.
_PER_SCALE_LAB = 15.0
#: A colour is as likely a team's as not when it is as far from it as from the wood, or as two teams
#: differ at the least, weighted Lab; so much nearer or farther is nearly sure.
_NO_TEAM_LAB, _SURE_LAB = 13.0, 8.0
#: A face with a channel this bright is burnt out by light; its team's colour may be this far away,
#: weighted Lab.
_BURNT_GREY, _BURNT_LAB = 245.0, 20.0
#: A hole is wider than a disc by at least this in radius, mm.
_LEAST_PLAY_MM = 1.2
#: Leaners are tried at these tilts and so many turns, then varied by these about the best, degrees.
_TILTS_DEG, _TURNS = (10.0, 17.0, 24.0, 31.0, 38.0), 16
_FINER_TILTS_DEG, _FINER_TURNS_DEG = (-3.5, 0.0, 3.5), (-12.0, -6.0, 0.0, 6.0, 12.0)
#: A view is better than another by the share of a disc's face that it explains and that one does
#: not: by this the best leaner is better than all else where a disc leans, and where it surely does
#: (of 100 pictures without a leaner one shows 0.17, the others up to 0.1).
_LEAN_MARGIN, _PLAIN_LEAN_MARGIN = 0.12, 0.2
#: A disc in the hole explains more than the bare hole by this where a team's colour fills it, and
#: more than paint by this (discs in renders: 0.07 and more).
_FILLED_MARGIN, _PAINT_MARGIN = 0.5, 0.05
#: Where nothing at all is better than a disc in the hole by this, no disc leans there either (58
#: leaners in renders: by 0.73 at the most).
_EMPTY_MARGIN = 0.8


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HoleMatch:
    """How well each pose over the hole explains where one team's colour is seen.

    leaner, flat, paint, empty  the best leaner, over paint or not; the best disc in the hole; paint
        in all of it, under such a disc or not; the bare hole: shares of a face, right less wrong
    foot_mm  middle of the best leaner's bottom face, board frame: (2,)
    """

    team: int
    leaner_score: float
    flat_score: float
    paint_score: float
    empty_score: float
    foot_mm: FloatArray

    @property
    def margin(self) -> float:
        """By how much a leaner explains the colours better than all else."""
        return self.leaner_score - max(self.flat_score, self.paint_score, self.empty_score)

    @property
    def leans(self) -> bool:
        """Whether a disc leans there."""
        return self.margin > _LEAN_MARGIN

    @property
    def plainly_leans(self) -> bool:
        """Whether it plainly does."""
        return self.margin > _PLAIN_LEAN_MARGIN

    @property
    def is_filled(self) -> bool:
        """Whether the team's colour fills the hole as a disc does: paint does so up to the rim."""
        return (
            self.flat_score - self.empty_score > _FILLED_MARGIN
            and self.flat_score - self.paint_score > _PAINT_MARGIN
        )

    @property
    def is_full_of_colour(self) -> bool:
        """Whether the team's colour fills the hole, be it a disc or paint."""
        return max(self.flat_score, self.paint_score) - self.empty_score > _FILLED_MARGIN


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Surroundings:
    """Where teams' colours are seen about the hole.

    eye_mm    the camera from the hole's middle: (3,)
    place_mm  on the surface, from there: (m, 2)
    shown     how surely each team's colour is there: shares of a disc's face, right or wrong (t, m)
    hole_radius_mm  of the hole, wide enough for discs of ``shape``
    """

    eye_mm: FloatArray
    place_mm: FloatArray
    shown: FloatArray
    shape: DiscGeometry
    hole_radius_mm: float

    @property
    def in_hole(self) -> np.ndarray:
        """Which of the places are in the hole: (m,)."""
        return np.asarray(np.linalg.norm(self.place_mm, axis=-1) < self.hole_radius_mm)

    def explained(self, poses: DiscPoses) -> tuple[FloatArray, FloatArray]:
        """How well each of n discs explains what is shown, alone and over paint: (t, n) each."""
        view = render_masks(self.eye_mm, self.place_mm, poses, self.shape, self.hole_radius_mm)
        alone, over_paint = (
            np.asarray(self.shown @ (2.0 * each - 1.0).T) for each in (view, view | self.in_hole)
        )
        return alone, over_paint

    def select_team(self, team: int) -> _Surroundings:
        """The same for one team alone."""
        return replace(self, shown=self.shown[team : team + 1])

    def subsample(self) -> _Surroundings:
        """The same, sampled at every second place of both directions."""
        every = (np.rint(self.place_mm / _STEP_MM).astype(np.intp) % 2 == 0).all(axis=1)
        return replace(self, place_mm=self.place_mm[every], shown=4.0 * self.shown[:, every])


def match_hole_templates(
    picture: PosedImage,
    spec: BoardSpec,
    shape: DiscGeometry,
    teams_lab: FloatArray,
    flat_mm: FloatArray,
) -> HoleMatch | None:
    """The template match of the team whose colour explains most; None without teams or wood.

    ``flat_mm`` (n, 2) are discs of ``shape`` on the surface, which hide what is behind them.
    """
    surroundings = _measure_surroundings(picture, spec, shape, teams_lab, flat_mm)
    if surroundings is None:
        return None
    poses = pose_in_hole(surroundings.hole_radius_mm, shape)
    alone, over_paint = surroundings.explained(poses)
    flat, paint = alone.max(axis=1), over_paint.max(axis=1)
    empty = -surroundings.shown.sum(axis=1)
    gain = np.maximum(flat, paint) - empty
    team = int(gain.argmax())
    may_lean = gain[team] > -_EMPTY_MARGIN
    leaner, foot_mm = _find_best_leaner(surroundings.select_team(team)) if may_lean else _NO_LEANER
    return HoleMatch(
        team=team,
        leaner_score=leaner,
        flat_score=float(flat[team]),
        paint_score=float(paint[team]),
        empty_score=float(empty[team]),
        foot_mm=foot_mm + spec.hole_centre_mm,
    )


#: Score and foot where there cannot be a leaner.
_NO_LEANER: tuple[float, FloatArray] = (-np.inf, np.zeros(2))


def _find_best_leaner(surroundings: _Surroundings) -> tuple[float, FloatArray]:
    """How well the best leaner explains what one team shows, and where its foot is (2,)."""
    tilts, turns = np.radians(_TILTS_DEG), np.arange(_TURNS) * (2 * np.pi / _TURNS)
    poses, angles_rad = pose_leaners(tilts, turns, surroundings.hole_radius_mm, surroundings.shape)
    if len(angles_rad) == 0:
        return _NO_LEANER
    tilt, turn = angles_rad[np.maximum(*surroundings.subsample().explained(poses))[0].argmax()]
    tilts, turns = tilt + np.radians(_FINER_TILTS_DEG), turn + np.radians(_FINER_TURNS_DEG)
    poses, _ = pose_leaners(tilts, turns, surroundings.hole_radius_mm, surroundings.shape)
    score = np.maximum(*surroundings.explained(poses))[0]
    best = int(score.argmax())
    return float(score[best]), poses.base_mm[best, :2]


def _measure_surroundings(
    picture: PosedImage,
    spec: BoardSpec,
    shape: DiscGeometry,
    teams_lab: FloatArray,
    flat_mm: FloatArray,
) -> _Surroundings | None:
    """What is seen about the hole; None where there are no teams, or is no bare wood."""
    hole_mm = np.asarray(spec.hole_centre_mm, dtype=np.float64)
    eye_mm = picture.eye_mm - (*hole_mm, 0.0)
    radius_mm = max(spec.hole_radius_mm, shape.radius_mm + _LEAST_PLAY_MM)
    place = _make_grid()
    away = np.linalg.norm(place, axis=-1)
    others = pose_on_surface(np.reshape(flat_mm, (-1, 2)) - hole_mm)
    is_free = np.asarray(~render_masks(eye_mm, place, others, shape, radius_mm).any(axis=0))
    wood = is_free & (away > _WOOD_MM)
    if len(teams_lab) == 0 or not wood.any():
        return None
    bgr = sample_colours(
        picture.image, picture.view, np.insert(place + hole_mm, 2, 0.0, axis=1)[None]
    )[0]
    sureness = _score_team_colours(bgr, column_medians(bgr[wood]), teams_lab, away < _FACE_MM)
    return _Surroundings(
        eye_mm=eye_mm,
        place_mm=place,
        shown=sureness * is_free * (_STEP_MM**2 / (np.pi * shape.radius_mm**2)),
        shape=shape,
        hole_radius_mm=radius_mm,
    )


def _make_grid() -> FloatArray:
    """Places (m, 2) on the surface about the hole's middle, mm."""
    steps = int(_REACH_MM / _STEP_MM)
    across = np.arange(-steps, steps + 1) * _STEP_MM
    place = np.stack(np.meshgrid(across, across), axis=-1).reshape(-1, 2)
    return np.asarray(place[np.linalg.norm(place, axis=-1) <= _REACH_MM])


def _score_team_colours(
    bgr: FloatArray, wood_bgr: FloatArray, teams_lab: FloatArray, is_middle: np.ndarray
) -> FloatArray:
    """How surely each colour (m, 3) is each team's: (t, m), from -1 to 1."""
    lab = bgr_to_weighted_lab(bgr)
    to_wood = _measure_nearest_distance(
        lab, _scale_light(bgr_to_weighted_lab(wood_bgr[None])[0], _WOOD_SCALES)
    )
    to_other = np.minimum(to_wood, _NO_TEAM_LAB)
    unusual = _PER_SCALE_LAB * np.abs(np.array(_TEAM_SCALES) - 1.0)
    face = np.median(lab[is_middle], axis=0)
    is_burnt = np.median(bgr[is_middle], axis=0).max() > _BURNT_GREY
    sureness = []
    for team_lab in teams_lab:
        to_team = _measure_nearest_distance(lab, _scale_light(team_lab, _TEAM_SCALES), unusual)
        if is_burnt and np.linalg.norm(face - team_lab) < _BURNT_LAB:
            to_team = np.minimum(to_team, np.linalg.norm(lab - face, axis=-1))
        sureness.append(np.tanh((to_other - to_team) / _SURE_LAB))
    return np.stack(sureness)


def _scale_light(lab: FloatArray, scales: tuple[float, ...]) -> FloatArray:
    """A weighted Lab colour (3,) as light makes it that scales it so: (k, 3)."""
    scaled = np.outer(scales, lab)
    scaled[:, 0] -= 16.0 * LIGHTNESS_WEIGHT * (1.0 - np.array(scales))
    return scaled


def _measure_nearest_distance(
    lab: FloatArray, others: FloatArray, more: ArrayLike = 0.0
) -> FloatArray:
    """Distance of colours (m, 3) to the nearest of others (k, 3), each farther by ``more`` (k,)."""
    return np.asarray((np.linalg.norm(lab[:, None] - others, axis=-1) + more).min(axis=1))
