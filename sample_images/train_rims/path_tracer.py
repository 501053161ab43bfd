"""Light on discs with rounded edges: a small path tracer for this shape only.

Every pixel is the mean of rays through it. Where a ray meets wood or a disc, it gathers light from
every lamp through one point of it, from all around through one direction (an object in that
direction gives back its own colour of the light from all around), and the reflection of a clear
coat (Schlick 1994). Discs are rounded boxes turned about an axis, intersected by sphere tracing
(Hart 1996).

The compiled kernels take plain arrays, one per argument, because a type would have to be compiled
too. Expressions of whole arrays would take seconds to compile, so vectors go through the functions
of three numbers below.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from sample_images.train_rims.field import Field

#: Rays along each side of a pixel near a disc, and elsewhere; near is within this of its axis, mm.
_FINE, _COARSE, _FINE_WITHIN_MM = 4, 2, 32.0
#: Sphere tracing ends this near to a surface, mm, or after this many steps.
_NEAR_MM, _STEPS = 0.01, 48
#: Rays that leave a surface begin this far off it, mm, so that they do not hit it at once.
_OFF_SURFACE_MM = 0.02
#: Discs farther apart than this, mm, neither shade nor mirror each other noticeably.
_NEIGHBOUR_MM = 75.0
#: A clear coat's reflectance at normal incidence.
_COAT_REFLECTANCE = 0.04
#: Share of the ambient light that an object hit by a ray receives.
_BOUNCE_SHARE = 0.6
#: A mirrored lamp is at most this many times as bright as white wood beside it: all whites look
#: alike, and a few rays of far brighter lamps would sparkle.
_BRIGHTEST_LAMP = 8.0


def trace_field(field: Field, seed: int) -> np.ndarray:
    """Linear light (height, width, 3) of the field, red first."""
    view = field.view
    lamps = np.array(
        [
            [lamp.middle_mm, lamp.half_u_mm, lamp.half_v_mm, lamp.radiance_rgb]
            for lamp in field.lamps
        ]
    ).reshape(-1, 4, 3)
    y, x = np.mgrid[0 : field.height_px, 0 : field.width_px].astype(np.float64)
    place = view.unproject_plane(np.stack([x, y], axis=-1).reshape(-1, 2)).reshape(
        field.height_px, -1, 2
    )
    first, near = _neighbours(field, place)
    return np.asarray(
        _trace_pixels(
            np.pad(place, ((0, 0), (0, 0), (0, 1))),
            first,
            near,
            view.cam_from_board.camera_board_mm,
            field.base_mm,
            field.disc_rgb.astype(np.float64),
            np.array([field.radius_mm, field.disc_height_mm, *field.round_mm]),
            field.wood_rgb,
            field.wood_mm_per_px,
            np.array([*field.gloss, *field.roughness]),
            lamps,
            _BRIGHTEST_LAMP * _irradiance(field),
            field.ambient_rgb,
            np.random.default_rng(seed),
        )
    )


def _irradiance(field: Field) -> np.ndarray:
    """Light (3,) reflected by horizontal white wood in the middle."""
    total = field.ambient_rgb.copy()
    for lamp in field.lamps:
        away = float(np.linalg.norm(lamp.middle_mm))
        area = 4 * np.linalg.norm(lamp.half_u_mm) * np.linalg.norm(lamp.half_v_mm)
        total += lamp.radiance_rgb * area * lamp.middle_mm[2] / (math.pi * away**3)
    return total


def _neighbours(field: Field, place_mm: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Nearest disc of every pixel (h, w); the discs' neighbours (n, m), the disc itself first, then
    -1.
    """
    gap = np.linalg.norm(field.base_mm[:, None] - field.base_mm[None], axis=-1)
    most = int((gap < _NEIGHBOUR_MM).sum(axis=1).max())
    near = np.argsort(gap, axis=1)[:, :most]
    near = np.where(np.take_along_axis(gap, near, axis=1) < _NEIGHBOUR_MM, near, -1)
    first = np.zeros(place_mm.shape[:2], dtype=np.int64)
    best = np.full(place_mm.shape[:2], np.inf)
    for i, base in enumerate(field.base_mm):
        away = np.hypot(place_mm[..., 0] - base[0], place_mm[..., 1] - base[1])
        first = np.where(away < best, i, first)
        best = np.minimum(away, best)
    return first, near


@njit(cache=True)
def _dot(a: np.ndarray, b: np.ndarray) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(cache=True)
def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )


@njit(cache=True)
def _add(a: np.ndarray, t: float, b: np.ndarray) -> np.ndarray:
    """``a + t b``."""
    return np.array([a[0] + t * b[0], a[1] + t * b[1], a[2] + t * b[2]])


@njit(cache=True)
def _scale(t: float, a: np.ndarray) -> np.ndarray:
    return np.array([t * a[0], t * a[1], t * a[2]])


@njit(cache=True)
def _normalise(a: np.ndarray) -> np.ndarray:
    return _scale(1.0 / max(math.sqrt(_dot(a, a)), 1e-9), a)


@njit(cache=True)
def _filter(t: float, light: np.ndarray, albedo: np.ndarray) -> np.ndarray:
    """``t`` times the light that the albedo reflects, per channel."""
    return np.array([t * light[0] * albedo[0], t * light[1] * albedo[1], t * light[2] * albedo[2]])


@njit(cache=True)
def _signed_distance(p: np.ndarray, base: np.ndarray, size: np.ndarray) -> float:
    """Signed distance of a point from a disc."""
    up = p[2] - 0.5 * size[1]
    turn = size[3] if up > 0 else size[2]
    away = math.hypot(p[0] - base[0], p[1] - base[1]) - (size[0] - turn)
    above = abs(up) - (0.5 * size[1] - turn)
    outside = math.hypot(max(away, 0.0), max(above, 0.0))
    return outside + min(max(away, above), 0.0) - turn


@njit(cache=True)
def _intersect_ray(
    start: np.ndarray, way: np.ndarray, near: np.ndarray, base: np.ndarray, size: np.ndarray
) -> tuple[float, int]:
    """Distance along a ray to its first object, and the object: a disc's number, -1 wood, -2
    nothing.
    """
    reach, what = np.inf, -2
    if way[2] < -1e-9:
        reach, what = -start[2] / way[2], -1
    flat = way[0] * way[0] + way[1] * way[1]
    p = np.empty(3)
    for j in near:
        if j < 0:
            break
        dx, dy = base[j, 0] - start[0], base[j, 1] - start[1]
        along = dx * way[0] + dy * way[1]
        if flat > 1e-12:
            miss2 = dx * dx + dy * dy - along * along / flat
            if miss2 > size[0] * size[0]:
                continue
            half = math.sqrt(size[0] * size[0] - miss2) / math.sqrt(flat)
            enter, leave = along / flat - half, along / flat + half
        else:
            if dx * dx + dy * dy > size[0] * size[0]:
                continue
            enter, leave = 0.0, np.inf
        if abs(way[2]) > 1e-9:
            one, two = -start[2] / way[2], (size[1] - start[2]) / way[2]
            enter, leave = max(enter, min(one, two)), min(leave, max(one, two))
        elif start[2] > size[1]:
            continue
        t, leave = max(enter, 0.0), min(leave, reach)
        for _ in range(_STEPS):
            if t > leave:
                break
            for c in range(3):
                p[c] = start[c] + t * way[c]
            gap = _signed_distance(p, base[j], size)
            if gap < _NEAR_MM:
                reach, what = t, j
                break
            t += gap
    return reach, what


@njit(cache=True)
def _normal(p: np.ndarray, base: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Unit normal of a disc at a point of its surface."""
    dx, dy = p[0] - base[0], p[1] - base[1]
    r = max(math.hypot(dx, dy), 1e-9)
    up = p[2] - 0.5 * size[1]
    turn = size[3] if up > 0 else size[2]
    out = max(r - (size[0] - turn), 0.0)
    rise = max(abs(up) - (0.5 * size[1] - turn), 0.0) * (1.0 if up > 0 else -1.0)
    length = math.hypot(out, rise)
    if length < 1e-9:
        return np.array([0.0, 0.0, 1.0])
    return np.array([dx / r * out / length, dy / r * out / length, rise / length])


@njit(cache=True)
def _wood_albedo(p: np.ndarray, wood: np.ndarray, mm_per_px: float) -> np.ndarray:
    """Albedo of the wood at a point."""
    row = int(wood.shape[0] / 2 - p[1] / mm_per_px)
    column = int(wood.shape[1] / 2 + p[0] / mm_per_px)
    row, column = min(max(row, 0), wood.shape[0] - 1), min(max(column, 0), wood.shape[1] - 1)
    albedo = wood[row, column]
    return np.array([np.float64(albedo[0]), np.float64(albedo[1]), np.float64(albedo[2])])


@njit(cache=True)
def _sample_hemisphere(normal: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random direction about a normal, by the cosine law."""
    z = 2 * rng.random() - 1
    a = 2 * math.pi * rng.random()
    r = math.sqrt(max(0.0, 1 - z * z))
    way = np.array([normal[0] + r * math.cos(a), normal[1] + r * math.sin(a), normal[2] + z])
    return _normalise(way)


@njit(cache=True)
def _intersect_lamps(start: np.ndarray, way: np.ndarray, lamps: np.ndarray) -> int:
    """Number of the lamp hit by a ray, or -1."""
    for k in range(len(lamps)):
        u, v = lamps[k, 1], lamps[k, 2]
        face = _cross(u, v)
        slope = _dot(face, way)
        if abs(slope) < 1e-9:
            continue
        t = _dot(face, _add(lamps[k, 0], -1.0, start)) / slope
        if t <= 0:
            continue
        at = _add(_add(start, t, way), -1.0, lamps[k, 0])
        if abs(_dot(at, u)) < _dot(u, u) and abs(_dot(at, v)) < _dot(v, v):
            return k
    return -1


@njit(cache=True)
def _gather_light(
    p: np.ndarray,
    normal: np.ndarray,
    near: np.ndarray,
    base: np.ndarray,
    size: np.ndarray,
    disc_rgb: np.ndarray,
    wood: np.ndarray,
    mm_per_px: float,
    lamps: np.ndarray,
    ambient: np.ndarray,
    rng: np.random.Generator,
) -> np.ndarray:
    """Light that a diffuse point reflects per unit of albedo: (3,)."""
    total = np.zeros(3)
    start = _add(p, _OFF_SURFACE_MM, normal)
    for k in range(len(lamps)):
        u, v = 2 * rng.random() - 1, 2 * rng.random() - 1
        at = _add(_add(lamps[k, 0], u, lamps[k, 1]), v, lamps[k, 2])
        way = _add(at, -1.0, start)
        far = math.sqrt(_dot(way, way))
        way = _scale(1.0 / far, way)
        facing = _dot(way, normal)
        if facing <= 0:
            continue
        face = _cross(lamps[k, 1], lamps[k, 2])
        square = abs(_dot(face, way)) * 4 / (far * far)
        if _intersect_ray(start, way, near, base, size)[1] == -2:
            total = _add(total, facing * square / math.pi, lamps[k, 3])
    way = _sample_hemisphere(normal, rng)
    t, what = _intersect_ray(start, way, near, base, size)
    if what == -2:
        return _add(total, 1.0, ambient)
    albedo = disc_rgb[what] if what >= 0 else _wood_albedo(_add(start, t, way), wood, mm_per_px)
    return _add(total, 1.0, _filter(_BOUNCE_SHARE, ambient, albedo))


@njit(cache=True)
def _mirror_light(
    start: np.ndarray,
    way: np.ndarray,
    near: np.ndarray,
    base: np.ndarray,
    size: np.ndarray,
    disc_rgb: np.ndarray,
    wood: np.ndarray,
    mm_per_px: float,
    lamps: np.ndarray,
    brightest: np.ndarray,
    ambient: np.ndarray,
) -> np.ndarray:
    """Light (3,) arriving along a reflected ray."""
    t, what = _intersect_ray(start, way, near, base, size)
    if what >= -1:
        albedo = disc_rgb[what] if what >= 0 else _wood_albedo(_add(start, t, way), wood, mm_per_px)
        return _filter(_BOUNCE_SHARE, ambient, albedo)
    k = _intersect_lamps(start, way, lamps)
    if k < 0:
        return ambient
    lamp = lamps[k, 3]
    return np.array(
        [min(lamp[0], brightest[0]), min(lamp[1], brightest[1]), min(lamp[2], brightest[2])]
    )


@njit(cache=True)
def _trace_pixels(
    place: np.ndarray,
    first: np.ndarray,
    near: np.ndarray,
    eye: np.ndarray,
    base: np.ndarray,
    disc_rgb: np.ndarray,
    size: np.ndarray,
    wood: np.ndarray,
    mm_per_px: float,
    coat: np.ndarray,
    lamps: np.ndarray,
    brightest: np.ndarray,
    ambient: np.ndarray,
    rng: np.random.Generator,
) -> np.ndarray:
    """Linear light (h, w, 3): the pixels are means of their rays."""
    rows, columns = first.shape
    light = np.zeros((rows, columns, 3))
    for row in range(rows):
        for column in range(columns):
            r2, c2 = min(row + 1, rows - 1), min(column + 1, columns - 1)
            down = _add(place[r2, column], -1.0, place[r2 - 1, column])
            right = _add(place[row, c2], -1.0, place[row, c2 - 1])
            here, number = place[row, column], first[row, column]
            beside, nearest = near[number], base[number]
            away = math.hypot(here[0] - nearest[0], here[1] - nearest[1])
            side = _FINE if away < _FINE_WITHIN_MM else _COARSE
            total = np.zeros(3)
            for ray in range(side * side):
                a = ((ray % side) + rng.random()) / side - 0.5
                b = ((ray // side) + rng.random()) / side - 0.5
                way = _normalise(_add(_add(_add(here, a, right), b, down), -1.0, eye))
                t, what = _intersect_ray(eye, way, beside, base, size)
                p = _add(eye, t, way)
                if what == -1:
                    normal, albedo = np.array([0.0, 0.0, 1.0]), _wood_albedo(p, wood, mm_per_px)
                    kind = 1
                else:
                    normal, albedo, kind = _normal(p, base[what], size), disc_rgb[what], 0
                light_in = _gather_light(
                    p, normal, beside, base, size, disc_rgb, wood, mm_per_px, lamps, ambient, rng
                )
                own = _filter(1.0, light_in, albedo)
                facing = max(-_dot(way, normal), 0.0)
                fresnel = _COAT_REFLECTANCE + (1 - _COAT_REFLECTANCE) * (1 - facing) ** 5
                share = coat[kind] * fresnel
                if share > 1e-4:
                    rough = _add(_sample_hemisphere(normal, rng), -1.0, normal)
                    mirrored = _add(_add(way, 2 * facing, normal), coat[2 + kind], rough)
                    seen = _mirror_light(
                        _add(p, _OFF_SURFACE_MM, normal), _normalise(mirrored), beside, base, size,
                        disc_rgb, wood, mm_per_px, lamps, brightest, ambient,
                    )  # fmt: skip
                    own = _add(_scale(1 - share, own), share, seen)
                total = _add(total, 1.0, own)
            for c in range(3):
                light[row, column, c] = total[c] / (side * side)
    return light
