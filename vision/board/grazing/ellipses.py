"""Narrow ellipses in a picture, likeliest first: circles on a table in a grazing view.

Every arc, and every two arcs of one ellipse, are fitted directly (Fitzgibbon, Pilu and Fisher
1999); an ellipse counts by the share of it along which edges run. It finds rails, rims and edges of
the surface as well as lines, and does not distinguish them. A circle without a smooth piece longer
than a few centimetres is not found.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import ClassVar

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.numerics.medians import quantile
from calibration.parameters import StageParameters, parameter
from vision.board.edges import EdgePoints


class EllipsesParameters(StageParameters):
    """Parameters of ``ellipses``."""

    stage: ClassVar[str] = "board.ellipses"

    #: Half the long axis over the picture's long side; the short axis over the long one.
    axis_span: tuple[float, float] = parameter(
        (0.06, 0.8),
        unit="long sides",
        source="chosen: covers 10-lines of boards from an eighth of the picture",
    )
    flatness_span: tuple[float, float] = parameter(
        (0.09, 0.75),
        unit="",
        source="geometry: the ratio of an ellipse's axes at tilts of 41° to 85°",
    )
    #: Share of the arcs' pixels that must be this close to the ellipse.
    inlier_share: float = parameter(
        0.9, unit="share", source="chosen: the ends of arcs bend where they meet others"
    )
    max_distance_px: float = parameter(
        1.6,
        unit="px",
        source="chosen: the rounding to whole pixels, and the distortion of a circle by a lens",
    )
    #: An edge runs along an ellipse if it is this close and its gradient points across it.
    min_cosine: float = parameter(
        0.95,
        unit="cosine",
        source="chosen: 18°, the scatter of gradients on a thin line in strong grain",
    )
    #: Ellipses this close to a better one, in centre and axes, count as the same.
    same_px: float = parameter(
        4.0, unit="px", source="chosen: a line and the surface's edge are twice as far apart"
    )
    #: Least share of an ellipse along which edges run.
    min_coverage: float = parameter(
        0.3,
        unit="share",
        source="measured: the lowest of 50 boards in grazing views, altered or not, shows 0.33",
    )


PARAMS = EllipsesParameters()
#: Ellipses whose coverage is measured, for time: those of the longest arcs.
_MEASURED = 60
#: Every nth pixel of an arc is enough: neighbours add nothing but time.
_ARC_STEP = 3
#: Sectors of an ellipse: 5° each.
_SECTORS = 72


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ImageEllipse:
    """An ellipse: its centre (2,), its half axes in px, long one first, and the angle of the long
    axis.

    coverage  share of it with edges along it
    """

    centre_px: FloatArray
    half_axes_px: tuple[float, float]
    angle_rad: float
    coverage: float = 0.0

    @property
    def conic(self) -> FloatArray:
        """The symmetric matrix (3, 3) whose form x'Cx is 0 on it and negative inside."""
        along = np.array([np.cos(self.angle_rad), np.sin(self.angle_rad)])
        axes = np.array([along, [-along[1], along[0]]])
        form = axes.T @ np.diag(1.0 / np.square(self.half_axes_px)) @ axes
        conic = np.empty((3, 3))
        conic[:2, :2] = form
        conic[:2, 2] = conic[2, :2] = -form @ self.centre_px
        conic[2, 2] = self.centre_px @ form @ self.centre_px - 1.0
        return conic

    @property
    def end_px(self) -> FloatArray:
        """One end (2,) of its long axis."""
        along = np.array([np.cos(self.angle_rad), np.sin(self.angle_rad)])
        return np.asarray(self.centre_px + self.half_axes_px[0] * along)

    def is_near(self, other: ImageEllipse) -> bool:
        """Whether both are the same ellipse."""
        apart = [*(self.centre_px - other.centre_px)]
        apart += [a - b for a, b in zip(self.half_axes_px, other.half_axes_px, strict=True)]
        return bool(np.abs(apart).max() < PARAMS.same_px)

    def measure_distances(self, points_px: FloatArray) -> FloatArray:
        """Distances (n,) of points (n, 2) outside it, px to first order."""
        u, v = self._to_unit_circle(points_px)
        long, short = self.half_axes_px
        level = np.hypot(u, v)
        slope = np.hypot(u / long, v / short) / np.maximum(level, 1e-9)
        return np.asarray((level - 1.0) / np.maximum(slope, 1e-9))

    def find_directions(self, points_px: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Angles (n,), rad, of points (n, 2) about it, and unit directions (n, 2) across it."""
        u, v = self._to_unit_circle(points_px)
        long, short = self.half_axes_px
        cos, sin = np.cos(self.angle_rad), np.sin(self.angle_rad)
        across = np.stack([cos * u / long - sin * v / short, sin * u / long + cos * v / short], -1)
        across /= np.maximum(np.linalg.norm(across, axis=-1, keepdims=True), 1e-12)
        return np.arctan2(v, u), across

    def _to_unit_circle(self, points_px: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Coordinates (n,) and (n,) of points (n, 2) along its axes, in half axes."""
        cos, sin = np.cos(self.angle_rad), np.sin(self.angle_rad)
        x, y = points_px[:, 0] - self.centre_px[0], points_px[:, 1] - self.centre_px[1]
        long, short = self.half_axes_px
        return (cos * x + sin * y) / long, (cos * y - sin * x) / short


def find_ellipses(
    arcs: list[FloatArray], edges: EdgePoints, size_px: tuple[int, int], most: int
) -> list[ImageEllipse]:
    """At most ``most`` ellipses through arcs of pixels (n, 2), best covered by edges first."""
    fitted = sorted(_fit_arcs(arcs, max(size_px)), key=lambda arc: -arc[0])
    kept: list[ImageEllipse] = []
    for _, ellipse in fitted[:_MEASURED]:
        if not any(ellipse.is_near(other) for other in kept):
            kept.append(_measure_coverage(ellipse, edges))
    kept = [
        image_ellipse for image_ellipse in kept if image_ellipse.coverage >= PARAMS.min_coverage
    ]
    # coverage of a long ellipse is better evidence than of a short one
    kept.sort(
        key=lambda image_ellipse: -image_ellipse.coverage * image_ellipse.half_axes_px[0] ** 0.5
    )
    return kept[:most]


def _fit_arcs(arcs: list[FloatArray], side_px: int) -> Iterator[tuple[int, ImageEllipse]]:
    """Ellipses through one or two arcs, and their numbers of pixels on the ellipse."""
    thinned = [arc[::_ARC_STEP] for arc in arcs]
    for one, other in combinations_with_replacement(range(len(arcs)), 2):
        points = thinned[one] if one == other else np.concatenate([thinned[one], thinned[other]])
        ellipse = _fit_ellipse(points)
        if ellipse is None or not _is_narrow(ellipse, side_px):
            continue
        distance_px = np.abs(ellipse.measure_distances(points))
        if quantile(distance_px, PARAMS.inlier_share) < PARAMS.max_distance_px:
            yield len(points), ellipse


def _fit_ellipse(points_px: FloatArray) -> ImageEllipse | None:
    (x, y), axes, angle_deg = cv2.fitEllipseDirect(points_px.astype(np.float32))
    if not np.isfinite([x, y, *axes, angle_deg]).all() or min(axes) <= 0:
        return None
    half = (axes[0] / 2, axes[1] / 2)
    angle = np.radians(angle_deg if half[0] >= half[1] else angle_deg + 90.0)
    return ImageEllipse(
        centre_px=np.array([x, y]), half_axes_px=(max(half), min(half)), angle_rad=float(angle)
    )


def _is_narrow(ellipse: ImageEllipse, side_px: int) -> bool:
    """Whether it may be a circle of a board in a grazing view."""
    long, short = ellipse.half_axes_px
    low, high = PARAMS.axis_span
    flattest, roundest = PARAMS.flatness_span
    return low * side_px < long < high * side_px and flattest < short / long < roundest


def _measure_coverage(ellipse: ImageEllipse, edges: EdgePoints) -> ImageEllipse:
    is_near = np.abs(ellipse.measure_distances(edges.points_px)) < PARAMS.max_distance_px
    turn_rad, across = ellipse.find_directions(edges.points_px[is_near])
    is_on = np.abs((across * edges.gradients[is_near]).sum(axis=-1)) > PARAMS.min_cosine
    sector = (turn_rad[is_on] / (2 * np.pi) * _SECTORS).astype(np.intp) % _SECTORS
    return ImageEllipse(
        centre_px=ellipse.centre_px,
        half_axes_px=ellipse.half_axes_px,
        angle_rad=ellipse.angle_rad,
        coverage=len(np.unique(sector)) / _SECTORS,
    )
