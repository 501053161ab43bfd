"""A moving camera's picture, aligned with its first picture of the board.

It is resampled only on demand. For discs in motion it is sampled directly at the wanted places,
after smoothing; for discs at rest as a whole and sharp, by cubic convolution (Keys 1981). The test
whether anything has changed uses half its size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from calibration.board import FloatArray
from vision.io.timed_frame import CameraImage, ImagePlane, PixelBox
from vision.track.steady.picture_registration import make_shift, scale_pixels, smooth

#: Pictures are compared at this share of their size.
_REDUCED = 2
#: A point between two samples needs both, and smoothing needs two more. Parts of a picture begin
#: and end at multiples of this, so that few sizes are converted.
_REACH_PX, _GRID_PX = 4, 32


class SteadiedImage(CameraImage):
    """A moving camera's picture without its motion."""

    def __init__(self, seen: CameraImage, warp: FloatArray) -> None:
        """``warp`` (3, 3) maps the pixels' proper places to those of ``seen``."""
        self._seen = seen
        self.warp = warp
        self._made: np.ndarray | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return self._seen.shape

    @property
    def nbytes(self) -> int:
        return self._seen.nbytes

    @property
    def bgr(self) -> np.ndarray:
        if self._made is None:
            self._made = _move_back(self._seen.bgr, self.warp, self.shape[1::-1], cv2.INTER_CUBIC)
        return self._made

    @property
    def grey(self) -> np.ndarray:
        return _move_back(self._seen.grey, self.warp, self.shape[1::-1], cv2.INTER_LINEAR)

    @property
    def planes(self) -> tuple[ImagePlane, ...]:
        """None, because no plane of a moving camera can be shown unchanged."""
        return ()

    def cut_planes(self, box: PixelBox) -> tuple[ImagePlane, ...]:
        """The planes within a box, at half their resolution and smoothed."""
        return tuple(self._reduce(plane, box) for plane in self._seen.planes)

    def _reduce(self, plane: ImagePlane, box: PixelBox) -> ImagePlane:
        every_px = _REDUCED * plane.every_px
        height, width = (length // _REDUCED for length in plane.levels.shape[:2])
        small = cv2.resize(plane.levels, (width, height), interpolation=cv2.INTER_AREA)
        picture_from_sample = make_shift(np.array([box.left, box.top])) @ scale_pixels(every_px)
        warp = scale_pixels(1 / every_px) @ self.warp @ picture_from_sample
        size = (box.right - box.left) // every_px, (box.bottom - box.top) // every_px
        return replace(
            plane,
            levels=_move_back(smooth(small), warp, size, cv2.INTER_LINEAR),
            every_px=every_px,
        )

    def resample(self, x_px: np.ndarray, y_px: np.ndarray) -> np.ndarray:
        """The picture's values at places (n, m) float32, smoothed: (n, m, 3) uint8 BGR."""
        x, y = _move(x_px, y_px, self.warp)
        box = _surround(x, y, self.shape)
        planes = (
            replace(plane, levels=smooth(plane.levels, plane.every_px))
            for plane in (box.cut(plane) for plane in self._seen.planes)
        )
        smoothed = self._seen.show_planes(tuple(planes)).bgra
        x, y = x - np.float32(box.left), y - np.float32(box.top)
        shown = cv2.remap(smoothed, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return cv2.cvtColor(shown, cv2.COLOR_BGRA2BGR)


def _move_back(levels: np.ndarray, warp: FloatArray, size: Sequence[int], way: int) -> np.ndarray:
    """Levels, moved to their proper places in a picture of that width and height by a homography
    (3, 3) from these places.
    """
    way |= cv2.WARP_INVERSE_MAP
    return cv2.warpPerspective(levels, warp, size, flags=way, borderMode=cv2.BORDER_REPLICATE)


def _surround(x_px: np.ndarray, y_px: np.ndarray, shape: tuple[int, ...]) -> PixelBox:
    """The part of a picture of ``shape`` that is needed for values at places (n, m)."""
    edges = []
    for places_px, size in ((x_px, shape[1]), (y_px, shape[0])):
        least, most, *_ = cv2.minMaxLoc(places_px)
        low = min(max(int(least) - _REACH_PX, 0), size - 1) // _GRID_PX
        high = max(int(most) + _REACH_PX, 0) // _GRID_PX + 1
        edges.append((low * _GRID_PX, min(high * _GRID_PX, size)))
    (left, right), (top, bottom) = edges
    return PixelBox(left=left, top=top, right=right, bottom=bottom)


def _move(x_px: np.ndarray, y_px: np.ndarray, warp: FloatArray) -> list[np.ndarray]:
    """Places (n, m) float32 moved by a homography (3, 3): five times as fast as merging, moving and
    splitting them.
    """
    over = cv2.addWeighted(x_px, warp[2, 0], y_px, warp[2, 1], warp[2, 2])
    return [cv2.divide(cv2.addWeighted(x_px, a, y_px, b, c), over) for a, b, c in warp[:2]]
