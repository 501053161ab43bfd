"""Woods, clutter and printed graphics for drawn training boards.

All are drawn from a seed: bands of stretched noise for wood; collages of shapes, stripes and text
for tables and rooms; shapes and text with a transparent background for prints on boards.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

#: Side of a texture, pixels.
SIDE_PX = 384
_WORDS = ("20", "15", "10", "5", "ELM", "Hearth & Home", "No. 41", "CLUB", "OPEN", "17", "A", "B")
_FONTS = (
    cv2.FONT_HERSHEY_SIMPLEX,
    cv2.FONT_HERSHEY_DUPLEX,
    cv2.FONT_HERSHEY_TRIPLEX,
    cv2.FONT_HERSHEY_SCRIPT_COMPLEX,
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Textures:
    """Textures of ``SIDE_PX``, uint8 RGB(A), channels first.

    woods     (n, 3, s, s) grey about 128: a surface's colour is multiplied by value / 128
    clutters  (n, 3, s, s) coloured
    prints    (n, 4, s, s) with opacity; the side spans the board
    """

    woods: np.ndarray
    clutters: np.ndarray
    prints: np.ndarray


def draw_textures(seed: int, count: int = 48) -> Textures:
    """``count`` textures of every kind."""
    rng = np.random.default_rng(seed)
    return Textures(
        woods=np.stack([_draw_wood(rng) for _ in range(count)]).transpose(0, 3, 1, 2).copy(),
        clutters=np.stack([_draw_clutter(rng) for _ in range(count)]).transpose(0, 3, 1, 2).copy(),
        prints=np.stack([_draw_print(rng) for _ in range(count)]).transpose(0, 3, 1, 2).copy(),
    )


def _noise(rng: np.random.Generator, wide: int, high: int) -> np.ndarray:
    """Smooth noise of a number of cells, about zero with unit spread, (s, s)."""
    cells = rng.normal(0, 1, (max(high, 2), max(wide, 2))).astype(np.float32)
    return cv2.resize(cells, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_CUBIC)


def _draw_wood(rng: np.random.Generator) -> np.ndarray:
    """Grain, growth rings, pores, knots and planks; some are only a quiet paint."""
    kind = rng.choice(4, p=(0.15, 0.4, 0.3, 0.15))
    grey = 0.02 * _noise(rng, 5, 5)
    if kind == 0:
        grey = grey + 0.01 * _noise(rng, SIDE_PX // 2, SIDE_PX // 2)
    else:
        y = np.linspace(0, 1, SIDE_PX, dtype=np.float32)[:, None]
        bend = _noise(rng, 3, 4) * rng.uniform(0.01, 0.12) + _noise(rng, 8, 20) * 0.006
        rings = np.sin(2 * np.pi * (y + bend) * rng.uniform(8, 60))
        streaks = _noise(rng, rng.integers(3, 12), rng.integers(60, 250))
        pores = _noise(rng, rng.integers(20, 60), SIDE_PX) > 2.0
        grey = grey + rng.uniform(0.0, 0.12) * rings * (0.5 + 0.5 * _noise(rng, 3, 6).clip(-1, 1))
        grey = grey + rng.uniform(0.01, 0.10) * streaks - rng.uniform(0, 0.2) * pores
    if kind == 2:
        edges = np.sort(rng.uniform(0, SIDE_PX, rng.integers(1, 9))).astype(int)
        for low, high in zip([0, *edges], [*edges, SIDE_PX], strict=True):
            grey[low:high] += rng.normal(0, 0.12)
            if rng.uniform() < 0.5:
                grey[low : low + 1] -= 0.15
    if kind == 3:  # a burl or marble: clouds with veins
        cloud = sum(_noise(rng, 2**k, 2**k) / 2**k for k in range(2, 7))
        grey = grey + rng.uniform(0.05, 0.3) * cloud
    for _ in range(rng.integers(0, 3) if kind == 1 else 0):
        centre = tuple(int(x) for x in rng.integers(0, SIDE_PX, 2))
        axes = (int(rng.integers(4, 14)), int(rng.integers(2, 8)))
        knot = cv2.ellipse(np.zeros_like(grey), centre, axes, 0, 0, 360, 1.0, -1)
        grey = grey - rng.uniform(0.1, 0.4) * cv2.GaussianBlur(knot, (0, 0), 1.5)
    hue = 1 + np.array([0.0, 0.02, 0.05]) * rng.normal(0, 1) * _noise(rng, 4, 30)[..., None]
    return np.clip(128 * np.exp(grey)[..., None] * hue, 0, 255).astype(np.uint8)


def _draw_clutter(rng: np.random.Generator) -> np.ndarray:
    """A table's cloth, tiles or floor with objects on it, or a room out of focus."""
    base = rng.uniform(15, 240, 3)
    picture = np.ones((SIDE_PX, SIDE_PX, 3), np.float32) * base
    picture *= np.exp(rng.uniform(0, 0.25) * _noise(rng, 6, 40))[..., None]
    kind = rng.integers(4)
    if kind == 1:
        step = int(rng.integers(6, 60))
        picture[::step] *= rng.uniform(0.4, 1.3)
        picture[:, ::step] *= rng.uniform(0.4, 1.3)
    if kind == 2:
        cloth = rng.uniform(10, 240, 3)
        x = np.arange(SIDE_PX) // int(rng.integers(4, 40)) % 2
        is_dark = ((x[:, None] + x[None]) % 2 == 0)[..., None]
        picture = np.where(is_dark, picture, cloth).astype(np.float32)
    picture = np.clip(picture, 0, 255).astype(np.uint8)
    for _ in range(rng.integers(0, 30)):
        _draw_shape(rng, picture, rng.uniform(5, 250, 3), rng.uniform(4, 90))
    return cv2.GaussianBlur(picture, (0, 0), float(rng.uniform(0.3, 3.0)))


def _draw_shape(
    rng: np.random.Generator, picture: np.ndarray, colour: np.ndarray, size: float
) -> None:
    """One ellipse, polygon, line or word somewhere on the picture."""
    x, y = (int(v) for v in rng.integers(0, SIDE_PX, 2))
    ink = tuple(float(c) for c in colour)
    kind = rng.integers(5)
    if kind == 0:
        axes = (int(size), max(int(size * rng.uniform(0.3, 1.0)), 1))
        fill = -1 if rng.uniform() < 0.7 else int(rng.integers(1, 4))
        cv2.ellipse(picture, (x, y), axes, float(rng.uniform(0, 180)), 0, 360, ink, fill)
    elif kind == 1:
        angles = np.sort(rng.uniform(0, 2 * np.pi, rng.integers(3, 8)))
        away = size * rng.uniform(0.4, 1.0, len(angles))
        points = np.stack([x + away * np.cos(angles), y + away * np.sin(angles)], -1)
        cv2.fillPoly(picture, [points.astype(np.int32)], ink)
    elif kind == 2:
        turned = cv2.boxPoints(((x, y), (size, size * rng.uniform(0.1, 1)), rng.uniform(0, 90)))
        cv2.fillPoly(picture, [turned.astype(np.int32)], ink)
    elif kind == 3:
        end = (int(x + rng.normal(0, size)), int(y + rng.normal(0, size)))
        cv2.line(picture, (x, y), end, ink, int(rng.integers(1, 6)))
    else:
        word, font = _WORDS[rng.integers(len(_WORDS))], _FONTS[rng.integers(len(_FONTS))]
        scale = size / 60
        cv2.putText(picture, word, (x, y), font, scale, ink, int(rng.integers(1, 4)), cv2.LINE_AA)


def _draw_print(rng: np.random.Generator) -> np.ndarray:
    """A print on a board: numbers around it, circles, a large picture, or stains."""
    ink = rng.uniform(5, 250, 3) if rng.uniform() < 0.5 else rng.uniform(5, 60, 3)
    picture = np.zeros((SIDE_PX, SIDE_PX, 4), np.uint8)
    colour = np.array([*ink, 255.0])
    kind = rng.choice(4, p=(0.35, 0.25, 0.2, 0.2))
    middle = SIDE_PX / 2
    if kind == 0:
        font, scale = _FONTS[rng.integers(3)], rng.uniform(0.2, 0.7)
        for word, share in (("20", 0.1), ("15", 0.2), ("10", 0.45), ("5", 0.75)):
            for k in range(4):
                angle = k * np.pi / 2 + (0 if rng.uniform() < 0.7 else 0.3)
                place = middle + middle * share * np.array([np.cos(angle), np.sin(angle)])
                at = (int(place[0] - 6 * scale * len(word)), int(place[1] + 6 * scale))
                cv2.putText(picture, word, at, font, scale, colour.tolist(), 1, cv2.LINE_AA)
    elif kind == 1:
        for _ in range(rng.integers(1, 5)):
            place = tuple(int(v) for v in rng.normal(middle, 70, 2))
            size = int(
                rng.choice((rng.uniform(2, 7), 8.5, rng.uniform(8, 14), rng.uniform(14, 60)))
            )
            fill = -1 if rng.uniform() < 0.5 else int(rng.integers(1, 3))
            cv2.circle(picture, place, size, colour.tolist(), fill, cv2.LINE_AA)
    elif kind == 2:
        for _ in range(rng.integers(2, 12)):
            tone = np.array([*rng.uniform(5, 250, 3), 255.0])
            _draw_shape(rng, picture, tone, rng.uniform(4, 60))
    else:
        blot = (_noise(rng, 7, 7) > rng.uniform(0.5, 1.5)).astype(np.float32)
        picture[..., :3] = ink
        picture[..., 3] = 255 * cv2.GaussianBlur(blot, (0, 0), float(rng.uniform(0.5, 4)))
    return picture
