"""How far a disc in the 20-hole stands out of it, measured in an oblique view.

A disc in the hole is higher than the hole is deep, so it hides the hole's far rim and a few
millimetres of the surface behind; the hole's own wall and floor end at that rim. Colours are
followed upwards from the far rim until they are the surface's. The object in the hole ends where
half of the difference is gone. A leaner stands out on one side more than on the other. There is no
result if the hole looks like the surface, or if discs in front hide it.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.board import BoardSpec
from calibration.camera import FloatArray
from calibration.circle import circle_mm
from calibration.parameters import StageParameters, parameter
from vision.discs.outline.contour import DiscGeometry
from vision.discs.outline.posed_image import PosedImage, sample_colours
from vision.discs.teams.team_colours import bgr_to_weighted_lab


class StandingHeightParameters(StageParameters):
    """Parameters of ``standing_height``."""

    #: If the hole differs from the surface by less than this, there is no result.
    least_contrast_lab: float = parameter(
        8.0, unit="weighted Lab", source="chosen: twice the grain of photographed surfaces"
    )
    #: Share of the places that must be visible.
    least_visible_share: float = parameter(
        0.5, unit="share", source="chosen: at least half of the places must be visible"
    )


PARAMS = StandingHeightParameters()
#: The far rim is examined up to this angle from straight behind the hole's middle: beyond this, the
#: rim runs upwards in the picture.
_HALF_ARC_DEG = 50.0
#: This many millimetres below the rim are used for the colour of the object in the hole: two pixels
#: of a steep view.
_INSIDE_MM = 1.5
#: The surface behind is sampled this far beyond the rim: clear of the area that a disc hides.
_BEYOND_MM = 14.0
#: Discs are assumed to hide this much more than their own outline: covers the blur of a pixel and
#: the width of contact shadows.
_BLUR_MM = 2.0
#: Points of the far rim: every 3 mm.
_PLACES = 11
#: Least height that is looked at: a third of the part of the hole that is visible.
_LOWEST_MM = -3.0
#: Greatest height that is looked at: beyond a disc's height.
_HIGHEST_MM = 12.0
#: Outermost points on either side, from which a lean is measured: a third of the points; blur never
#: reaches as many.
_SIDE_PLACES = 4
#: Step upwards: a quarter of a pixel in a steep view.
_STEP_MM = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingHeight:
    """How far a disc in the hole stands out of it.

    height_mm  above the surface, up to which the hole's far rim is hidden: about 0 for an empty
               hole, a disc's height less the hole's depth for a disc in it
    lean_mm    by how much more it stands out on one side than on the other; 0 if not known
    """

    height_mm: float
    lean_mm: float


def measure_standing_height(
    picture: PosedImage, spec: BoardSpec, flat_mm: FloatArray, shape: DiscGeometry
) -> StandingHeight | None:
    """How far a disc in the hole stands out of it; None if not measured.

    ``flat_mm`` (n, 2) are the bases of discs of ``shape`` on the surface.
    """
    hole = np.asarray(spec.hole_centre_mm, dtype=np.float64)
    away = hole - picture.camera_mm[:2]
    half = np.radians(_HALF_ARC_DEG)
    azimuth = np.arctan2(away[1], away[0]) + np.linspace(-half, half, _PLACES)
    outward = np.stack([np.cos(azimuth), np.sin(azimuth)], axis=-1)
    above = np.arange(_LOWEST_MM, _HIGHEST_MM, _STEP_MM)
    column = np.zeros((_PLACES, len(above), 3))
    column[..., :2] = (hole + spec.hole_radius_mm * outward)[:, None]
    column[..., 2] = above
    behind = np.zeros((1, _PLACES, 3))
    behind[0, :, :2] = hole + (spec.hole_radius_mm + _BEYOND_MM) * outward
    blurred = DiscGeometry(
        radius_mm=shape.radius_mm + _BLUR_MM, height_mm=shape.height_mm + _BLUR_MM
    )
    is_free = ~_is_hidden(picture, column, flat_mm, blurred).any(axis=1)
    is_free &= ~_is_hidden(picture, behind, flat_mm, blurred)[0]
    if is_free.mean() < PARAMS.least_visible_share:
        return None
    surface = np.median(sample_colours(picture, behind)[0, is_free], axis=0)
    surface_lab = bgr_to_weighted_lab(surface[None])[0]
    lab = bgr_to_weighted_lab(sample_colours(picture, column[is_free]))
    contrast = np.linalg.norm(lab - surface_lab, axis=-1)
    inside = float(np.median(np.median(contrast, axis=0)[above < _LOWEST_MM + _INSIDE_MM]))
    if inside < PARAMS.least_contrast_lab:
        return None
    every = np.arange(_PLACES)[is_free]
    sides = (every < _SIDE_PLACES, every >= _PLACES - _SIDE_PLACES)
    ends = [_find_end(contrast[side], inside, above) for side in sides if side.any()]
    return StandingHeight(
        height_mm=_find_end(contrast, inside, above),
        lean_mm=abs(ends[0] - ends[1]) if len(ends) == 2 else 0.0,
    )


def _find_end(contrast: FloatArray, inside: float, above_mm: FloatArray) -> float:
    """Height, mm, at which half of the contrast (places, heights) to the surface is gone."""
    ends = np.median(contrast, axis=0) < inside / 2
    return float(above_mm[ends.argmax()]) if ends.any() else _HIGHEST_MM


def _is_hidden(
    picture: PosedImage, points_mm: FloatArray, flat_mm: FloatArray, shape: DiscGeometry
) -> np.ndarray:
    """Points (n, k, 3) in front of which a disc on the surface is seen: (n, k) bool."""
    hidden = np.zeros(points_mm.shape[:2], dtype=bool)
    px = picture.view.project(points_mm).astype(np.float32)
    for base in flat_mm:
        rim = circle_mm(base, shape.radius_mm, 32)
        ends = [picture.view.project_plane(rim, z_mm) for z_mm in (0.0, shape.height_mm)]
        hull = cv2.convexHull(np.concatenate(ends).astype(np.float32))[:, 0]
        hidden |= find_inside(hull, px)
    return hidden


def find_inside(hull: np.ndarray, px: np.ndarray) -> np.ndarray:
    """Points (n, k, 2) in a convex polygon (m, 2), or on its edge: (n, k) bool."""
    side = (np.roll(hull, -1, axis=0) - hull).astype(np.float64)
    x, y = np.moveaxis(px[..., None, :] - hull.astype(np.float64), -1, 0)
    turn = side[:, 0] * y - side[:, 1] * x
    return (turn >= 0).all(axis=-1) | (turn <= 0).all(axis=-1)
