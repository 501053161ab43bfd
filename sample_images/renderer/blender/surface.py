"""The playing surface's picture, unlit: wood grain, painted lines, digits and a maker's name.

Square, and centred on the rings: pixel (row 0, column 0) is at (-extent, +extent) mm.
"""

from __future__ import annotations

import math

import cv2
import numpy as np

from sample_images.renderer.scene import Board, Finish

#: Pixels a side: about 0.2 mm each, so the thinnest line is five pixels wide.
TEXTURE_PX = 3200
#: Extra absorption of red, green and blue by the dark grain.
_GRAIN_TINT = np.array([0.85, 1.0, 1.25], np.float32)
_FACES = (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_COMPLEX)


def extent_mm(board: Board) -> float:
    """Half the side of the painted square."""
    return board.playing_radius + 3.0


def value_noise(rng: np.random.Generator, rows: int, cols: int, size: int) -> np.ndarray:
    """Smooth noise (size, size) in about -1 to 1 from a coarse grid of random numbers."""
    coarse = rng.standard_normal((max(rows, 2), max(cols, 2))).astype(np.float32) * 0.6
    return cv2.resize(coarse, (size, size), interpolation=cv2.INTER_CUBIC)


def wood_grain(rng: np.random.Generator, finish: Finish, side_mm: float, size: int) -> np.ndarray:
    """Wood grain (size, size) in about -1 to 1: bent growth rings, streaks and pores, along x."""
    y = np.linspace(0, side_mm, size, dtype=np.float32)[:, None]
    bend = value_noise(rng, 5, 3, size) + 0.5 * value_noise(rng, 14, 6, size)
    bend += 0.25 * value_noise(rng, 40, 12, size)
    rings = np.sin(2 * np.pi * (y + bend * finish.figure * 30.0) / finish.grain_mm)
    uneven = 0.5 + 0.5 * value_noise(rng, 30, 5, size)
    streaks = value_noise(rng, 260, 10, size) + 0.7 * value_noise(rng, 90, 3, size)
    pores = np.minimum(value_noise(rng, 1100, 90, size), 0)
    clouds = value_noise(rng, 7, 5, size)
    return 0.45 * rings * uneven + 0.45 * streaks + 0.5 * pores + 0.5 * clouds


def _rotate(field: np.ndarray, turn_deg: float) -> np.ndarray:
    size = field.shape[0]
    turn = cv2.getRotationMatrix2D(((size - 1) / 2, (size - 1) / 2), turn_deg, 1.0)
    return cv2.warpAffine(field, turn, (size, size), borderMode=cv2.BORDER_REFLECT)


def _veneer_tone(rng: np.random.Generator, board: Board, size: int) -> np.ndarray:
    """Brightness (size,) of the glued strips across the grain, 0 for a single sheet."""
    seams = np.sort(rng.uniform(0.12, 0.88, board.veneer_strips - 1)) * size
    tones = rng.uniform(-0.16, 0.16, board.veneer_strips) * (board.veneer_strips > 1)
    return tones[np.searchsorted(seams, np.arange(size))].astype(np.float32)


def _knot_shade(rng: np.random.Generator, board: Board, size: int) -> np.ndarray:
    """Darkness (size, size) of the knots, 0 to 1."""
    shade = np.zeros((size, size), np.float32)
    for _ in range(board.knots):
        centre = tuple(int(v) for v in rng.uniform(0.2, 0.8, 2) * size)
        axes = tuple(int(v) for v in rng.uniform((18, 12), (60, 40)))
        cv2.ellipse(
            shade,
            centre,
            axes,
            float(rng.uniform(0, 30)),
            0,
            360,
            (float(rng.uniform(0.3, 0.9)),),
            -1,
        )
    return cv2.GaussianBlur(shade, (0, 0), 7)


def _wood(board: Board, size: int) -> np.ndarray:
    """The unpainted surface (size, size, 3), sRGB 0 to 1."""
    rng = np.random.default_rng(board.texture_seed)
    finish = board.surface
    field = wood_grain(rng, finish, 2 * extent_mm(board), size) * finish.contrast
    field += _veneer_tone(rng, board, size)[:, None]
    field -= _knot_shade(rng, board, size)
    field = _rotate(field, board.grain_turn_deg)
    # Even paint has brush marks and wear.
    field += 0.012 * value_noise(rng, 200, 200, size)
    return np.clip(np.array(finish.rgb, np.float32) * np.exp(field[..., None] * _GRAIN_TINT), 0, 1)


def _plane(size: int, extent: float) -> tuple[np.ndarray, np.ndarray]:
    axis = ((np.arange(size, dtype=np.float32) + 0.5) / size * 2 - 1) * extent
    return axis[None, :], -axis[:, None]


def _line_cover(board: Board, size: int) -> np.ndarray:
    """Share of the pixels (size, size) covered by ring and quadrant lines, 0 to 1."""
    x, y = _plane(size, extent_mm(board))
    px_mm = 2 * extent_mm(board) / size
    half = board.line_width / 2
    reach = np.hypot(x, y)
    far = np.min([np.abs(reach - r) for r in board.line_radii], axis=0)
    inner, outer = board.quadrant_span
    off_axis = np.abs(np.abs(x) - np.abs(y)) / np.float32(math.sqrt(2))
    beyond = np.maximum(inner - reach, reach - outer)
    far = np.minimum(far, np.maximum(off_axis, beyond + half))
    return np.clip((half - far) / px_mm + 0.5, 0, 1)


def _text_patch(text: str, height_px: int, face: int) -> np.ndarray:
    """A text's cover (h, w), 0 to 1, with letters of height ``height_px``."""
    font = _FACES[face % len(_FACES)]
    thick = max(2, round(height_px * (0.10, 0.13, 0.08)[face % 3]))
    scale = height_px / cv2.getTextSize("5", font, 1.0, 1)[0][1]
    (w, h), base = cv2.getTextSize(text, font, scale, thick)
    patch = np.zeros((h + 2 * base + 8, w + 16), np.uint8)  # OpenCV 5 writes on 8 bits only
    cv2.putText(patch, text, (8, h + base), font, scale, (255,), thick, cv2.LINE_AA)
    return patch.astype(np.float32) / 255


def _stamp(cover: np.ndarray, patch: np.ndarray, centre_px: np.ndarray, turn_deg: float) -> None:
    """Put ``patch``, turned counter-clockwise, with its middle at ``centre_px``."""
    h, w = patch.shape
    place = np.array(cv2.getRotationMatrix2D((w / 2, h / 2), turn_deg, 1.0), np.float64)
    place[:, 2] += centre_px - np.array([w / 2, h / 2])
    size = cover.shape[::-1]
    np.maximum(cover, cv2.warpAffine(patch, place, size, flags=cv2.INTER_AREA), out=cover)


def _labels(board: Board) -> list[tuple[str, float, float]]:
    """Texts with their radius (mm) and their height (mm)."""
    if not board.digits:
        return []
    r15, r10, r5 = board.line_radii
    h = board.digit_height_mm
    found = [("15", 0.70 * r15, 0.8 * h), ("10", (r15 + r10) / 2, h), ("5", (r10 + r5) / 2, h)]
    return found + ([("20", 0.34 * r15, 0.7 * h)] if board.twenty_digits else [])


def _text_cover(board: Board, size: int) -> np.ndarray:
    """Share of the pixels (size, size) covered by digits and the maker's name, 0 to 1."""
    cover = np.zeros((size, size), np.float32)
    px_per_mm = size / (2 * extent_mm(board))
    for text, radius, height in _labels(board):
        patch = _text_patch(text, round(height * px_per_mm), board.digit_face)
        for quarter in range(4):
            _stamp(
                cover,
                patch,
                _polar_px(size, radius * px_per_mm, 90.0 * quarter),
                90.0 * quarter + 90,
            )
    if board.logo:
        where = 0.5 * (board.line_radii[1] + board.line_radii[2]) * px_per_mm
        patch = _text_patch(board.logo, round(9.0 * px_per_mm), 1)
        _stamp(cover, patch, _polar_px(size, where, 250.0), 340.0)
    return cover


def _polar_px(size: int, radius_px: float, azimuth_deg: float) -> np.ndarray:
    a = math.radians(azimuth_deg)
    return np.array([size / 2 + radius_px * math.cos(a), size / 2 - radius_px * math.sin(a)])


def paint_surface(board: Board, size: int = TEXTURE_PX) -> np.ndarray:
    """The surface's picture (size, size, 3), 8-bit sRGB, red first."""
    picture = _wood(board, size)
    cover = np.maximum(_line_cover(board, size), _text_cover(board, size)) * board.line_opacity
    picture += cover[..., None] * (np.array(board.line_rgb, np.float32) - picture)
    return (picture * 255 + 0.5).astype(np.uint8)
