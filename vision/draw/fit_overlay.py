"""Draws the fitted board on the picture, to check that it matches the lines."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.board import FloatArray
from calibration.circle import circle_mm
from calibration.fit import BoardFit
from calibration.wizard.control_points import CONTROL_POINT_AZIMUTHS_DEG
from vision.draw.canvas import BLACK, Canvas, Rgb
from vision.draw.overlay import RING_COLOUR
from vision.io.frame import Frame

#: Long side of the picture, pixels.
_LONG_SIDE_PX = 1600
_CURVE_POINTS = 240
_SURFACE_COLOUR: Rgb = (255, 150, 20)


def board_curves_mm(fit: BoardFit) -> dict[str, list[FloatArray]]:
    """The board's curves by name, each (n, 2) on the surface: closed ``rings``, ``edge``, ``hole``,
    and the open ``quadrants``."""
    spec = fit.spec
    azimuths = np.linspace(0, 2 * np.pi, _CURVE_POINTS, endpoint=False)
    ends = [
        (spec.line_points_mm(1, [angle])[0], spec.line_points_mm(2, [angle])[0])
        for angle in np.radians(CONTROL_POINT_AZIMUTHS_DEG)
    ]
    return {
        "rings": [spec.line_points_mm(line, azimuths) for line in range(3)],
        "edge": [circle_mm((0.0, 0.0), spec.surface_radius_mm, _CURVE_POINTS)],
        "hole": [circle_mm(spec.hole_centre_mm, spec.hole_radius_mm, _CURVE_POINTS)],
        "quadrants": [np.linspace(inner, outer, 12) for inner, outer in ends],
    }


def downscale_for_screen(frame: Frame) -> tuple[np.ndarray, float]:
    """The picture reduced to screen size, and its scale relative to ``Frame.image``."""
    factor = min(1.0, _LONG_SIDE_PX / max(frame.image.shape[:2]))
    if factor == 1.0:
        return frame.image.copy(), 1.0
    small = cv2.resize(frame.image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    return small, factor


def draw_fit(frame: Frame, fit: BoardFit) -> np.ndarray:
    """The picture (h, w, 3) BGR with the board drawn; ``fit`` is in pixels of ``Frame.image``."""
    pixels, factor = downscale_for_screen(frame)
    view = fit.view.rescale(factor)
    canvas = Canvas(pixels)
    width = max(1, round(max(pixels.shape[:2]) / 900))
    for name, curves in board_curves_mm(fit).items():
        colour = _SURFACE_COLOUR if name == "edge" else RING_COLOUR
        for curve in curves:
            closed = name != "quadrants"
            canvas.draw_curve(view.project_plane(curve), colour, width, closed=closed, edge=BLACK)
    return canvas.render()
