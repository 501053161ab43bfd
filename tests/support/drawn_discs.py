"""Discs drawn on a board, with edges accurate to a few hundredths of a pixel."""

from __future__ import annotations

import pickle
from functools import cache, lru_cache

import cv2
import numpy as np

from calibration.board import BoardSpec
from calibration.camera import Camera
from calibration.circle import circle_mm
from calibration.disc import DiscSpec
from calibration.fit import BoardFit
from calibration.pose import Pose, View
from vision.discs.hole.pose_templates import DiscPoses, pose_leaners
from vision.discs.outline.contour import DiscGeometry

SIZE_PX = (1280, 960)
DISC = DiscSpec()
WOOD_BGR = (120, 170, 205)
RED_BGR = (45, 40, 170)
BLACK_BGR = (35, 35, 38)
POST_BGR = (60, 60, 60)
#: Wood in hard shadow, and a disc of nearly the wood's brightness but a different hue.
SHADE_BGR = (50, 70, 85)
PALE_BGR = (150, 165, 200)
#: Pictures are drawn at four times the size and averaged, so that edges are accurate to a few
#: hundredths of a pixel.
SUPERSAMPLE = 4


def view_at(tilt_deg: float, distance_mm: float = 1000.0) -> View:
    tilt = np.radians(tilt_deg)
    down = np.diag([1.0, -1.0, -1.0])
    lean = np.array([[1, 0, 0], [0, np.cos(tilt), np.sin(tilt)], [0, -np.sin(tilt), np.cos(tilt)]])
    camera = Camera(fx_px=1150.0, fy_px=1150.0, cx_px=639.5, cy_px=479.5)
    pose = Pose(rotation=down @ lean, translation_mm=np.array([0.0, 0.0, distance_mm]))
    return View(camera=camera, cam_from_board=pose)


def board_fit(view: View) -> BoardFit:
    return BoardFit(view=view, spec=BoardSpec(), residual_px=0.2, covariance=np.zeros((8, 8)))


Drawn = tuple[float, float, tuple[int, int, int]]
#: A disc that leans on the hole's edge: its tilt and the direction of its high edge, in degrees,
#: and its colour.
Leaner = tuple[float, float, tuple[int, int, int]]


def draw(
    view: View,
    discs: list[Drawn],
    *,
    noise_grey: float = 2.0,
    hole_bgr: tuple[int, int, int] = (60, 70, 80),
    sunk: list[Drawn] | None = None,
    leaner: Leaner | None = None,
    shadow_mm: tuple[float, float] | None = None,
    disc: DiscSpec = DISC,
    standing_mm: float = 0.0,
    with_posts: bool = False,
) -> np.ndarray:
    """A board with sharp-edged discs, hole and lines, in flat colours with noise.

    ``sunk`` discs are inside the hole with their tops ``standing_mm`` above the surface; every disc
    on the surface casts its outline, shifted by ``shadow_mm``, as a hard shadow.
    """
    big = view.rescale(SUPERSAMPLE)
    image, board = _draw_empty(pickle.dumps(view))
    spec = BoardSpec()
    painted: list[tuple[Part, np.ndarray]] = []

    def fill(outline_px: np.ndarray, colour: tuple[int, ...]) -> None:
        keep(outline_px)
        _fill(image, outline_px, colour)

    def keep(outline_px: np.ndarray) -> None:
        """Keep the part of the empty board that an outline is going to cover."""
        part = _part_around(outline_px)
        painted.append((part, image[part].copy()))

    fill(big.project_plane(circle_mm((0, 0), spec.hole_radius_mm, 360)), hole_bgr)

    def stand(x: float, y: float, size_mm: tuple[float, float], colour: tuple[int, ...]) -> None:
        rim = circle_mm((x, y), size_mm[0], 360)
        top = big.project_plane(rim, size_mm[1])
        both = np.concatenate([big.project_plane(rim), top]).astype(np.float32)
        fill(cv2.convexHull(both)[:, 0], tuple(int(0.7 * c) for c in colour))
        fill(top, colour)

    for x, y, colour in sunk or []:
        stand(x, y, (disc.radius_mm, standing_mm), colour)
    if shadow_mm is not None:
        for x, y, _ in discs:
            shade = (x + shadow_mm[0], y + shadow_mm[1])
            fill(big.project_plane(circle_mm(shade, disc.radius_mm, 360)), SHADE_BGR)
    things = [(x, y, (disc.radius_mm, disc.height_mm), colour) for x, y, colour in discs]
    if with_posts:
        posts = spec.post_ring_radius_mm * circle_mm((0.0, 0.0), 1.0, 16)[1::2]
        size_mm = (spec.post_radius_mm, spec.post_height_mm)
        things += [(float(x), float(y), size_mm, POST_BGR) for x, y in posts]
    for x, y, size_mm, colour in sorted(things, key=lambda thing: -thing[1]):
        stand(x, y, size_mm, colour)
    if leaner is not None:
        keep(big.project(_leaner_rims(leaner, disc).reshape(-1, 3)))
        _lay_leaner(image, big, leaner, disc)
    noisy = np.float32(noise_grey) * _camera_noise()
    noisy += _shrink_parts(image, board, [part for part, _ in painted])
    for part, empty in reversed(painted):
        image[part] = empty
    return np.clip(noisy, 0, 255, out=noisy).astype(np.uint8)


#: The rows and columns of a part of the large picture.
Part = tuple[slice, slice]


@lru_cache(maxsize=1)
def _draw_empty(told: bytes) -> tuple[np.ndarray, np.ndarray]:
    """The board without hole and discs at four times the size, to draw on, and averaged to its own
    size: of the view drawn last, because there is one canvas.
    """
    view: View = pickle.loads(told)
    big, spec, image = view.rescale(SUPERSAMPLE), BoardSpec(), _canvas()
    image[:] = 90
    _fill(image, big.project_plane(circle_mm((0, 0), spec.surface_radius_mm, 720)), WOOD_BGR)
    for radius in spec.line_radii_mm:
        _fill(image, big.project_plane(circle_mm((0, 0), radius + 0.8, 720)), (40, 40, 40))
        _fill(image, big.project_plane(circle_mm((0, 0), radius - 0.8, 720)), WOOD_BGR)
    return image, cv2.resize(image, SIZE_PX, interpolation=cv2.INTER_AREA)


@cache
def _canvas() -> np.ndarray:
    """The canvas of every picture: 59 MB that are allocated only once."""
    return np.empty((SIZE_PX[1] * SUPERSAMPLE, SIZE_PX[0] * SUPERSAMPLE, 3), np.uint8)


def _fill(image: np.ndarray, outline_px: np.ndarray, colour: tuple[int, ...]) -> None:
    cv2.fillPoly(image, [np.rint(outline_px * 16).astype(np.int32)], colour, shift=4)


def _part_around(outline_px: np.ndarray) -> Part:
    """The part of the large picture that holds an outline (n, 2), in whole pixels of the small
    one.
    """
    low = np.maximum(np.floor(outline_px.min(axis=0) / SUPERSAMPLE).astype(int) - 1, 0)
    high = np.maximum(np.ceil(outline_px.max(axis=0) / SUPERSAMPLE).astype(int) + 2, 0)
    (left, top), (right, bottom) = low * SUPERSAMPLE, high * SUPERSAMPLE
    return slice(top, bottom), slice(left, right)


def _shrink_parts(image: np.ndarray, board: np.ndarray, parts: list[Part]) -> np.ndarray:
    """The picture at its own size: the empty board, with the parts averaged again."""
    small = board.copy()
    for rows, columns in parts:
        within = tuple(
            slice(side.start // SUPERSAMPLE, side.stop // SUPERSAMPLE) for side in (rows, columns)
        )
        height, width = small[within].shape[:2]
        if height and width:
            small[within] = cv2.resize(
                image[rows, columns], (width, height), interpolation=cv2.INTER_AREA
            )
    return small


@cache
def _camera_noise() -> np.ndarray:
    """Noise that is the same for every picture (h, w, 3): drawing it takes longer than drawing the
    board.
    """
    return np.random.default_rng(1).standard_normal((*SIZE_PX[::-1], 3)).astype(np.float32)


def leaner_at(leaner: Leaner, disc: DiscSpec = DISC) -> DiscPoses:
    """The resting pose of the leaner in a hole of the smallest depth."""
    shape = DiscGeometry(radius_mm=disc.radius_mm, height_mm=disc.height_mm)
    tilt, turn = np.radians(leaner[:2])
    lying, _ = pose_leaners(np.array([tilt]), np.array([turn]), BoardSpec().hole_radius_mm, shape)
    return DiscPoses(base_mm=lying.base_mm[:1], axis=lying.axis[:1])


def _lay_leaner(image: np.ndarray, view: View, leaner: Leaner, disc: DiscSpec) -> None:
    """Draw a tilted cylinder: the part above the surface, and the rest where the hole shows it."""
    bottom, top = _leaner_rims(leaner, disc)
    body, colour = np.concatenate([bottom, top]), leaner[2]
    body_px = _hull(view.project(body))
    left, upper, width, height = cv2.boundingRect(body_px)
    part, corner_px = image[upper : upper + height, left : left + width], (left, upper)
    hole_px = view.project_plane(circle_mm((0, 0), BoardSpec().hole_radius_mm, 360))
    hole = _mask(part, hole_px - corner_px)
    over = _mask(part, _hull(view.project(body[body[:, 2] >= 0])) - corner_px)
    shown = (hole | over) & _mask(part, body_px - corner_px)
    part[shown > 0] = [int(0.7 * c) for c in colour]
    part[(shown & _mask(part, view.project(top) - corner_px)) > 0] = colour


def _leaner_rims(leaner: Leaner, disc: DiscSpec) -> np.ndarray:
    """The lower and the upper rim (2, n, 3) of a leaner, board mm."""
    lying = leaner_at(leaner, disc)
    up = lying.axis[0]
    across = np.cross(up, (0.0, 0.0, 1.0))
    across /= np.linalg.norm(across)
    ring = circle_mm((0, 0), disc.radius_mm, 360)
    bottom = lying.base_mm[0] + ring[:, :1] * across + ring[:, 1:] * np.cross(up, across)
    return np.stack([bottom, bottom + disc.height_mm * up])


def _hull(px: np.ndarray) -> np.ndarray:
    return np.asarray(cv2.convexHull(px.astype(np.float32))[:, 0])


def _mask(image: np.ndarray, outline_px: np.ndarray) -> np.ndarray:
    """1 inside an outline (n, 2), 0 elsewhere."""
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.rint(outline_px * 16).astype(np.int32)], 1, shift=4)
    return mask


SCATTERED = [
    (150.0, 40.0, RED_BGR),
    (-120.0, 210.0, RED_BGR),
    (60.0, -240.0, BLACK_BGR),
    (-200.0, -60.0, BLACK_BGR),
    (30.0, 70.0, RED_BGR),
]
