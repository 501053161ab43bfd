"""Leaner matcher: the pose over the hole that best explains where a team's colour is seen.

Template matching (``pose_templates``): the masks show a leaner tilted by any angle in any
direction, a disc flat in the hole, paint in it, or nothing. They are correlated with the certainty
that places around the hole show the team's colour. If wood or paint has a team's colour, or a
shadow hides it, the scores come close to each other. A disc in the hole and paint that fills it
look alike here (``appearance`` distinguishes them by the gap).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from calibration.board import BoardSpec
from calibration.camera import FloatArray
from calibration.numerics.medians import column_medians
from calibration.parameters import StageParameters, parameter
from vision.discs.hole.appearance import PARAMS as APPEARANCE
from vision.discs.hole.pose_templates import (
    DiscPoses,
    pose_in_hole,
    pose_leaners,
    pose_on_surface,
    render_masks,
)
from vision.discs.outline.contour import DiscGeometry
from vision.discs.outline.posed_image import PosedImage, sample_colours
from vision.discs.teams.team_colours import DARK_POINT_L, bgr_to_weighted_lab
from vision.discs.teams.team_colours import PARAMS as TEAM_COLOURS
from vision.rectify.luminance import PARAMS as LUMINANCE


class HolePoseMatcherParameters(StageParameters):
    """Parameters of ``hole_pose_matcher``."""

    #: This is added to the distance from a team's colour, per unit of scaling.
    per_scale_lab: float = parameter(
        15.0, unit="weighted Lab per scale", source="chosen: adds about 4 units for twice the light"
    )
    #: The team's colour of a saturated face may be this far away.
    burnt_lab: float = parameter(
        20.0,
        unit="weighted Lab",
        source="chosen: a little more than the 17 by which glare moves colours",
    )
    #: A hole is wider than a disc by at least this in radius.
    least_play_mm: float = parameter(
        1.2,
        unit="mm",
        source="chosen: a smaller measured play means that the hole was measured badly",
    )
    #: The score of a pose is the share of a disc's face that it explains. If a disc leans, the best
    #: leaner exceeds every other pose by this, ...
    lean_margin: float = parameter(
        0.12,
        unit="share",
        source="measured: of 100 pictures without a leaner, one shows 0.17 and the others up "
        "to 0.1",
    )
    #: ... and by this if it certainly leans.
    sure_lean_margin: float = parameter(
        0.2,
        unit="share",
        source="measured: none of 100 pictures without a leaner shows more than 0.17",
    )
    #: If the hole's middle is no help, because it shows another colour than the team's or one
    #: that its shade explains, this margin makes a leaner certain.
    clear_lean_margin: float = parameter(
        0.5,
        unit="share",
        source="measured on altered photographs: empty holes in glare and deep shade have up "
        "to 0.43, leaners 0.51",
    )
    #: If a team's colour fills the hole, the score of a disc in it exceeds the empty hole's by
    #: this, and paint's by this.
    filled_margin: float = parameter(0.5, unit="share", source="chosen: half a disc's face")
    paint_margin: float = parameter(
        0.05, unit="share", source="measured on renders: discs have 0.07 and more"
    )
    #: If no pose exceeds a disc in the hole by this, no disc leans there either.
    empty_margin: float = parameter(
        0.8,
        unit="share",
        source="measured on 58 leaners in renders: they exceed it by 0.73 at the most",
    )


PARAMS = HolePoseMatcherParameters()
#: The empty wood is sampled from this radius on: clear of the hole, 17.5 mm in radius, and of its
#: worn rim.
_WOOD_MM = 25.0
#: A disc's face, if there is one, is sampled within this radius: half a disc's.
_FACE_MM = 8.0
#: The surface is sampled out to here about the hole's centre: leaning discs extend about this far
#: from the hole's centre.
_REACH_MM = 31.0
#: Light scales colours in Lab by these factors, the cube root of its own: for wood in shade and
#: sun, from 1.1 down to 1/23 of the light, because the hole's own shade is deep, ...
_WOOD_SCALES = (1.03, 1.0, 0.95, 0.89, 0.82, 0.74, 0.63, 0.5, 0.35)
#: ... and for teams, from a third to 1.7 times the light.
_TEAM_SCALES = (0.7, 0.8, 0.9, 1.0, 1.1, 1.2)
#: Tilts of leaners that are tried. Flatter ones slide into a hole of 5.5 mm, and steeper ones fall
#: over.
_TILTS_DEG = (10.0, 17.0, 24.0, 31.0, 38.0)
#: Turns that are tried around the best: half the step of the first turns, and more.
_FINER_TURNS_DEG = (-12.0, -6.0, 0.0, 6.0, 12.0)
#: Step of the grid about the hole's centre, for speed: 500 samples per face.
_STEP_MM = 1.25
#: Directions of leaners that are tried, for speed.
_TURNS = 16


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HoleMatch:
    """Scores of the poses over the hole, by how well they explain the places of one team's colour.

    Scores are shares of a disc's face: places explained minus places wrongly claimed.

    leaner_score  of the best leaner, over paint or not; -inf if none is possible
    flat_score    of the best disc in the hole
    paint_score   of paint in all of it, under such a disc or not
    empty_score   of the empty hole
    base_mm       middle of the best leaner's bottom face, board frame: (2,)
    """

    team: int
    leaner_score: float
    flat_score: float
    paint_score: float
    empty_score: float
    base_mm: FloatArray

    @property
    def margin(self) -> float:
        """The lead of a leaner over all other explanations."""
        return self.leaner_score - max(self.flat_score, self.paint_score, self.empty_score)

    @property
    def has_leaner(self) -> bool:
        """Whether a disc leans there."""
        return self.margin > PARAMS.lean_margin

    @property
    def has_sure_leaner(self) -> bool:
        """Whether a disc leans there, by a margin that only leaners have reached."""
        return self.margin > PARAMS.sure_lean_margin

    @property
    def has_clear_leaner(self) -> bool:
        """Whether a disc leans there even without counting the hole's middle."""
        return self.margin > PARAMS.clear_lean_margin

    @property
    def is_filled(self) -> bool:
        """Whether the team's colour fills the hole as a disc does, not up to the rim as paint
        does.
        """
        return (
            self.flat_score - self.empty_score > PARAMS.filled_margin
            and self.flat_score - self.paint_score > PARAMS.paint_margin
        )

    @property
    def is_full_of_colour(self) -> bool:
        """Whether the team's colour fills the hole, as a disc or as paint."""
        return max(self.flat_score, self.paint_score) - self.empty_score > PARAMS.filled_margin


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Surroundings:
    """How certainly m places around the hole show the colours of t teams.

    camera_mm          the camera from the hole's middle: (3,)
    place_mm        on the surface, from the hole's middle: (m, 2)
    sureness        certainty of a team's colour there, -1 to 1 times the place's share of a disc's
                    face: (t, m)
    hole_radius_mm  of the hole, wide enough for discs of ``shape``
    """

    camera_mm: FloatArray
    place_mm: FloatArray
    sureness: FloatArray
    shape: DiscGeometry
    hole_radius_mm: float

    @property
    def in_hole(self) -> np.ndarray:
        """Whether the places are in the hole: (m,)."""
        return np.asarray(np.linalg.norm(self.place_mm, axis=-1) < self.hole_radius_mm)

    def score_poses(self, poses: DiscPoses) -> tuple[FloatArray, FloatArray]:
        """Scores of n discs, by how well they explain the colours, on bare wood and over paint:
        twice (t, n).
        """
        masks = render_masks(self.camera_mm, self.place_mm, poses, self.shape, self.hole_radius_mm)
        alone, over_paint = (
            np.asarray(self.sureness @ (2.0 * covered - 1.0).T)
            for covered in (masks, masks | self.in_hole)
        )
        return alone, over_paint

    def select_team(self, team: int) -> _Surroundings:
        """The same for one team."""
        return replace(self, sureness=self.sureness[team : team + 1])

    def subsample(self) -> _Surroundings:
        """The same, sampled at every second place in both directions."""
        every = (np.rint(self.place_mm / _STEP_MM).astype(np.intp) % 2 == 0).all(axis=1)
        return replace(self, place_mm=self.place_mm[every], sureness=4.0 * self.sureness[:, every])


def match_hole_templates(
    picture: PosedImage,
    spec: BoardSpec,
    shape: DiscGeometry,
    teams_lab: FloatArray,
    flat_mm: FloatArray,
) -> HoleMatch | None:
    """The match of the team that explains most; None without teams or visible empty wood.

    ``teams_lab`` (t, 3) are the teams' colours, weighted Lab. ``flat_mm`` (n, 2) are discs of
    ``shape`` on the surface, which hide the places behind them.
    """
    surroundings = _measure_surroundings(picture, spec, shape, teams_lab, flat_mm)
    if surroundings is None:
        return None
    poses = pose_in_hole(surroundings.hole_radius_mm, shape)
    alone, over_paint = surroundings.score_poses(poses)
    flat, paint = alone.max(axis=1), over_paint.max(axis=1)
    empty = -surroundings.sureness.sum(axis=1)
    gain = np.maximum(flat, paint) - empty
    team = int(gain.argmax())
    may_lean = gain[team] > -PARAMS.empty_margin
    leaner, base_mm = _find_best_leaner(surroundings.select_team(team)) if may_lean else _NO_LEANER
    return HoleMatch(
        team=team,
        leaner_score=leaner,
        flat_score=float(flat[team]),
        paint_score=float(paint[team]),
        empty_score=float(empty[team]),
        base_mm=base_mm + spec.hole_centre_mm,
    )


#: Score and base if no leaner is possible.
_NO_LEANER: tuple[float, FloatArray] = (-np.inf, np.zeros(2))


def _find_best_leaner(surroundings: _Surroundings) -> tuple[float, FloatArray]:
    """The best leaner's score for one team, and its base (2,)."""
    tilts = np.radians(_TILTS_DEG)
    turns = np.arange(_TURNS) * (2 * np.pi / _TURNS)
    poses, angles_rad = pose_leaners(tilts, turns, surroundings.hole_radius_mm, surroundings.shape)
    if len(angles_rad) == 0:
        return _NO_LEANER
    tilt, turn = angles_rad[np.maximum(*surroundings.subsample().score_poses(poses))[0].argmax()]
    tilts = tilt + (tilts[1] - tilts[0]) / 2 * np.arange(-1, 2)
    turns = turn + np.radians(_FINER_TURNS_DEG)
    poses, _ = pose_leaners(tilts, turns, surroundings.hole_radius_mm, surroundings.shape)
    score = np.maximum(*surroundings.score_poses(poses))[0]
    best = int(score.argmax())
    return float(score[best]), poses.base_mm[best, :2]


def _measure_surroundings(
    picture: PosedImage,
    spec: BoardSpec,
    shape: DiscGeometry,
    teams_lab: FloatArray,
    flat_mm: FloatArray,
) -> _Surroundings | None:
    """The colours around the hole; None without teams or visible empty wood."""
    hole_mm = np.asarray(spec.hole_centre_mm, dtype=np.float64)
    camera_mm = picture.camera_mm - (*hole_mm, 0.0)
    radius_mm = max(spec.hole_radius_mm, shape.radius_mm + PARAMS.least_play_mm)
    place = _make_grid()
    away = np.linalg.norm(place, axis=-1)
    others = pose_on_surface(np.reshape(flat_mm, (-1, 2)) - hole_mm)
    is_free = np.asarray(~render_masks(camera_mm, place, others, shape, radius_mm).any(axis=0))
    wood = is_free & (away > _WOOD_MM)
    if len(teams_lab) == 0 or not wood.any():
        return None
    bgr = sample_colours(picture, np.insert(place + hole_mm, 2, 0.0, axis=1)[None])[0]
    sureness = _score_team_colours(bgr, column_medians(bgr[wood]), teams_lab, away < _FACE_MM)
    return _Surroundings(
        camera_mm=camera_mm,
        place_mm=place,
        sureness=sureness * is_free * (_STEP_MM**2 / (np.pi * shape.radius_mm**2)),
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
    """Certainty, from -1 to 1, that the colours (m, 3) are those of the teams: (t, m)."""
    lab = bgr_to_weighted_lab(bgr)
    to_wood = _measure_nearest_distance(
        lab, _scale_light(bgr_to_weighted_lab(wood_bgr[None])[0], _WOOD_SCALES)
    )
    to_other = np.minimum(to_wood, TEAM_COLOURS.teams_apart_lab)
    unusual = PARAMS.per_scale_lab * np.abs(np.array(_TEAM_SCALES) - 1.0)
    face = np.median(lab[is_middle], axis=0)
    is_burnt = np.median(bgr[is_middle], axis=0).max() > LUMINANCE.burnt_out_grey
    sureness = []
    for team_lab in teams_lab:
        to_team = _measure_nearest_distance(lab, _scale_light(team_lab, _TEAM_SCALES), unusual)
        if is_burnt and np.linalg.norm(face - team_lab) < PARAMS.burnt_lab:
            to_team = np.minimum(to_team, np.linalg.norm(lab - face, axis=-1))
        sureness.append(np.tanh((to_other - to_team) / APPEARANCE.team_colour_lab))
    return np.stack(sureness)


def _scale_light(lab: FloatArray, scales: tuple[float, ...]) -> FloatArray:
    """A weighted Lab colour (3,) in k lights that scale it: (k, 3)."""
    scaled = np.outer(scales, lab)
    scaled[:, 0] += DARK_POINT_L * (1.0 - np.array(scales))
    return scaled


def _measure_nearest_distance(
    lab: FloatArray, others: FloatArray, more: ArrayLike = 0.0
) -> FloatArray:
    """Distances (m,) of colours (m, 3) to the nearest of others (k, 3), increased by ``more``
    (k,).
    """
    return np.asarray((np.linalg.norm(lab[:, None] - others, axis=-1) + more).min(axis=1))
