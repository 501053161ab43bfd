"""The empty surface's colour at every pixel, and the certainty that a pixel shows another object.

The surface is rectified, and its colour is the median over a window of several discs. The median
follows glare, shade and planks, and ignores discs, posts and lines. Beyond the surface's edge, its
mirror image is used. A pixel is the more foreign the larger its distance from that colour is,
compared with the grain's. If a hand or many discs fill a window, the median is their colour.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.board import BoardSpec
from calibration.camera import FloatArray
from calibration.circle import circle_mm
from calibration.parameters import StageParameters, parameter
from calibration.pose import View
from vision.discs.teams.team_colours import DARK_POINT_L, bgr_to_weighted_lab


class SurfaceColoursParameters(StageParameters):
    """Parameters of ``surface_colours``."""

    #: The median is computed over a square of this side, at this resolution.
    window_mm: float = parameter(100.0, unit="mm", source="chosen: the area of nine discs")
    #: The medians are smoothed over this.
    smooth_mm: float = parameter(10.0, unit="mm", source="chosen: a tenth of the window")
    #: Within this distance of its edge the surface may be worn or bevelled.
    edge_mm: float = parameter(6.0, unit="mm", source="chosen: edges are worn and bevelled")
    #: A pixel this many times as far away as the grain's median is as likely foreign as not, ...
    grain_medians: float = parameter(
        4.0, unit="medians", source="normal noise: 4 medians are 2.7 standard deviations"
    )
    #: ... but the distance must be at least this.
    least_lab: float = parameter(5.0, unit="weighted Lab", source="chosen: the noise of a JPEG")
    #: Shade and glints scale a colour in Lab by at most these factors.
    light_scales: tuple[float, float] = parameter(
        (0.85, 1.1), unit="", source="cube roots of 0.61 and of 1.33 times the usual light"
    )
    #: Nothing is known this near to the hole's rim, which is worn and shaded.
    hole_margin_mm: float = parameter(
        2.0, unit="mm", source="chosen: the width of a worn and bevelled rim"
    )


PARAMS = SurfaceColoursParameters()
#: Objects at the far edge are visible this far beyond it: twice a disc's height there.
_BEYOND_PX = 20
#: Resolution of the empty surface's colours: in steep views a pixel covers 4 mm.
_STEP_MM = 2.5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ForeignMap:
    """The places where a picture shows something other than the empty surface.

    corner_px  (x, y) in the picture of the map's first pixel
    foreign    -1 the surface, 0 undecided, 1 certainly not the surface: (h, w) float32
    known      the surface would be visible there: (h, w) bool
    """

    corner_px: np.ndarray
    foreign: np.ndarray
    known: np.ndarray


def map_foreign_pixels(image: np.ndarray, view: View, spec: BoardSpec) -> ForeignMap:
    """The places where ``image`` (h, w, 3) BGR uint8 shows this board's surface covered."""
    edge = view.project_plane(circle_mm((0.0, 0.0), spec.surface_radius_mm, 120))
    last = np.array(image.shape[1::-1]) - 1
    low = np.clip(np.floor(edge.min(axis=0)) - _BEYOND_PX, 0, last).astype(int)
    high = np.clip(np.ceil(edge.max(axis=0)) + _BEYOND_PX, 0, last).astype(int)
    x, y = np.meshgrid(np.arange(low[0], high[0] + 1), np.arange(low[1], high[1] + 1))
    place = view.unproject_plane(np.stack([x, y], axis=-1).reshape(-1, 2)).reshape(*x.shape, 2)
    empty, grain_lab = _estimate_empty_surface(image, view, spec)
    at = (place / _STEP_MM * (1, -1) + (len(empty) - 1) / 2).astype(np.float32)
    expected = cv2.remap(
        empty, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    seen = image[low[1] : high[1] + 1, low[0] : high[0] + 1]
    away = _measure_distance(seen, expected)
    even = _find_even_distance(grain_lab)
    on_surface = np.linalg.norm(place, axis=-1) < spec.surface_radius_mm - PARAMS.hole_margin_mm
    off_hole = np.linalg.norm(place - spec.hole_centre_mm, axis=-1)
    known = on_surface & (off_hole > spec.hole_radius_mm + PARAMS.hole_margin_mm)
    foreign = np.clip(away / even - 1.0, -1.0, 1.0) * known
    return ForeignMap(corner_px=low, foreign=foreign.astype(np.float32), known=known)


def _find_even_distance(grain_lab: float) -> float:
    """The distance from the surface's colour at which a pixel is equally likely to be foreign or
    not.
    """
    return max(PARAMS.grain_medians * grain_lab, PARAMS.least_lab)


def _estimate_empty_surface(
    image: np.ndarray, view: View, spec: BoardSpec
) -> tuple[np.ndarray, float]:
    """The empty surface from above (n, n, 3) uint8, and its grain: the median distance from it."""
    edge_mm = spec.surface_radius_mm - PARAMS.edge_mm
    side = int(2 * (edge_mm + PARAMS.window_mm / 2) / _STEP_MM)
    across = (np.arange(side) - (side - 1) / 2) * _STEP_MM
    x, y = np.meshgrid(across, -across)
    away = np.hypot(x, y)
    mirrored = np.where(away > edge_mm, (2 * edge_mm - away) / np.maximum(away, 1.0), 1.0)
    px = view.project_plane(np.stack([x * mirrored, y * mirrored], axis=-1)).astype(np.float32)
    seen = cv2.remap(
        image, px[..., 0], px[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    window = 2 * round(PARAMS.window_mm / _STEP_MM / 2) + 1
    median = cv2.merge([cv2.medianBlur(channel, window) for channel in cv2.split(seen)])
    empty = cv2.GaussianBlur(median, (0, 0), PARAMS.smooth_mm / _STEP_MM)
    return empty, float(np.median(_measure_distance(seen, empty)[away < edge_mm]))


def _measure_distance(seen: np.ndarray, surface: np.ndarray) -> FloatArray:
    """Weighted Lab distance (h, w) of the picture from the surface in the most similar light.

    More light scales L + 16, a and b alike (``team_colours``), so shade is not another colour.
    """
    dark_point = np.array([DARK_POINT_L, 0.0, 0.0])
    arm, own = bgr_to_weighted_lab(seen) - dark_point, bgr_to_weighted_lab(surface) - dark_point
    light = np.einsum("...k,...k->...", arm, own) / np.einsum("...k,...k->...", own, own)
    lit = np.clip(light, *PARAMS.light_scales)[..., None] * own
    return np.asarray(np.linalg.norm(arm - lit, axis=-1))
