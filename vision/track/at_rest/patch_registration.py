"""Patch registration: how far a disc moved since an earlier frame.

The two pictures of a disc and its surroundings are matched by least squares (Lucas and Kanade 1981)
for shift, contrast and brightness together, with Huber's weights. Small shifts are found ten times
more precisely than by two separate readings; large ones start from the readings' places. Parts
hidden by other discs in either picture are ignored, because a neighbour's motion would look like
the disc's.
"""

from __future__ import annotations

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.circle import circle_mm
from calibration.disc import DiscSpec
from calibration.numerics.least_squares import MAD_TO_SIGMA
from calibration.parameters import StageParameters, parameter
from calibration.pose import View


class PatchRegistrationParameters(StageParameters):
    """Parameters of ``patch_registration``."""

    #: The compared picture of a disc extends this far beyond its rim.
    margin_mm: float = parameter(
        3.0,
        unit="mm",
        source="chosen: includes the edge and its blur, but no part of a neighbouring disc",
    )
    #: The compared points are at this height, between base and top.
    height_mm: float = parameter(5.0, unit="mm", source="chosen: half a disc's height")
    #: Other discs hide the area behind their outlines and this far around; at least this share of
    #: the picture must remain.
    occluder_margin_mm: float = parameter(
        2.0, unit="mm", source="chosen: the blur and the error of the other disc's position"
    )
    least_free: float = parameter(
        0.4, unit="share", source="chosen: enough of the rim to determine both axes"
    )
    #: Pixels that differ by more than this many robust sigmas are ignored: glints, shadows.
    huber: float = parameter(
        1.5,
        unit="sigma",
        source="chosen: near Huber's 1.345, which is 95 % efficient on normal noise",
    )
    #: Largest shift from the start of the search, as a share of the disc's radius.
    reach_radii: float = parameter(
        0.35, unit="radii", source="chosen: beyond it, patches may match a neighbour"
    )
    #: A match is rejected if it leaves more than this share of the picture's own contrast, or if
    #: the contrast fell to less than this share: then the disc is gone.
    max_residual: float = parameter(
        0.6, unit="share", source="chosen: other objects in the same place leave more"
    )
    min_gain: float = parameter(
        0.4, unit="", source="chosen: shade and sun change contrast by less"
    )


PARAMS = PatchRegistrationParameters()
#: Most rounds of the fit: Gauss-Newton needs fewer rounds, unless nothing matches.
_ROUNDS = 6
#: Points of a rim: a polygon with this many corners is within 0.04 mm of its circle.
_RIM_POINTS = 48
#: A point, and one a millimetre further along each axis, to convert pixels to millimetres there.
_STEPS_MM = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])


def measure_disc_shift_mm(
    before: np.ndarray,
    now: np.ndarray,
    view: View,
    base_mm: FloatArray,
    disc: DiscSpec,
    others_mm: FloatArray,
    about_mm: FloatArray,
) -> FloatArray | None:
    """Shift (2,), mm of the board frame, of a disc at ``base_mm`` (2,) from one frame (BGR) to the
    other: almost none, or near ``about_mm`` (2,).

    ``others_mm`` (n, 2) are the bases of all other discs in either frame. None if the pictures do
    not match: the disc is gone, far away, or covered.
    """
    scale = 1.0 / view.mm_per_px(base_mm)
    x, y = np.rint(view.project_plane(np.asarray(base_mm)[None], PARAMS.height_mm)[0]).astype(int)
    reach = int(np.ceil((disc.radius_mm + PARAMS.margin_mm) * scale))
    window = slice(y - reach, y + reach + 1), slice(x - reach, x + reach + 1)
    if min(window[0].start, window[1].start) < 0:
        return None
    if before[window].shape[:2] != (2 * reach + 1, 2 * reach + 1):
        return None
    free = _mask_visible(view, disc, others_mm, before.shape)[window]
    # The channel in which the disc stands out best.
    channel = int(before[window].std(axis=(0, 1)).argmax())
    one, other = (picture[window][..., channel].astype(np.float32) for picture in (before, now))
    seen_px = view.project_plane(np.asarray(base_mm) + _STEPS_MM, PARAMS.height_mm)
    px_per_mm = (seen_px[1:] - seen_px[0]).T
    reach_px = PARAMS.reach_radii * disc.radius_mm * scale
    shift = _estimate_shift_px(one, other, free, np.zeros(2), reach_px)
    if shift is None:
        shift = _estimate_shift_px(one, other, free, px_per_mm @ about_mm, reach_px)
    if shift is None:
        return None
    return np.asarray(np.linalg.solve(px_per_mm, shift))


def _mask_visible(
    view: View, disc: DiscSpec, others_mm: FloatArray, shape: tuple[int, ...]
) -> np.ndarray:
    """Pixels (h, w) that no disc at one of the places (n, 2) hides."""
    hidden = np.zeros(shape[:2], np.uint8)
    for place in others_mm:
        rim_mm = circle_mm(place, disc.radius_mm + PARAMS.occluder_margin_mm, _RIM_POINTS)
        ends = [view.project_plane(rim_mm, height) for height in (0.0, disc.height_mm)]
        outline = cv2.convexHull(np.rint(np.concatenate(ends)).astype(np.int32))
        cv2.fillConvexPoly(hidden, outline, 1)
    return hidden == 0


def _estimate_shift_px(
    one: np.ndarray, other: np.ndarray, free: np.ndarray, about_px: FloatArray, reach_px: float
) -> FloatArray | None:
    """Shift (2,), pixels, of ``one`` in ``other`` where ``free``, within that many pixels of
    ``about_px`` (2,); None without a match.
    """
    shift = about_px
    rows, columns = one.shape
    left = np.inf
    reach = (rows - 1) / 2
    y, x = np.ogrid[-reach : reach + 1, -reach : reach + 1]
    disc = np.hypot(x, y) < reach - 1
    inner = disc & free
    if inner.sum() < PARAMS.least_free * disc.sum():
        return None
    weight = np.ones(int(inner.sum()))
    contrast = float(one[inner].std()) + 1e-6
    for _ in range(_ROUNDS):
        move = np.array([[1, 0, shift[0]], [0, 1, shift[1]]], dtype=np.float64)
        back = cv2.warpAffine(
            other,
            move,
            (columns, rows),
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        )
        slope_y, slope_x = np.gradient(back)
        design = np.stack(
            [slope_x[inner], slope_y[inner], -one[inner], -np.ones(len(weight))], axis=-1
        )
        root = np.sqrt(weight)
        solution, *_ = np.linalg.lstsq(design * root[:, None], -back[inner] * root, rcond=None)
        step = solution[:2]
        shift = shift + np.clip(step, -1.0, 1.0)
        residual = back[inner] + design @ solution
        sigma = MAD_TO_SIGMA * float(np.median(np.abs(residual))) + 1e-6
        weight = np.minimum(1.0, PARAMS.huber * sigma / np.maximum(np.abs(residual), 1e-6))
        left = float(np.sqrt(np.average(residual**2, weights=weight)))
        if np.hypot(*(shift - about_px)) > reach_px:
            return None
        if np.hypot(*step) < 1e-3:
            break
    is_same = PARAMS.min_gain < solution[2] < 1 / PARAMS.min_gain
    return shift if is_same and left < PARAMS.max_residual * contrast else None
