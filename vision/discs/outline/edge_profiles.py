"""Edge profiles: colours along short lines across outlines, and their whitened steps.

A line of a few millimetres looks almost straight, so its pixels follow from a parabola through
three projected points. Lines of centimetres, seen at close range by a wide-angle lens, would
deviate.
"""

from __future__ import annotations

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.pose import View
from vision.discs.outline.contour import Contour


def sample_profiles(
    image: np.ndarray, view: View, outline: Contour, offset_mm: FloatArray
) -> np.ndarray:
    """BGR colours (n k, t, 3) uint8 along the outline's normals, interpolated bilinearly.

    ``offset_mm`` (t,) increases outward from the outline (n discs, k directions). Beyond the
    picture's border the nearest pixel is repeated.
    """
    if outline.point_mm.size == 0:
        return np.zeros((0, len(offset_mm), 3), np.uint8)
    x_px, y_px = _project_lines(view, outline, offset_mm)
    return cv2.remap(image, x_px, y_px, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


def _project_lines(
    view: View, outline: Contour, offset_mm: FloatArray
) -> tuple[np.ndarray, np.ndarray]:
    """Pixel x and y, (n k, t) float32 each, by parabolas through the two ends and the middle."""
    half = 0.5 * (offset_mm[-1] - offset_mm[0])
    middle = 0.5 * (offset_mm[-1] + offset_mm[0])
    pose = view.cam_from_board
    point = outline.point_mm.reshape(-1, 3) @ pose.rotation.T + pose.translation_mm
    normal = outline.normal.reshape(-1, 3) @ pose.rotation.T
    start, centre, end = (
        view.camera.project(point + offset * normal)
        for offset in (middle - half, middle, middle + half)
    )
    along = ((offset_mm - middle) / half).astype(np.float32)
    terms = np.stack([np.ones_like(along), along, along * along])
    weights = np.stack([centre, 0.5 * (end - start), 0.5 * (end + start) - centre])
    x, y = np.moveaxis(weights.astype(np.float32), -1, 0)
    return x.T @ terms, y.T @ terms


def compute_whitened_steps(
    colours: np.ndarray, half_width: int, whitening: FloatArray
) -> np.ndarray:
    """Steps (m, t, 3) float32 along profiles (m, t, 3), in sigmas of the grain.

    A step is the mean of the ``half_width`` samples ahead minus that of those behind. It is zero if
    either mean would reach beyond the profile's end.
    """
    if len(colours) == 0:
        return np.zeros(colours.shape, np.float32)
    mean = np.full(half_width, 1.0 / half_width, np.float32)
    kernel = np.concatenate([-mean, [np.float32(0.0)], mean])[None]
    step = cv2.filter2D(colours, cv2.CV_32F, kernel, borderType=cv2.BORDER_REPLICATE)
    step[:, :half_width] = 0.0
    step[:, -half_width:] = 0.0
    return cv2.transform(step, whitening.astype(np.float32))


def sum_squares(steps: np.ndarray) -> np.ndarray:
    """Squared lengths (m, t) of steps (m, t, 3)."""
    if len(steps) == 0:
        return np.zeros(steps.shape[:2], np.float32)
    return cv2.transform(steps * steps, np.ones((1, 3), np.float32))
