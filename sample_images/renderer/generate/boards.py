"""Boards, disc sets and team colours from a seed, within realistic ranges.

Lengths in mm, colours sRGB 0 to 1.
"""

from __future__ import annotations

import math
from dataclasses import replace

from sample_images.renderer.generate.choices import Rng, SceneOptions, pick, vary_colour
from sample_images.renderer.palette import (
    DARK_SURFACES,
    DISCS,
    DITCHES,
    EASY_TEAMS,
    HARD_TEAMS,
    HOLES,
    POSTS,
    SURFACES,
)
from sample_images.renderer.scene import Board, DiscModel, Finish, Rgb

_LOGOS = ("", "", "", "Elm & Ash", "NORTH SHED", "No. 41", "Hearthside")


def _surface(rng: Rng, name: str) -> Finish:
    rgb, contrast = SURFACES[name]
    painted = contrast[1] < 0.07
    return Finish(
        name=name,
        rgb=vary_colour(rng, rgb, 0.08),
        contrast=float(rng.uniform(*contrast)),
        grain_mm=float(rng.uniform(5, 16)),
        figure=float(rng.choice((0.1, 0.4, 1.2))),
        roughness=float(rng.uniform(0.25, 0.55)),
        gloss=float(rng.choice((0.0, 0.15, 0.4)) if painted else rng.choice((0.05, 0.25, 0.6))),
    )


def _ditch(rng: Rng, surface: Finish) -> Finish:
    if rng.uniform() < 0.35:
        wood = Finish(name="wood", rgb=vary_colour(rng, (0.62, 0.40, 0.22), 0.2), contrast=0.2)
        return wood if rng.uniform() < 0.6 else replace(surface, name="wood", contrast=0.15)
    rgb = DITCHES[rng.integers(len(DITCHES))]
    return Finish(name="felt", rgb=vary_colour(rng, rgb, 0.12), roughness=0.85, gloss=0.0)


def _line_rgb(rng: Rng, surface: str) -> Rgb:
    if surface == "walnut":
        light: tuple[Rgb, ...] = ((0.88, 0.84, 0.74), (0.06, 0.05, 0.04), (0.80, 0.62, 0.30))
    elif surface in DARK_SURFACES:
        light = ((0.90, 0.90, 0.88), (0.82, 0.32, 0.12), (0.85, 0.75, 0.45))
    else:
        light = ((0.06, 0.06, 0.06), (0.10, 0.08, 0.07), (0.22, 0.12, 0.08), (0.55, 0.10, 0.10))
    return vary_colour(rng, light[rng.integers(len(light))], 0.04)


def _radii(rng: Rng) -> tuple[float, float, float]:
    """Line radii: a scaled 1 : 2 : 3, and sometimes a home-made board that deviates from it."""
    unit = 101.6 * (1.0 if rng.uniform() < 0.5 else rng.uniform(0.95, 1.05))
    if rng.uniform() < 0.72:
        return unit, 2 * unit, 3 * unit
    inner, outer = rng.uniform(0.92, 1.08), rng.uniform(0.97, 1.03)
    return float(unit * inner), 2 * unit, float(3 * unit * outer)


def _hole_finish(rng: Rng, surface: Finish, wish: str | None) -> Finish:
    name = wish or pick(rng, ("bare", *HOLES), (0.36, 0.18, 0.14, 0.16, 0.08, 0.08))
    if name == "bare":
        r, g, b = surface.rgb
        return Finish(name="bare", rgb=(0.8 * r, 0.8 * g, 0.8 * b), contrast=0.1, gloss=0.0)
    return HOLES[name]


def generate_board(rng: Rng, options: SceneOptions) -> Board:
    """A board of a seed."""
    name = options.surface or pick(
        rng, SURFACES, (0.16, 0.16, 0.11, 0.09, 0.13, 0.11, 0.08, 0.10, 0.04, 0.02)
    )
    surface, radii = _surface(rng, name), _radii(rng)
    octagon = (options.rail == "octagon") if options.rail else rng.uniform() < 0.5
    wood = surface.contrast > 0.05
    shift = rng.uniform(0, 1.5) * (rng.uniform() < 0.35)
    turn = rng.uniform(0, 2 * math.pi)
    inner_end = radii[1] if rng.uniform() < 0.6 else radii[0]
    rail_rgb = vary_colour(
        rng, ((0.62, 0.42, 0.24), (0.16, 0.13, 0.12), (0.35, 0.22, 0.14))[rng.integers(3)], 0.1
    )
    return Board(
        surface=surface,
        ditch=_ditch(rng, surface),
        rail=Finish(name="rail", rgb=rail_rgb, contrast=0.18, grain_mm=9.0, gloss=0.3),
        hole=_hole_finish(rng, surface, options.hole),
        post=POSTS[pick(rng, POSTS)],
        playing_radius=float(max(radii[2] + rng.uniform(13, 27), 320.0)),
        line_radii=(float(radii[0]), float(radii[1]), float(radii[2])),
        line_width=float(rng.uniform(1.2, 3.2) if rng.uniform() < 0.4 else rng.uniform(1.3, 2.0)),
        line_rgb=_line_rgb(rng, name),
        line_opacity=float(rng.uniform(0.55, 1.0)),
        quadrant_span=(float(inner_end), float(radii[2])),
        hole_radius=float(rng.uniform(17.2, 18.2)),
        hole_depth=float(rng.uniform(8.0, 10.0)),
        hole_centre=(float(shift * math.cos(turn)), float(shift * math.sin(turn))),
        post_count=8,
        post_radius=float(rng.uniform(3.0, 5.0)),
        post_height=float(rng.uniform(12, 36) if rng.uniform() < 0.4 else rng.uniform(12, 22)),
        post_ring_radius=float(radii[0]),
        rail_shape="octagon" if octagon else "round",
        rail_height=float(rng.uniform(6, 26)),
        rail_width=float(rng.uniform(9, 22)),
        ditch_width=float(rng.uniform(51, 60)),
        ditch_depth=float(rng.uniform(10, 16)),
        digits=bool(rng.uniform() < 0.4) if options.digits is None else options.digits,
        digit_height_mm=float(rng.uniform(10, 20)),
        digit_face=int(rng.integers(3)),
        twenty_digits=bool(rng.uniform() < 0.5),
        logo=_LOGOS[rng.integers(len(_LOGOS))],
        veneer_strips=int(pick(rng, (1, 2, 3, 5), (0.6, 0.15, 0.15, 0.1))) if wood else 1,
        knots=int(rng.integers(0, 4)) if wood and rng.uniform() < 0.3 else 0,
        texture_seed=int(rng.integers(2**31)),
        grain_turn_deg=float(rng.uniform(0, 180)),
    )


def generate_teams(rng: Rng, surface: str, options: SceneOptions) -> tuple[str, ...]:
    """Two colours, sometimes three, and often one of almost the surface's colour."""
    if options.teams:
        return options.teams
    pool = HARD_TEAMS[surface] if rng.uniform() < 0.45 else EASY_TEAMS
    pair = pool[rng.integers(len(pool))]
    if rng.uniform() < 0.07:
        return (*pair, pick(rng, [c for c in DISCS if c not in pair]))
    return pair


def generate_disc_shape(rng: Rng) -> DiscModel:
    """The sizes of a set of discs."""
    radius = float(rng.uniform(15.6, 16.1))
    return DiscModel(
        radius=radius,
        bottom_radius=radius - float(rng.uniform(0.2, 0.8)),
        height=float(rng.uniform(8.6, 10.2)),
        top=pick(rng, ("plain", "dished", "ring", "rim"), (0.64, 0.14, 0.12, 0.10)),
    )
