"""A hand and its sleeve, as a small lit relief that is laid flat over the board and casts shadow.

In a hand's own frame, mm, the fingertips are the origin and the arm is along -y.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.pose import View
from sample_images.clip_renderer.background import shadow_offset
from sample_images.clip_renderer.canvas import Patch, blend, patch_around
from sample_images.clip_renderer.scene import Hand, StaticScene
from sample_images.renderer.scene import Rgb

#: The relief's resolution and its extent: x to either side, y from the arm to the fingertips.
_PX_PER_MM = 2.0
_HALF_WIDTH_MM, _LENGTH_MM, _AHEAD_MM = 105.0, 960.0, 40.0
#: Height of the relief's plane over the fingers' tip: the middle of a hand.
_PLANE_MM = 18.0
_AMBIENT, _DIFFUSE = 0.50, 0.62
#: Lamp in the hand's own frame when it is lit from its left and behind: unit vector.
_SHADOW_SOFT_PX = 3.0


@dataclass(frozen=True, slots=True)
class Limb:
    """A rounded limb from one place to another: (x, y, z, radius) mm at both ends."""

    start: tuple[float, float, float, float]
    end: tuple[float, float, float, float]
    is_sleeve: bool = False


def _finger(*joints: tuple[float, float, float, float]) -> list[Limb]:
    return [Limb(a, b) for a, b in pairwise(joints)]


_ARM = [
    Limb((4, -98, 16, 25), (10, -185, 26, 27)),
    Limb((10, -172, 26, 32), (40, -1000, 60, 56), True),
]
_PALM = [
    Limb((-20, -58, 10, 14), (-12, -100, 14, 20)),
    Limb((0, -54, 12, 15), (2, -102, 15, 22)),
    Limb((20, -60, 10, 14), (14, -100, 14, 20)),
]
_CURLED = [
    *_finger((7, -52, 10, 10.5), (9, -26, 20, 9.5), (6, -36, 2, 8.5)),
    *_finger((20, -58, 8, 10), (23, -34, 16, 9), (17, -44, 0, 8)),
    *_finger((30, -66, 4, 8.5), (34, -48, 10, 8), (27, -54, -2, 7)),
]
#: Shapes of a hand; the tip of the index finger, or the pinch, is at the origin.
_SHAPES: dict[str, list[Limb]] = {
    "hold": [
        *_finger((-10, -50, 12, 11), (-4, -22, 16, 9.5), (-1, 4, 2, 7.5)),
        *_finger((6, -48, 14, 11), (12, -20, 17, 9.5), (10, 6, 2, 7.5)),
        *_finger((-26, -72, 4, 13), (-26, -34, 4, 10.5), (-12, -7, -2, 8.5)),
        *_finger((20, -58, 10, 10), (26, -34, 10, 9), (24, -14, 0, 7.5)),
        *_finger((30, -66, 6, 8.5), (37, -48, 6, 7.8), (37, -32, -2, 7)),
        *_PALM,
    ],
    "cocked": [
        *_finger((-12, -54, 12, 11), (-10, -27, 18, 9.5), (-2, -25, 4, 8)),
        *_finger((-26, -76, 4, 13), (-24, -44, 2, 10.5), (-5, -24, -2, 8.5)),
        *_CURLED,
        *_PALM,
    ],
    "flicked": [
        *_finger((-12, -54, 12, 11), (-7, -24, 13, 9.5), (0, 9, 2, 7.5)),
        *_finger((-26, -76, 4, 13), (-27, -48, 2, 10.5), (-16, -30, -2, 8.5)),
        *_CURLED,
        *_PALM,
    ],
    "flat": [
        *_finger((-16, -52, 8, 10.5), (-20, -22, 6, 9), (-21, 2, 2, 7.5)),
        *_finger((-2, -50, 8, 11), (-2, -18, 6, 9.5), (-1, 10, 2, 7.8)),
        *_finger((13, -54, 8, 10.5), (17, -24, 6, 9), (19, 1, 2, 7.5)),
        *_finger((27, -62, 6, 9), (35, -42, 4, 8), (39, -24, 0, 7)),
        *_finger((-28, -80, 4, 13), (-44, -56, 2, 10), (-50, -40, -2, 8.5)),
        *_PALM,
    ],
}


@dataclass(frozen=True, slots=True, eq=False)
class _Relief:
    """A lit hand: colour (h, w, 3), blue first, 0 to 255, and cover (h, w)."""

    colour: np.ndarray
    cover: np.ndarray


def _grid() -> tuple[np.ndarray, np.ndarray]:
    columns = round(2 * _HALF_WIDTH_MM * _PX_PER_MM)
    rows = round((_LENGTH_MM + _AHEAD_MM) * _PX_PER_MM)
    x = (np.arange(columns, dtype=np.float32) + 0.5) / _PX_PER_MM - _HALF_WIDTH_MM
    y = _AHEAD_MM - (np.arange(rows, dtype=np.float32) + 0.5) / _PX_PER_MM
    return np.meshgrid(x, y)


def _heights(limbs: list[Limb], x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Height (h, w) of the highest limb, -inf outside all."""
    top = np.full(x.shape, -np.inf, np.float32)
    for limb in limbs:
        (ax, ay, az, ar), (bx, by, bz, br) = limb.start, limb.end
        dx, dy = bx - ax, by - ay
        t = np.clip(((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy), 0, 1)
        radius = ar + t * (br - ar)
        off2 = (x - ax - t * dx) ** 2 + (y - ay - t * dy) ** 2
        inside = radius * radius - off2
        here = az + t * (bz - az) + np.sqrt(np.maximum(inside, 0))
        np.maximum(top, np.where(inside > 0, here, -np.inf), out=top)
    return top


@lru_cache(maxsize=64)
def _render_relief(shape: str, skin: Rgb, sleeve: Rgb, lamp_step: int) -> _Relief:
    """A hand lit from ``lamp_step`` times 15 degrees, counter-clockwise from its own x."""
    x, y = _grid()
    limbs = [*_SHAPES[shape], *_ARM]
    skin_height = _heights([limb for limb in limbs if not limb.is_sleeve], x, y)
    sleeve_height = _heights([limb for limb in limbs if limb.is_sleeve], x, y)
    is_cloth = sleeve_height > skin_height
    height = np.maximum(skin_height, sleeve_height)
    cover = np.isfinite(height).astype(np.float32)
    smooth = cv2.GaussianBlur(np.where(cover > 0, height, -4.0).astype(np.float32), (0, 0), 2.4)
    if shape:
        smooth += _folds(x, y) * is_cloth
    slope_x = cv2.Sobel(smooth, cv2.CV_32F, 1, 0, scale=1 / 8) * _PX_PER_MM
    slope_y = -cv2.Sobel(smooth, cv2.CV_32F, 0, 1, scale=1 / 8) * _PX_PER_MM
    angle = math.radians(15 * lamp_step)
    lamp = np.array([0.55 * math.cos(angle), 0.55 * math.sin(angle), 0.83])
    norm = np.sqrt(slope_x**2 + slope_y**2 + 1)
    facing = np.maximum((-slope_x * lamp[0] - slope_y * lamp[1] + lamp[2]) / norm, 0)
    shade = _AMBIENT * (0.7 + 0.3 / norm) + _DIFFUSE * facing
    base = np.where(is_cloth[..., None], np.array(sleeve[::-1]), np.array(skin[::-1]))
    # blood makes the skin's shadows and fingertips redder
    warm = np.where(
        is_cloth[..., None], 1.0, np.array([0.94, 0.97, 1.03]) ** (2 - shade[..., None])
    )
    colour = np.clip(255 * base * shade[..., None] * warm, 0, 255).astype(np.float32)
    return _Relief(colour, cv2.GaussianBlur(cover, (0, 0), 0.8))


def _folds(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Folds of a sleeve, mm."""
    return 1.3 * np.sin(0.07 * y + 0.04 * x) + 0.8 * np.sin(0.19 * y - 0.09 * x + 1.0)


def _corners() -> FloatArray:
    """The relief's corners (4, 2) in its own mm, in the pixel convention of (0, 0)."""
    low, high = _AHEAD_MM - _LENGTH_MM - _AHEAD_MM, _AHEAD_MM
    return np.array(
        [
            [-_HALF_WIDTH_MM, high],
            [_HALF_WIDTH_MM, high],
            [_HALF_WIDTH_MM, low],
            [-_HALF_WIDTH_MM, low],
        ]
    )


def _place_corners(hand: Hand) -> FloatArray:
    """The relief's corners (4, 2) on the board, mm."""
    turn = hand.azimuth_rad - math.pi / 2
    c, s = math.cos(turn), math.sin(turn)
    return _corners() @ np.array([[c, s], [-s, c]]) + hand.tip_mm[:2]


def hand_patch(scene: StaticScene, view: View, hand: Hand) -> Patch:
    """All pixels that a hand or its shadow may touch."""
    return patch_around(
        np.concatenate([_project_corners(view, hand), _project_shadow(scene, view, hand)]), 10.0
    )


def _project_corners(view: View, hand: Hand) -> FloatArray:
    return view.project_plane(_place_corners(hand), hand.tip_mm[2] + _PLANE_MM)


def _project_shadow(scene: StaticScene, view: View, hand: Hand) -> FloatArray:
    over = hand.tip_mm[2] + _PLANE_MM
    return view.project_plane(_place_corners(hand) + shadow_offset(scene.light, over), 0.0)


def _warp(image: np.ndarray, corners_px: FloatArray, patch: Patch) -> np.ndarray:
    rows, columns = image.shape[:2]
    own = np.array(
        [[-0.5, -0.5], [columns - 0.5, -0.5], [columns - 0.5, rows - 0.5], [-0.5, rows - 0.5]]
    )
    target = (corners_px - (patch.left, patch.top)).astype(np.float32)
    to_patch = cv2.getPerspectiveTransform(own.astype(np.float32), target)
    return cv2.warpPerspective(image, to_patch, patch.shape[::-1], flags=cv2.INTER_LINEAR)


def _light_relief(scene: StaticScene, hand: Hand) -> _Relief:
    turn = math.degrees(hand.azimuth_rad) - 90
    step = round((scene.light.azimuth_deg - turn) / 15) % 24
    return _render_relief(hand.shape, hand.skin, hand.sleeve, step)


def cast_hand_shadow(
    picture: np.ndarray, patch: Patch, scene: StaticScene, view: View, hand: Hand
) -> None:
    """Darken the ground beneath a hand; ``picture`` is the patch's pixels."""
    cover = _warp(_light_relief(scene, hand).cover, _project_shadow(scene, view, hand), patch)
    soft = _SHADOW_SOFT_PX * (0.5 + hand.tip_mm[2] / 40)
    picture *= 1 - scene.light.strength * cv2.GaussianBlur(cover, (0, 0), soft)[..., None]


def draw_hand(
    picture: np.ndarray, patch: Patch, scene: StaticScene, view: View, hand: Hand
) -> None:
    """Draw a hand; ``picture`` is the patch's pixels."""
    relief = _light_relief(scene, hand)
    corners = _project_corners(view, hand)
    blend(picture, _warp(relief.colour, corners, patch), _warp(relief.cover, corners, patch))
