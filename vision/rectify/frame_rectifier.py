"""Rectified frames: the frames of a fixed camera, all resampled to one coarse grid in millimetres.

The maps are computed once per view and applied with ``cv2.remap``. The image is coarse, so
rectifying costs about a millisecond per frame. Close calls are measured on the frame itself. After
the camera moves, rectified frames are wrong until the board is found again.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike

from calibration.board import BoardSpec
from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.pose import View
from vision.rectify.birds_eye import compute_plane_maps, resample

#: A disc is 16 px across, which is enough to track it to a millimetre.
RECTIFIED_MM_PER_PX = 2.0


class FrameRectifierParameters(StageParameters):
    """Parameters of ``frame_rectifier``."""

    #: A rectified frame extends this far beyond the playing surface.
    margin_mm: float = parameter(
        70.0,
        unit="mm",
        source="chosen: includes the ditch and the rail, so that a hand is seen coming in",
    )


PARAMS = FrameRectifierParameters()
#: Every nth pixel of the surface, in x and y, is used to measure the light: samples 12 mm apart,
#: because light varies slowly.
_LIGHT_STEP_PX = 6
#: Light is compared in tiles of this many pixels a side (16 mm), which divide a frame evenly.
TILE_PX = 8
#: Discs are tracked at this height: half of a disc's, where outline and base agree best.
RECTIFIED_HEIGHT_MM = 5.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FrameRectifier:
    """Maps that rectify the frames of one view; row 0 is the +y edge, as on paper.

    x_px, y_px  (side, side) float32: the frame's pixel for each rectified pixel
    radius_mm   (side, side) float32: distance from the board's centre
    inside      (side, side) bool: whether the frame covers this point
    surface_radius_mm  of the board
    surface     (side, side) bool: on the playing surface and in the frame
    light_sample_indices  (n,) flat indices of pixels all over the surface
    """

    x_px: np.ndarray
    y_px: np.ndarray
    radius_mm: np.ndarray
    inside: np.ndarray
    surface_radius_mm: float
    surface: np.ndarray
    light_sample_indices: np.ndarray

    @property
    def side_px(self) -> int:
        """Width and height of a rectified frame."""
        return int(self.radius_mm.shape[0])

    def rectify(self, image: np.ndarray) -> np.ndarray:
        """The frame ``image`` (h, w, 3) uint8 BGR rectified: (side, side, 3) uint8 BGR."""
        return resample(image, self.x_px, self.y_px)

    def to_px(self, points_mm: ArrayLike) -> FloatArray:
        """Rectified pixels (n, 2) of board points (n, 2), mm."""
        half = (self.side_px - 1) / 2
        return half + np.asarray(points_mm, dtype=np.float64) / (
            RECTIFIED_MM_PER_PX,
            -RECTIFIED_MM_PER_PX,
        )

    def to_mm(self, points_px: ArrayLike) -> FloatArray:
        """Board points (n, 2), mm, of rectified pixels (n, 2)."""
        half = (self.side_px - 1) / 2
        arm = np.asarray(points_px, dtype=np.float64) - half
        return arm * (RECTIFIED_MM_PER_PX, -RECTIFIED_MM_PER_PX)

    def disc_mask(self, bases_mm: ArrayLike, radius_mm: float) -> np.ndarray:
        """(side, side) uint8: 1 within ``radius_mm`` of any of ``bases_mm`` (n, 2), 0 elsewhere."""
        mask = np.zeros(self.radius_mm.shape, np.uint8)
        radius_px = max(1, round(radius_mm / RECTIFIED_MM_PER_PX))
        for x, y in np.rint(self.to_px(np.reshape(bases_mm, (-1, 2)))).astype(int):
            cv2.circle(mask, (int(x), int(y)), radius_px, 1, -1)
        return mask


def make_rectifier(view: View, spec: BoardSpec, shape: tuple[int, ...]) -> FrameRectifier:
    """The rectifier of frames of ``shape`` (height, width, ...) under ``view``."""
    half_side_mm = spec.surface_radius_mm + PARAMS.margin_mm
    side = TILE_PX * round(2 * half_side_mm / RECTIFIED_MM_PER_PX / TILE_PX)
    x_px, y_px = compute_plane_maps(
        view, z_mm=RECTIFIED_HEIGHT_MM, side_px=side, mm_per_px=RECTIFIED_MM_PER_PX
    )
    across = (np.arange(side, dtype=np.float32) - (side - 1) / 2) * RECTIFIED_MM_PER_PX
    inside = (x_px >= 0) & (y_px >= 0) & (x_px <= shape[1] - 1) & (y_px <= shape[0] - 1)
    radius_mm = np.hypot(across[:, None], across[None, :]).astype(np.float32)
    surface = (radius_mm < spec.surface_radius_mm) & inside
    every = np.zeros_like(surface)
    every[::_LIGHT_STEP_PX, ::_LIGHT_STEP_PX] = True
    return FrameRectifier(
        x_px=x_px,
        y_px=y_px,
        radius_mm=radius_mm,
        inside=inside,
        surface_radius_mm=spec.surface_radius_mm,
        surface=surface,
        light_sample_indices=np.flatnonzero(surface & every),
    )


def average_tiles(image: np.ndarray) -> np.ndarray:
    """The means (side / 8, side / 8, ...) of a rectified frame's tiles."""
    size = (image.shape[1] // TILE_PX, image.shape[0] // TILE_PX)
    return cv2.resize(image, size, interpolation=cv2.INTER_AREA)
