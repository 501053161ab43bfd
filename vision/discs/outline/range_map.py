"""Range map: the distance of the nearest known object at every pixel of a picture.

Depth buffer (Catmull 1974) of upright cylinders: standing objects are drawn from base to top, the
farthest first. A point of a disc is hidden if an object nearer than the disc is seen there. Hands
and other unknown objects are not in the map.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import cv2
import numpy as np

from calibration.board import BoardSpec
from calibration.camera import FloatArray
from calibration.circle import circle_mm
from calibration.parameters import StageParameters, parameter
from calibration.pose import View
from vision.discs.outline.contour import DiscGeometry


class RangeMapParameters(StageParameters):
    """Parameters of ``range_map``."""

    stage: ClassVar[str] = "discs.region.range_map"

    #: Posts hide this much on either side, up to this height.
    post_radius_mm: float = parameter(
        6.0, unit="mm", source="chosen: a post's radius of 4 mm, with a sleeve and blur"
    )
    post_height_mm: float = parameter(26.0, unit="mm", source="chosen: the height of high posts")
    #: Discs hide this much more than their size, on all sides and above.
    disc_blur_mm: float = parameter(1.0, unit="mm", source="chosen: a pixel in a steep view")

    #: If less than this share of a disc is visible, all its points count.
    least_visible_share: float = parameter(
        0.2, unit="share", source="chosen: a fifth of the outline must be visible"
    )


PARAMS = RangeMapParameters()
#: Number of points on the rims that are drawn.
_RIM_POINTS = 40
#: Tolerance so that a disc does not hide itself although ranges are stored as float32, mm.
_SAME_MM = 0.1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RangeMap:
    """Ranges (distances on the board from the point below the camera, mm) of the surfaces seen at a
    picture's pixels.

    corner_px  (x, y) in the picture of the map's first pixel
    range_mm   infinite if no known object stands there: (h, w) float32
    """

    view: View
    corner_px: np.ndarray
    range_mm: np.ndarray

    def measure_range(self, base_mm: FloatArray) -> FloatArray:
        """Ranges (n,) of bases (n, 2)."""
        camera_mm = self.view.cam_from_board.camera_board_mm
        return np.asarray(np.linalg.norm(np.reshape(base_mm, (-1, 2)) - camera_mm[:2], axis=-1))

    def add_posts(self, spec: BoardSpec) -> None:
        """Draw the board's posts."""
        post = DiscGeometry(radius_mm=PARAMS.post_radius_mm, height_mm=PARAMS.post_height_mm)
        self._add(find_posts_mm(spec), post)

    def add_discs(self, base_mm: FloatArray, shape: DiscGeometry) -> None:
        """Draw discs of one ``shape`` at ``base_mm`` (n, 2), enlarged by the blur."""
        blurred = DiscGeometry(
            radius_mm=shape.radius_mm + PARAMS.disc_blur_mm,
            height_mm=shape.height_mm + PARAMS.disc_blur_mm,
        )
        self._add(np.reshape(base_mm, (-1, 2)), blurred)

    def _add(self, base_mm: FloatArray, shape: DiscGeometry) -> None:
        for base, own_mm in zip(base_mm, self.measure_range(base_mm), strict=True):
            box, is_seen = mask_cylinder(
                self.view, base, shape, self.corner_px, self.range_mm.shape
            )
            here = self.range_mm[box]
            here[is_seen] = np.minimum(here[is_seen], np.float32(own_mm))

    def look_up(self, points_mm: FloatArray) -> FloatArray:
        """Ranges (...,) of the surfaces seen at points (..., 3) of the board."""
        px = np.rint(self.view.project(points_mm) - self.corner_px)
        height, width = self.range_mm.shape
        x, y = np.moveaxis(np.clip(px, -1, (width, height)).astype(np.intp), -1, 0)
        padded = np.pad(self.range_mm, 1, constant_values=np.inf)
        return np.asarray(padded[y + 1, x + 1], dtype=np.float64)

    def find_visible(self, points_mm: FloatArray, base_mm: FloatArray) -> np.ndarray:
        """Points (n, k, 3) of discs at ``base_mm`` (n, 2) that no nearer object hides: (n, k) bool.

        All points of a disc that is hardly visible count, because it is somewhere else or does not
        exist.
        """
        own_mm = self.measure_range(base_mm)[:, None]
        is_visible = self.look_up(points_mm) > own_mm - _SAME_MM
        is_visible[is_visible.mean(axis=1) < PARAMS.least_visible_share] = True
        return np.asarray(is_visible)


def make_range_map(
    view: View, size_px: tuple[int, int], corner_px: np.ndarray | None = None
) -> RangeMap:
    """The range map of a picture of (height, width), without any object yet."""
    corner = np.zeros(2, dtype=int) if corner_px is None else corner_px
    return RangeMap(view=view, corner_px=corner, range_mm=np.full(size_px, np.inf, np.float32))


def find_posts_mm(spec: BoardSpec) -> FloatArray:
    """Places of the posts: (n, 2)."""
    angle = np.pi / 8 + np.arange(spec.post_count) * (2 * np.pi / spec.post_count)
    return spec.post_ring_radius_mm * np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def mask_cylinder(
    view: View,
    base_mm: FloatArray,
    shape: DiscGeometry,
    corner_px: np.ndarray,
    size_px: tuple[int, ...],
) -> tuple[tuple[slice, slice], np.ndarray]:
    """The image of an upright cylinder in a map of (height, width) that begins at ``corner_px``:
    the part of the map that contains it, and its pixels there, bool.
    """
    rim = circle_mm(base_mm, shape.radius_mm, _RIM_POINTS)
    ends = [view.project_plane(rim, z_mm) - corner_px for z_mm in (0.0, shape.height_mm)]
    hull = cv2.convexHull(np.concatenate(ends).astype(np.float32))[:, 0]
    limit = np.array(size_px[::-1])
    low = np.clip(np.floor(hull.min(axis=0)) - 1, 0, limit).astype(int)
    high = np.clip(np.ceil(hull.max(axis=0)) + 2, low, limit).astype(int)
    mask = np.zeros((high - low)[::-1], np.uint8)
    if mask.size > 0:
        cv2.fillConvexPoly(mask, np.round((hull - low) * 16).astype(np.int32), 1, cv2.LINE_8, 4)
    return np.s_[low[1] : high[1], low[0] : high[0]], mask.view(bool)
