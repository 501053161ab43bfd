"""Sizes of a crokinole board and of its discs, in millimetres: nominal, or as measured.

A line is a circle with an ovality: r (1 + c cos 2a + s sin 2a) at azimuth a about its own centre.

Board frame: origin at the centre of the 10-line on the playing surface, x right, y away
from the viewer, z up out of the board; mm. The quadrant lines are at 45 + 90 k degrees, the posts
at 22.5 + 45 k degrees.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.floating[Any]]

#: Radius that sets the scale of any board without a profile: the nominal radius of the 10-line.
SCALE_RADIUS_MM = 203.2


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardSpec:
    """A board's sizes. Radii are to the middle of a painted line.

    line_radii_mm    radii of the 15-, 10- and 5-line
    line_sigmas_mm   local deviation of each line from its shape, one standard deviation
    line_centres_mm  centre of each line in the board frame: drawn rings are not quite concentric
    ovality          (c, s): a line's radius is r (1 + c cos 2a + s sin 2a) at azimuth a, the same
                     for all lines: wood shrinks across the grain, videos stretch
    line_width_mm    painted width of the lines, with its standard deviation
    surface_radius_mm  edge of the raised playing surface
    hole_centre_mm   centre of the 20-hole in the board frame
    """

    line_radii_mm: tuple[float, float, float] = (101.6, 203.2, 304.8)
    line_sigmas_mm: tuple[float, float, float] = (0.0, 0.0, 0.0)
    line_centres_mm: tuple[tuple[float, float], ...] = ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0))
    ovality: tuple[float, float] = (0.0, 0.0)
    line_width_mm: float = 1.6
    line_width_sigma_mm: float = 0.3
    hole_radius_mm: float = 17.46
    hole_depth_mm: float = 8.0
    hole_centre_mm: tuple[float, float] = (0.0, 0.0)
    surface_radius_mm: float = 330.2
    post_count: int = 8
    post_radius_mm: float = 4.0
    post_height_mm: float = 20.0
    post_ring_radius_mm: float = 101.6

    def __post_init__(self) -> None:
        r15, r10, r5 = self.line_radii_mm
        if not 0 < self.hole_radius_mm < r15 < r10 < r5 < self.surface_radius_mm:
            raise ValueError(
                "board radii must grow outward (hole, 15-, 10-, 5-line, surface), got "
                f"{(self.hole_radius_mm, *self.line_radii_mm, self.surface_radius_mm)} mm"
            )
        if len(self.line_centres_mm) != 3:
            raise ValueError("line_centres_mm needs a centre for each of the three lines")
        if self.line_width_mm <= 0:
            raise ValueError(f"line_width_mm must be positive, got {self.line_width_mm}")

    def inside_line_mm(self, line: int, points_mm: ArrayLike) -> FloatArray:
        """Distances (n,), mm, of points (n, 2) inside the core of a line (0: 15, 1: 10, 2: 5)."""
        arm = np.asarray(points_mm, dtype=np.float64) - np.asarray(self.line_centres_mm[line])
        distance = np.linalg.norm(arm, axis=-1)
        azimuth = np.arctan2(arm[..., 1], arm[..., 0])
        return np.asarray(self.line_radii_mm[line] * oval_factor(azimuth, self.ovality) - distance)

    def line_points_mm(self, line: int, azimuths_rad: ArrayLike) -> FloatArray:
        """Points (n, 2) on the middle of a line at azimuths (n,) about its own centre."""
        azimuth = np.asarray(azimuths_rad, dtype=np.float64)
        radius = self.line_radii_mm[line] * oval_factor(azimuth, self.ovality)
        unit = np.stack([np.cos(azimuth), np.sin(azimuth)], axis=-1)
        return np.asarray(self.line_centres_mm[line] + radius[..., None] * unit)


def oval_factor(azimuth_rad: FloatArray, ovality: ArrayLike) -> FloatArray:
    """Radius factor (n,) at azimuths (n,) of a ring of that ovality (c, s)."""
    c, s = np.asarray(ovality, dtype=np.float64)
    return np.asarray(1.0 + c * np.cos(2 * azimuth_rad) + s * np.sin(2 * azimuth_rad))


#: Least and most light that a floor can reflect, as a share of the surface's: black and white
#: paint.
FLOOR_LIGHT_SHARES = (1e-4, 1e4)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmptyHole:
    """Colour of a board's empty 20-hole, independent of lighting and view.

    light_rgb  linear light (red, green, blue) from the floor, as a share of that from the surface
               around the hole, so that a lamp's colour and strength cancel out
    """

    light_rgb: tuple[float, float, float]

    def __post_init__(self) -> None:
        least, most = FLOOR_LIGHT_SHARES
        if not all(least <= share <= most for share in self.light_rgb):
            raise ValueError(f"light_rgb must be shares between {least:g} and {most:g}")
