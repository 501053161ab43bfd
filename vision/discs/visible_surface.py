"""Free-surface mask: the bare wood and paint that is visible, given the discs and posts.

A standing object is drawn from its base to the image of its top, computed from the camera's
position. No picture is used, so unknown objects are ignored.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.board import BoardSpec
from calibration.camera import FloatArray
from vision.discs.outline.contour import DiscGeometry
from vision.discs.outline.range_map import find_posts_mm

#: Posts hide this much on either side: twice a post's 4 mm, for its screw and shadow.
_POST_RADIUS_MM = 9.0
#: They hide the surface up to this height, that of high posts; BoardSpec's nominal 20 mm hides too
#: little.
_POST_HEIGHT_MM = 30.0
#: A disc's contact shadow and blurred rim reach this far out: half a disc's height.
_DISC_MARGIN_MM = 5.0
#: The hole's worn edge and stained wood reach this far out.
_HOLE_MARGIN_MM = 8.0
#: Paint and its blur reach this far from the middle of a line: covers a line of 1.6 mm and a cell
#: of 6 mm.
_PAINT_MM = 5.0
#: The masks reach this far beyond the surface's edge: the tops of discs at the edge are still
#: visible there.
_BEYOND_MM = 60.0
#: Resolution of the masks: under a line's width.
_STEP_MM = 1.5
#: Points on a ring line, enough to draw it.
_RING_POINTS = 180


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FreeSurfaceMask:
    """Masks of the playing surface: hidden parts, and painted ones.

    hidden_mask   (side, side) bool: a disc or a post hides it, or it is in the hole
    painted_mask  (side, side) bool: on a ring or quadrant line, or right next to one
    """

    spec: BoardSpec
    hidden_mask: np.ndarray
    painted_mask: np.ndarray

    def is_hidden(self, points_mm: FloatArray) -> np.ndarray:
        """Points (..., 2) of the surface that a known object hides: (...,) bool."""
        return self._look_up(self.hidden_mask, points_mm)

    def is_painted(self, points_mm: FloatArray) -> np.ndarray:
        """Points (..., 2) of the surface on a line or right next to one: (...,) bool."""
        return self._look_up(self.painted_mask, points_mm)

    @staticmethod
    def _look_up(mask: np.ndarray, points_mm: FloatArray) -> np.ndarray:
        index = np.rint(_to_px(points_mm, len(mask))).astype(np.intp).clip(0, len(mask) - 1)
        return np.asarray(mask[index[..., 1], index[..., 0]])


def compute_free_surface(
    spec: BoardSpec, camera_mm: FloatArray, base_mm: FloatArray, shape: DiscGeometry
) -> FreeSurfaceMask:
    """Masks of a board with discs of one ``shape`` at ``base_mm`` (n, 2), seen from
    ``camera_mm``."""
    side = int(2 * (spec.surface_radius_mm + _BEYOND_MM) / _STEP_MM)
    hidden, painted = np.zeros((side, side), np.uint8), np.zeros((side, side), np.uint8)
    hole = np.asarray(spec.hole_centre_mm, dtype=np.float64)
    _draw(hidden, np.stack([hole, hole]), spec.hole_radius_mm + _HOLE_MARGIN_MM)
    for base in base_mm:
        _draw(
            hidden,
            _project_top(base, camera_mm, shape.height_mm),
            shape.radius_mm + _DISC_MARGIN_MM,
        )
    for post in find_posts_mm(spec):
        _draw(hidden, _project_top(post, camera_mm, _POST_HEIGHT_MM), _POST_RADIUS_MM)
    around = np.arange(_RING_POINTS + 1) * (2 * np.pi / _RING_POINTS)
    for line in range(3):
        _draw(painted, spec.line_points_mm(line, around), _PAINT_MM)
    for quarter in range(4):
        angle_rad = np.pi / 4 + quarter * np.pi / 2
        out = np.array([np.cos(angle_rad), np.sin(angle_rad)])
        _draw(painted, np.outer(spec.line_radii_mm[1:], out), _PAINT_MM)
    return FreeSurfaceMask(
        spec=spec, hidden_mask=hidden.view(bool), painted_mask=painted.view(bool)
    )


def _project_top(base_mm: FloatArray, camera_mm: FloatArray, height_mm: float) -> FloatArray:
    """The line on the surface from a standing object's base to the image of its top: (2, 2)."""
    away = (base_mm - camera_mm[:2]) * (height_mm / (camera_mm[2] - height_mm))
    return np.stack([base_mm, base_mm + away])


def _to_px(points_mm: FloatArray, side: int) -> FloatArray:
    return np.asarray(points_mm) / _STEP_MM + (side - 1) / 2


def _draw(mask: np.ndarray, points_mm: FloatArray, radius_mm: float) -> None:
    """Draw a curve through points (n, 2), as broad as ``radius_mm`` on each side, into the map."""
    points = np.rint(_to_px(points_mm, len(mask))).astype(np.int32)
    cv2.polylines(mask, [points], False, 1, max(1, round(2 * radius_mm / _STEP_MM)))
