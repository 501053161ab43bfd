"""A board's rectified image (bird's-eye view) as JPEG, and the deciding edges drawn on it.

A page's frame is in millimetres from the board's centre with y downwards, as on screens.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.board import BoardSpec, FloatArray
from calibration.fit import BoardFit
from vision.io.encode_picture import encode_jpeg
from vision.rectify.birds_eye import warp_birds_eye

#: The view from above extends this far beyond the playing surface, mm, ...
_MARGIN_MM = 25.0
#: ... and has the picture's resolution, within these limits.
_FINE_MM_PER_PX, _COARSE_MM_PER_PX = 0.33, 0.9
_JPEG_QUALITY = 85
_CURVE_POINTS = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class RectifiedBoardImage:
    """A board at rest, seen from straight above.

    jpeg       its picture, square
    half_mm    half the picture's side
    base_mm    the radius of a disc's base on the board
    lines      the inner edges of the lines, outermost last, as points of a drawing
    hole       centre x, centre y and radius, mm
    """

    jpeg: bytes
    half_mm: float
    foot_mm: float
    lines: tuple[str, ...]
    hole: tuple[float, float, float]


def make_rectified_image(image: np.ndarray, board: BoardFit, foot_mm: float) -> RectifiedBoardImage:
    """The rectified image of a board in a picture (h, w, 3) BGR."""
    jpeg, half_mm = encode_rectified_image(image, board)
    spec = board.spec
    return RectifiedBoardImage(
        jpeg=jpeg,
        half_mm=half_mm,
        foot_mm=foot_mm,
        lines=tuple(format_points(flip_y(edge)) for edge in inner_edges_mm(spec)),
        hole=(spec.hole_centre_mm[0], -spec.hole_centre_mm[1], spec.hole_radius_mm),
    )


def encode_rectified_image(image: np.ndarray, board: BoardFit) -> tuple[bytes, float]:
    """The playing surface from straight above as JPEG, and half its side, mm."""
    half_mm = board.spec.surface_radius_mm + _MARGIN_MM
    step_mm = float(np.clip(board.view.mm_per_px(), _FINE_MM_PER_PX, _COARSE_MM_PER_PX))
    rectified = warp_birds_eye(
        image, board.view, z_mm=0.0, half_side_mm=half_mm, mm_per_px=step_mm
    ).image
    return encode_jpeg(rectified, _JPEG_QUALITY), half_mm


def inner_edges_mm(spec: BoardSpec) -> list[FloatArray]:
    """The inner edge of each of the three lines, (240, 2) mm in the board frame."""
    azimuths = np.linspace(0, 2 * np.pi, _CURVE_POINTS, endpoint=False)
    inward = np.stack([np.cos(azimuths), np.sin(azimuths)], axis=-1) * spec.line_width_mm / 2
    return [spec.line_points_mm(line, azimuths) - inward for line in range(3)]


def flip_y(points_mm: FloatArray) -> FloatArray:
    """Points (n, 2) of the board frame in a page's frame, with y downwards."""
    return np.asarray(points_mm * (1.0, -1.0))


def format_points(points: FloatArray) -> str:
    """Points (n, 2) as the attribute of an SVG drawing: ``x,y x,y``."""
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
