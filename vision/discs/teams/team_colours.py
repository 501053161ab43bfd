"""Team colours: the colours of discs' faces in CIE Lab, and their distances from those of teams
known before.

Lightness is damped (weighted Lab), because light and shadow change it most. ``grouping`` finds
which discs belong to one team, and how many teams there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from calibration.camera import FloatArray
from calibration.circle import circle_mm
from calibration.numerics.medians import median_where
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import Team
from vision.discs.outline.contour import DiscGeometry, FlatDiscs, compute_contour
from vision.discs.outline.posed_image import PosedImage, sample_colours
from vision.discs.outline.range_map import RangeMap
from vision.rectify.luminance import decode_gamma, decode_srgb, encode_gamma, encode_srgb

#: Weight of lightness against hue, which defines the unit "weighted Lab": a disc in shade loses 20
#: L but under 12 in a, b (photographs).
LIGHTNESS_WEIGHT = 0.7
#: More light scales L + 16, a and b alike: weighted L of that point, below black.
DARK_POINT_L = -16 * LIGHTNESS_WEIGHT
#: Factors of colours in shade, as in ``light_scales``: from nothing to the colour itself.
_SHADE = (0.0, 1.0)


class TeamColoursParameters(StageParameters):
    """Parameters of ``team_colours``."""

    stage: ClassVar[str] = "discs.team_colours"

    #: Two teams differ by at least this.
    teams_apart_lab: float = parameter(
        13.0,
        unit="weighted Lab",
        source="chosen: less than the 20 by which the closest teams differ, brown and natural wood",
    )
    #: Wood this far from a team's colour is never mistaken for it.
    wood_differs_lab: float = parameter(
        20.0,
        unit="weighted Lab",
        source="chosen: brown and natural wood, the closest colours of teams, differ by 20",
    )
    #: A third team differs by more, because glare and shade can split a team in two.
    third_team_apart_lab: float = parameter(
        20.0, unit="weighted Lab", source="chosen: glare moves L by 17"
    )
    #: Shade and sun scale a colour in Lab by at most these factors.
    light_scales: tuple[float, float] = parameter(
        (0.8, 1.26), unit="", source="cube roots of half and of twice the usual light"
    )
    #: Colours further apart than this belong to two teams in any light.
    surely_apart_lab: float = parameter(
        35.0, unit="weighted Lab", source="chosen: twice the change that glare makes"
    )

    @property
    def stands_out_lab(self) -> float:
        """A face this far from the wood around it stands out: half of the distance at which wood is
        never mistaken for a team's.
        """
        return self.wood_differs_lab / 2


PARAMS = TeamColoursParameters()
#: Where the wood beside a disc is sampled: beyond the contact shadow, and nearer than the next
#: disc.
_SURROUND_RADII = 1.4
#: Radii, as a share of the disc's, at which its face is sampled: inside the face's rounded edge,
#: outside any hole in the disc.
FACE_RADII = (0.25, 0.42, 0.57, 0.7)
#: The visible part of a disc is sampled at these shares of the way from its middle to its contour:
#: parts of equal area, clear of edges.
_CONTOUR_SHARES = (0.35, 0.6, 0.77)
#: Directions in which a face is sampled: 80 samples per face.
_FACE_DIRECTIONS = 20
#: Below this, Lab's cube root (CIE 15) gives way to a straight line.
_CIE_DARK = (6 / 29) ** 3
#: X, Y and Z relative to white, from linear blue, green and red. This is written out because OpenCV
#: spends 70 ms on building tables before its first Lab conversion.
_WHITE_SHARES_OF_BGR = np.array(
    [
        [0.189828, 0.376219, 0.433953],
        [0.072169, 0.715160, 0.212671],
        [0.872766, 0.109477, 0.017758],
    ],
    dtype=np.float32,
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FaceColours:
    """The colours of n top faces, in weighted Lab except for ``rgb``.

    lab             median colour: (n, 3)
    glare_free_lab  the same without the glare on the wood around: (n, 3)
    surround_lab    median colour of that wood: (n, 3)
    glare           extra lightness of the wood, weighted L: (n,)
    scatter         median distance of a face's pixels from an even slope of colour: (n,)
    rgb             median colour, 0 to 255: (n, 3)
    """

    lab: FloatArray
    glare_free_lab: FloatArray
    surround_lab: FloatArray
    glare: FloatArray
    scatter: FloatArray
    rgb: FloatArray

    @property
    def surround_distance(self) -> FloatArray:
        """Distances of the faces from the colour of the wood around them, weighted Lab: (n,)."""
        return np.asarray(np.linalg.norm(self.lab - self.surround_lab, axis=-1))


def bgr_to_weighted_lab(bgr: FloatArray) -> FloatArray:
    """CIE Lab (D65) (..., 3) of sRGB colours (..., 3), blue first, 0 to 255.

    L is scaled by ``LIGHTNESS_WEIGHT``.
    """
    light = decode_srgb(bgr)
    share = light @ _WHITE_SHARES_OF_BGR.T
    straight = share / (3 * _CIE_DARK ** (2 / 3)) + 4 / 29
    root = np.where(share > _CIE_DARK, np.cbrt(share), straight)
    x, y, z = (root[..., k] for k in range(3))
    lab = np.empty(root.shape)
    lab[..., 0] = LIGHTNESS_WEIGHT * (116 * y - 16)
    lab[..., 1], lab[..., 2] = 500 * (x - y), 200 * (y - z)
    return lab


def weighted_lab_to_bgr(lab: FloatArray) -> FloatArray:
    """sRGB colours (..., 3), blue first, 0 to 255, of weighted Lab (..., 3); clipped to sRGB's."""
    y = (lab[..., 0] / LIGHTNESS_WEIGHT + 16) / 116
    root = np.stack([y + lab[..., 1] / 500, y, y - lab[..., 2] / 200], axis=-1)
    straight = 3 * _CIE_DARK ** (2 / 3) * (root - 4 / 29)
    share = np.where(root > np.cbrt(_CIE_DARK), root**3, straight)
    return encode_srgb(np.clip(share @ np.linalg.inv(_WHITE_SHARES_OF_BGR.T), 0.0, 1.0))


def measure_face_colours(
    picture: PosedImage,
    base_mm: FloatArray,
    shape: DiscGeometry,
    wood_bgr: FloatArray,
    *,
    in_front: RangeMap | None = None,
) -> FaceColours:
    """The colours of discs at ``base_mm`` (n, 2) on a board whose usual colour is ``wood_bgr``
    (3,).

    If another disc is close by, its colour counts as part of the wood's. In an oblique view, with
    occlusions from ``in_front``, all visible parts of a disc are used for its colour, because a
    face mirrors the objects behind it, and only empty wood counts as wood.
    """
    count = _FACE_DIRECTIONS
    inner = np.concatenate(
        [circle_mm((0.0, 0.0), share * shape.radius_mm, count) for share in FACE_RADII]
    )
    around = circle_mm((0.0, 0.0), _SURROUND_RADII * shape.radius_mm, count)
    face_mm = _place_pattern(base_mm, inner, shape.height_mm)
    around_mm = _place_pattern(base_mm, around, 0.0)
    on_face, beside = (sample_colours(picture, points_mm) for points_mm in (face_mm, around_mm))
    if in_front is None:
        own, lab = (
            np.median(colours, axis=1) for colours in (on_face, bgr_to_weighted_lab(on_face))
        )
        nearby = np.median(beside, axis=1)
    else:
        seen_mm = _fill_contours(picture, base_mm, shape)
        seen = sample_colours(picture, seen_mm)
        is_seen = in_front.find_visible(seen_mm, base_mm)
        own, lab = (median_where(colours, is_seen) for colours in (seen, bgr_to_weighted_lab(seen)))
        on_face = np.where(
            in_front.find_visible(face_mm, base_mm)[..., None], on_face, own[:, None]
        )
        nearby = median_where(beside, np.isinf(in_front.look_up(around_mm)))
        nearby = np.where(np.isnan(nearby), wood_bgr, nearby)
    glare = np.maximum(decode_gamma(nearby) - decode_gamma(wood_bgr), 0.0)
    glare_free = encode_gamma(decode_gamma(own) - glare)
    surround_lab = bgr_to_weighted_lab(nearby)
    usual = bgr_to_weighted_lab(np.asarray(wood_bgr, dtype=np.float32)[None])
    even_lab = _subtract_gradient(bgr_to_weighted_lab(on_face), inner)
    return FaceColours(
        lab=lab,
        glare_free_lab=bgr_to_weighted_lab(glare_free),
        surround_lab=surround_lab,
        glare=surround_lab[:, 0] - usual[0, 0],
        scatter=np.median(np.linalg.norm(even_lab, axis=-1), axis=1),
        rgb=own[:, ::-1],
    )


def _fill_contours(picture: PosedImage, base_mm: FloatArray, shape: DiscGeometry) -> FloatArray:
    """Points (n, k, 3) all over the visible parts of discs, each for an equal area."""
    discs = FlatDiscs.of_shape(base_mm, shape)
    contour = compute_contour(picture.camera_mm, discs, _FACE_DIRECTIONS)
    middle = np.column_stack([discs.base_mm, discs.height_mm / 2])[:, None]
    arm = contour.point_mm - middle
    return np.concatenate([middle + share * arm for share in _CONTOUR_SHARES], axis=1)


def _subtract_gradient(lab: FloatArray, pattern_mm: FloatArray) -> FloatArray:
    """Colours (n, k, 3) at ``pattern_mm`` (k, 2) minus their least-squares plane."""
    plane = np.column_stack([np.ones(len(pattern_mm)), pattern_mm])
    onto_plane = plane @ np.linalg.pinv(plane)
    return lab - onto_plane @ lab


def _place_pattern(base_mm: FloatArray, pattern_mm: FloatArray, z_mm: float) -> FloatArray:
    """Points (n, k, 3): a pattern (k, 2) around every base (n, 2), at one height."""
    points = np.empty((len(base_mm), len(pattern_mm), 3))
    points[..., :2] = np.asarray(base_mm)[:, None] + pattern_mm
    points[..., 2] = z_mm
    return points


def assign_teams(faces: FaceColours, centres: FloatArray) -> tuple[np.ndarray, FloatArray]:
    """Index (n,) of the nearest of ``centres`` (t, 3), t at least 1, and its distance (n,)."""
    distance = measure_team_distances(faces, centres)
    return distance.argmin(axis=1), distance.min(axis=1)


def measure_team_distances(faces: FaceColours, centres: FloatArray) -> FloatArray:
    """Distances of n faces from all ``centres`` (t, 3), weighted Lab: (n, t).

    Faces are compared with glare and without, and the smaller distance counts.
    """
    as_seen = np.linalg.norm(faces.lab[:, None] - centres[None], axis=-1)
    glare_free = np.linalg.norm(faces.glare_free_lab[:, None] - centres[None], axis=-1)
    return np.minimum(as_seen, glare_free)


def find_nearest_team(lab: FloatArray, centres: FloatArray) -> tuple[np.ndarray, FloatArray]:
    """Index (n,) of the nearest of ``centres`` (t, 3), and the distance (n,) to it; t is not 0."""
    distance = np.linalg.norm(lab[:, None] - centres[None], axis=-1)
    return distance.argmin(axis=1), distance.min(axis=1)


def get_team_colours_lab(teams: Sequence[Team]) -> FloatArray:
    """The colours of teams in weighted Lab: (t, 3)."""
    return bgr_to_weighted_lab(
        np.array([team.colour_rgb[::-1] for team in teams], dtype=np.float32)
    )


def merge_known_teams(learned: FloatArray, known: tuple[Team, ...], lab: FloatArray) -> FloatArray:
    """Centres (t, 3) of the ``known`` teams, then those of ``learned`` (n, 3) that differ and are
    nearest to a disc's colour, one of ``lab`` (k, 3).
    """
    if not known:
        return learned
    centres = get_team_colours_lab(known)
    merged = np.concatenate([centres, learned[find_new_colours(learned, centres)]])
    counts = np.bincount(find_nearest_team(lab, merged)[0], minlength=len(merged))
    return merged[(counts > 0) | (np.arange(len(merged)) < len(known))]


def find_new_colours(lab: FloatArray, centres: FloatArray) -> np.ndarray:
    """Colours (n, 3) that no team with these ``centres`` (t, 3) has in any light: (n,) bool.

    A third team needs clearer evidence than a second one.
    """
    if len(lab) == 0:
        return np.zeros(0, dtype=bool)
    lit = np.array(
        [_measure_relit_distance(lab, centre, PARAMS.light_scales) for centre in centres]
    )
    away = find_nearest_team(lab, centres)[1]
    is_apart = lit.min(axis=0) > PARAMS.teams_apart_lab
    if len(centres) > 1:
        is_apart &= away > PARAMS.third_team_apart_lab
    return np.asarray(is_apart | (away > PARAMS.surely_apart_lab))


def measure_beyond_shade(lab: FloatArray, wood_bgr: FloatArray) -> FloatArray:
    """Distances of colours (n, 3) from the wood's (3,) in the most similar shade: (n,)."""
    return _measure_relit_distance(lab, bgr_to_weighted_lab(wood_bgr[None])[0], _SHADE)


def measure_wood_distance(lab: FloatArray, wood_bgr: FloatArray) -> FloatArray:
    """Distances of colours (n, 3) from the wood's (3,), weighted Lab: (n,)."""
    return np.asarray(np.linalg.norm(lab - bgr_to_weighted_lab(wood_bgr[None])[0], axis=-1))


def _measure_relit_distance(
    lab: FloatArray, centre: FloatArray, light_scales: tuple[float, float]
) -> FloatArray:
    """Distances of colours (n, 3) from one colour (3,) in the most similar light: (n,).

    Light that scales linear colour by s scales ``DARK_POINT_L`` + L, a and b by its cube root.
    """
    dark_point = np.array([DARK_POINT_L, 0.0, 0.0])
    arm, own = lab - dark_point, centre - dark_point
    lit = np.clip(arm @ own / (own @ own), *light_scales)
    return np.asarray(np.linalg.norm(arm - lit[:, None] * own, axis=-1))
