"""The contour of a disc with rounded edges (its apparent outline), and colours at board points.

A disc's edges are rounded, the upper one often more than the lower. Its outline is exact and
simple all the same: on the far side it runs along the top edge, on the camera's side along the
bottom edge, and its surface normal is square to the ray of sight.

Knows where an outline runs. Refuses to know what is a disc.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.pose import View


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscGeometry:
    """The sizes that an outline depends on, mm."""

    radius_mm: float
    height_mm: float
    round_mm: float = 0.6  # of the bottom edge; lathe-turned discs: 0.3 to 0.8
    top_round_mm: float = 0.6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contour:
    """Outlines of n discs at k directions.

    point_mm   on the outline, board frame: (n, k, 3)
    normal     unit, out of the disc, square to the ray of sight: (n, k, 3)
    outward    unit, horizontal, the direction of each point from the axis: (k, 2)
    on_top     the point lies on the top edge: (n, k) bool
    """

    point_mm: FloatArray
    normal: FloatArray
    outward: FloatArray
    on_top: np.ndarray


def compute_contour(
    eye_mm: FloatArray,
    foot_mm: FloatArray,
    shape: DiscGeometry,
    radius_mm: FloatArray,
    count: int,
    height_mm: FloatArray | None = None,
) -> Contour:
    """Outlines of discs whose bottom faces are centred at ``foot_mm`` (n, 2) on the surface.

    ``radius_mm`` (n,) and ``height_mm`` (n,) stand in for the shape's.
    """
    height = np.full(len(foot_mm), shape.height_mm) if height_mm is None else height_mm
    angle = np.arange(count) * (2 * np.pi / count)
    outward = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    middle = np.column_stack([foot_mm, height / 2])
    to_camera = eye_mm - middle
    to_camera = to_camera / np.linalg.norm(to_camera, axis=-1, keepdims=True)
    facing = to_camera[:, :2] @ outward.T
    elevation = np.arctan2(-facing, to_camera[:, 2:3])
    normal = np.empty((*facing.shape, 3))
    normal[..., :2] = np.cos(elevation)[..., None] * outward
    normal[..., 2] = np.sin(elevation)
    on_top = elevation > 0
    rounding = np.where(on_top, shape.top_round_mm, shape.round_mm)[..., None]
    rounding_centre = np.empty_like(normal)
    rounding_centre[..., :2] = foot_mm[:, None, :] + (radius_mm[:, None, None] - rounding) * outward
    rounding_centre[..., 2:] = np.where(
        on_top[..., None], height[:, None, None] - rounding, rounding
    )
    return Contour(
        point_mm=rounding_centre + rounding * normal, normal=normal, outward=outward, on_top=on_top
    )


def sample_colours(image: np.ndarray, view: View, points_mm: FloatArray) -> FloatArray:
    """Colours (..., 3) float32 of board points (..., 3); the picture's border is repeated."""
    if points_mm.size == 0:
        return np.zeros(points_mm.shape, np.float32)
    px = view.project(points_mm).astype(np.float32).reshape(-1, points_mm.shape[-2], 2)
    colours = cv2.remap(
        image, px[..., 0], px[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return colours.astype(np.float32).reshape(*points_mm.shape[:-1], 3)
