"""A board drawn exactly: every pixel is lifted to the surface and painted by its position there."""

from __future__ import annotations

import pickle
from functools import cache, lru_cache

import cv2
import numpy as np
from scipy.spatial.transform import Rotation

from calibration.board import BoardSpec
from calibration.camera import Camera
from calibration.pose import Pose, View
from vision.io.frame import Frame

WOOD, PAINT, DITCH, TABLE = 170.0, 60.0, 80.0, 120.0
#: Offsets of the samples whose mean is used for a pixel that an edge may cross.
_OFFSETS_PX = np.array([(x, y) for x in (-0.25, 0.25) for y in (-0.25, 0.25)])
#: Largest deviation of lines with their own centre and shape from their nominal radius, mm.
_LINE_REACH_MM = 12.0


def view_of(
    tilt_deg: float = 20.0,
    turn_deg: float = 0.0,
    *,
    size_px: tuple[int, int] = (1200, 900),
    distance_mm: float = 1100.0,
    roll_deg: float = 0.0,
    k1: float = 0.0,
    focal_sides: float = 0.75,
) -> View:
    """A camera that looks at the board's middle from ``tilt_deg`` off its normal."""
    width, height = size_px
    focal = focal_sides * max(size_px)
    camera = Camera(fx_px=focal, fy_px=focal, cx_px=(width - 1) / 2, cy_px=(height - 1) / 2, k1=k1)
    rotation = (
        Rotation.from_euler("z", roll_deg, degrees=True)
        * Rotation.from_euler("x", 180.0 - tilt_deg, degrees=True)
        * Rotation.from_euler("z", turn_deg, degrees=True)
    ).as_matrix()
    pose = Pose(rotation=rotation, translation_mm=np.array([8.0, -5.0, distance_mm]))
    return View(camera=camera, cam_from_board=pose)


def draw_board(
    view: View,
    spec: BoardSpec | None = None,
    *,
    size_px: tuple[int, int] = (1200, 900),
    grain: float = 0.0,
    noise: float = 2.0,
) -> np.ndarray:
    """The board as a grey picture (h, w) float, 0 to 255."""
    told = pickle.dumps((view, spec or BoardSpec(), size_px, grain))
    grey = _draw_without_noise(told)
    return np.asarray(grey + noise * _draw_noise(grey.shape))


@lru_cache(maxsize=8)
def _draw_without_noise(told: bytes) -> np.ndarray:
    """The picture (h, w), cached because many tests draw the same board."""
    view, spec, (width, height), grain = pickle.loads(told)
    pixels = np.indices((height, width))[::-1].reshape(2, -1).T.astype(np.float64)
    places = view.unproject_plane(pixels)
    grey = _paint(places, spec, grain).reshape(height, width)
    mixed = _find_mixed(grey, grain) | _find_line_pixels(places.reshape(height, width, 2), spec)
    corners = (pixels[mixed.ravel(), None] + _OFFSETS_PX).reshape(-1, 2)
    samples = _paint(view.unproject_plane(corners), spec, grain)
    grey[mixed] = samples.reshape(-1, len(_OFFSETS_PX)).mean(axis=1)
    return np.asarray(cv2.GaussianBlur(grey, (0, 0), 0.7))


@cache
def _draw_noise(shape: tuple[int, ...]) -> np.ndarray:
    """Noise that is the same for every picture of a size."""
    return np.random.default_rng(0).standard_normal(shape)


def draw_posts(grey: np.ndarray, view: View, spec: BoardSpec, phase_rad: float) -> np.ndarray:
    """The picture with eight dark posts on their ring, the first at ``phase_rad``."""
    drawn = grey.copy()
    width_px = max(int(round(2 * spec.post_radius_mm / view.mm_per_px())), 2)
    for azimuth in phase_rad + np.arange(spec.post_count) * (2 * np.pi / spec.post_count):
        base = spec.post_ring_radius_mm * np.array([np.cos(azimuth), np.sin(azimuth)])
        ends = view.project([[*base, 0.0], [*base, spec.post_height_mm]])
        low, high = (tuple(int(round(v)) for v in end) for end in ends)
        cv2.line(drawn, low, high, PAINT, width_px)
    return drawn


def frame_of(grey: np.ndarray, name: str = "drawn") -> Frame:
    """The picture as a frame, as if it had been read from a file."""
    image = np.repeat(np.clip(grey, 0, 255).astype(np.uint8)[..., None], 3, axis=-1)
    height, width = grey.shape
    return Frame(name=name, image=image, scale=1.0, width_px=width, height_px=height)


def _find_line_pixels(places_mm: np.ndarray, spec: BoardSpec) -> np.ndarray:
    """The pixels of points (h, w, 2) that a line may touch, however thin it is compared with a
    pixel.
    """
    step_mm = np.linalg.norm(np.diff(places_mm, axis=0, append=places_mm[-1:]), axis=-1)
    radius = np.linalg.norm(places_mm, axis=-1)
    half = spec.line_width_mm / 2 + step_mm
    near = np.zeros(radius.shape, dtype=bool)
    for line_mm in spec.line_radii_mm:
        near |= np.abs(radius - line_mm) < _LINE_REACH_MM + half
    across = np.abs(np.abs(places_mm[..., 0]) - np.abs(places_mm[..., 1])) / np.sqrt(2)
    inner, _, outer = spec.line_radii_mm
    return near | ((across < half) & (radius > inner) & (radius < outer + _LINE_REACH_MM))


def _find_mixed(grey: np.ndarray, grain: float) -> np.ndarray:
    """The pixels (h, w) that an edge may cross: those next to a pixel of different brightness."""
    kernel = np.ones((3, 3), np.uint8)
    step = cv2.dilate(grey, kernel) - cv2.erode(grey, kernel)
    return step > 1.0 + grain


def _paint(place_mm: np.ndarray, spec: BoardSpec, grain: float) -> np.ndarray:
    """Brightness (n,) of points (n, 2) of the surface."""
    x, y = place_mm.T
    radius = np.hypot(x, y)
    value = np.full(len(place_mm), TABLE)
    value[radius < spec.surface_radius_mm + 55.0] = DITCH
    surface = radius < spec.surface_radius_mm
    value[surface] = WOOD
    if grain:
        value[surface] += grain * np.sin(x[surface] / 3.0 + np.sin(y[surface] / 40.0))
    half = spec.line_width_mm / 2
    for line, line_mm in enumerate(spec.line_radii_mm):
        near = np.flatnonzero(np.abs(radius - line_mm) < _LINE_REACH_MM + half)
        value[near[np.abs(spec.inside_line_mm(line, place_mm[near])) < half]] = PAINT
    across = np.minimum(np.abs(x - y), np.abs(x + y)) / np.sqrt(2)
    between = (radius > spec.line_radii_mm[1]) & (radius < spec.line_radii_mm[2])
    value[between & (across < half)] = PAINT
    hole_x, hole_y = spec.hole_centre_mm
    value[np.hypot(x - hole_x, y - hole_y) < spec.hole_radius_mm] = PAINT
    return value
