"""A camera model: projects points to pixels, and pixels to rays.

The pinhole model with two radial distortion terms (Brown 1971; the first two radial terms of
OpenCV's model). Distortion is undone by Newton's method, which is exact inside the picture; where
strong barrel distortion folds the picture's corners over, rays are wrong.

Camera frame: x right, y down, z forward; mm. Pixels: (x, y), the centre of the top-left pixel at
(0, 0).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from calibration.board import FloatArray as FloatArray  # imported from here together with cameras
from calibration.parameters import StageParameters, parameter


class CameraParameters(StageParameters):
    """Parameters of ``camera``."""

    max_undistort_steps: int = parameter(
        6,
        unit="steps",
        source="computed: Newton's method squares the error at every step: 0.1 becomes 1e-16 "
        "after four",
    )
    undistort_tolerance: float = parameter(
        1e-8,
        unit="focal lengths",
        source="computed: the square of this number is the precision of a float",
    )
    min_undistort_slope: float = parameter(
        0.2,
        unit="",
        source="chosen: keeps Newton's steps finite where the distortion folds the picture over",
    )


PARAMS = CameraParameters()


@dataclass(frozen=True, slots=True, kw_only=True)
class Camera:
    """Intrinsics of one picture, in pixels of that picture.

    fx_px, fy_px  focal length along x and y
    cx_px, cy_px  where the optical axis meets the picture
    k1, k2        radial distortion: a point at r focal lengths from the axis is imaged at
                  r (1 + k1 r^2 + k2 r^4)
    """

    fx_px: float
    fy_px: float
    cx_px: float
    cy_px: float
    k1: float = 0.0
    k2: float = 0.0

    def project(self, points_cam: ArrayLike) -> FloatArray:
        """Pixels (n, 2) of camera-frame points (n, 3), z > 0."""
        p = np.asarray(points_cam, dtype=np.float64)
        pixels = np.empty((*p.shape[:-1], 2))
        pixels[..., 0], pixels[..., 1] = self.project_parts(p[..., 0], p[..., 1], p[..., 2])
        return pixels

    def project_parts(
        self, x: FloatArray, y: FloatArray, z: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Pixel x and y (...) of camera-frame points given as three arrays (...) of one type.

        Faster than one array of points; float32 is accurate to a thousandth of a pixel.
        """
        x, y = x / z, y / z
        r2 = x * x + y * y
        factor = 1.0 + r2 * (self.k1 + r2 * self.k2)
        return x * (factor * self.fx_px) + self.cx_px, y * (factor * self.fy_px) + self.cy_px

    def rays(self, points_px: ArrayLike) -> FloatArray:
        """Directions (n, 3) in the camera frame, with z = 1, of pixels (n, 2)."""
        px = np.asarray(points_px, dtype=np.float64)
        x = (px[..., 0] - self.cx_px) / self.fx_px
        y = (px[..., 1] - self.cy_px) / self.fy_px
        directions = np.ones((*x.shape, 3))
        directions[..., 0], directions[..., 1] = x, y
        if self.k1 == self.k2 == 0.0:  # most pictures are searched with an ideal lens
            return directions
        rd = np.sqrt(x * x + y * y)
        r = rd
        for _ in range(PARAMS.max_undistort_steps):  # Newton on r (1 + k1 r^2 + k2 r^4) = rd
            r2 = r * r
            slope = np.maximum(
                1 + r2 * (3 * self.k1 + 5 * self.k2 * r2), PARAMS.min_undistort_slope
            )
            step = (r * (1 + r2 * (self.k1 + self.k2 * r2)) - rd) / slope
            r = r - step
            if np.abs(step).max(initial=0.0) < PARAMS.undistort_tolerance:
                break
        directions[..., :2] *= (r / np.maximum(rd, 1e-12))[..., None]
        return directions

    def rescale(self, factor: float) -> Camera:
        """The same camera for the picture resized by ``factor``, by the pixel-centre convention."""
        return Camera(
            fx_px=self.fx_px * factor,
            fy_px=self.fy_px * factor,
            cx_px=(self.cx_px + 0.5) * factor - 0.5,
            cy_px=(self.cy_px + 0.5) * factor - 0.5,
            k1=self.k1,
            k2=self.k2,
        )
