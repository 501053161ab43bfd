"""Bird's-eye image: a plane parallel to the playing surface, resampled to millimetres.

A plane z = const of a fitted board is warped with exactly projected nodes and linear interpolation
between them. Row 0 of a bird's-eye image is its +y edge, as the board frame is drawn on paper.
Points above or below the plane are displaced.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import ArrayLike

from calibration.camera import FloatArray
from calibration.pose import View

#: Pixels of the bird's-eye image between two exactly projected nodes; at 16 mm the perspective is
#: linear to 0.05 px for any camera more than half a board away.
_NODE_STEP_PX = 16
#: Number of planes whose maps are kept, 5 MB each: a frame is rectified in two ways.
_KEPT_MAPS = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BirdsEyeImage:
    """A plane of the board at ``z_mm``, centred on the board, or a part of that plane.

    image    (h, w, 3) uint8 BGR; black outside the photo
    inside   (h, w) bool: the photo covers this point
    board_px pixel (x, y) of the board's centre in a part; None: the image's middle
    """

    image: np.ndarray
    inside: np.ndarray
    mm_per_px: float
    z_mm: float
    board_px: tuple[float, float] | None = None

    @property
    def centre_px(self) -> FloatArray:
        """The pixel (2,) of the board's centre."""
        height, width = self.inside.shape
        return np.array(self.board_px or ((width - 1) / 2, (height - 1) / 2))

    def cut(self, low_mm: FloatArray, high_mm: FloatArray) -> BirdsEyeImage:
        """The part between two board points (2,), limited to the image."""
        x, y = zip(self.to_px(low_mm), self.to_px(high_mm), strict=True)
        height, width = self.inside.shape
        left, top = max(int(x[0]), 0), max(int(y[1]), 0)
        part = slice(top, min(int(y[0]) + 1, height)), slice(left, min(int(x[1]) + 1, width))
        centre = self.centre_px
        return replace(
            self,
            image=self.image[part],
            inside=self.inside[part],
            board_px=(float(centre[0]) - left, float(centre[1]) - top),
        )

    def to_px(self, points_mm: ArrayLike) -> FloatArray:
        """Pixels (n, 2) of board points (n, 2), mm."""
        p = np.asarray(points_mm, dtype=np.float64)
        return self.centre_px + p / (self.mm_per_px, -self.mm_per_px)

    def to_mm(self, points_px: ArrayLike) -> FloatArray:
        """Board points (n, 2), mm, of pixels (n, 2)."""
        p = np.asarray(points_px, dtype=np.float64)
        return (p - self.centre_px) * (self.mm_per_px, -self.mm_per_px)

    def radius_mm(self, every: int = 1) -> np.ndarray:
        """Distance (h, w) float32, mm, of the pixels from the board's centre.

        With ``every`` n, only every nth pixel in x and y.
        """
        y, x = (
            (np.arange(0, size, every, dtype=np.float32) - middle) * np.float32(self.mm_per_px)
            for size, middle in zip(
                self.inside.shape, self.centre_px[::-1].astype(np.float32), strict=True
            )
        )
        return np.sqrt(y[:, None] ** 2 + x[None, :] ** 2)


def warp_birds_eye(
    image: np.ndarray, view: View, *, z_mm: float, half_side_mm: float, mm_per_px: float
) -> BirdsEyeImage:
    """The plane at ``z_mm`` out to ``half_side_mm`` from the board's centre.

    ``image`` (h, w, 3) uint8 BGR is in the pixels of ``view``.
    """
    side = int(round(2 * half_side_mm / mm_per_px))
    x_px, y_px = compute_plane_maps(view, z_mm=z_mm, side_px=side, mm_per_px=mm_per_px)
    inside = _find_inside(view, image.shape[:2], z_mm=z_mm, side_px=side, mm_per_px=mm_per_px)
    warped = resample(image, x_px, y_px)
    return BirdsEyeImage(image=warped, inside=inside, mm_per_px=mm_per_px, z_mm=z_mm)


def resample(image: np.ndarray, x_px: np.ndarray, y_px: np.ndarray) -> np.ndarray:
    """``image`` (h, w, 3) uint8 sampled at x, y (n, m) float32: (n, m, 3) uint8, bilinear.

    Black outside the image. Four channels take a quarter of the time of three.
    """
    padded = cv2.cvtColor(image, cv2.COLOR_BGR2BGRA)
    return cv2.cvtColor(cv2.remap(padded, x_px, y_px, cv2.INTER_LINEAR), cv2.COLOR_BGRA2BGR)


@lru_cache(maxsize=_KEPT_MAPS)
def _find_inside(
    view: View, shape: tuple[int, int], *, z_mm: float, side_px: int, mm_per_px: float
) -> np.ndarray:
    """Mask (side, side) bool of the pixels of the plane at ``z_mm`` that an image of ``shape``
    covers.

    The result is cached like the maps, and therefore read-only.
    """
    x_px, y_px = compute_plane_maps(view, z_mm=z_mm, side_px=side_px, mm_per_px=mm_per_px)
    height, width = shape
    inside = (x_px >= 0) & (y_px >= 0) & (x_px <= width - 1) & (y_px <= height - 1)
    inside.flags.writeable = False
    return np.asarray(inside)


@lru_cache(maxsize=_KEPT_MAPS)
def compute_plane_maps(
    view: View, *, z_mm: float, side_px: int, mm_per_px: float
) -> tuple[np.ndarray, np.ndarray]:
    """Image x and y (side, side) float32 for every pixel of the plane at ``z_mm``.

    Maps of the last views are cached, because a fixed camera needs them for every reading; they are
    read-only.
    """
    node = np.arange(side_px // _NODE_STEP_PX + 2) * _NODE_STEP_PX - (side_px - 1) / 2
    x, y = np.meshgrid(node * mm_per_px, -node * mm_per_px)
    coarse = view.project_plane(np.stack([x, y], axis=-1), z_mm).astype(np.float32)
    spread = _interpolation_weights(side_px, len(node))
    x_px, y_px = (spread @ coarse[..., axis] @ spread.T for axis in (0, 1))
    maps = np.ascontiguousarray(x_px), np.ascontiguousarray(y_px)
    for map_px in maps:
        map_px.flags.writeable = False
    return maps


def _interpolation_weights(pixels: int, nodes: int) -> np.ndarray:
    """Weights (pixels, nodes) float32 of linear interpolation from every ``_NODE_STEP_PX``th."""
    away = np.arange(pixels)[:, None] / _NODE_STEP_PX - np.arange(nodes)
    return np.maximum(0, 1 - np.abs(away)).astype(np.float32)
