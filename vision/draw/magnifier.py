"""A magnified close call: the board, rectified around the point where base and line are closest.

The patch is resampled through the fitted view and therefore shows the errors of the fit: if the
drawn base is not on the disc, the fit is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.board import FloatArray
from calibration.circle import circle_mm
from calibration.pose import View
from vision.draw.canvas import BLACK, WHITE, Canvas, Rgb, TextStyle, is_dark

#: Size of a close-up on the panel.
WIDTH_PX, HEIGHT_PX = 432, 216
#: Smallest height of the board that is shown, and largest share of it for the margin: a larger part
#: is shown if base and line are far apart.
HEIGHT_MM, _MARGIN_SHARE = 18.0, 0.6

LINE_COLOUR: Rgb = (255, 150, 20)
_TITLE_PX, _GAP_PX, _LEFT_PX = 24, 18, 24


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CloseCall:
    """A disc's base and the line that decides it, in the board frame.

    disc_centre_mm     of the base (2,); contact_radius_mm is the base's
    line_centre_mm     of the line (2,)
    line_radius_mm     of the line's inner edge; line_width_mm is the line's width
    """

    disc_centre_mm: FloatArray
    disc_colour: Rgb
    contact_radius_mm: float
    line_centre_mm: FloatArray
    line_radius_mm: float
    line_width_mm: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CloseUp:
    """A rectified patch of board (height, width, 3) BGR with its drawing, and its title."""

    title: str
    pixels: np.ndarray

    @classmethod
    def render(cls, image: np.ndarray, view: View, call: CloseCall, title: str) -> CloseUp:
        """A close-up of the point where a disc comes nearest to a line; outward points up.

        ``image`` (h, w, 3) uint8 BGR is in the pixels of ``view``.
        """
        offset = call.disc_centre_mm - call.line_centre_mm
        distance = float(np.linalg.norm(offset))
        outward = offset / distance if distance > 1e-6 else np.array([0.0, 1.0])
        reach_mm = distance + call.contact_radius_mm
        patch = _BoardPatch(
            middle_mm=call.line_centre_mm + (reach_mm + call.line_radius_mm) / 2 * outward,
            up=outward,
            height_mm=max(HEIGHT_MM, abs(call.line_radius_mm - reach_mm) / _MARGIN_SHARE),
        )
        canvas = Canvas(patch.rectify(image, view))
        for radius_mm, width_px in (
            (call.line_radius_mm, 3),
            (call.line_radius_mm + call.line_width_mm, 1),
        ):
            edge = circle_mm(call.line_centre_mm, radius_mm, 2000)
            canvas.draw_curve(patch.pixels(edge), LINE_COLOUR, width_px, edge=BLACK)
        base = circle_mm(call.disc_centre_mm, call.contact_radius_mm, 360)
        canvas.draw_curve(
            patch.pixels(base),
            call.disc_colour,
            3,
            edge=WHITE if is_dark(call.disc_colour) else BLACK,
        )
        _draw_scale(canvas, patch.px_per_mm)
        return cls(title=title, pixels=canvas.render())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _BoardPatch:
    """A rectangle of the playing surface around ``middle_mm``; the unit vector ``up`` points up in
    the picture.
    """

    middle_mm: FloatArray
    up: FloatArray
    height_mm: float

    @property
    def px_per_mm(self) -> float:
        """Pixels of the close-up per millimetre."""
        return HEIGHT_PX / self.height_mm

    @property
    def _right(self) -> FloatArray:
        return np.array([self.up[1], -self.up[0]])

    def pixels(self, points_mm: FloatArray) -> FloatArray:
        """Pixels (n, 2) of the close-up of board points (n, 2)."""
        offset = points_mm - self.middle_mm
        across, along = offset @ self._right, offset @ self.up
        centre = np.array([(WIDTH_PX - 1) / 2, (HEIGHT_PX - 1) / 2])
        pixels: FloatArray = centre + self.px_per_mm * np.stack([across, -along], axis=-1)
        return pixels

    def rectify(self, image: np.ndarray, view: View) -> np.ndarray:
        """The rectified patch of board."""
        x, y = np.meshgrid(np.arange(WIDTH_PX), np.arange(HEIGHT_PX))
        across = (x - (WIDTH_PX - 1) / 2) / self.px_per_mm
        along = ((HEIGHT_PX - 1) / 2 - y) / self.px_per_mm
        board = self.middle_mm + across[..., None] * self._right + along[..., None] * self.up
        source = view.project_plane(board.reshape(-1, 2)).reshape(HEIGHT_PX, WIDTH_PX, 2)
        grid = source.astype(np.float32)
        return cv2.remap(
            image, grid[..., 0], grid[..., 1], cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
        )


def draw_close_up(canvas: Canvas, close_up: CloseUp, top_px: int) -> int:
    """Paste a close-up with its title below ``top_px``; returns the top of the next one."""
    style = TextStyle(size_px=_TITLE_PX, colour=LINE_COLOUR)
    canvas.draw_text((_LEFT_PX, top_px), close_up.title, style)
    top = top_px + _TITLE_PX + 8
    height, width = close_up.pixels.shape[:2]
    canvas.pixels[top : top + height, _LEFT_PX : _LEFT_PX + width] = close_up.pixels
    return top + height + _GAP_PX


def close_up_height_px() -> int:
    """Height of a close-up with its title."""
    return _TITLE_PX + 8 + HEIGHT_PX + _GAP_PX


def _draw_scale(canvas: Canvas, px_per_mm: float) -> None:
    """Draw a bar of five millimetres in the lower right corner."""
    right, bottom = WIDTH_PX - 14, HEIGHT_PX - 14
    bar = np.array([[right - 5 * px_per_mm, bottom], [right, bottom]])
    canvas.draw_curve(bar, WHITE, 2, closed=False, edge=BLACK)
    style = TextStyle(size_px=16, colour=WHITE, anchor="rm", edge=BLACK)
    canvas.draw_text((bar[0, 0] - 8, bottom), "5 mm", style)
