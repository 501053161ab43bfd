"""Shapes as vertices and faces: turned on a lathe, cut from a board, or boxed.

Lengths in mm; a shape is (vertices (n, 3), faces as index tuples).
"""

from __future__ import annotations

import math

import numpy as np

from sample_images.renderer.scene import Board, DiscModel

Mesh = tuple[np.ndarray, list[tuple[int, ...]]]


def lathe(profile: list[tuple[float, float]], segments: int = 96) -> Mesh:
    """A profile of (radius, z) turned about the z axis; ends at radius 0 are closed by a fan."""
    a = np.arange(segments) * (2 * np.pi / segments)
    circle = np.stack([np.cos(a), np.sin(a)], axis=1)
    return _loft([np.c_[r * circle, np.full(segments, z)] for r, z in profile])


def _loft(rings: list[np.ndarray]) -> Mesh:
    """Skin over rings (k, 3) of equally many points, from first to last."""
    k = len(rings[0])
    faces: list[tuple[int, ...]] = []
    for i in range(len(rings) - 1):
        for j in range(k):
            n = (j + 1) % k
            faces.append((i * k + j, i * k + n, (i + 1) * k + n, (i + 1) * k + j))
    return np.concatenate(rings), faces


def _arc(r0: float, z0: float, r1: float, z1: float, steps: int = 5) -> list[tuple[float, float]]:
    """A quarter ellipse from (r0, z0) to (r1, z1) that leaves r0 along r and meets r1 along z."""
    t = np.linspace(0, math.pi / 2, steps + 1)
    return [(r0 + (r1 - r0) * math.sin(a), z1 + (z0 - z1) * math.cos(a)) for a in t]


def disc(shape: DiscModel) -> Mesh:
    """A disc with rounded edges, the centre of its bottom face at 0."""
    r, h = shape.radius, shape.height
    inset = r - shape.bottom_radius
    lower = _arc(shape.bottom_radius, 0.0, r, 1.3 * inset)
    upper = [(a, h - b) for a, b in reversed(_arc(r - inset, 0.0, r, 1.3 * inset))]
    return lathe([(0.0, 0.0), *lower, *upper, *_top(shape, r - inset, h)], 96)


def _top(shape: DiscModel, edge: float, h: float) -> list[tuple[float, float]]:
    """The profile of the top face from its edge to the middle."""
    if shape.top == "dished":
        bowl = [(0.78 * edge * math.cos(t), h - 1.2 * math.sin(t)) for t in np.linspace(0, 1.57, 9)]
        return [*bowl, (0.0, h - 1.2)]
    if shape.top == "ring":
        return [
            (0.72 * edge, h),
            (0.69 * edge, h - 0.7),
            (0.62 * edge, h - 0.7),
            (0.59 * edge, h),
            (0.0, h),
        ]
    if shape.top == "rim":
        return [(0.86 * edge, h), (0.82 * edge, h - 0.9), (0.0, h - 0.9)]
    return [(0.0, h)]


def playing_surface(board: Board) -> Mesh:
    """The raised disc's top, with the hole cut out, and its outer wall down to the ditch."""
    n = 256
    a = np.arange(n) * (2 * np.pi / n)
    circle = np.c_[np.cos(a), np.sin(a), np.zeros(n)]
    hole = board.hole_radius * circle + (*board.hole_centre, 0.0)
    r = board.playing_radius
    between = 0.5 * board.line_radii[0] * circle
    wall = [(r - 0.6) * circle, r * circle - (0, 0, 0.6), r * circle - (0, 0, board.ditch_depth)]
    return _loft([hole, between, *wall])


def hole(board: Board) -> Mesh:
    """The hole's wall and floor, in the board frame."""
    r, d = board.hole_radius, board.hole_depth
    verts, faces = lathe([(r, 0.0), (r, -d), (0.0, -d)], 256)
    return verts + np.array([*board.hole_centre, 0.0]), faces


def post(board: Board) -> Mesh:
    """A post with a slightly rounded top and its base at 0."""
    r, h = board.post_radius, board.post_height
    return lathe(
        [(r, -1.0), *[(a, h - b) for a, b in reversed(_arc(0.8 * r, 0.0, r, 0.25 * r))], (0.0, h)],
        40,
    )


def _outline(board: Board, inner: bool) -> np.ndarray:
    """The rail's inner or outer edge (n, 2)."""
    reach = board.playing_radius + board.ditch_width + (0.0 if inner else board.rail_width)
    if board.rail_shape == "round":
        a = np.arange(192) * (2 * np.pi / 192)
    else:
        a = np.radians(22.5 + 45 * np.arange(8))
        reach /= math.cos(math.radians(22.5))
    return reach * np.stack([np.cos(a), np.sin(a)], axis=1)


def rail(board: Board) -> Mesh:
    """The rail's inner wall, top and outer wall down to the table."""
    inner, outer = _outline(board, True), _outline(board, False)
    top, low, base = board.rail_height, -board.ditch_depth, -base_depth(board)
    rings = [np.c_[inner, np.full(len(inner), z)] for z in (low, top - 0.8)]
    rings += [
        np.c_[inner * 1.002, np.full(len(inner), top)],
        np.c_[outer * 0.998, np.full(len(outer), top)],
    ]
    rings += [np.c_[outer, np.full(len(outer), z)] for z in (top - 0.8, base)]
    return _loft(rings)


def ditch_floor(board: Board) -> Mesh:
    """The ditch's floor, from under the playing surface to the rail, one sector per edge."""
    outer = _outline(board, True)
    angle = np.arctan2(outer[:, 1], outer[:, 0])
    inner = 0.8 * board.playing_radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    z = np.full(len(outer), -board.ditch_depth)
    return _loft([np.c_[outer, z], np.c_[inner, z]])


def base_depth(board: Board) -> float:
    """Height of the playing surface above the table, in mm."""
    return board.ditch_depth + 12.0


def box(size: tuple[float, float, float]) -> Mesh:
    """A box that stands on z = 0, centred."""
    x, y, z = size[0] / 2, size[1] / 2, size[2]
    verts = np.array(
        [(sx * x, sy * y, h) for h in (0, z) for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    )
    faces: list[tuple[int, ...]] = [
        (3, 2, 1, 0),
        (4, 5, 6, 7),
        (0, 1, 5, 4),
        (1, 2, 6, 5),
        (2, 3, 7, 6),
        (3, 0, 4, 7),
    ]
    return verts, faces


def capsule(start: np.ndarray, end: np.ndarray, r0: float, r1: float) -> Mesh:
    """A rounded stick from ``start`` to ``end`` with radii r0 and r1."""
    axis = np.asarray(end, float) - start
    length = float(np.linalg.norm(axis))
    cap = np.linspace(0, math.pi / 2, 6)
    profile = [(r0 * math.sin(t), -r0 * math.cos(t)) for t in cap]
    profile += [(r1 * math.cos(t), length + r1 * math.sin(t)) for t in cap]
    verts, faces = lathe(profile, 24)
    return verts @ _frame_along(axis / length).T + start, faces


def _frame_along(axis: np.ndarray) -> np.ndarray:
    """A rotation (3, 3) whose third column is ``axis``."""
    side = np.cross(axis, (0, 0, 1.0) if abs(axis[2]) < 0.9 else (1.0, 0, 0))
    side /= np.linalg.norm(side)
    return np.stack([side, np.cross(axis, side), axis], axis=1)
