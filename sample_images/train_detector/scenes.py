"""Random scenes in front of a board, as arrays: ``n`` scenes at a time, not yet drawn.

The board's frame is turned so that the camera is at -y; standing objects then extend towards +y in
a rectified picture. Lengths in mm, colours linear RGB. Discs are in random places, in clusters, in
the line of sight behind each other, at posts, around the hole, in it, leaning on its edge, in the
ditch, and in hands. Hands, sleeves, cups, bags, phones and papers are on the board and beyond.
"""

from __future__ import annotations

import numpy as np

Rng = np.random.Generator
Scenes = dict[str, np.ndarray]
#: Places for discs on the surface, among them the hole's and a held one, and in the ditch.
FLAT_SLOTS, DITCH_SLOTS = 20, 8
HOLE_SLOT, HELD_SLOT, LEAN_SLOT = FLAT_SLOTS, FLAT_SLOTS + 1, FLAT_SLOTS + 2
DISC_SLOTS = FLAT_SLOTS + 3 + DITCH_SLOTS
POSTS, CAPSULES, BOXES, CUPS = 8, 14, 3, 2
#: Kinds of discs: those that the network must find, and the others.
FLAT, IN_HOLE, LEANING, ELSEWHERE = range(4)
#: The states that the hole network distinguishes.
HOLE_EMPTY, HOLE_DISC, HOLE_OTHER, HOLE_HIDDEN = range(4)

TEAM_RGB = np.array(
    [
        (0.012, 0.012, 0.013), (0.03, 0.03, 0.035), (0.06, 0.03, 0.018), (0.11, 0.055, 0.03),
        (0.55, 0.36, 0.19), (0.68, 0.5, 0.3), (0.75, 0.72, 0.66), (0.85, 0.85, 0.84),
        (0.45, 0.015, 0.015), (0.2, 0.012, 0.02), (0.02, 0.03, 0.15), (0.02, 0.1, 0.45),
        (0.01, 0.15, 0.04), (0.08, 0.4, 0.06), (0.75, 0.5, 0.03), (0.7, 0.2, 0.02),
        (0.15, 0.03, 0.25), (0.6, 0.15, 0.25), (0.25, 0.14, 0.07), (0.35, 0.33, 0.3),
    ]
)  # fmt: skip
SURFACE_RGB = np.array(
    [
        (0.72, 0.55, 0.35), (0.8, 0.68, 0.48), (0.62, 0.42, 0.22), (0.5, 0.28, 0.1),
        (0.35, 0.17, 0.06), (0.16, 0.08, 0.04), (0.08, 0.04, 0.025), (0.02, 0.02, 0.02),
        (0.75, 0.74, 0.72), (0.7, 0.55, 0.15), (0.03, 0.08, 0.25), (0.25, 0.05, 0.03),
        (0.02, 0.1, 0.05), (0.55, 0.4, 0.3),
    ]
)  # fmt: skip
SURFACE_SHARE = np.array([5, 5, 4, 4, 3, 2, 2, 1.5, 2, 2, 0.7, 1, 0.7, 2])
SKIN_RGB = np.array([(0.6, 0.33, 0.22), (0.45, 0.22, 0.13), (0.2, 0.09, 0.05), (0.08, 0.04, 0.025)])


def draw_scenes(rng: Rng, n: int, *, about_hole: bool = False) -> Scenes:
    """``n`` scenes; ``about_hole`` has more features that distinguish empty holes from others."""
    scenes = _draw_boards(rng, n)
    scenes |= _draw_camera(rng, n)
    scenes |= _draw_light(rng, n)
    _place_discs(rng, scenes, about_hole)
    _colour_discs(rng, scenes)
    _place_objects(rng, scenes, about_hole)
    return scenes


def _any(rng: Rng, n: int, share: float) -> np.ndarray:
    return rng.uniform(size=n) < share


def _vary(rng: Rng, rgb: np.ndarray, spread: float) -> np.ndarray:
    """Colours like ``rgb`` (..., 3), brighter or darker, and off in hue."""
    scale = np.exp(rng.normal(0, spread, (*rgb.shape[:-1], 1)))
    return np.clip(rgb * scale * np.exp(rng.normal(0, spread / 3, rgb.shape)), 0.004, 0.92)


def _draw_boards(rng: Rng, n: int) -> Scenes:
    kind = rng.choice(len(SURFACE_RGB), n, p=SURFACE_SHARE / SURFACE_SHARE.sum())
    surface = _vary(rng, SURFACE_RGB[kind], 0.25)
    is_dark = surface.mean(1) < 0.15
    line = np.where(
        (is_dark ^ _any(rng, n, 0.08))[:, None],
        _vary(rng, np.array([(0.75, 0.7, 0.6)] * n), 0.2),
        _vary(rng, np.array([(0.02, 0.018, 0.015)] * n), 0.5),
    )
    line = np.where(_any(rng, n, 0.12)[:, None], rng.uniform(0.01, 0.8, (n, 3)), line)
    unit = 101.6 * np.where(_any(rng, n, 0.7), 1.0, rng.uniform(0.96, 1.04, n))
    shift, turn = rng.uniform(0, 1.5, n), rng.uniform(0, 2 * np.pi, n)
    strays = np.exp(rng.normal(0, 0.012, (n, 3)) * _any(rng, n, 0.3)[:, None])
    wide = _any(rng, n, 0.15)
    rail = _vary(rng, surface[rng.permutation(n)], 0.3)
    ditch = np.where(
        _any(rng, n, 0.4)[:, None],
        surface * rng.uniform(0.3, 1.0, (n, 1)),
        _vary(rng, TEAM_RGB[rng.integers(0, len(TEAM_RGB), n)], 0.3),
    )
    # floors of holes: the surface's wood, bare or stained, another wood, paint, felt, metal
    floor_kind = rng.choice(4, n, p=(0.4, 0.2, 0.28, 0.12))
    wood = surface * np.exp(rng.normal(-0.15, 0.35, (n, 1)))
    other = _vary(rng, SURFACE_RGB[rng.integers(0, len(SURFACE_RGB), n)], 0.3)
    paint = _vary(rng, TEAM_RGB[rng.integers(0, len(TEAM_RGB), n)], 0.35)
    floor = np.select(
        [floor_kind[:, None] == k for k in range(3)],
        [wood, other, paint],
        rng.uniform(0.01, 0.9, (n, 3)),
    )
    wall = np.where(_any(rng, n, 0.7)[:, None], surface * rng.uniform(0.3, 1.0, (n, 1)), floor)
    post_rgb = np.array(
        [
            (0.6, 0.6, 0.6),
            (0.7, 0.5, 0.15),
            (0.02, 0.02, 0.02),
            (0.7, 0.65, 0.55),
            (0.4, 0.25, 0.12),
            (0.4, 0.02, 0.02),
        ]
    )
    return {
        "turn": rng.uniform(0, 2 * np.pi, n),
        "grain_turn": rng.uniform(0, 2 * np.pi, n),
        "surface_rgb": surface,
        "surface_contrast": np.exp(rng.normal(0, 0.5, n)),
        "wood": rng.integers(0, 1 << 30, (n, 3)),
        "clutter": rng.integers(0, 1 << 30, (n, 3)),
        "clutter_mm": np.exp(rng.uniform(np.log(300), np.log(2500), n)),
        "print": rng.integers(0, 1 << 30, n),
        "print_opacity": rng.uniform(0.1, 1, n) * _any(rng, n, 0.45),
        "print_turn": rng.uniform(0, 2 * np.pi, n),
        "line_radii": unit[:, None] * np.array([1, 2, 3.0]) * strays,
        "line_width": np.where(wide, rng.uniform(2.5, 5.5, n), rng.uniform(0.9, 2.6, n)),
        "line_rgb": line,
        "line_opacity": rng.uniform(0.25, 1.0, n),
        "quadrant_from": unit * rng.choice((1.0, 2.0), n),
        "quadrant_opacity": 1.0 * _any(rng, n, 0.92),
        "band_rgb": rng.uniform(0.02, 0.8, (n, 3)),
        "band": rng.integers(0, 4, n) * _any(rng, n, 0.08),
        "surface_mm": 3 * unit + rng.uniform(10, 28, n),
        "ditch_rgb": ditch,
        "ditch_mm": rng.uniform(45, 62, n),
        "ditch_depth": rng.uniform(8, 18, n),
        "rail_rgb": rail,
        "rail_height": rng.uniform(2, 28, n),
        "rail_width": rng.uniform(7, 24, n),
        "octagon": 1.0 * _any(rng, n, 0.5),
        "hole_centre": shift[:, None] * np.stack([np.cos(turn), np.sin(turn)], -1),
        "hole_radius": rng.uniform(17.0, 18.6, n),
        "hole_depth": np.where(_any(rng, n, 0.06), 0.0, rng.uniform(5.5, 11.0, n)),
        "floor_rgb": floor,
        "floor_mark_rgb": rng.uniform(0.02, 0.9, (n, 3)),
        "floor_mark": rng.uniform(0.1, 0.85, n) * _any(rng, n, 0.18),
        "floor_mark_ring": 1.0 * _any(rng, n, 0.4),
        "wall_rgb": wall,
        "hole_ring_width": rng.uniform(0.8, 6, n) * _any(rng, n, 0.3),
        "hole_ring_rgb": np.where(_any(rng, n, 0.5)[:, None], line, rng.uniform(0.01, 0.8, (n, 3))),
        "post_rgb": _vary(rng, post_rgb[rng.integers(0, len(post_rgb), n)], 0.3),
        "post_radius": rng.uniform(2.5, 5.5, n),
        "post_height": np.where(_any(rng, n, 0.3), rng.uniform(20, 38, n), rng.uniform(9, 22, n)),
        "posts": 1.0 * _any(rng, n, 0.93),
        "table_mm": np.where(_any(rng, n, 0.4), rng.uniform(430, 800, n), 6000.0),
    }  # fmt: skip


def _draw_camera(rng: Rng, n: int) -> Scenes:
    """Tilts of all kinds, half of them low views; close cameras have strong perspective."""
    tilt = np.where(_any(rng, n, 0.5), rng.uniform(58, 79, n), 62 * rng.uniform(0, 1, n) ** 0.8)
    away = np.exp(rng.uniform(np.log(650), np.log(3200), n))
    away = np.where(tilt > 60, np.maximum(away, 1000 * rng.uniform(0.9, 1.6, n)), away)
    return {
        "tilt_rad": np.radians(tilt),
        "camera_mm": away,
        "fill": rng.uniform(0.62, 0.98, n),
        "stretch": rng.uniform(0, 1, n) ** 2 * _any(rng, n, 0.5),
        "shift": rng.normal(0, 1, (n, 2)) * np.where(_any(rng, n, 0.08), 0.12, 0.01)[:, None],
    }


def _draw_light(rng: Rng, n: int) -> Scenes:
    def lamp() -> np.ndarray:
        azimuth, height = rng.uniform(0, 2 * np.pi, n), np.radians(rng.uniform(18, 88, n))
        flat = np.cos(height)
        return np.stack([flat * np.cos(azimuth), flat * np.sin(azimuth), np.sin(height)], -1)

    tint = np.exp(rng.normal(0, 0.12, (n, 3)))
    lamps = np.stack([lamp(), lamp()], 1)
    strength = np.stack([rng.uniform(0.1, 1.6, n), rng.uniform(0, 0.8, n) * _any(rng, n, 0.5)], 1)
    return {
        "ambient": rng.uniform(0.25, 1.0, n)[:, None] * tint,
        "lamp": lamps,
        "lamp_rgb": strength[..., None] * np.exp(rng.normal(0, 0.1, (n, 2, 3))),
        "softness_mm": np.exp(rng.uniform(np.log(0.6), np.log(9.0), (n, 2))),
        "contact": rng.uniform(0, 0.5, n),
        "gradient": rng.normal(0, 0.0007, (n, 2)),
        "spot": rng.normal(0, 200, (n, 2)),
        "spot_mm": rng.uniform(120, 500, n),
        "spot_gain": rng.uniform(0, 1.5, n) * _any(rng, n, 0.35),
        "edge_azimuth": rng.uniform(0, 2 * np.pi, (n, 2)),
        "edge_mm": rng.uniform(-250, 250, (n, 2)),
        "edge_width": np.exp(rng.uniform(np.log(2), np.log(80), (n, 2))),
        "edge_gain": rng.uniform(0.2, 0.9, (n, 2)) * _any(rng, 2 * n, 0.2).reshape(n, 2),
        # lamps and windows reflected in the varnish: place on the board, width, brightness
        "glare_at": rng.normal(0, 170, (n, 3, 2)),
        "glare_size": np.exp(rng.uniform(np.log(0.012), np.log(0.18), (n, 3, 2))),
        "glare_blur": np.exp(rng.uniform(np.log(0.004), np.log(0.1), (n, 3))),
        "glare_gain": rng.uniform(0.05, 1.6, (n, 3)) ** 2 * _any(rng, 3 * n, 0.25).reshape(n, 3),
        "glare_bars": 1.0 * _any(rng, 3 * n, 0.3).reshape(n, 3),
        "gloss": rng.uniform(0, 0.4, n) * _any(rng, n, 0.6),
        "mirror": rng.uniform(0, 0.5, n) * _any(rng, n, 0.5),
        "disc_gloss": rng.uniform(0, 0.5, n) * _any(rng, n, 0.6),
        "disc_shine": np.exp(rng.uniform(np.log(8), np.log(150), n)),
    }


def _polar(away: np.ndarray, angle: np.ndarray) -> np.ndarray:
    return np.stack([away * np.cos(angle), away * np.sin(angle)], -1)


def _place_discs(rng: Rng, s: Scenes, about_hole: bool) -> None:
    """Fill the slots: nothing overlaps except leaners, and no disc is flat over the hole."""
    n = len(s["turn"])
    radius = np.where(_any(rng, n, 0.3), rng.uniform(13.5, 19.5, n), rng.uniform(15.0, 16.8, n))
    height = np.where(_any(rng, n, 0.2), rng.uniform(6.0, 13.0, n), rng.uniform(8.2, 10.8, n))
    s["disc_radius"], s["disc_height"] = radius, height
    post_azimuth = s["turn"][:, None] + np.radians(22.5 + 45 * np.arange(POSTS))
    post = _polar(np.repeat(s["line_radii"][:, :1], POSTS, 1), post_azimuth)
    s["post_mm"] = post
    place = np.full((n, DISC_SLOTS, 3), 9e4)
    spin = np.tile(np.eye(3), (n, DISC_SLOTS, 1, 1))
    rows = np.arange(n)
    # the hole first: a disc in it, or leaning on its edge, or one that reaches over it
    share = (0.4, 0.32, 0.28) if about_hole else (0.68, 0.2, 0.12)
    state = rng.choice((HOLE_EMPTY, HOLE_DISC, HOLE_OTHER), n, p=share)
    state = np.where(s["hole_depth"] == 0, HOLE_EMPTY, state)
    s["hole_radius"] = np.maximum(s["hole_radius"], radius + rng.uniform(0.4, 2.2, n))
    play = np.maximum(s["hole_radius"] - radius, 0)
    inside = s["hole_centre"] + _polar(play * rng.uniform(0, 1, n), rng.uniform(0, 2 * np.pi, n))
    is_in = state == HOLE_DISC
    place[is_in, HOLE_SLOT] = np.c_[inside, -s["hole_depth"]][is_in]
    is_leaner = (state == HOLE_OTHER) & _any(rng, n, 0.65)
    lean, tip = rng.uniform(0, 2 * np.pi, n), np.radians(rng.uniform(9, 38, n))
    turned, base = _pose_leaner(s["hole_centre"], s["hole_radius"], radius, lean, tip, rng)
    place[is_leaner, LEAN_SLOT], spin[is_leaner, LEAN_SLOT] = base[is_leaner], turned[is_leaner]
    is_over = (state == HOLE_OTHER) & ~is_leaner
    # discs anywhere: their number, and the kind of every disc
    many = rng.choice((0, 2, 5, 9, 14, 20), n, p=(0.1, 0.22, 0.25, 0.23, 0.14, 0.06))
    if about_hole:
        many = np.minimum(many, 9)
    surface, side = s["surface_mm"], np.tan(s["tilt_rad"])
    for slot in range(FLAT_SLOTS):
        todo = (slot < many) | ((slot == 0) & is_over)
        for _ in range(6):
            kind = rng.choice(6, n, p=(0.4, 0.16, 0.16, 0.12, 0.06, 0.1))
            over = is_over & (slot == 0)
            kind = np.where(over, 3, np.where(kind == 3, 3 * (rng.uniform(size=n) < 0.4), kind))
            if about_hole and slot in (1, 2):
                kind = np.where(_any(rng, n, 0.5), 3, kind)
            free = _polar(
                (surface - 4) * np.sqrt(rng.uniform(0, 1, n)), rng.uniform(0, 2 * np.pi, n)
            )
            other = place[rows, rng.integers(0, max(slot, 1), n), :2]
            touch = other + _polar(
                2 * radius + 0.1 + np.abs(rng.normal(0, 1.5, n)) * _any(rng, n, 0.6),
                rng.uniform(0, 2 * np.pi, n),
            )
            behind = other + np.stack(
                [
                    rng.normal(0, 9, n),
                    2 * radius + rng.uniform(0.1, 1, n) * np.minimum(height * side, 50),
                ],
                -1,
            )
            hole_gap = s["hole_radius"] + np.where(
                over, rng.uniform(0.3, 0.75, n) * radius, rng.uniform(2, 45, n)
            )
            near_hole = s["hole_centre"] + _polar(hole_gap, rng.uniform(0, 2 * np.pi, n))
            at_post = post[rows, rng.integers(0, POSTS, n)] + _polar(
                radius + s["post_radius"] + np.abs(rng.normal(0, 6, n)),
                rng.uniform(0, 2 * np.pi, n),
            )
            line = s["line_radii"][rows, rng.integers(0, 3, n)]
            at_line = _polar(line + rng.normal(0, radius), rng.uniform(0, 2 * np.pi, n))
            at = np.choose(kind[:, None], (free, touch, behind, near_hole, at_post, at_line))
            near = np.linalg.norm(place[..., :2] - at[:, None], axis=-1).min(1)
            posts_clear = (
                np.linalg.norm(post - at[:, None], axis=-1).min(1) > radius + s["post_radius"]
            )
            off_hole = np.linalg.norm(at - s["hole_centre"], axis=-1)
            clear = (
                (near > 2 * radius)
                & (posts_clear | (s["posts"] == 0))
                & (off_hole > s["hole_radius"] * 0.95)
            )
            clear &= np.linalg.norm(at, axis=-1) < surface - 3
            clear &= todo & (place[:, slot, 0] > 8e4)
            place[clear, slot] = np.c_[at, np.zeros(n)][clear]
    # a flat disc rarely tips a little where it rests on another object
    tips = _any(rng, n, 0.04)
    turned = _tilt(rng.uniform(0, 2 * np.pi, n), np.radians(rng.uniform(3, 30, n)))
    spin[tips, 3] = turned[tips]
    # in the ditch
    first = FLAT_SLOTS + 3
    for slot in range(first, DISC_SLOTS):
        is_there = _any(rng, n, 0.3)
        away = surface + radius + rng.uniform(0, 1, n) * np.maximum(s["ditch_mm"] - 2 * radius, 0)
        at = _polar(away, rng.uniform(0, 2 * np.pi, n))
        clear = np.linalg.norm(place[:, first:, :2] - at[:, None], axis=-1).min(1) > 2 * radius
        on_rail = _any(rng, n, 0.12)
        at = np.where(
            on_rail[:, None],
            _polar(surface + s["ditch_mm"] + rng.uniform(0, 60, n), rng.uniform(0, 2 * np.pi, n)),
            at,
        )
        z = np.where(on_rail, s["rail_height"], -s["ditch_depth"])
        clear &= is_there
        place[clear, slot] = np.c_[at, z][clear]
    kind = np.full((n, DISC_SLOTS), ELSEWHERE)
    kind[:, :FLAT_SLOTS] = FLAT
    kind[:, HOLE_SLOT], kind[:, LEAN_SLOT] = IN_HOLE, LEANING
    s["disc_mm"], s["disc_spin"], s["disc_kind"] = place, spin, kind
    off_hole = np.linalg.norm(place[:, :FLAT_SLOTS, :2] - s["hole_centre"][:, None], axis=-1).min(1)
    reaches = off_hole < s["hole_radius"] + 0.55 * radius
    s["hole_state"] = np.where((state == HOLE_EMPTY) & reaches, HOLE_OTHER, state)
    s["hole_state"] = np.where(
        (state == HOLE_OTHER) & is_over & ~reaches, HOLE_EMPTY, s["hole_state"]
    )


def _tilt(lean: np.ndarray, tip: np.ndarray) -> np.ndarray:
    """Rotations (n, 3, 3) that lift the side towards azimuth ``lean`` by ``tip``, radians."""
    axis = np.stack([np.sin(lean), -np.cos(lean), np.zeros_like(lean)], -1)
    x, y, _ = axis.T
    zero = np.zeros_like(x)
    cross = np.stack([zero, zero, y, zero, zero, -x, -y, x, zero], -1).reshape(-1, 3, 3)
    sin, cos = np.sin(tip)[:, None, None], np.cos(tip)[:, None, None]
    return np.eye(3) + sin * cross + (1 - cos) * cross @ cross


def _pose_leaner(
    hole: np.ndarray,
    hole_radius: np.ndarray,
    radius: np.ndarray,
    lean: np.ndarray,
    tip: np.ndarray,
    rng: Rng,
) -> tuple[np.ndarray, np.ndarray]:
    """Discs whose low edge is inside the hole and whose high side rests on the hole's edge."""
    turned = _tilt(lean, tip)
    towards = np.stack([np.cos(lean), np.sin(lean)], -1)
    depth = rng.uniform(1.0, 8.0, len(lean))
    low = hole - towards * (hole_radius - 1 - rng.uniform(0, 6, len(lean)))[:, None]
    base = low + towards * (radius * np.cos(tip))[:, None]
    return turned, np.c_[base, radius * np.sin(tip) - np.minimum(depth, 2 * radius * np.sin(tip))]


def _colour_discs(rng: Rng, s: Scenes) -> None:
    n = len(s["turn"])
    teams = _vary(rng, TEAM_RGB[rng.integers(0, len(TEAM_RGB), (n, 2))], 0.3)
    like = np.exp(rng.normal(0, 0.35, (n, 1))) * s["surface_rgb"]
    teams[:, 0] = np.where(_any(rng, n, 0.28)[:, None], like, teams[:, 0])
    plain = rng.uniform(0.01, 0.85, (n, 3))
    teams[:, 1] = np.where(_any(rng, n, 0.2)[:, None], plain, teams[:, 1])
    which = rng.integers(0, 2, (n, DISC_SLOTS))
    rgb = teams[np.arange(n)[:, None], which]
    s["disc_rgb"] = np.clip(rgb * np.exp(rng.normal(0, 0.06, (n, DISC_SLOTS, 1))), 0.004, 0.92)
    alike = _any(rng, n, 0.12)[:, None]
    s["floor_rgb"] = np.where(alike, _vary(rng, teams[:, 1], 0.2), s["floor_rgb"])
    s["disc_grain"] = rng.uniform(0, 1.2, n) * _any(rng, n, 0.6)
    s["dish"] = rng.normal(0, 0.15, n) * _any(rng, n, 0.7)
    s["round_mm"] = rng.uniform(0.3, 3.0, n)
    s["inlay_rgb"] = np.where(
        _any(rng, n, 0.5)[:, None],
        teams[:, 0] * rng.uniform(0.3, 2, (n, 1)),
        rng.uniform(0.01, 0.9, (n, 3)),
    )
    s["inlay_from"] = rng.uniform(0, 0.8, n)
    s["inlay_to"] = s["inlay_from"] + rng.uniform(0.05, 0.5, n)
    s["inlay_opacity"] = rng.uniform(0.2, 1, n) * _any(rng, n, 0.28)
    s["wall_tone"] = np.exp(rng.normal(0, 0.2, n))


def _place_objects(rng: Rng, s: Scenes, about_hole: bool) -> None:
    """Arms with hands and fingers, held discs, bags (capsules); phones and papers; cups."""
    n = len(s["turn"])
    ends = np.full((n, CAPSULES, 2, 3), 9e4)
    ends[:, :, 1] += 1.0
    thick = np.ones((n, CAPSULES))
    rgb = np.ones((n, CAPSULES, 3)) * 0.5
    skin = _vary(rng, SKIN_RGB[rng.integers(0, 4, n)], 0.35)
    glove = _any(rng, n, 0.06)
    skin = np.where(glove[:, None], rng.uniform(0.02, 0.85, (n, 3)), skin)
    cloth = _vary(
        rng, np.where(_any(rng, n, 0.4)[:, None], skin, rng.uniform(0.005, 0.7, (n, 3))), 0.2
    )
    for arm in range(2):
        present = _any(rng, n, (0.42, 0.18)[arm])
        azimuth = rng.uniform(0, 2 * np.pi, n)
        # half of the hands are at the rim or beyond it, shooting or resting
        at_rim = _any(rng, n, 0.6)
        reach = np.where(at_rim, s["surface_mm"] + rng.uniform(-45, 90, n), rng.uniform(0, 300, n))
        if about_hole:
            reach = np.where(_any(rng, n, 0.5), rng.uniform(0, 60, n), reach)
        z = np.where(at_rim, rng.uniform(5, 45, n), rng.uniform(8, 110, n))
        hand = np.c_[_polar(reach, azimuth), z]
        inward = _polar(np.ones(n), azimuth + np.pi + rng.normal(0, 0.6, n))
        wrist = hand - np.c_[inward * 85, -rng.uniform(5, 45, n)]
        elbow = wrist + np.c_[-inward * 260 + rng.normal(0, 60, (n, 2)), rng.uniform(20, 180, n)]
        start = arm * 7
        parts = [
            (wrist, elbow, rng.uniform(28, 52, n), cloth),
            (hand - np.c_[inward * 25, np.zeros(n)], wrist, rng.uniform(20, 30, n), skin),
            (
                hand - np.c_[inward * 30, np.zeros(n)],
                wrist,
                rng.uniform(22, 36, n),
                np.where(_any(rng, n, 0.5)[:, None], cloth, skin),
            ),
        ]
        fingers = []
        for finger in range(4):
            spread = (finger - 1.5) * rng.uniform(0.12, 0.35, n) + rng.normal(0, 0.15, n)
            c, si = np.cos(spread), np.sin(spread)
            way = np.stack(
                [inward[:, 0] * c - inward[:, 1] * si, inward[:, 0] * si + inward[:, 1] * c], -1
            )
            root = hand + np.c_[way * 5, np.zeros(n)]
            tip = hand + np.c_[way * rng.uniform(25, 75, n)[:, None], np.zeros(n)]
            tip[:, 2] = np.maximum(7, z - rng.uniform(0, 60, n))
            tone = _vary(rng, skin, 0.05)
            fingers.append((root, tip, rng.uniform(6.5, 10, n), tone))
        for k, (one, two, size, tone) in enumerate((*parts, *fingers)):
            there = present & (_any(rng, n, 0.85) if k > 2 else True)
            ends[there, start + k, 0], ends[there, start + k, 1] = one[there], two[there]
            thick[there, start + k], rgb[there, start + k] = size[there], tone[there]
        if arm == 0:
            tip = fingers[1][1]
            holds = present & _any(rng, n, 0.3)
            held = tip + rng.normal(0, 6, (n, 3))
            held[:, 2] = np.maximum(rng.uniform(6, 60, n), tip[:, 2] - 8)
            s["disc_mm"][holds, HELD_SLOT] = held[holds]
            turned = _tilt(rng.uniform(0, 2 * np.pi, n), np.radians(rng.uniform(0, 85, n)))
            s["disc_spin"][holds, HELD_SLOT] = turned[holds]
    s["capsule_mm"], s["capsule_radius"], s["capsule_rgb"] = ends, thick, rgb
    present = _any(rng, BOXES * n, 0.13).reshape(n, BOXES)
    away = np.where(
        _any(rng, BOXES * n, 0.45), rng.uniform(0, 330, BOXES * n), rng.uniform(330, 650, BOXES * n)
    )
    at = _polar(away, rng.uniform(0, 2 * np.pi, BOXES * n)).reshape(n, BOXES, 2)
    half = np.stack(
        [
            rng.uniform(8, 90, (n, BOXES)),
            rng.uniform(8, 60, (n, BOXES)),
            np.exp(rng.uniform(np.log(0.5), np.log(40), (n, BOXES))),
        ],
        -1,
    )
    s["box_mm"] = np.where(present[..., None], np.concatenate([at, half[..., 2:]], -1), 9e4)
    s["box_half"], s["box_turn"] = half, rng.uniform(0, np.pi, (n, BOXES))
    s["box_rgb"] = rng.uniform(0.005, 0.85, (n, BOXES, 3))
    present = _any(rng, CUPS * n, 0.12).reshape(n, CUPS)
    away = np.where(
        _any(rng, CUPS * n, 0.4), rng.uniform(0, 330, CUPS * n), rng.uniform(380, 560, CUPS * n)
    )
    at = _polar(away, rng.uniform(0, 2 * np.pi, CUPS * n)).reshape(n, CUPS, 2)
    s["cup_mm"] = np.where(
        present[..., None], np.concatenate([at, np.zeros((n, CUPS, 1))], -1), 9e4
    )
    s["cup_radius"], s["cup_height"] = (
        rng.uniform(9, 48, (n, CUPS)),
        rng.uniform(12, 130, (n, CUPS)),
    )
    s["cup_rgb"] = rng.uniform(0.005, 0.9, (n, CUPS, 3))
