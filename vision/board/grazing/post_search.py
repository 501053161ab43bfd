"""Rough views of a board from eight posts within an ellipse.

An ellipse that may be the surface's edge, or the 5-line, shows the board to within a few
centimetres, because at its ends it also includes shadows and objects in the ditch. One filter
measures the likeness of all pixels to a post for a whole view, and the ring of posts is moved about
until all eight stand on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import ClassVar

import cv2
import numpy as np

from calibration.board import BoardSpec
from calibration.camera import Camera, FloatArray
from calibration.circle import circle_mm
from calibration.parameters import StageParameters, parameter
from calibration.pose import Pose, View
from vision.board.grazing.circle_views import compute_circle_views
from vision.board.grazing.ellipses import ImageEllipse
from vision.board.posts import CORE_MM, FLANK_MM, HEIGHTS_MM, count_steps, find_sideways
from vision.board.posts import PARAMS as POST_PARAMS


class PostSearchParameters(StageParameters):
    """Parameters of ``post_search``."""

    stage: ClassVar[str] = "board.post_search"

    #: The circle that an ellipse may show, and the radius of the surface's edge in that case: the
    #: 5-line, or the edge itself.
    circles: tuple[tuple[float, float], ...] = parameter(
        ((3.0, 3.21), (3.12, 3.12), (3.25, 3.25)),
        unit="15-lines",
        source="measured on our renders and photographs: surfaces have radii of 3.1 to 3.3",
    )
    #: The ring of posts is searched within this distance of the ellipse's middle.
    across_mm: float = parameter(
        30.0,
        unit="mm",
        source="measured on our renders at 78°: errors reach 15 mm where the ellipse included "
        "a shadow; doubled",
    )


PARAMS = PostSearchParameters()
#: The same in pixels down the picture: most of a ring's height in such oblique views.
_DOWN_PX = 4
#: Views that are followed up: two or three of each of three lenses.
_VIEWS = 8
#: Azimuths sampled, a multiple of eight: steps of 1.9°, or 3.3 mm, less than a post's width.
_STEPS = 192


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PostRing:
    """A rough view in which eight posts stand within a surface's edge.

    surface_radius_mm  radius of the edge, if the posts stand on a nominal ring
    margin_grey        contrast above the required one
    """

    view: View
    surface_radius_mm: float
    margin_grey: float


def search_post_rings(
    grey: np.ndarray, ellipses: Sequence[ImageEllipse], cameras: Sequence[Camera]
) -> list[PostRing]:
    """The views in which an ellipse is a surface's edge with posts inside it, clearest first;
    ``grey`` is (h, w) uint8, and ``ellipses`` and cameras are those of this picture.
    """
    ring_mm = BoardSpec().post_ring_radius_mm
    rings = [
        ring
        for ellipse, camera in product(ellipses, cameras)
        for view in compute_circle_views(ellipse, camera, ring_mm)
        for ring in _find_rings_within(grey, view)
    ]
    clear = [ring for ring in rings if ring.margin_grey > 0.0]
    return sorted(clear, key=lambda ring: -ring.margin_grey)[:_VIEWS]


def _find_rings_within(grey: np.ndarray, view: View) -> list[PostRing]:
    """The ring of posts for every circle that an ellipse may be, in the ring's own size in
    ``view``. None if it leaves the picture.

    The circles differ so little that one likeness map serves all.
    """
    ring_mm = BoardSpec().post_ring_radius_mm
    posts_mm = circle_mm((0.0, 0.0), ring_mm, _STEPS)
    views = [view.stretch_board(circle) for circle, _ in PARAMS.circles]
    rings_px = np.array([circle_view.project_plane(posts_mm) for circle_view in views])
    px_per_mm = float(np.ptp(rings_px[..., 0])) / (2 * ring_mm)
    reach_px = np.array([int(np.ceil(PARAMS.across_mm * px_per_mm)), _DOWN_PX])
    at = np.rint(rings_px).astype(np.intp)
    first, last = at.min(axis=(0, 1)) - reach_px, at.max(axis=(0, 1)) + reach_px + 1
    if (first < 0).any() or (last > grey.shape[::-1]).any():
        return []
    likeness = _map_post_likeness(grey, views[len(views) // 2], first, last)
    return [
        _find_best_shift(circle_view, surface * ring_mm, ring - first, likeness, reach_px)
        for circle_view, ring, (_, surface) in zip(views, at, PARAMS.circles, strict=True)
    ]


def _find_best_shift(
    view: View,
    surface_radius_mm: float,
    ring_px: np.ndarray,
    likeness: tuple[np.ndarray, np.ndarray],
    reach_px: np.ndarray,
) -> PostRing:
    """The view moved across the picture, by up to ``reach_px`` (2,), to where eight posts show most
    clearly; the ring's pixels (steps, 2) are those of the maps of post ``likeness`` (h, w).
    """
    across, down = (np.arange(-reach, reach + 1) for reach in reach_px)
    x, y = (axis.ravel() for axis in np.meshgrid(across, down))
    width = likeness[0].shape[1]
    pixel = (ring_px[:, 1] * width + ring_px[:, 0]) + (y * width + x)[:, None]
    best = PostRing(view=view, surface_radius_mm=surface_radius_mm, margin_grey=0.0)
    for likeness_map in likeness:
        margin_grey = _measure_margins(likeness_map.ravel()[pixel])
        top = int(margin_grey.argmax())
        if margin_grey[top] > best.margin_grey:
            moved = _move_centre(view, np.array([x[top], y[top]]))
            best = replace(best, view=moved, margin_grey=float(margin_grey[top]))
    return best


def _map_post_likeness(
    grey: np.ndarray, view: View, first: np.ndarray, last: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Contrast, darker and lighter, of a post whose base is at a pixel to the wood on both sides of
    it: (h, w) float32 each, 0 to ``clip_grey``, from the pixel ``first`` (2,), x and y, to before
    ``last``.
    """
    centre = np.zeros((1, 2))
    (sideways,) = find_sideways(view, centre)
    tips = view.project(np.array([[0.0, 0.0, 0.0], [*sideways, 0.0], [0.0, 0.0, 1.0]]))
    across_px, up_px = tips[1] - tips[0], tips[2] - tips[0]

    def average(offsets_mm: Sequence[float]) -> np.ndarray:
        places = np.array(
            [
                across * across_px + height * up_px
                for across, height in product(offsets_mm, HEIGHTS_MM)
            ]
        )
        return _filter_sparsely(grey, _make_kernel(places), first, last)

    core, right = average(CORE_MM), average(FLANK_MM)
    left = average([-offset_mm for offset_mm in FLANK_MM])
    darker = np.minimum(left, right) - core
    lighter = core - np.maximum(left, right)
    return darker.clip(0.0, POST_PARAMS.clip_grey), lighter.clip(0.0, POST_PARAMS.clip_grey)


def _filter_sparsely(
    grey: np.ndarray, kernel: np.ndarray, first: np.ndarray, last: np.ndarray
) -> np.ndarray:
    """The part of a picture (h, w) from the pixel ``first`` (2,), x and y, to before ``last``,
    correlated with a kernel (n, n) of mostly zeros: float32, mirrored at the picture's borders."""
    reach = kernel.shape[0] // 2
    width, height = last - first
    inside, beyond = np.maximum(first - reach, 0), np.minimum(last + reach, grey.shape[::-1])
    (left, top), (right, bottom) = inside - (first - reach), last + reach - beyond
    seen = grey[inside[1] : beyond[1], inside[0] : beyond[0]].astype(np.float32)
    part = cv2.copyMakeBorder(seen, top, bottom, left, right, cv2.BORDER_REFLECT_101)
    total = np.zeros((height, width), np.float32)
    for row, column in zip(*np.nonzero(kernel), strict=True):
        total += kernel[row, column] * part[row : row + height, column : column + width]
    return total


def _make_kernel(places_px: FloatArray) -> np.ndarray:
    """The filter (n, n) float32 that averages a picture at places (m, 2) about a pixel,
    interpolated between four pixels.
    """
    reach = int(np.ceil(np.abs(places_px).max())) + 1
    side = 2 * reach + 1
    whole = np.floor(places_px).astype(np.intp)
    part = places_px - whole
    kernel = np.zeros(side * side)
    for right, down in product((0, 1), (0, 1)):
        weight = np.abs(1 - right - part[:, 0]) * np.abs(1 - down - part[:, 1])
        at = (whole[:, 1] + down + reach) * side + whole[:, 0] + right + reach
        kernel += np.bincount(at, weight, side * side)
    return (kernel / len(places_px)).reshape(side, side).astype(np.float32)


def _measure_margins(likeness: FloatArray) -> FloatArray:
    """Margin (shifts,) by which eight evenly spaced places (shifts, steps) pass as posts: the
    second weakest of the best phase against the best of other phases."""
    dilated = likeness
    for shift in range(1, count_steps(POST_PARAMS.spacing_tolerance_deg, _STEPS) + 1):
        for steps in (-shift, shift):
            dilated = np.maximum(dilated, np.roll(likeness, steps, axis=1))
    second = _find_second_least(dilated.reshape(len(likeness), 8, _STEPS // 8))
    at = second.argmax(axis=1)
    period = second.shape[1]
    nearest = count_steps(POST_PARAMS.rival_deg, _STEPS)
    away = np.arange(nearest, period - nearest + 1)
    rival = np.take_along_axis(second, (at[:, None] + away) % period, axis=1).max(axis=1)
    contrast = second.max(axis=1)
    margin: FloatArray = np.where(
        contrast >= POST_PARAMS.min_contrast_grey,
        contrast - POST_PARAMS.rival_ratio * rival,
        0.0,
    )
    return margin


def _find_second_least(of_eight: FloatArray) -> FloatArray:
    """The second least (n, k) of several (n, 8, k), faster than by sorting."""
    least, second = of_eight[:, 0], np.full_like(of_eight[:, 0], np.inf)
    for row in np.moveaxis(of_eight, 1, 0)[1:]:
        second = np.minimum(second, np.maximum(least, row))
        least = np.minimum(least, row)
    return second


def _move_centre(view: View, shift_px: FloatArray) -> View:
    """The view with the board's middle moved by that many pixels (2,) at the same distance."""
    pose = view.cam_from_board
    centre_px = view.project_plane(np.zeros((1, 2))) + shift_px
    return View(
        camera=view.camera,
        cam_from_board=Pose(
            rotation=pose.rotation,
            translation_mm=view.camera.rays(centre_px)[0] * pose.translation_mm[2],
        ),
    )
