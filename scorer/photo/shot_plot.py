"""A simulated shot drawn on its board from above: paths, contacts, and final positions of discs; +y
is up.

Every disc has its name and its side's colour; a legend in the corners explains the signs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from calibration.placed_disc import DiscState
from scorer.physics.engine import SimulationResult
from scorer.physics.scene import PhysicsScene
from vision.draw.canvas import (
    BLACK,
    WHITE,
    Canvas,
    Rgb,
    TextStyle,
    measure_text_width,
    pick_contrasting,
)

_SIZE_PX, _PX_PER_MM = 1000, 1.35
_TABLE, _WOOD, _INK, _HOLE = (90, 80, 70), (225, 195, 150), (80, 70, 60), (50, 45, 40)
#: Colours of discs without a named side: the flicked disc, and the others.
_SHOOTER, _OTHERS = (200, 60, 40), (30, 90, 150)
#: Frames per second of an animation, and its slow-down factor.
_FPS, _SLOW_MOTION = 25, 2.0
_LETTER_PX, _LEAST_LETTER_PX = 18, 9
_LEGEND_LEFT_PX, _LEGEND_ROW_PX = 18, 26
_LEGEND_STYLE = TextStyle(size_px=16, colour=WHITE, anchor="lm")
#: Dashes and gaps of the line of aim, mm.
_DASH_MM = (9.0, 7.0)
#: A circle's corners.
_CORNERS = np.linspace(0, 2 * np.pi, 72, endpoint=False)


class ShotPlot:
    """Draws one scene; ``sides`` has the discs' sides, ``colours`` the sides' colours, RGB."""

    def __init__(
        self,
        scene: PhysicsScene,
        sides: Mapping[str, str] | None = None,
        colours: Mapping[str, Rgb] | None = None,
    ) -> None:
        """If no sides are given, the flicked disc has its own colour."""
        self._scene, self._sides, self._colours = scene, sides or {}, colours or {}
        self._board = _draw_board(scene)

    def draw_shot(self, outcome: SimulationResult) -> np.ndarray:
        """The picture of the shot, (1000, 1000, 3) BGR."""
        canvas = Canvas(self._board.copy())
        self._draw_aim_line(canvas)
        for leg in outcome.path:
            way = np.array([_to_px(leg.from_mm), _to_px(leg.to_mm)])
            colour = self._colour_of(leg.id)
            canvas.draw_curve(way, colour, 2, closed=False, edge=pick_contrasting(colour))
        for leg in outcome.path:
            if leg.t0_s > 0:
                canvas.fill_area(_circle_px(leg.from_mm, 2.5), BLACK)
        for name, place in zip(self._scene.ids, self._scene.places_mm.tolist(), strict=True):
            start = _circle_px(place, self._scene.table.disc.radius_mm)
            canvas.draw_curve(start, self._colour_of(name), 1)
        for disc in outcome.discs:
            self._draw_disc(
                canvas, disc.id, (disc.x_mm, disc.y_mm), is_out=disc.state is DiscState.DITCH
            )
        self._draw_legend(canvas)
        return canvas.render()

    def animate_shot(self, outcome: SimulationResult) -> list[Image.Image]:
        """The frames of the shot at half its speed, (500, 500) RGB."""
        last = max((leg.t1_s for leg in outcome.path), default=0.0)
        frames = []
        for step in range(math.ceil(last * _FPS * _SLOW_MOTION) + 2):
            canvas = Canvas(self._board.copy())
            t = step / _FPS / _SLOW_MOTION
            for name, begin in zip(self._scene.ids, self._scene.places_mm.tolist(), strict=True):
                self._draw_disc(canvas, name, interpolate_place(outcome, name, begin, t))
            small = cv2.resize(canvas.render(), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
            frames.append(Image.fromarray(np.ascontiguousarray(small[:, :, ::-1])))
        return frames

    def _colour_of(self, name: str) -> Rgb:
        side = self._sides.get(name)
        if side is not None and side in self._colours:
            return self._colours[side]
        return _SHOOTER if name == self._scene.shot.id else _OTHERS

    def _draw_aim_line(self, canvas: Canvas) -> None:
        """Draw the direction of the flick, dashed to the edge of the surface, through any
        obstacles.
        """
        shot = self._scene.shot
        start = np.array([shot.x_mm, shot.y_mm])
        along = np.array([math.cos(a := math.radians(shot.direction_deg)), math.sin(a)])
        middle = -start @ along
        beside = start @ start - middle**2
        most = self._scene.table.board.surface_radius_mm
        length = middle + math.sqrt(max(most**2 - beside, 0.0))
        dash, gap = _DASH_MM
        for begin in np.arange(self._scene.table.disc.radius_mm, length, dash + gap):
            ends = [start + along * begin, start + along * min(begin + dash, length)]
            canvas.draw_curve(np.array([_to_px(end) for end in ends]), _INK, 1, closed=False)

    def _draw_disc(
        self, canvas: Canvas, name: str, place: Sequence[float], *, is_out: bool = False
    ) -> None:
        outline = _circle_px(place, self._scene.table.disc.radius_mm)
        colour = self._colour_of(name)
        if not is_out:
            canvas.fill_area(outline, colour)
        canvas.draw_curve(outline, WHITE if is_out else BLACK, 1, edge=BLACK if is_out else None)
        words, size_px = _fit_name(name, 1.8 * self._scene.table.disc.radius_mm * _PX_PER_MM)
        style = TextStyle(
            size_px=size_px,
            colour=WHITE if is_out else pick_contrasting(colour),
            anchor="mm",
            edge=BLACK if is_out else None,
        )
        canvas.draw_text(_to_px(place), words, style)

    def _draw_legend(self, canvas: Canvas) -> None:
        """Draw the sides in the upper corner, and the meaning of lines and circles in the lower
        one.
        """
        left, row_px = _LEGEND_LEFT_PX, _LEGEND_ROW_PX
        named = {self._sides[name] for name in self._scene.ids if name in self._sides}
        rows = [(self._colours[side], side) for side in sorted(named) if side in self._colours]
        if not rows:
            rows = [(_SHOOTER, "flicked"), (_OTHERS, "others")]
        for row, (colour, words) in enumerate(rows):
            at = (left + 9, left + 9 + row * row_px)
            canvas.fill_area(_ring_px(at, 9), colour)
            canvas.draw_curve(_ring_px(at, 9), WHITE, 1)
            canvas.draw_text((left + 28, at[1]), words[:18], _LEGEND_STYLE)
        top = _SIZE_PX - left - 9 - 4 * row_px
        middles = [(left + 9, top + row * row_px) for row in range(5)]
        words_of_rows = ("line of aim", "path", "contact", "where it lay", "left the surface")
        for (_, y), words in zip(middles, words_of_rows, strict=True):
            canvas.draw_text((left + 28, y), words, _LEGEND_STYLE)
        for x in (left, left + 12):
            canvas.draw_curve([(x, top), (x + 7, top)], _WOOD, 1, closed=False)
        canvas.draw_curve(
            [(left, middles[1][1]), (left + 19, middles[1][1])], _WOOD, 3, closed=False
        )
        canvas.fill_area(_ring_px(middles[2], 5), BLACK)
        canvas.draw_curve(_ring_px(middles[3], 8), _WOOD, 1)
        canvas.draw_curve(_ring_px(middles[4], 8), WHITE, 2)


def save_picture(picture: np.ndarray, path: Path) -> None:
    """Write a picture in the format given by its name's ending. Raises ``OSError`` and
    ``ValueError``.
    """
    Image.fromarray(np.ascontiguousarray(picture[:, :, ::-1])).save(path)


def save_animation(frames: Sequence[Image.Image], path: str) -> None:
    """Write the frames as an animated GIF. Raises ``OSError`` and ``ValueError``."""
    frames[0].save(
        path, save_all=True, append_images=frames[1:], duration=1000 // _FPS, loop=0, format="GIF"
    )


def interpolate_place(
    outcome: SimulationResult, name: str, begin_mm: Sequence[float], t_s: float
) -> tuple[float, float]:
    """A disc's place at a time, (x, y) mm: evenly along a leg, slowing down along the last."""
    here = (begin_mm[0], begin_mm[1])
    for leg in outcome.path:
        if leg.id != name or leg.t0_s > t_s:
            continue
        part = min((t_s - leg.t0_s) / max(leg.t1_s - leg.t0_s, 1e-9), 1.0)
        is_last = leg.to_mm == next((d.x_mm, d.y_mm) for d in outcome.discs if d.id == name)
        if is_last:
            part = 1 - (1 - part) ** 2
        here = (
            leg.from_mm[0] + part * (leg.to_mm[0] - leg.from_mm[0]),
            leg.from_mm[1] + part * (leg.to_mm[1] - leg.from_mm[1]),
        )
    return here


def _draw_board(scene: PhysicsScene) -> np.ndarray:
    """Surface, lines, quadrant lines from the 10-line outward, hole and posts."""
    board = scene.table.board
    canvas = Canvas(np.full((_SIZE_PX, _SIZE_PX, 3), _TABLE[::-1], dtype=np.uint8))
    canvas.fill_area(_circle_px((0, 0), board.surface_radius_mm), _WOOD)
    for radius, centre in zip(board.line_radii_mm, board.line_centres_mm, strict=True):
        canvas.draw_curve(_circle_px(centre, radius), _INK, 1)
    for azimuth in np.radians([45.0, 135.0, 225.0, 315.0]):
        ends = np.concatenate([board.line_points_mm(line, azimuth[None]) for line in (1, 2)])
        canvas.draw_curve(np.array([_to_px(end) for end in ends]), _INK, 1, closed=False)
    canvas.fill_area(_circle_px(board.hole_centre_mm, board.hole_radius_mm), _HOLE)
    for post in scene.table.posts_mm.tolist():
        radius = board.post_radius_mm + scene.table.physics.post_sleeve_mm
        canvas.fill_area(_circle_px(post, radius), _INK)
    return canvas.pixels


def _fit_name(name: str, width_px: float) -> tuple[str, int]:
    """As much of a name as fits, and its letter size."""
    for size_px in range(_LETTER_PX, _LEAST_LETTER_PX - 1, -1):
        if measure_text_width(name, size_px) <= width_px:
            return name, size_px
    while name and measure_text_width(f"{name}…", _LEAST_LETTER_PX) > width_px:
        name = name[:-1]
    return f"{name}…", _LEAST_LETTER_PX


def _to_px(place_mm: Sequence[float] | np.ndarray) -> tuple[float, float]:
    middle = _SIZE_PX / 2
    return middle + float(place_mm[0]) * _PX_PER_MM, middle - float(place_mm[1]) * _PX_PER_MM


def _circle_px(place_mm: Sequence[float], radius_mm: float) -> np.ndarray:
    """The corners (n, 2) of a circle on the board, in pixels."""
    return _ring_px(_to_px(place_mm), radius_mm * _PX_PER_MM)


def _ring_px(at_px: Sequence[float], radius_px: float) -> np.ndarray:
    unit = np.stack([np.cos(_CORNERS), np.sin(_CORNERS)], axis=-1)
    return np.asarray(at_px) + radius_px * unit
