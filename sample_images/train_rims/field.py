"""The types of a field of discs: a piece of wood with many discs of one set, seen from close up.

World frame: the board frame, z = 0 on the wood, mm; colours are linear light.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.camera import FloatArray
from calibration.pose import View
from sample_images.renderer.scene import Sensor


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lamp:
    """A rectangular lamp: its middle and half sides (3,), and its radiance (3,)."""

    middle_mm: FloatArray
    half_u_mm: FloatArray
    half_v_mm: FloatArray
    radiance_rgb: FloatArray


#: Discs nearer than this to the picture's border, mm, do not show the wood around them.
_BORDER_MM = 24.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Field:
    """A picture of discs on wood.

    base_mm     centres of the bottom faces (n, 2)
    disc_rgb    albedo of the discs (n, 3)
    radius_mm, disc_height_mm  the discs' widest radius and height
    round_mm    radii of their lower and upper edges
    wood_rgb    albedo of the wood (rows, columns, 3), with ``wood_mm_per_px``, around the origin
    gloss       share of a clear coat on discs and on wood (2,); roughness of the coats (2,)
    ambient_rgb radiance from everywhere (3,)
    """

    width_px: int
    height_px: int
    view: View
    base_mm: FloatArray
    disc_rgb: FloatArray
    radius_mm: float
    disc_height_mm: float
    round_mm: tuple[float, float]
    wood_rgb: np.ndarray
    wood_mm_per_px: float
    gloss: tuple[float, float]
    roughness: tuple[float, float]
    lamps: tuple[Lamp, ...]
    ambient_rgb: FloatArray
    sensor: Sensor
    sharpening: float

    @property
    def whole_mm(self) -> FloatArray:
        """Bases (m, 2) of the discs that are completely in the picture, with some wood around
        them.
        """
        px = self.view.project_plane(self.base_mm)
        border = _BORDER_MM / self.view.mm_per_px()
        far = np.array([self.width_px, self.height_px]) - border
        return self.base_mm[((px > border) & (px < far)).all(axis=1)]
