"""The contour (apparent outline) of flat discs with rounded edges, as a camera sees them.

It consists of the points where the surface normal is perpendicular to the line of sight: along the
top edge on the far side, and along the bottom edge on the camera's side. The ray to a disc's middle
stands in for the rays to its points. This is exact from afar, and wrong by a little of the rounding
at a few disc widths.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.camera import FloatArray
from calibration.circle import circle_mm


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscGeometry:
    """The sizes that a contour depends on, mm.

    bottom_round_mm, top_round_mm  radii of the rounded edges (lathe-turned discs: 0.3 to 0.8; the
        top edge is worn and sanded to more if ``bundle_fit`` finds it so)
    """

    radius_mm: float
    height_mm: float
    bottom_round_mm: float = 0.6
    top_round_mm: float = 0.6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FlatDiscs:
    """n discs flat on the surface, with their own sizes and a common rounding.

    base_mm    middles of the bottom faces, board frame: (n, 2)
    radius_mm  (n,)
    height_mm  (n,)
    """

    base_mm: FloatArray
    radius_mm: FloatArray
    height_mm: FloatArray
    bottom_round_mm: float
    top_round_mm: float

    @staticmethod
    def of_shape(base_mm: FloatArray, shape: DiscGeometry) -> FlatDiscs:
        """Discs of one ``shape`` at ``base_mm`` (n, 2)."""
        base = np.array(base_mm, dtype=np.float64).reshape(-1, 2)
        return FlatDiscs(
            base_mm=base,
            radius_mm=np.full(len(base), shape.radius_mm),
            height_mm=np.full(len(base), shape.height_mm),
            bottom_round_mm=shape.bottom_round_mm,
            top_round_mm=shape.top_round_mm,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contour:
    """Contours of n discs at k directions.

    point_mm   on the contour, board frame: (n, k, 3)
    normal     unit, out of the disc, perpendicular to the line of sight: (n, k, 3)
    on_top     the point lies on the top edge: (n, k) bool
    """

    point_mm: FloatArray
    normal: FloatArray
    on_top: np.ndarray


def compute_contour(camera_mm: FloatArray, discs: FlatDiscs, directions: int) -> Contour:
    """Contours of the discs at evenly spaced ``directions``, seen from ``camera_mm`` (3,)."""
    outward = circle_mm((0.0, 0.0), 1.0, directions)
    height, radius = discs.height_mm, discs.radius_mm
    middle = np.column_stack([discs.base_mm, height / 2])
    to_camera = camera_mm - middle
    to_camera = to_camera / np.linalg.norm(to_camera, axis=-1, keepdims=True)
    facing = to_camera[:, :2] @ outward.T
    elevation = np.arctan2(-facing, to_camera[:, 2:3])
    normal = np.empty((*facing.shape, 3))
    normal[..., :2] = np.cos(elevation)[..., None] * outward
    normal[..., 2] = np.sin(elevation)
    on_top = elevation > 0
    rounding = np.where(on_top, discs.top_round_mm, discs.bottom_round_mm)[..., None]
    rounding_centre = np.empty_like(normal)
    rounding_centre[..., :2] = (
        discs.base_mm[:, None, :] + (radius[:, None, None] - rounding) * outward
    )
    rounding_centre[..., 2:] = np.where(
        on_top[..., None], height[:, None, None] - rounding, rounding
    )
    return Contour(point_mm=rounding_centre + rounding * normal, normal=normal, on_top=on_top)
