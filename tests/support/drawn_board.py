"""A board drawn exactly: every pixel is lifted to the surface and painted by where it is."""

from __future__ import annotations

import cv2
import numpy as np
from scipy.spatial.transform import Rotation

from calibration.board import BoardSpec
from calibration.camera import Camera
from calibration.pose import Pose, View
from vision.io.frame import Frame

WOOD, PAINT, DITCH, TABLE = 170.0, 60.0, 80.0, 120.0
#: Pixels are averages of this many samples a side.
_SAMPLES = 2


def view_of(
    tilt_deg: float = 20.0,
    turn_deg: float = 0.0,
    *,
    size_px: tuple[int, int] = (1200, 900),
    distance_mm: float = 1100.0,
    roll_deg: float = 0.0,
    k1: float = 0.0,
) -> View:
    """A camera that looks at the board's middle from ``tilt_deg`` off its normal."""
    width, height = size_px
    focal = 0.75 * max(size_px)
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
    spec = spec or BoardSpec()
    width, height = size_px
    big = view.rescale(_SAMPLES)
    x, y = np.meshgrid(np.arange(width * _SAMPLES), np.arange(height * _SAMPLES))
    px = np.stack([x.ravel(), y.ravel()], axis=-1).astype(np.float64)
    value = _paint(big.unproject_plane(px), spec, grain)
    fine = value.reshape(height * _SAMPLES, width * _SAMPLES).astype(np.float32)
    grey = cv2.resize(fine, size_px, interpolation=cv2.INTER_AREA)
    grey = cv2.GaussianBlur(grey, (0, 0), 0.7)
    return np.asarray(grey + np.random.default_rng(0).normal(0.0, noise, grey.shape))


def frame_of(grey: np.ndarray, name: str = "drawn") -> Frame:
    """The picture as a frame, as if it had been read from a file."""
    image = np.repeat(np.clip(grey, 0, 255).astype(np.uint8)[..., None], 3, axis=-1)
    height, width = grey.shape
    return Frame(name=name, image=image, scale=1.0, width_px=width, height_px=height)


def _paint(place_mm: np.ndarray, spec: BoardSpec, grain: float) -> np.ndarray:
    """Brightness (n,) of points (n, 2) of the surface."""
    radius = np.hypot(*place_mm.T)
    value = np.full(len(place_mm), TABLE)
    value[radius < spec.surface_radius_mm + 55.0] = DITCH
    surface = radius < spec.surface_radius_mm
    wood = WOOD + grain * np.sin(place_mm[:, 0] / 3.0 + np.sin(place_mm[:, 1] / 40.0))
    value[surface] = wood[surface]
    half = spec.line_width_mm / 2
    for line in range(3):
        value[np.abs(spec.inside_line_mm(line, place_mm)) < half] = PAINT
    across = np.minimum(
        np.abs(place_mm[:, 0] - place_mm[:, 1]), np.abs(place_mm[:, 0] + place_mm[:, 1])
    ) / np.sqrt(2)
    between = (radius > spec.line_radii_mm[1]) & (radius < spec.line_radii_mm[2])
    value[between & (across < half)] = PAINT
    value[np.hypot(*(place_mm - spec.hole_centre_mm).T) < spec.hole_radius_mm] = PAINT
    return value
