"""A picture to draw on: smooth curves with a contrasting edge, badges and text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike
from PIL import Image, ImageDraw, ImageFont

Rgb = tuple[int, int, int]

WHITE: Rgb = (255, 255, 255)
BLACK: Rgb = (20, 20, 24)

#: OpenCV can draw at 1 / 2**4 of a pixel.
_SHIFT = 4
#: Above this Rec. 601 luma a colour counts as light.
_LIGHT_LUMA = 140
#: Letters are drawn bolder than the light font by this share of their size; more would close their
#: gaps.
_OWN_STROKE = 0.02
#: Width of the outline around letters, as a share of their size.
_EDGE_STROKE = 0.07
#: Below this mean of red, green and blue a disc counts as dark.
_DARK_GREY = 110


def pick_contrasting(colour: Rgb) -> Rgb:
    """Black or white, whichever contrasts more with ``colour``."""
    red, green, blue = colour
    return BLACK if 0.299 * red + 0.587 * green + 0.114 * blue > _LIGHT_LUMA else WHITE


def is_dark(colour: Rgb) -> bool:
    """Whether a disc of this colour needs a light edge to stand out on wood."""
    return sum(colour) < 3 * _DARK_GREY


@dataclass(frozen=True, slots=True, kw_only=True)
class TextStyle:
    """The style of a text.

    anchor  as in Pillow: ``lt`` left top, ``mm`` middle
    edge    colour of an outline; None for none
    """

    size_px: int
    colour: Rgb
    anchor: str = "lt"
    edge: Rgb | None = None


class Canvas:
    """A BGR picture to draw on, in pixels (x, y); text is drawn last, on top."""

    def __init__(self, pixels: np.ndarray) -> None:
        """Draw on ``pixels`` (height, width, 3) uint8 BGR, in place."""
        self.pixels = pixels
        self._texts: list[tuple[tuple[float, float], str, TextStyle]] = []

    def draw_curve(
        self,
        points_px: ArrayLike,
        colour: Rgb,
        width_px: int,
        *,
        closed: bool = True,
        edge: Rgb | None = None,
    ) -> None:
        """Draw a smooth line through (n, 2) pixels, with an ``edge`` on both sides if given."""
        fixed = [self._to_fixed_point(points_px)]
        if edge is not None:
            wider = width_px + 2 * max(1, round(width_px / 2))
            cv2.polylines(self.pixels, fixed, closed, edge[::-1], wider, cv2.LINE_AA, _SHIFT)
        cv2.polylines(self.pixels, fixed, closed, colour[::-1], width_px, cv2.LINE_AA, _SHIFT)

    def fill_area(self, points_px: ArrayLike, colour: Rgb) -> None:
        """Fill the convex area inside (n, 2) pixels."""
        cv2.fillConvexPoly(
            self.pixels, self._to_fixed_point(points_px), colour[::-1], cv2.LINE_AA, _SHIFT
        )

    def draw_badge(self, centre_px: ArrayLike, text: str, size_px: int, fill: Rgb) -> None:
        """Write a short label on a rounded badge."""
        x, y = (float(value) for value in np.asarray(centre_px))
        ink = pick_contrasting(fill)
        half = np.array(
            [max(measure_text_width(text, size_px) / 2 + 0.3 * size_px, 0.62 * size_px), 0]
        )
        height_px = round(1.24 * size_px)
        ends = np.array([[x, y], [x, y]]) + np.array([-half, half])
        inner = np.array([[height_px / 2, 0], [-height_px / 2, 0]])
        self.draw_curve(ends + inner, fill, height_px, closed=False, edge=None)
        self.draw_text((x, y), text, TextStyle(size_px=size_px, colour=ink, anchor="mm"))

    def draw_text(self, at_px: Sequence[float], text: str, style: TextStyle) -> None:
        """Write text with its anchor at a point (x, y)."""
        self._texts.append(((at_px[0], at_px[1]), text, style))

    def render(self) -> np.ndarray:
        """The picture (height, width, 3) uint8 BGR with its text."""
        picture = Image.fromarray(cv2.cvtColor(self.pixels, cv2.COLOR_BGR2RGB))
        pen = ImageDraw.Draw(picture)
        for at, text, style in self._texts:
            thin, thick = style.size_px * _OWN_STROKE, max(1.0, style.size_px * _EDGE_STROKE)
            pen.text(
                at,
                text,
                fill=style.colour,
                font=_load_font(style.size_px),
                anchor=style.anchor,
                stroke_width=thin if style.edge is None else thick,
                stroke_fill=style.edge or style.colour,
            )
        return cv2.cvtColor(np.asarray(picture), cv2.COLOR_RGB2BGR)

    @staticmethod
    def _to_fixed_point(points_px: ArrayLike) -> np.ndarray:
        # Points far outside would overflow OpenCV's fixed-point numbers; they are invisible anyway.
        points = np.clip(np.asarray(points_px, dtype=np.float64), -3e4, 3e4)
        return np.round(points * 2**_SHIFT).astype(np.int32)


def measure_text_width(text: str, size_px: int) -> float:
    """Width of text, pixels."""
    return float(_load_font(size_px).getlength(text))


def _load_font(size_px: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size_px)
    assert isinstance(font, ImageFont.FreeTypeFont)  # every wheel of Pillow includes FreeType
    return font
