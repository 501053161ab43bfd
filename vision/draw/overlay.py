"""Draws a reading and its calls on the photo, to show to an opponent.

It draws the fitted ring lines, each disc's base, the deciding line, and close-ups of close calls.
The calls are passed in as ``DiscLabel`` and ``SummaryPanel``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.board import FloatArray
from calibration.circle import circle_mm
from calibration.fit import BoardFit
from calibration.placed_disc import PlacedDisc
from calibration.pose import View
from vision.draw.canvas import BLACK, WHITE, Canvas, Rgb, TextStyle, is_dark
from vision.draw.magnifier import CloseCall, CloseUp, close_up_height_px, draw_close_up
from vision.draw.summary_panel import SummaryPanel, draw_summary_panel, measure_panel_height
from vision.io.frame import Frame
from vision.reading import Reading

#: Size of the picture and of the panel beside it, pixels; together they fit on a screen and in a
#: chat message.
PICTURE_PX, PANEL_PX = 1480, 480
#: The picture shows the board out to this many radii of the playing surface: the ditch and some of
#: the table.
_CROP_RADII = 1.28
#: A deciding line is highlighted next to discs that are closer to it than this.
_NEAR_LINE_MM = 6.0
#: Half-length of the highlighted piece of line.
_HIGHLIGHT_MM = 22.0
#: Height of a zone's letters, in radii of the disc they are written on.
_LETTER_RADII = 0.95
#: Height of a panel line that lists a close call without its close-up, pixels.
_LINE_PX = 32

RING_COLOUR: Rgb = (60, 220, 255)
CERTAIN_COLOUR: Rgb = (70, 230, 120)
CLOSE_COLOUR: Rgb = (255, 150, 20)
UNEXPLAINED_COLOUR: Rgb = (255, 60, 220)

_CURVE_POINTS = 180


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DiscLabel:
    """The label at one disc.

    number              the disc's number in the table
    words               text of the call, such as "15 or 10: +0.2 ± 0.3 mm"
    deciding_centre_mm, deciding_radius_mm  circle of the deciding line's inner edge beside this
                        disc, in the board frame
    """

    disc: PlacedDisc
    number: int
    colour_rgb: Rgb
    zone: int
    is_close: bool
    words: str
    margin_mm: float
    deciding_centre_mm: tuple[float, float]
    deciding_radius_mm: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Crop:
    """The drawn part of a frame, and its view: a crop followed by a resize."""

    pixels: np.ndarray
    view: View
    shift_px: FloatArray  # (2,) output pixels of the frame's origin

    def project(self, points_mm: FloatArray, z_mm: float = 0.0) -> FloatArray:
        """Output pixels (n, 2) of board points (n, 2) at a height of ``z_mm`` above the surface."""
        pixels: FloatArray = self.view.project_plane(points_mm, z_mm) + self.shift_px
        return pixels


def draw_overlay(
    frame: Frame, reading: Reading, labels: Sequence[DiscLabel], summary: SummaryPanel
) -> np.ndarray:
    """The picture (height, width, 3) BGR with everything drawn on it, and a panel beside it.

    Raises ``ValueError`` if the reading has no board.
    """
    board = reading.board
    if board is None:
        raise ValueError("a reading without a board has nothing to draw")
    crop = _crop_board(frame, board)
    canvas = Canvas(crop.pixels)
    line_px = max(1, round(min(canvas.pixels.shape[:2]) / 700))
    _draw_rings(canvas, crop, board, reading, line_px)
    for label in labels:
        _draw_disc(canvas, crop, label, reading, line_px)
    for item in reading.unexplained:
        _draw_unexplained(canvas, crop, item.centre_mm, reading, line_px)
    close_ups = [_make_close_up(frame, board, label, reading) for label in labels if label.is_close]
    picture = canvas.render()
    panel = _draw_panel(summary, close_ups, picture.shape[0])
    below = panel.shape[0] - picture.shape[0]
    whole = cv2.copyMakeBorder(picture, 0, below, 0, 0, cv2.BORDER_CONSTANT, value=BLACK[::-1])
    return np.hstack([whole, panel])


def _draw_panel(
    summary: SummaryPanel, close_ups: Sequence[CloseUp], least_height_px: int
) -> np.ndarray:
    """The summary and the close calls: as close-ups if they fit beside a picture of that height,
    otherwise as text. Too much text makes the panel taller than the picture.
    """
    top = measure_panel_height(summary, PANEL_PX)
    height = max(least_height_px, top + _LINE_PX * len(close_ups))
    canvas = Canvas(np.full((height, PANEL_PX, 3), BLACK[::-1], np.uint8))
    draw_summary_panel(canvas, summary)
    for index, close_up in enumerate(close_ups):
        others_px = _LINE_PX * (len(close_ups) - index - 1)
        if height - top < close_up_height_px() + others_px:
            _list_close_calls(canvas, [up.title for up in close_ups[index:]], top)
            break
        top = draw_close_up(canvas, close_up, top)
    return canvas.render()


def _list_close_calls(canvas: Canvas, titles: Sequence[str], top: int) -> None:
    """Write the close calls whose close-ups do not fit."""
    style = TextStyle(size_px=22, colour=CLOSE_COLOUR)
    for number, title in enumerate(titles):
        canvas.draw_text((24, top + number * _LINE_PX), title, style)


def _crop_board(frame: Frame, board: BoardFit) -> _Crop:
    """The board with some of its surroundings, at the drawn size."""
    shown = circle_mm((0.0, 0.0), _CROP_RADII * board.spec.surface_radius_mm, _CURVE_POINTS)
    outline_px = board.view.project_plane(shown)
    limit = np.array(frame.image.shape[1::-1])
    low = np.clip(np.floor(outline_px.min(axis=0)), 0, limit - 1).astype(int)
    high = np.clip(np.ceil(outline_px.max(axis=0)) + 1, low + 1, limit).astype(int)
    part = frame.image[low[1] : high[1], low[0] : high[0]]
    factor = PICTURE_PX / max(part.shape[:2])
    size = (round(part.shape[1] * factor), round(part.shape[0] * factor))
    how = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    return _Crop(
        pixels=cv2.resize(part, size, interpolation=how),
        view=board.view.rescale(factor),
        shift_px=-low * factor,
    )


def _draw_rings(
    canvas: Canvas, crop: _Crop, board: BoardFit, reading: Reading, line_px: int
) -> None:
    """Draw the inner edge of every line, and the hole, below the discs that cover them."""
    before = canvas.pixels.copy()
    spec = board.spec
    azimuth = np.linspace(0, 2 * np.pi, _CURVE_POINTS, endpoint=False)
    inward = np.stack([np.cos(azimuth), np.sin(azimuth)], axis=-1) * spec.line_width_mm / 2
    for line in range(len(spec.line_radii_mm)):
        canvas.draw_curve(
            crop.project(spec.line_points_mm(line, azimuth) - inward), RING_COLOUR, line_px
        )
    hole = circle_mm(spec.hole_centre_mm, spec.hole_radius_mm, _CURVE_POINTS)
    canvas.draw_curve(crop.project(hole), RING_COLOUR, line_px)
    covered = np.zeros(canvas.pixels.shape[:2], np.uint8)
    for disc in reading.discs:
        cv2.fillConvexPoly(covered, _disc_hull(crop, disc, reading), 255)
    canvas.pixels[covered > 0] = before[covered > 0]


def _disc_hull(crop: _Crop, disc: PlacedDisc, reading: Reading) -> np.ndarray:
    """Convex hull of a disc's outline, in whole pixels."""
    rim = circle_mm(disc.centre_mm, reading.disc.radius_mm, 48)
    outline = np.concatenate([crop.project(rim), crop.project(rim, reading.disc.height_mm)])
    return cv2.convexHull(np.round(np.clip(outline, -3e4, 3e4)).astype(np.int32))


def _draw_disc(
    canvas: Canvas, crop: _Crop, label: DiscLabel, reading: Reading, line_px: int
) -> None:
    """Draw a disc's contact circle, the deciding line if it is near, and the zone."""
    colour = CLOSE_COLOUR if label.is_close else CERTAIN_COLOUR
    if abs(label.margin_mm) < _NEAR_LINE_MM or label.is_close:
        canvas.draw_curve(
            crop.project(_deciding_arc(label)), colour, line_px + 1, closed=False, edge=BLACK
        )
    base = circle_mm(label.disc.centre_mm, reading.disc.contact_radius_mm, _CURVE_POINTS)
    canvas.draw_curve(
        crop.project(base),
        label.colour_rgb,
        line_px + 1,
        edge=WHITE if is_dark(label.colour_rgb) else BLACK,
    )
    if label.is_close:
        around = circle_mm(
            label.disc.centre_mm, 1.5 * reading.disc.contact_radius_mm, _CURVE_POINTS
        )
        canvas.draw_curve(crop.project(around), CLOSE_COLOUR, line_px + 1)
    top = crop.project(label.disc.centre_mm[None], reading.disc.height_mm)[0]
    words = f"{label.zone}?" if label.is_close else str(label.zone)
    badge_rgb = CLOSE_COLOUR if label.is_close else label.colour_rgb
    size_px = _choose_letter_px(crop, label.disc.centre_mm, reading)
    canvas.draw_badge(top, words, size_px, badge_rgb)
    if label.is_close:
        _draw_number(canvas, crop, label, reading, size_px)


def _draw_number(
    canvas: Canvas, crop: _Crop, label: DiscLabel, reading: Reading, size_px: int
) -> None:
    """Write the disc's number outside its mark, towards the board's rim; its close-up has the same
    number.
    """
    centre = label.disc.centre_mm
    away_mm = float(np.linalg.norm(centre))
    outward = centre / away_mm if away_mm else np.array([0.0, -1.0])
    place = crop.project((centre + 2.5 * reading.disc.contact_radius_mm * outward)[None])[0]
    height, width = canvas.pixels.shape[:2]
    place = np.clip(place, size_px, (width - size_px, height - size_px))
    style = TextStyle(size_px=size_px + 4, colour=CLOSE_COLOUR, anchor="mm", edge=BLACK)
    canvas.draw_text(place, f"#{label.number}", style)


def _draw_unexplained(
    canvas: Canvas, crop: _Crop, centre_mm: FloatArray, reading: Reading, line_px: int
) -> None:
    """Circle an unexplained place, with a question mark unless a disc's zone is already written
    there.
    """
    around = circle_mm(centre_mm, 1.2 * reading.disc.radius_mm, _CURVE_POINTS)
    canvas.draw_curve(crop.project(around), UNEXPLAINED_COLOUR, line_px + 1, edge=BLACK)
    away_mm = (np.linalg.norm(disc.centre_mm - centre_mm) for disc in reading.discs)
    if min(away_mm, default=np.inf) < reading.disc.radius_mm:
        return
    size_px = _choose_letter_px(crop, centre_mm, reading)
    canvas.draw_badge(crop.project(centre_mm[None])[0], "?", size_px, UNEXPLAINED_COLOUR)


def _choose_letter_px(crop: _Crop, centre_mm: FloatArray, reading: Reading) -> int:
    """Height of letters that fit on a disc at this position."""
    radius_px = reading.disc.radius_mm / crop.view.mm_per_px(centre_mm)
    return int(np.clip(_LETTER_RADII * radius_px, 13, 44))


def _deciding_arc(label: DiscLabel) -> FloatArray:
    """The piece of the deciding line's inner edge beside a disc, (n, 2) mm."""
    centre = np.asarray(label.deciding_centre_mm)
    offset = label.disc.centre_mm - centre
    middle = np.arctan2(offset[1], offset[0])
    half = min(_HIGHLIGHT_MM / label.deciding_radius_mm, np.pi)
    angle = np.linspace(middle - half, middle + half, 48)
    unit = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    arc: FloatArray = centre + label.deciding_radius_mm * unit
    return arc


def _make_close_up(frame: Frame, board: BoardFit, label: DiscLabel, reading: Reading) -> CloseUp:
    call = CloseCall(
        disc_centre_mm=label.disc.centre_mm,
        disc_colour=label.colour_rgb,
        contact_radius_mm=reading.disc.contact_radius_mm,
        line_centre_mm=np.asarray(label.deciding_centre_mm),
        line_radius_mm=label.deciding_radius_mm,
        line_width_mm=board.spec.line_width_mm,
    )
    return CloseUp.render(frame.image, board.view, call, f"#{label.number}  {label.words}")
