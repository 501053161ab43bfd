"""Objects around the board that are not part of the game, as coloured shapes: cups, plates, boxes,
bowls, arms, and round objects that are easily mistaken for a board.

Parts stand on z = 0 with the prop's own +x ahead; lengths in mm.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from sample_images.renderer.blender.meshes import Mesh, box, capsule, lathe
from sample_images.renderer.scene import Prop, Rgb

Part = tuple[Mesh, Rgb]


def _cup(prop: Prop) -> list[Part]:
    r, h = prop.size / 2, 1.15 * prop.size
    wall = [(0.0, 0.0), (0.8 * r, 0.0), (r, h), (0.93 * r, h), (0.75 * r, 5.0), (0.0, 5.0)]
    drink = [(0.89 * r, 0.8 * h), (0.0, 0.8 * h)]
    return [(lathe(wall, 64), prop.rgb), (lathe(drink, 64), prop.second_rgb)]


def _plate(prop: Prop) -> list[Part]:
    r = prop.size / 2
    dish = [(0.0, 3.0), (0.62 * r, 3.0), (0.70 * r, 6.0), (r, 20.0), (r, 22.0), (0.68 * r, 9.0)]
    dish += [(0.60 * r, 6.0), (0.0, 6.0)]
    rings = [(0.955 * r, 0.985 * r, 20.2, 21.4), (0.59 * r, 0.605 * r, 6.05, 6.3)]
    bands = [
        (lathe([(a, z0 + 0.4), (b, z1 + 0.4)], 128), prop.second_rgb) for a, b, z0, z1 in rings
    ]
    return [(lathe(dish, 128), prop.rgb), *bands]


def _bowl(prop: Prop) -> list[Part]:
    r = prop.size / 2
    out = [(r * math.sin(t), 0.55 * r * (1 - math.cos(t))) for t in np.linspace(0, 1.57, 12)]
    inn = [(0.92 * a, b + 3.0) for a, b in reversed(out)]
    return [(lathe([*out, *inn], 96), prop.rgb)]


def _box(prop: Prop) -> list[Part]:
    s = prop.size
    body = box((1.5 * s, s, 0.35 * s))
    lid = box((1.1 * s, 0.55 * s, 0.35 * s + 1.0))
    return [(body, prop.rgb), (lid, prop.second_rgb)]


def _finger(root: np.ndarray, turn: float, length: float, radius: float) -> list[Mesh]:
    """Two joints that bend down to the table."""
    ahead = np.array([math.cos(turn), math.sin(turn), 0.12])
    knuckle = root + 0.55 * length * ahead
    tip = knuckle + 0.5 * length * np.array([math.cos(turn), math.sin(turn), -0.75])
    return [
        capsule(root, knuckle, radius, 0.9 * radius),
        capsule(knuckle, tip, 0.9 * radius, 0.75 * radius),
    ]


def _arm(prop: Prop) -> list[Part]:
    """A hand with its fingers towards +x, and a sleeve behind it."""
    k = prop.size / 85.0
    lift = 38.0 * k
    shapes: list[Mesh] = []
    for i, (y, reach) in enumerate(((28, 68), (10, 80), (-9, 76), (-27, 60))):
        root = np.array([0.0, y * k, lift])
        shapes += _finger(root, math.radians((10, 3, -3, -10)[i]), reach * k, 8.5 * k)
        shapes.append(capsule(np.array([-72.0 * k, 0.7 * y * k, lift]), root, 14 * k, 10.5 * k))
    shapes += _finger(np.array([-50 * k, 36 * k, lift - 6]), math.radians(48), 70 * k, 10.5 * k)
    wrist, elbow = np.array([-80 * k, 0, lift]), np.array([-420 * k, -30 * k, lift + 35])
    shapes.append(capsule(wrist + np.array([-60 * k, -3, 4]), wrist, 27 * k, 25 * k))
    sleeve = capsule(elbow, wrist + np.array([-45 * k, -3, 3]), 52 * k, 37 * k)
    return [(s, prop.rgb) for s in shapes] + [(sleeve, prop.second_rgb)]


def _turn(shape: Mesh, angle: float) -> Mesh:
    c, s = math.cos(angle), math.sin(angle)
    return shape[0] @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1.0]]), shape[1]


def _move(shape: Mesh, by: tuple[float, float, float]) -> Mesh:
    return shape[0] + by, shape[1]


def _clock(prop: Prop) -> list[Part]:
    r = prop.size / 2
    frame = [(0.0, 0.0), (r, 0.0), (r, 22.0), (0.93 * r, 24.0), (0.90 * r, 14.0), (0.0, 14.0)]
    parts = [(lathe(frame, 160), prop.second_rgb)]
    parts.append((lathe([(0.90 * r, 14.3), (0.0, 14.3)], 160), prop.rgb))
    for hour in range(12):
        long = 0.12 if hour % 3 == 0 else 0.06
        tick = _move(box((long * r, 0.02 * r, 0.6)), ((0.86 - long / 2) * r, 0.0, 14.4))
        parts.append((_turn(tick, hour * math.pi / 6), (0.05, 0.05, 0.05)))
    for length, angle in ((0.5, 2.2), (0.75, 0.4)):
        hand = _move(box((length * r, 0.03 * r, 0.8)), (0.5 * length * r, 0.0, 16.0))
        parts.append((_turn(hand, angle), (0.05, 0.05, 0.05)))
    parts.append((lathe([(0.05 * r, 14.0), (0.05 * r, 18.0), (0.0, 18.0)], 32), (0.05, 0.05, 0.05)))
    return parts


def _ball(centre: tuple[float, float, float], axes: tuple[float, float, float]) -> Mesh:
    t = np.linspace(0, math.pi, 25)
    verts, faces = lathe([(math.sin(a), -math.cos(a)) for a in t], 48)
    return verts * axes + centre, faces


def _duck(prop: Prop) -> list[Part]:
    s = prop.size
    parts = [(_ball((0, 0, 0.36 * s), (0.5 * s, 0.38 * s, 0.36 * s)), prop.rgb)]
    parts.append((_ball((0.3 * s, 0, 0.85 * s), (0.27 * s, 0.26 * s, 0.26 * s)), prop.rgb))
    parts.append((_ball((-0.48 * s, 0, 0.55 * s), (0.16 * s, 0.14 * s, 0.13 * s)), prop.rgb))
    parts.append((_ball((0.58 * s, 0, 0.82 * s), (0.13 * s, 0.12 * s, 0.05 * s)), prop.second_rgb))
    for side in (-1, 1):
        eye = _ball((0.48 * s, side * 0.13 * s, 0.95 * s), (0.04 * s, 0.04 * s, 0.04 * s))
        parts.append((eye, (0.03, 0.03, 0.03)))
    return parts


_MAKERS: dict[str, Callable[[Prop], list[Part]]] = {
    "cup": _cup,
    "plate": _plate,
    "bowl": _bowl,
    "box": _box,
    "arm": _arm,
    "clock": _clock,
    "duck": _duck,
}


def build_parts(prop: Prop) -> list[Part]:
    """The prop's shapes with their colours, on z = 0 around its own origin."""
    return _MAKERS[prop.kind](prop)
