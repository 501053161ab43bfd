"""Free-surface mask: where the surface shows bare wood or paint, discs and posts being known.

Knows what stands on a board and how far it hides what lies behind. Refuses to look at a picture.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import cv2
import numpy as np

from calibration.board import BoardSpec
from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from vision.discs.outline.contour import DiscGeometry


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeSurfaceParameters(StageParameters):
    """What ``free_surface`` takes for granted."""

    stage: ClassVar[str] = "discs.free_surface"

    #: Posts are about this thick with their screw and shadow, and stand this high, mm.
    post_radius_mm: float = parameter(9.0, unit="mm", source="")
    post_height_mm: float = parameter(30.0, unit="mm", source="")
    posts: int = parameter(8, unit="", source="")
    #: A disc's contact shadow and blurred rim, and the hole's worn edge, reach this far out, mm.
    disc_margin_mm: float = parameter(5.0, unit="mm", source="")
    hole_margin_mm: float = parameter(8.0, unit="mm", source="")
    #: Paint and its blur reach this far from the middle of a line, mm.
    paint_mm: float = parameter(5.0, unit="mm", source="")
    #: The map is this fine, mm, and reaches this far beyond the surface's edge.
    step_mm: float = parameter(1.5, unit="mm", source="")
    beyond_mm: float = parameter(60.0, unit="mm", source="")
    #: Points on a ring line, enough to draw it.
    ring_points: int = parameter(180, unit="", source="")


PARAMS = FreeSurfaceParameters.active()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FreeSurfaceMask:
    """Masks of the playing surface: what is hidden, and what is painted.

    hidden   (side, side) bool: a disc or a post hides it, or it is the hole
    painted  (side, side) bool: a ring or quadrant line, or just beside one
    """

    spec: BoardSpec
    hidden: np.ndarray
    painted: np.ndarray

    def is_hidden(self, points_mm: FloatArray) -> np.ndarray:
        """Which points (..., 2) of the surface something known hides: (...,) bool."""
        return self._look_up(self.hidden, points_mm)

    def is_painted(self, points_mm: FloatArray) -> np.ndarray:
        """Which points (..., 2) of the surface lie on a line or just beside one: (...,) bool."""
        return self._look_up(self.painted, points_mm)

    @staticmethod
    def _look_up(mask: np.ndarray, points_mm: FloatArray) -> np.ndarray:
        index = np.rint(_to_px(points_mm, len(mask))).astype(np.intp).clip(0, len(mask) - 1)
        return np.asarray(mask[index[..., 1], index[..., 0]])


def compute_free_surface(
    spec: BoardSpec, eye_mm: FloatArray, foot_mm: FloatArray, shape: DiscGeometry
) -> FreeSurfaceMask:
    """Masks of a board with discs of one ``shape`` at ``foot_mm`` (n, 2), as seen from there."""
    side = int(2 * (spec.surface_radius_mm + PARAMS.beyond_mm) / PARAMS.step_mm)
    hidden, painted = np.zeros((side, side), np.uint8), np.zeros((side, side), np.uint8)
    hole = np.asarray(spec.hole_centre_mm, dtype=np.float64)
    _draw(hidden, np.stack([hole, hole]), spec.hole_radius_mm + PARAMS.hole_margin_mm)
    for foot in foot_mm:
        _draw(
            hidden,
            _project_top(foot, eye_mm, shape.height_mm),
            shape.radius_mm + PARAMS.disc_margin_mm,
        )
    angle = np.pi / 8 + np.arange(PARAMS.posts) * (2 * np.pi / PARAMS.posts)
    for post in spec.post_ring_radius_mm * np.stack([np.cos(angle), np.sin(angle)], axis=-1):
        _draw(hidden, _project_top(post, eye_mm, PARAMS.post_height_mm), PARAMS.post_radius_mm)
    around = np.arange(PARAMS.ring_points + 1) * (2 * np.pi / PARAMS.ring_points)
    for line in range(3):
        _draw(painted, spec.line_points_mm(line, around), PARAMS.paint_mm)
    for quarter in range(4):
        angle_rad = np.pi / 4 + quarter * np.pi / 2
        out = np.array([np.cos(angle_rad), np.sin(angle_rad)])
        _draw(painted, np.outer(spec.line_radii_mm[1:], out), PARAMS.paint_mm)
    return FreeSurfaceMask(spec=spec, hidden=hidden.view(bool), painted=painted.view(bool))


def _project_top(foot_mm: FloatArray, eye_mm: FloatArray, height_mm: float) -> FloatArray:
    """From an upright thing's foot to where its top is seen on the surface: (2, 2)."""
    away = (foot_mm - eye_mm[:2]) * (height_mm / (eye_mm[2] - height_mm))
    return np.stack([foot_mm, foot_mm + away])


def _to_px(points_mm: FloatArray, side: int) -> FloatArray:
    return np.asarray(points_mm) / PARAMS.step_mm + (side - 1) / 2


def _draw(mask: np.ndarray, points_mm: FloatArray, radius_mm: float) -> None:
    """Draw a curve through points (n, 2), as broad as ``radius_mm`` on each side, into the map."""
    points = np.rint(_to_px(points_mm, len(mask))).astype(np.int32)
    cv2.polylines(mask, [points], False, 1, max(1, round(2 * radius_mm / PARAMS.step_mm)))
