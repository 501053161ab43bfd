"""The background that a board's symmetry predicts: the same all around at each radius.

Rings, surface and ditch look alike at every angle. So the median around a circle is the board's own
while hands cover less than half of it. It lacks details that are not round (posts, quadrant lines,
grain). It is used to find hands over a board that was never seen without them. Glare or a graphic
that reaches from the rail over the surface is mistaken for a hand.
"""

from __future__ import annotations

import cv2
import numpy as np

from calibration.numerics.medians import median_level, median_where
from calibration.parameters import StageParameters, cached_by_settings, parameter
from vision.rectify.birds_eye import resample
from vision.rectify.frame_rectifier import FrameRectifier
from vision.track.background.background_model import PARAMS as BACKGROUND
from vision.track.background.background_model import BackgroundModel, normalise_frame


class RadialBackgroundParameters(StageParameters):
    """Parameters of ``radial_background``."""

    #: Grain and light differ from the median by less than this many times their median difference.
    grain_times: float = parameter(
        4.0, unit="", source="chosen: 2.7 standard deviations of normal grain; hands differ by ten"
    )


PARAMS = RadialBackgroundParameters()
#: Number of angles at which circles are sampled: 3 mm apart at the surface's edge, a pixel or two.
_ANGLES = 720


def make_radial_background(rectifier: FrameRectifier, image: np.ndarray) -> BackgroundModel:
    """The background of a rectified ``image`` (side, side, 3 uint8 BGR), from medians around
    circles.
    """
    x_px, y_px, ring = _compute_polar_maps(rectifier.side_px)
    polar = resample(image, x_px, y_px).transpose(1, 0, 2)
    profile = np.nan_to_num(median_where(polar.astype(np.float64), _find_seen(rectifier).T))
    radial = profile.astype(np.uint8)[ring]
    empty = BackgroundModel(image=radial, valid_mask=rectifier.surface)
    difference = normalise_frame(empty, rectifier, image).difference[rectifier.surface]
    return BackgroundModel(
        image=radial,
        valid_mask=rectifier.surface,
        noise=PARAMS.grain_times * median_level(difference) / BACKGROUND.noise_times,
    )


@cached_by_settings(maxsize=2)
def _compute_polar_maps(side_px: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Coordinates x and y (angles, radii) float32 of circles around the middle of a rectified
    image, and the circle (side, side) of every pixel.
    """
    half, radii = (side_px - 1) / 2, side_px // 2
    radius = np.arange(radii) * (half / radii)
    angle = np.arange(_ANGLES) * (2 * np.pi / _ANGLES)
    x_px, y_px = (half + np.outer(turn(angle), radius) for turn in (np.cos, np.sin))
    across = np.arange(side_px) - half
    circle = np.rint(np.hypot(across[:, None], across) * (radii / half)).astype(np.intp)
    ring = np.minimum(circle, radii - 1)
    return x_px.astype(np.float32), y_px.astype(np.float32), ring


@cached_by_settings(maxsize=2)
def _find_seen(rectifier: FrameRectifier) -> np.ndarray:
    """Places (angles, radii) bool on the circles inside the picture."""
    x_px, y_px, _ = _compute_polar_maps(rectifier.side_px)
    inside = rectifier.inside.astype(np.uint8)
    return np.asarray(cv2.remap(inside, x_px, y_px, cv2.INTER_LINEAR) > 0)
