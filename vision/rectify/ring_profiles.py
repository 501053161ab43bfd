"""Grey values along circles of the playing surface, and a matched filter for painted lines on them.

A line is a narrow band darker or lighter than the wood on both sides. Its core is compared with the
flank that is closer in value, so a step between two woods gives no response. Samples outside the
picture are NaN, and so are the responses that use them.
"""

from __future__ import annotations

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.pose import View


class RingProfilesParameters(StageParameters):
    """Parameters of ``ring_profiles``."""

    #: A line's core is averaged over plus and minus this, and the wood on both sides beyond it.
    core_mm: float = parameter(1.0, unit="mm", source="chosen: lines are 1.2 to 3.2 mm wide")
    flank_near_mm: float = parameter(
        2.6, unit="mm", source="chosen: beyond half of a wide line, 1.6 mm, and its blur"
    )
    flank_far_mm: float = parameter(4.6, unit="mm", source="chosen: flanks as wide as the core")


PARAMS = RingProfilesParameters()
#: No camera sees anything nearer.
_NEAREST_MM = 10.0


def sample_rings(
    grey: np.ndarray,
    view: View,
    radii_mm: FloatArray,
    azimuths_rad: FloatArray,
    centre_mm: tuple[float, float] = (0.0, 0.0),
) -> FloatArray:
    """Grey values (azimuths, radii) float32 on the playing surface; NaN outside the picture.

    ``grey`` is (h, w) uint8, ``radii_mm`` (radii,) or (azimuths, radii), about ``centre_mm``.
    """
    pose = view.cam_from_board
    direction = np.stack([np.cos(azimuths_rad), np.sin(azimuths_rad)])
    outward = (pose.rotation[:, :2] @ direction).astype(np.float32)
    centre = (pose.rotation[:, :2] @ centre_mm + pose.translation_mm).astype(np.float32)
    radii = np.asarray(radii_mm, dtype=np.float32)
    x, y, z = (c + radii * out[:, None] for c, out in zip(centre, outward, strict=True))
    # with a wrong guess of the view, part of the board can be behind the camera
    z = np.where(z > _NEAREST_MM, z, np.float32(np.nan))
    return _sample_grey(grey, *view.camera.project_parts(x, y, z))


def sample_points(grey: np.ndarray, view: View, points_mm: FloatArray) -> FloatArray:
    """Grey values (m, n) at points (m, n, 2) of the playing surface; NaN outside the picture."""
    x, y = np.moveaxis(view.project_plane(points_mm).astype(np.float32), -1, 0)
    return _sample_grey(grey, np.ascontiguousarray(x), np.ascontiguousarray(y))


def sample_in_space(grey: np.ndarray, view: View, points_mm: FloatArray) -> FloatArray:
    """Grey values (m, n) at board-frame points (m, n, 3); NaN outside the picture."""
    x, y = np.moveaxis(view.project(points_mm).astype(np.float32), -1, 0)
    return _sample_grey(grey, np.ascontiguousarray(x), np.ascontiguousarray(y))


def _sample_grey(grey: np.ndarray, x: np.ndarray, y: np.ndarray) -> FloatArray:
    """Grey values (m, n) float32 at pixels; NaN outside the picture."""
    values = cv2.remap(grey, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    height, width = grey.shape
    inside = (x >= 0) & (x <= width - 1) & (y >= 0) & (y <= height - 1)
    return np.where(inside, values, np.float32(np.nan))


def line_response(values: FloatArray, step_mm: float) -> FloatArray:
    """Difference of a line's core from the flank that is closer in value: lighter (+) or darker
    (-).

    values (azimuths, radii) → (azimuths, radii) float32; an edge between two woods gives 0, because
    one flank equals the core. NaN near the ends and near NaN values.
    """
    core = _average_box(values, -PARAMS.core_mm, PARAMS.core_mm, step_mm)
    inner = core - _average_box(values, -PARAMS.flank_far_mm, -PARAMS.flank_near_mm, step_mm)
    outer = core - _average_box(values, PARAMS.flank_near_mm, PARAMS.flank_far_mm, step_mm)
    nearer = np.where(np.abs(inner) < np.abs(outer), inner, outer)
    # NaN compares false, and NaN * 0 is NaN
    return np.asarray(nearer * (inner * outer > 0) + 0.0 * (inner + outer))


def widened_line_response(values: FloatArray, step_mm: float, widening: FloatArray) -> FloatArray:
    """``line_response`` with the filter widened by ``widening`` (azimuths,) at each azimuth.

    Widenings are rounded to half powers of two.
    """
    level = np.round(2 * np.log2(widening))
    response = np.empty(values.shape, dtype=np.float32)
    for widening_level in np.unique(level):
        own = level == widening_level
        response[own] = line_response(values[own], step_mm / 2 ** (widening_level / 2))
    return response


def measure_radial_mm_per_px(
    view: View, radius_mm: FloatArray | float, azimuths_rad: FloatArray
) -> FloatArray:
    """Length (azimuths,) on the playing surface, along the radius, of a pixel across a circle."""
    direction = np.stack([np.cos(azimuths_rad), np.sin(azimuths_rad)], axis=-1)
    at = direction * np.asarray(radius_mm)[..., None]
    shift = view.project_plane(at + 0.5 * direction) - view.project_plane(at - 0.5 * direction)
    return np.asarray(1.0 / np.maximum(np.linalg.norm(shift, axis=-1), 1e-3))


def _average_box(values: FloatArray, low_mm: float, high_mm: float, step_mm: float) -> FloatArray:
    """Mean over radius offsets low..high at every sample; NaN if the box leaves the strip."""
    low, high = int(round(low_mm / step_mm)), int(round(high_mm / step_mm))
    reach = max(-low, high, 0)
    count, length = values.shape
    padded = np.full((count, length + 2 * reach), np.nan, dtype=np.float32)
    padded[:, reach : reach + length] = values
    # The kernel holds no zeros: zero times NaN is NaN, and would spread it beyond the box.
    kernel = np.full((1, high - low + 1), 1.0 / (high - low + 1), dtype=np.float32)
    mean = cv2.filter2D(padded, -1, kernel, anchor=(0, 0), borderType=cv2.BORDER_REPLICATE)
    start = reach + low
    return np.asarray(mean[:, start : start + values.shape[-1]], dtype=np.float32)
