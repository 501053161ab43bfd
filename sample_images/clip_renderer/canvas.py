"""A patch of a picture for painting: how much of a pixel a shape covers, and with which paint.

Covers are shares from 0 to 1 by which a paint is blended over the picture. A pixel adds up light,
which is about the square of its value, so an edge between dark and bright appears nearer to the
dark side.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.camera import FloatArray

#: Scale at which shapes are drawn before averaging.
SUPERSAMPLING = 3
#: Fractional bits of OpenCV's drawing coordinates.
_SHIFT = 5


@dataclass(frozen=True, slots=True)
class Patch:
    """Pixels [left, right) by [top, bottom) of a picture."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def is_empty(self) -> bool:
        """Whether it contains no pixel."""
        return self.right <= self.left or self.bottom <= self.top

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.bottom - self.top, self.right - self.left

    def of(self, picture: np.ndarray) -> np.ndarray:
        """The picture's pixels, without a copy."""
        return picture[self.top : self.bottom, self.left : self.right]

    def intersect(self, other: Patch) -> Patch:
        """The common part of both."""
        return Patch(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        )

    def union(self, other: Patch) -> Patch:
        """The smallest patch that contains both."""
        return Patch(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )

    def overlaps(self, other: Patch) -> bool:
        """Whether they share a pixel."""
        return not self.intersect(other).is_empty


def whole_patch(picture: np.ndarray) -> Patch:
    """The patch of all of a picture."""
    return Patch(0, 0, picture.shape[1], picture.shape[0])


def patch_around(points_px: FloatArray, spare_px: float) -> Patch:
    """The patch around the points (n, 2), with some room."""
    low = np.floor(points_px.min(axis=0) - spare_px).astype(int)
    high = np.ceil(points_px.max(axis=0) + spare_px).astype(int) + 1
    return Patch(int(low[0]), int(low[1]), int(high[0]), int(high[1]))


def hull_cover(patch: Patch, points_px: FloatArray, finer: int = SUPERSAMPLING) -> np.ndarray:
    """Cover (h, w), 0 to 1, of the convex hull of points (n, 2)."""
    rows, columns = patch.shape
    fine = np.zeros((rows * finer, columns * finer), np.uint8)
    local = (points_px - (patch.left, patch.top) + 0.5) * finer - 0.5
    hull = cv2.convexHull(local.astype(np.float32))[:, 0]
    # OpenCV fills the pixels of the outline, too: half of each lies outside
    inward = hull.mean(axis=0) - hull
    hull += 0.5 * inward / np.maximum(np.linalg.norm(inward, axis=1, keepdims=True), 0.5)
    cv2.fillConvexPoly(
        fine, np.round(hull * (1 << _SHIFT)).astype(np.int32), 255, cv2.LINE_8, _SHIFT
    )
    cover = cv2.resize(fine, (columns, rows), interpolation=cv2.INTER_AREA)
    return cover.astype(np.float32) / 255


def blend(picture: np.ndarray, colour: np.ndarray, cover: np.ndarray) -> None:
    """Put the light of a colour, (3,) or (h, w, 3), over that of a picture, in place."""
    share = cover[..., None]
    mixed = np.sqrt((1 - share) * picture**2 + share * colour**2)
    np.copyto(picture, mixed, where=share > 0)


def soften(cover: np.ndarray, sigma_px: float) -> np.ndarray:
    """A cover with soft edges."""
    return cv2.GaussianBlur(cover, (0, 0), max(sigma_px, 0.3))
