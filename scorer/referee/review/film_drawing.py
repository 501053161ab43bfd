"""One frame of a review: the original and the straightened view from above, with the same drawing.

It draws the ring lines, the paths so far of all discs that moved, the discs at their smoothed
places, and at the closest moment the magnified gap with its uncertainty.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.board import BoardSpec, FloatArray
from calibration.circle import circle_mm
from calibration.pose import View
from scorer.referee.review.nearest_moment import NearestMoment
from scorer.referee.review.smooth_motion import SmoothMotion
from vision.draw.canvas import BLACK, WHITE, Canvas, Rgb, TextStyle, is_dark
from vision.rectify.birds_eye import warp_birds_eye

#: Height of both halves, and largest width of the original, px; both are even, as H.264 requires.
_HEIGHT_PX, _MOST_WIDTH_PX = 720, 1280
_BANNER_PX = 56
#: The view from above reaches this far beyond the surface.
_MARGIN_MM = 20.0
_LINE_RGB: Rgb = (60, 220, 255)
_MOMENT_RGB: Rgb = (255, 60, 200)
_POINTS = 96
#: Scale of the magnified part, px per mm, and its size in the picture.
_ZOOM_PX_PER_MM, _ZOOM_SIDE_PX = 5.0, 300

ToPixels = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawnShot:
    """The drawing on every frame.

    colours       of the discs, by name
    verdict       text over the picture; ``verdict_rgb`` is its background colour
    moment_words  the gap with its uncertainty; empty without a closest moment
    """

    spec: BoardSpec
    radius_mm: float
    motions: Mapping[str, SmoothMotion]
    colours: Mapping[str, Rgb]
    nearest: NearestMoment | None
    verdict: str
    verdict_rgb: Rgb
    moment_words: str


def draw_review_frame(
    image: np.ndarray, view: View, t_s: float, shot: DrawnShot, *, is_moment: bool
) -> np.ndarray:
    """The picture (h, w, 3) uint8 BGR of the frame ``image`` that ``view`` sees at ``t_s``."""
    factor = min(_HEIGHT_PX / image.shape[0], _MOST_WIDTH_PX / image.shape[1])
    shown = cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    own = view.rescale(factor)
    original = np.full((_HEIGHT_PX, shown.shape[1] // 2 * 2, 3), 20, np.uint8)
    top = (_HEIGHT_PX - shown.shape[0]) // 2
    original[top : top + shown.shape[0]] = shown[:, : original.shape[1]]
    below = np.array([0.0, top])
    _draw_shot(original, lambda mm: own.project_plane(mm) + below, t_s, shot, is_moment=is_moment)
    half_mm = shot.spec.surface_radius_mm + _MARGIN_MM
    above = warp_birds_eye(
        image, view, z_mm=0.0, half_side_mm=half_mm, mm_per_px=2 * half_mm / _HEIGHT_PX
    )
    straight = above.image[:_HEIGHT_PX, :_HEIGHT_PX].copy()
    _draw_shot(straight, above.to_px, t_s, shot, is_moment=is_moment)
    if is_moment and shot.nearest is not None:
        _inset_zoom(straight, image, view, t_s, shot)
    return _add_banner(np.hstack([original, straight]), t_s, shot, is_moment=is_moment)


def _draw_shot(
    picture: np.ndarray, to_px: ToPixels, t_s: float, shot: DrawnShot, *, is_moment: bool
) -> None:
    """Draw lines, paths and discs onto a picture, in place."""
    canvas = Canvas(picture)
    azimuths = np.linspace(0, 2 * np.pi, _POINTS, endpoint=False)
    for line in range(3):
        canvas.draw_curve(to_px(shot.spec.line_points_mm(line, azimuths)), _LINE_RGB, 1)
    for name, motion in shot.motions.items():
        times = np.arange(motion.from_s, min(t_s, motion.to_s), 0.005)
        if len(times) < 2 or t_s < motion.from_s:
            continue
        way = motion.at(times)[0]
        if np.ptp(way, axis=0).max() < shot.radius_mm / 4:
            continue
        colour = shot.colours.get(name, WHITE)
        edge = WHITE if is_dark(colour) else BLACK
        canvas.draw_curve(to_px(way), colour, 2, closed=False, edge=edge)
        _draw_disc(canvas, to_px, way[-1], shot, colour)
    if is_moment and shot.nearest is not None:
        for place in shot.nearest.places_mm[: 2 if shot.nearest.other else 1]:
            _draw_disc(canvas, to_px, place, shot, _MOMENT_RGB)


def _draw_disc(
    canvas: Canvas, to_px: ToPixels, place_mm: FloatArray, shot: DrawnShot, colour: Rgb
) -> None:
    outline = circle_mm((float(place_mm[0]), float(place_mm[1])), shot.radius_mm, _POINTS)
    canvas.draw_curve(to_px(outline), colour, 1, edge=WHITE if is_dark(colour) else None)


def _inset_zoom(
    straight: np.ndarray, image: np.ndarray, view: View, t_s: float, shot: DrawnShot
) -> None:
    """The place of the closest moment, magnified, in a corner away from it."""
    nearest = shot.nearest
    assert nearest is not None
    middle = nearest.places_mm.mean(axis=0)
    side = _ZOOM_SIDE_PX
    across = (np.arange(side) - (side - 1) / 2) / _ZOOM_PX_PER_MM
    x, y = np.meshgrid(middle[0] + across, middle[1] - across)
    maps = view.project_plane(np.stack([x, y], axis=-1)).astype(np.float32)
    zoom = cv2.remap(image, maps[..., 0], maps[..., 1], cv2.INTER_CUBIC)

    def to_px(points_mm: FloatArray) -> FloatArray:
        scale = np.array((_ZOOM_PX_PER_MM, -_ZOOM_PX_PER_MM))
        return np.asarray((points_mm - middle) * scale + (side - 1) / 2)

    _draw_shot(zoom, to_px, t_s, shot, is_moment=True)
    canvas = Canvas(zoom)
    canvas.draw_curve(to_px(nearest.places_mm), _MOMENT_RGB, 1, closed=False)
    left = 12 if middle[0] > 0 else straight.shape[1] - side - 12
    top = 12 if middle[1] < 0 else straight.shape[0] - side - 12
    straight[top : top + side, left : left + side] = zoom
    cv2.rectangle(straight, (left, top), (left + side, top + side), _MOMENT_RGB[::-1], 2)


def _add_banner(picture: np.ndarray, t_s: float, shot: DrawnShot, *, is_moment: bool) -> np.ndarray:
    """The picture with the verdict, the gap and the time above it."""
    banner = np.full((_BANNER_PX, picture.shape[1], 3), 22, np.uint8)
    canvas = Canvas(np.vstack([banner, picture]))
    middle = _BANNER_PX / 2
    ink = TextStyle(size_px=24, colour=shot.verdict_rgb, anchor="lm")
    canvas.draw_text((16, middle), shot.verdict, ink)
    time = TextStyle(size_px=22, colour=WHITE, anchor="rm")
    canvas.draw_text((picture.shape[1] - 16, middle), f"{t_s:.2f} s, a quarter of its speed", time)
    if is_moment and shot.moment_words:
        words = TextStyle(size_px=24, colour=_MOMENT_RGB, anchor="mm")
        canvas.draw_text((picture.shape[1] / 2, middle), shot.moment_words, words)
    return canvas.render()
