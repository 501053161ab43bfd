"""Leaner matcher: which pose over the hole explains best where a team's colour is seen.

What would be seen of a leaner, tilted by any angle in any direction, of a disc flat in the hole, of
paint in it and of nothing at all is compared with the colours about the hole. Knows colours and
these views (``hole_views``). Refuses to tell a disc in the hole from paint in it (``hole``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from calibration.board import BoardSpec
from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
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


@dataclass(frozen=True, slots=True, kw_only=True)
class LeanerMatcherParameters(StageParameters):
    """What ``leaner_matcher`` takes for granted."""

    stage: ClassVar[str] = "discs.hole.leaner_matcher"

    #: The surface is sampled on a grid this fine about the hole's centre, out to here, mm.
    step_mm: float = parameter(1.25, unit="mm", source="")
    reach_mm: float = parameter(31.0, unit="mm", source="")
    #: Bare wood is seen from here on; a face, should there be one, within this, mm.
    wood_mm: float = parameter(25.0, unit="mm", source="")
    face_mm: float = parameter(8.0, unit="mm", source="")
    #: Light scales a colour in Lab by its cube root: wood and teams as they look in shade and sun,
    #: ...
    wood_scales: tuple[float, float, float, float, float, float, float, float, float] = parameter(
        (1.03, 1.0, 0.95, 0.89, 0.82, 0.74, 0.63, 0.5, 0.35), unit="", source=""
    )
    team_scales: tuple[float, float, float, float, float, float] = parameter(
        (0.7, 0.8, 0.9, 1.0, 1.1, 1.2), unit="", source=""
    )
    #: ... a team the less likely the more so, weighted Lab per scale.
    per_scale_lab: float = parameter(15.0, unit="weighted Lab", source="")
    #: A colour is as likely a team's as not when it is as far from it as from the wood, or as two
    #: teams differ at the least, weighted Lab; so much nearer or farther is nearly sure.
    no_team_lab: float = parameter(13.0, unit="weighted Lab", source="")
    sure_lab: float = parameter(8.0, unit="weighted Lab", source="")
    #: A face with a channel this bright is burnt out by light; its team's colour may be this far
    #: away, weighted Lab.
    burnt_grey: float = parameter(245.0, unit="grey value", source="")
    burnt_lab: float = parameter(20.0, unit="weighted Lab", source="")
    #: A hole is wider than a disc by at least this in radius, mm.
    least_play_mm: float = parameter(1.2, unit="mm", source="")
    #: Leaners are tried at these tilts and so many turns, then varied by these about the best,
    #: degrees.
    tilts_deg: tuple[float, float, float, float, float] = parameter(
        (10.0, 17.0, 24.0, 31.0, 38.0), unit="°", source=""
    )
    turns: int = parameter(16, unit="", source="")
    finer_tilts_deg: tuple[float, float, float] = parameter((-3.5, 0.0, 3.5), unit="°", source="")
    finer_turns_deg: tuple[float, float, float, float, float] = parameter(
        (-12.0, -6.0, 0.0, 6.0, 12.0), unit="°", source=""
    )
    #: A view is better than another by the share of a disc's face that it explains and that one
    #: does not: by this the best leaner is better than all else where a disc leans, and where it
    #: surely does (of 100 pictures without a leaner one shows 0.17, the others up to 0.1).
    lean_margin: float = parameter(
        0.12,
        unit="",
        source="of 100 pictures without a leaner one shows 0.17, the others up to 0.1",
    )
    plain_lean_margin: float = parameter(
        0.2, unit="", source="of 100 pictures without a leaner one shows 0.17, the others up to 0.1"
    )
    #: A disc in the hole explains more than the bare hole by this where a team's colour fills it,
    #: and more than paint by this (discs in renders: 0.07 and more).
    filled_margin: float = parameter(0.5, unit="", source="discs in renders: 0.07 and more")
    paint_margin: float = parameter(0.05, unit="", source="discs in renders: 0.07 and more")
    #: Where nothing at all is better than a disc in the hole by this, no disc leans there either
    #: (58 leaners in renders: by 0.73 at the most).
    empty_margin: float = parameter(
        0.8, unit="", source="58 leaners in renders: by 0.73 at the most"
    )


PARAMS = LeanerMatcherParameters.active()


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
        return self.margin > PARAMS.lean_margin

    @property
    def plainly_leans(self) -> bool:
        """Whether it plainly does."""
        return self.margin > PARAMS.plain_lean_margin

    @property
    def is_filled(self) -> bool:
        """Whether the team's colour fills the hole as a disc does: paint does so up to the rim."""
        return (
            self.flat_score - self.empty_score > PARAMS.filled_margin
            and self.flat_score - self.paint_score > PARAMS.paint_margin
        )

    @property
    def is_full_of_colour(self) -> bool:
        """Whether the team's colour fills the hole, be it a disc or paint."""
        return max(self.flat_score, self.paint_score) - self.empty_score > PARAMS.filled_margin


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
        every = (np.rint(self.place_mm / PARAMS.step_mm).astype(np.intp) % 2 == 0).all(axis=1)
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
    may_lean = gain[team] > -PARAMS.empty_margin
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
    tilts, turns = (
        np.radians(PARAMS.tilts_deg),
        np.arange(PARAMS.turns) * (2 * np.pi / PARAMS.turns),
    )
    poses, angles_rad = pose_leaners(tilts, turns, surroundings.hole_radius_mm, surroundings.shape)
    if len(angles_rad) == 0:
        return _NO_LEANER
    tilt, turn = angles_rad[np.maximum(*surroundings.subsample().explained(poses))[0].argmax()]
    tilts, turns = (
        tilt + np.radians(PARAMS.finer_tilts_deg),
        turn + np.radians(PARAMS.finer_turns_deg),
    )
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
    radius_mm = max(spec.hole_radius_mm, shape.radius_mm + PARAMS.least_play_mm)
    place = _make_grid()
    away = np.linalg.norm(place, axis=-1)
    others = pose_on_surface(np.reshape(flat_mm, (-1, 2)) - hole_mm)
    is_free = np.asarray(~render_masks(eye_mm, place, others, shape, radius_mm).any(axis=0))
    wood = is_free & (away > PARAMS.wood_mm)
    if len(teams_lab) == 0 or not wood.any():
        return None
    bgr = sample_colours(
        picture.image, picture.view, np.insert(place + hole_mm, 2, 0.0, axis=1)[None]
    )[0]
    sureness = _score_team_colours(bgr, column_medians(bgr[wood]), teams_lab, away < PARAMS.face_mm)
    return _Surroundings(
        eye_mm=eye_mm,
        place_mm=place,
        shown=sureness * is_free * (PARAMS.step_mm**2 / (np.pi * shape.radius_mm**2)),
        shape=shape,
        hole_radius_mm=radius_mm,
    )


def _make_grid() -> FloatArray:
    """Places (m, 2) on the surface about the hole's middle, mm."""
    steps = int(PARAMS.reach_mm / PARAMS.step_mm)
    across = np.arange(-steps, steps + 1) * PARAMS.step_mm
    place = np.stack(np.meshgrid(across, across), axis=-1).reshape(-1, 2)
    return np.asarray(place[np.linalg.norm(place, axis=-1) <= PARAMS.reach_mm])


def _score_team_colours(
    bgr: FloatArray, wood_bgr: FloatArray, teams_lab: FloatArray, is_middle: np.ndarray
) -> FloatArray:
    """How surely each colour (m, 3) is each team's: (t, m), from -1 to 1."""
    lab = bgr_to_weighted_lab(bgr)
    to_wood = _measure_nearest_distance(
        lab, _scale_light(bgr_to_weighted_lab(wood_bgr[None])[0], PARAMS.wood_scales)
    )
    to_other = np.minimum(to_wood, PARAMS.no_team_lab)
    unusual = PARAMS.per_scale_lab * np.abs(np.array(PARAMS.team_scales) - 1.0)
    face = np.median(lab[is_middle], axis=0)
    is_burnt = np.median(bgr[is_middle], axis=0).max() > PARAMS.burnt_grey
    sureness = []
    for team_lab in teams_lab:
        to_team = _measure_nearest_distance(
            lab, _scale_light(team_lab, PARAMS.team_scales), unusual
        )
        if is_burnt and np.linalg.norm(face - team_lab) < PARAMS.burnt_lab:
            to_team = np.minimum(to_team, np.linalg.norm(lab - face, axis=-1))
        sureness.append(np.tanh((to_other - to_team) / PARAMS.sure_lab))
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
