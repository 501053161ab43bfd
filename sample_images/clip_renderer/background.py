"""The empty board on its table, as one camera sees it: drawn once, before any motion.

Surface with its lines, hole, ditch, rail, table, and the shadows among them; posts and discs are
drawn later. Every pixel's ray is intersected with the planes and walls that it can meet, so
outlines are exact at any tilt and distortion.
"""

from __future__ import annotations

import copy
import math
from functools import lru_cache

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.circle import circle_mm
from calibration.pose import View
from sample_images.clip_renderer.canvas import blend
from sample_images.clip_renderer.scene import Glare, KeyLight, StaticScene
from sample_images.renderer.blender.surface import extent_mm, paint_surface, wood_grain
from sample_images.renderer.scene import Board, Rgb

#: Scale at which the picture is drawn before averaging.
_SUPERSAMPLING = 2
#: Pixels a side of the surface's picture: 2.7 a millimetre, so the thinnest line is three wide.
_SURFACE_PX = 1800
#: Distance of the board's underside below the ditch's floor.
_BASE_MM = 8.0
#: Brightness of walls that the lamp does not reach, and the light that it adds.
_WALL_DARK, _WALL_LIT = 0.42, 0.4
_WALL_POINTS = 180


def shadow_offset(light: KeyLight, height_mm: float) -> FloatArray:
    """Offset (2,) of a point's shadow on a plane ``height_mm`` below."""
    azimuth = math.radians(light.azimuth_deg)
    length = height_mm / math.tan(math.radians(light.elevation_deg))
    return -length * np.array([math.cos(azimuth), math.sin(azimuth)])


def table_height_mm(board: Board) -> float:
    """Height of the table's top over the playing surface; it is negative."""
    return -board.ditch_depth - _BASE_MM


def paint_background(scene: StaticScene, view: View, size: tuple[int, int]) -> np.ndarray:
    """The picture (h, w, 3), float32, blue first, 0 to 255; ``size`` is (width, height)."""
    fine = (size[0] * _SUPERSAMPLING, size[1] * _SUPERSAMPLING)
    painter = _BackgroundPainter(scene, view.rescale(_SUPERSAMPLING), fine)
    painter.paint_table()
    painter.paint_rail()
    painter.paint_ditch()
    painter.paint_surface()
    painter.paint_hole()
    light = np.clip(painter.picture, 0, 1) ** 2
    return 255 * np.sqrt(cv2.resize(light, size, interpolation=cv2.INTER_AREA))


def _bgr(rgb: Rgb) -> np.ndarray:
    return np.array(rgb[::-1], np.float32)


class _BackgroundPainter:
    """A picture that is painted from the table upwards."""

    def __init__(self, scene: StaticScene, view: View, size: tuple[int, int]) -> None:
        self.scene, self.view, self.size = scene, view, size
        width, height = size
        x, y = np.meshgrid(np.arange(width), np.arange(height))
        rays = view.camera.rays(np.stack([x, y], axis=-1).reshape(-1, 2))
        pose = view.cam_from_board
        turned = (rays @ pose.rotation).astype(np.float32)
        self.eye = pose.camera_board_mm
        self.slope = (turned[:, :2] / turned[:, 2:]).reshape(height, width, 2)
        self.px_per_mm = 1 / view.mm_per_px()
        self.picture = np.zeros((height, width, 3), np.float32)

    def plane(self, z_mm: float) -> np.ndarray:
        """The place (h, w, 2) that a pixel sees on the plane of that height."""
        depth = np.float32(z_mm - self.eye[2])
        return self.slope * depth + self.eye[:2].astype(np.float32)

    def cover(self, inside_mm: np.ndarray) -> np.ndarray:
        """Share of the pixels inside an outline, computed from the distance to it."""
        return np.clip(inside_mm * self.px_per_mm + 0.5, 0, 1)

    def lay(self, colour: np.ndarray, cover: np.ndarray) -> None:
        """Blend a colour, (3,) or (h, w, 3), over the picture."""
        blend(self.picture, colour, cover)

    def shadow_light(self, outside_mm: np.ndarray) -> np.ndarray:
        """Light (h, w) beside a shadow, from the distance outside the shadow's outline."""
        soft = self.scene.light.softness_mm
        light = np.clip(outside_mm / (2 * soft) + 0.5, 0, 1)
        light = light * light * (3 - 2 * light)
        return 1 - self.scene.light.strength * (1 - light)

    def prism(self, low_mm: float, high_mm: float, outline: FloatArray) -> np.ndarray:
        """Cover (h, w) of an upright body with the outline (n, 2)."""
        points = np.concatenate(
            [self.view.project_plane(outline, low_mm), self.view.project_plane(outline, high_mm)]
        )
        mask = np.zeros(self.size[::-1], np.uint8)
        hull = cv2.convexHull(points.astype(np.float32))
        cv2.fillConvexPoly(mask, np.round(hull * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
        return mask.astype(np.float32) / 255

    def paint_table(self) -> None:
        scene = self.scene
        xy = self.plane(table_height_mm(scene.board))
        self.picture[:] = _table_colour(scene, xy)
        rise = scene.board.rail_height - table_height_mm(scene.board)
        shadow = _rail_distance(
            scene.board, xy - shadow_offset(scene.light, rise * 0.7).astype("f4")
        )
        under = _rail_distance(scene.board, xy)
        outer = _outer_radius(scene.board)
        self.picture *= self.shadow_light(shadow - outer)[..., None]
        self.picture *= (1 - 0.35 * np.exp(-np.maximum(under - outer, 0) / 14))[..., None]

    def paint_rail(self) -> None:
        board = self.scene.board
        outer, top = _outer_radius(board), board.rail_height
        outline = _rail_outline(board, outer)
        self.lay(_bgr(board.rail.rgb) * 0.55, self.prism(table_height_mm(board), top, outline))
        xy = self.plane(top)
        reach = _rail_distance(board, xy)
        wood = _wood_brightness(self.scene.seed + 1, xy, board.rail.contrast, 900.0)
        middle = (_outer_radius(board) + _inner_radius(board)) / 2
        round_over = 1.06 - 0.16 * np.abs(reach - middle) / (board.rail_width / 2)
        colour = _bgr(board.rail.rgb) * (wood * round_over)[..., None]
        self.lay(colour, self.cover(outer - reach))

    def paint_ditch(self) -> None:
        scene, board = self.scene, self.scene.board
        inner, top, floor = _inner_radius(board), board.rail_height, -board.ditch_depth
        xy = self.plane(top)
        self.window = self.cover(inner - _rail_distance(board, xy))
        azimuth = np.arctan2(xy[..., 1], xy[..., 0])
        facing = np.maximum(-np.cos(azimuth - math.radians(scene.light.azimuth_deg)), 0)
        wall = (_WALL_DARK + _WALL_LIT * facing)[..., None] * _bgr(board.rail.rgb)
        self.lay(wall, self.window)
        xy = self.plane(floor)
        rough = _wood_brightness(scene.seed + 2, xy, 0.05 + board.ditch.contrast, 900.0)
        shade = self.rail_light(xy, floor)
        edge = np.linalg.norm(xy - shadow_offset(scene.light, -floor).astype("f4"), axis=-1)
        shade = np.minimum(shade, self.shadow_light(edge - board.playing_radius))
        corner = inner - _rail_distance(board, xy)
        shade *= 1 - 0.3 * np.exp(-np.maximum(corner, 0) / 9)
        colour = _bgr(board.ditch.rgb) * (rough * shade)[..., None]
        self.lay(colour, self.cover(corner) * self.window)

    def rail_light(self, xy: np.ndarray, z_mm: float) -> np.ndarray:
        """Light (h, w) that the rail leaves to the plane of that height."""
        board = self.scene.board
        lower = board.rail_height - z_mm
        towards = xy - shadow_offset(self.scene.light, lower).astype("f4")
        return self.shadow_light(_inner_radius(board) - _rail_distance(board, towards))

    def paint_surface(self) -> None:
        scene, board = self.scene, self.scene.board
        radius = board.playing_radius
        side = self.prism(-board.ditch_depth, 0.0, circle_mm((0, 0), radius, _WALL_POINTS))
        self.lay(_bgr(board.surface.rgb) * 0.5, side * self.window)
        xy = self.plane(0.0)
        reach = np.linalg.norm(xy, axis=-1)
        colour = _sample_texture(_surface_texture(board, self.px_per_mm), extent_mm(board), xy)
        azimuth = math.radians(scene.light.azimuth_deg)
        towards = xy[..., 0] * math.cos(azimuth) + xy[..., 1] * math.sin(azimuth)
        shade = (1 + 0.10 * towards / radius) * self.rail_light(xy, 0.0)
        shade *= 1 - 0.12 * np.exp(-np.maximum(radius - reach, 0) / 1.5)
        colour = colour * shade[..., None]
        for glare in scene.glares:
            colour += (1 - colour) * _glare_strength(glare, xy)[..., None]
        self.lay(colour, self.cover(radius - reach) * self.window)

    def paint_hole(self) -> None:
        board = self.scene.board
        edge = self.view.project_plane(
            circle_mm(board.hole_centre, board.hole_radius, _WALL_POINTS)
        )
        ends = zip(edge.min(axis=0) - 2, edge.max(axis=0) + 3, strict=True)
        columns, rows = (slice(max(0, int(low)), max(0, int(high))) for low, high in ends)
        part = copy.copy(self)  # the hole is small, and everything painted there is inside its edge
        part.slope, part.picture = self.slope[rows, columns], self.picture[rows, columns]
        part.paint_hole_in_its_edge()

    def paint_hole_in_its_edge(self) -> None:
        board, light = self.scene.board, self.scene.light
        centre = np.array(board.hole_centre, np.float32)
        xy = self.plane(0.0) - centre
        opening = self.cover(board.hole_radius - np.linalg.norm(xy, axis=-1))
        azimuth = np.arctan2(xy[..., 1], xy[..., 0])
        facing = np.maximum(-np.cos(azimuth - math.radians(light.azimuth_deg)), 0)
        wood = _bgr(board.surface.rgb) * (_WALL_DARK + _WALL_LIT * facing)[..., None]
        self.lay(wood, opening)
        floor = self.plane(-board.hole_depth) - centre
        from_lamp = floor - shadow_offset(light, board.hole_depth).astype("f4")
        shade = 0.85 * self.shadow_light(board.hole_radius - np.linalg.norm(from_lamp, axis=-1))
        colour = _bgr(board.hole.rgb) * shade[..., None]
        inside = self.cover(board.hole_radius - np.linalg.norm(floor, axis=-1))
        self.lay(colour, inside * opening)


def _inner_radius(board: Board) -> float:
    return board.playing_radius + board.ditch_width


def _outer_radius(board: Board) -> float:
    return _inner_radius(board) + board.rail_width


def _rail_distance(board: Board, xy: np.ndarray) -> np.ndarray:
    """Distance (h, w) from the middle, measured so that the rail's edges are constant."""
    if board.rail_shape == "round":
        return np.linalg.norm(xy, axis=-1)
    turns = np.arange(8) * np.pi / 4
    reach = np.full(xy.shape[:-1], -np.inf, np.float32)
    for turn in turns:
        np.maximum(reach, xy[..., 0] * math.cos(turn) + xy[..., 1] * math.sin(turn), out=reach)
    return reach


def _rail_outline(board: Board, radius: float) -> FloatArray:
    if board.rail_shape == "round":
        return circle_mm((0, 0), radius, _WALL_POINTS)
    corners = (np.arange(8) + 0.5) * np.pi / 4
    unit = np.stack([np.cos(corners), np.sin(corners)], axis=-1)
    return np.asarray(radius / math.cos(np.pi / 8) * unit)


def rail_outline(board: Board, *, inner: bool = False) -> FloatArray:
    """Points (n, 2) of the rail's outer or inner edge."""
    return _rail_outline(board, _inner_radius(board) if inner else _outer_radius(board))


def _surface_texture(board: Board, px_per_mm: float) -> np.ndarray:
    """The surface's picture, blue first, 0 to 1, about as fine as it is visible."""
    full = np.ascontiguousarray(_paint_surface_once(board)).astype(np.float32) / 255
    wanted = round(2 * extent_mm(board) * px_per_mm * 1.1)
    if wanted < _SURFACE_PX:
        full = np.sqrt(cv2.resize(full**2, (wanted, wanted), interpolation=cv2.INTER_AREA))
    return full


@lru_cache(maxsize=2)
def _paint_surface_once(board: Board) -> np.ndarray:
    """The surface's picture, blue first: the same for any camera position."""
    return paint_surface(board, _SURFACE_PX)[..., ::-1]


def _sample_texture(picture: np.ndarray, half_side_mm: float, xy: np.ndarray) -> np.ndarray:
    """A square picture centred on the board, sampled at places (h, w, 2)."""
    scale = picture.shape[0] / (2 * half_side_mm)
    x = (xy[..., 0] + half_side_mm) * scale - 0.5
    y = (half_side_mm - xy[..., 1]) * scale - 0.5
    far = 30_000.0  # towards the horizon, places exceed the range of the resampling
    x, y = (np.clip(axis, -far, far).astype("f4") for axis in (x, y))
    return cv2.remap(picture, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)


def _wood_brightness(seed: int, xy: np.ndarray, contrast: float, side_mm: float) -> np.ndarray:
    """Brightness (h, w) of a wooden or woven plane."""
    field = _generate_grain(seed, contrast, side_mm)
    return np.exp(contrast * _sample_texture(field, side_mm / 2, xy))


@lru_cache(maxsize=8)
def _generate_grain(seed: int, contrast: float, side_mm: float) -> np.ndarray:
    """The grain of a plane (1024, 1024)."""
    from sample_images.renderer.scene import Finish  # only its shape is needed here

    finish = Finish(name="plane", rgb=(1, 1, 1), contrast=contrast, grain_mm=14.0)
    return wood_grain(np.random.default_rng(seed), finish, side_mm, 1024)


def _table_colour(scene: StaticScene, xy: np.ndarray) -> np.ndarray:
    """Colour (h, w, 3) of the table's top."""
    table = scene.table
    turn = math.radians(table.turn_deg)
    c, s = math.cos(turn), math.sin(turn)
    u = xy[..., 0] * c + xy[..., 1] * s
    v = xy[..., 1] * c - xy[..., 0] * s
    here = np.stack([u, v], axis=-1)
    colour = (
        _bgr(table.rgb)
        * _wood_brightness(scene.seed + 3, here, _TABLE_CONTRAST[table.kind], 1800.0)[..., None]
    )
    second = _bgr(table.second_rgb)
    pitch = table.pattern_mm
    if table.kind == "tile":
        far = np.minimum(np.abs((u / pitch) % 1 - 0.5), np.abs((v / pitch) % 1 - 0.5)) * pitch
        colour += np.clip(2.5 - far, 0, 1)[..., None] * (second - colour)
    elif table.kind == "cloth":
        band = 0.5 * (np.sin(2 * np.pi * u / pitch) > 0) + 0.5 * (np.sin(2 * np.pi * v / pitch) > 0)
        colour += 0.6 * band[..., None] * (second - colour)
    elif table.kind == "wood":
        seam = np.abs((v / pitch) % 1 - 0.5) * pitch
        colour += np.clip(2.0 - seam, 0, 1)[..., None] * (0.6 * second - colour)
    return colour


#: Strength of the grain of each kind of table.
_TABLE_CONTRAST = {"plain": 0.03, "wood": 0.22, "tile": 0.05, "cloth": 0.04}


def _glare_strength(glare: Glare, xy: np.ndarray) -> np.ndarray:
    """Strength (h, w) of a reflected window, 0 to 1."""
    turn = math.radians(glare.turn_deg)
    x = xy[..., 0] - glare.centre_mm[0]
    y = xy[..., 1] - glare.centre_mm[1]
    u = np.abs(x * math.cos(turn) + y * math.sin(turn)) - glare.size_mm[0] / 2
    v = np.abs(y * math.cos(turn) - x * math.sin(turn)) - glare.size_mm[1] / 2
    outside = np.maximum(u, v)
    bars = np.abs(x * math.cos(turn) + y * math.sin(turn)) > 6.0  # the window's middle bar
    return glare.strength * np.clip(0.5 - outside / 16, 0, 1) * (0.35 + 0.65 * bars)
