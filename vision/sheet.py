"""The board laid flat: every frame of a fixed camera resampled to the same coarse millimetres.

Knows where each pixel of the sheet lies on the board. Refuses to know what the pixels show. It is
coarse so that it costs a millisecond a frame; places that decide a call are measured on the frame.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike

from calibration.board import BoardSpec
from calibration.camera import FloatArray
from calibration.pose import View
from vision.topdown import plane_maps

#: A disc is 16 px across: enough to follow it to a millimetre.
SHEET_MM_PER_PX = 2.0
#: The sheet reaches about so far over ditch and rail, so that a hand is seen to come from outside.
_BEYOND_SURFACE_MM = 70.0
#: Light is compared in pieces of so many pixels each way (16 mm), which divide the sheet evenly.
PIECE_PX = 8
#: The sheet is laid in bands of so many rows: read along them, the frame comes from memory in fewer
#: jumps, which takes a fifth off.
_BAND_PX = 24
#: Every such pixel of the surface, in x and y, is enough to measure the light.
_LIGHT_EVERY = 6
#: Discs are followed at this height: half of theirs, where outline and foot agree best.
SHEET_HEIGHT_MM = 5.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sheet:
    """Where every pixel of the sheet lies; row 0 is the +y edge, as on paper.

    whole_px, part_px  the frame's pixel that each sheet pixel shows, as ``cv2.convertMaps`` has it
    radius_mm   (side, side) float32: distance from the board's centre
    inside      (side, side) bool: the frame reaches this point
    surface     (side, side) bool: on the playing surface, and in the frame
    sampled     (n,) flat indices of pixels all over that surface
    """

    whole_px: np.ndarray
    part_px: np.ndarray
    radius_mm: np.ndarray
    inside: np.ndarray
    surface_radius_mm: float
    surface: np.ndarray
    sampled: np.ndarray

    @property
    def side_px(self) -> int:
        return int(self.radius_mm.shape[0])

    def lay(self, image: np.ndarray) -> np.ndarray:
        """The frame ``image`` (BGR, uint8) as the sheet (side, side, 3)."""
        flat = np.empty((self.side_px, self.side_px, 3), np.uint8)
        for first in range(0, self.side_px, _BAND_PX):
            rows = slice(first, first + _BAND_PX)
            whole_px, part_px = self.whole_px[rows], self.part_px[rows]
            cv2.remap(image, whole_px, part_px, cv2.INTER_LINEAR, dst=flat[rows])
        return flat

    def to_px(self, points_mm: ArrayLike) -> FloatArray:
        """Sheet pixels (n, 2) of board points (n, 2)."""
        half = (self.side_px - 1) / 2
        return half + np.asarray(points_mm, dtype=np.float64) / (SHEET_MM_PER_PX, -SHEET_MM_PER_PX)

    def to_mm(self, points_px: ArrayLike) -> FloatArray:
        """Board points (n, 2) of sheet pixels (n, 2)."""
        half = (self.side_px - 1) / 2
        arm = np.asarray(points_px, dtype=np.float64) - half
        return arm * (SHEET_MM_PER_PX, -SHEET_MM_PER_PX)

    def discs(self, feet_mm: ArrayLike, radius_mm: float) -> np.ndarray:
        """(side, side) uint8: 1 within ``radius_mm`` of any of ``feet_mm`` (n, 2)."""
        mask = np.zeros(self.radius_mm.shape, np.uint8)
        radius_px = max(1, round(radius_mm / SHEET_MM_PER_PX))
        for x, y in np.rint(self.to_px(np.reshape(feet_mm, (-1, 2)))).astype(int):
            cv2.circle(mask, (int(x), int(y)), radius_px, 1, -1)
        return mask


def sheet_of(view: View, spec: BoardSpec, shape: tuple[int, ...]) -> Sheet:
    """The sheet of frames of ``shape`` (height, width, ...) under ``view``."""
    half_side_mm = spec.surface_radius_mm + _BEYOND_SURFACE_MM
    side = PIECE_PX * round(2 * half_side_mm / SHEET_MM_PER_PX / PIECE_PX)
    x_px, y_px = plane_maps(view, z_mm=SHEET_HEIGHT_MM, side_px=side, mm_per_px=SHEET_MM_PER_PX)
    across = (np.arange(side, dtype=np.float32) - (side - 1) / 2) * SHEET_MM_PER_PX
    inside = (x_px >= 0) & (y_px >= 0) & (x_px <= shape[1] - 1) & (y_px <= shape[0] - 1)
    radius_mm = np.hypot(across[:, None], across[None, :]).astype(np.float32)
    surface = (radius_mm < spec.surface_radius_mm) & inside
    every = np.zeros_like(surface)
    every[::_LIGHT_EVERY, ::_LIGHT_EVERY] = True
    whole_px, part_px = cv2.convertMaps(x_px, y_px, cv2.CV_16SC2)
    return Sheet(
        whole_px=whole_px,
        part_px=part_px,
        radius_mm=radius_mm,
        inside=inside,
        surface_radius_mm=spec.surface_radius_mm,
        surface=surface,
        sampled=np.flatnonzero(surface & every),
    )


def in_pieces(image: np.ndarray) -> np.ndarray:
    """The means (side / 8, side / 8, ...) of a sheet's pieces."""
    size = (image.shape[1] // PIECE_PX, image.shape[0] // PIECE_PX)
    return cv2.resize(image, size, interpolation=cv2.INTER_AREA)
