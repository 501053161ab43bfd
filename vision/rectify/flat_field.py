"""Flat-field correction: removes uneven or dim light from a picture.

Light from one side makes one end of a board darker than the other by a factor. The pattern of wood
and paint is the same all around, so a plane is fitted robustly (Tukey's biweight) to the logarithm
of the surface's grey values. Its slope is that of the light, and is removed. A vignette (middle
brighter than edge) is not corrected.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import cv2
import numpy as np

from calibration.board import BoardSpec
from calibration.camera import FloatArray
from calibration.numerics.least_squares import MAD_TO_SIGMA
from calibration.numerics.least_squares import PARAMS as ROBUST
from calibration.parameters import StageParameters, parameter
from calibration.pose import View
from vision.rectify.luminance import PARAMS as LUMINANCE


class FlatFieldParameters(StageParameters):
    """Parameters of ``flat_field``."""

    stage: ClassVar[str] = "rectify.even_light"

    #: Uneven light is corrected if one end of the surface is at least this many times as bright as
    #: the other, in grey values, ...
    uneven_ratio: float = parameter(
        2.3,
        unit="",
        source="measured: 25 photographs that are read correctly have ratios up to 2.2",
    )
    #: ... and the picture is brightened, up to the second value, if the surface's brightest
    #: twentieth is darker than the first.
    dim_grey: float = parameter(
        100.0, unit="grey value", source="measured: photographs and renders have 102 and more"
    )
    bright_grey: float = parameter(
        180.0, unit="grey value", source="measured: the median grey value of photographs"
    )


PARAMS = FlatFieldParameters()
#: The surface is sampled out to this distance from its edge: edges are worn and bevelled.
_EDGE_MM = 8.0
#: Darker grey values than this are noise: about the level of black in a JPEG picture.
_LEAST_GREY = 3.0
#: No pixel is brightened by more than this factor, in grey values: higher gains only amplify noise.
_MOST_GAIN = 5.0
#: Beyond the surface, the light at its edge is extrapolated up to this limit: extends over the
#: ditch.
_REACH_RADII = 1.2
#: Step of the grid on the surface: thousands of samples.
_STEP_MM = 8.0
#: Rounds of reweighting: converged to a percent.
_ROUNDS = 8
#: The gain is computed at every nth pixel and interpolated.
_NODE_STEP_PX = 16


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SurfaceLight:
    """Illumination of the playing surface.

    slope        of the logarithm of its grey values, per surface radius: (2,)
    bright_grey  its brightest twentieth, after correction for the slope
    """

    slope: FloatArray
    bright_grey: float

    @property
    def ratio(self) -> float:
        """Ratio of the brightness of the surface's two ends, in grey values."""
        return float(np.exp(2 * np.linalg.norm(self.slope)))


def correct_flat_field(image: np.ndarray, view: View, spec: BoardSpec) -> np.ndarray | None:
    """The corrected picture (h, w, 3) BGR uint8; None if its light is even and bright enough."""
    light = measure_surface_light(image, view, spec)
    if light is None:
        return None
    is_uneven, is_dim = light.ratio > PARAMS.uneven_ratio, light.bright_grey < PARAMS.dim_grey
    if not is_uneven and not is_dim:
        return None
    slope = light.slope if is_uneven else np.zeros(2)
    gain = PARAMS.bright_grey / light.bright_grey if is_dim else 1.0
    brighter = _compute_gain(image.shape, view, spec, slope) * np.float32(gain)
    brighter = np.minimum(brighter, np.float32(_MOST_GAIN))
    even = np.clip(image * brighter[..., None], 0, 255).astype(np.uint8)
    even[image.min(axis=-1) >= LUMINANCE.saturated_grey] = 255
    return even


def measure_surface_light(image: np.ndarray, view: View, spec: BoardSpec) -> SurfaceLight | None:
    """The illumination of the playing surface; None if it is not in the picture."""
    radius_mm = spec.surface_radius_mm - _EDGE_MM
    across = np.arange(-radius_mm, radius_mm, _STEP_MM)
    place = np.stack(np.meshgrid(across, across), axis=-1).reshape(-1, 2)
    place = place[np.linalg.norm(place, axis=-1) < radius_mm]
    px = view.project_plane(place)
    inside = ((px >= 0) & (px <= np.array(image.shape[1::-1]) - 1)).all(axis=1)
    if not inside.any():
        return None
    x, y = np.ascontiguousarray(px[inside].T[:, None], dtype=np.float32)
    colours = cv2.remap(image, x, y, cv2.INTER_LINEAR)[0]
    log_grey = np.log(np.maximum(colours.max(axis=1), _LEAST_GREY))
    plane = np.column_stack([np.ones(len(colours)), place[inside] / spec.surface_radius_mm])
    weight = np.ones(len(colours))
    for _ in range(_ROUNDS):
        root = np.sqrt(weight)
        level, *slope = np.linalg.lstsq(plane * root[:, None], log_grey * root, rcond=None)[0]
        residual = log_grey - plane @ [level, *slope]
        sigma = MAD_TO_SIGMA * float(np.median(np.abs(residual))) + 1e-3
        weight = np.maximum(1 - (residual / (ROBUST.tukey * sigma)) ** 2, 0.0) ** 2
    even_grey = np.exp(log_grey - plane[:, 1:] @ slope)
    return SurfaceLight(
        slope=np.array(slope),
        bright_grey=float(np.percentile(even_grey, 95)),
    )


def _compute_gain(
    shape: tuple[int, ...], view: View, spec: BoardSpec, slope: FloatArray
) -> np.ndarray:
    """The gain (h, w) float32 that corrects for light of that slope."""
    height, width = shape[:2]
    nodes = [np.arange(0, size + _NODE_STEP_PX, _NODE_STEP_PX) for size in (width, height)]
    px = np.stack(np.meshgrid(*nodes), axis=-1)
    place = view.unproject_plane(px.reshape(-1, 2)) / spec.surface_radius_mm
    away = np.linalg.norm(place, axis=-1, keepdims=True)
    place = place * np.minimum(1.0, _REACH_RADII / np.maximum(away, 1e-9))
    gain = np.exp(-(place @ slope)).reshape(px.shape[:2]).astype(np.float32)
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    scale = np.float32(1.0 / _NODE_STEP_PX)
    return cv2.remap(
        gain, x.astype(np.float32) * scale, y.astype(np.float32) * scale, cv2.INTER_LINEAR
    )
