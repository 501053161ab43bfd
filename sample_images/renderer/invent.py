"""A scene from a seed: boards, rooms, cameras and rounds as varied as real photographs.

Knows the order in which a scene is thought up. The scene that comes back is fully explicit;
nothing is random after it. Lengths in mm.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from sample_images.renderer.boards import invent_board, invent_shape, invent_teams
from sample_images.renderer.chance import Rng, Wishes, pick
from sample_images.renderer.layout import Layout
from sample_images.renderer.palette import LIGHT_TINTS
from sample_images.renderer.rooms import invent_lights, invent_props, invent_sensor, invent_table
from sample_images.renderer.rounds import in_frame, play_round
from sample_images.renderer.scene import Lens, Prop, Scene, Viewpoint

_SIZES = (
    (1280, 960),
    (1280, 960),
    (1600, 1200),
    (1440, 1080),
    (1200, 1200),
    (1280, 720),
    (960, 1280),
)


def _lens(rng: Rng, wishes: Wishes) -> Lens:
    width, height = wishes.size or _SIZES[rng.integers(len(_SIZES))]
    return Lens(
        width=width,
        height=height,
        focal_px=float(max(width, height) * rng.uniform(0.62, 0.90)),
        k1=float(rng.uniform(-0.09, 0.04)),
        k2=float(rng.uniform(-0.01, 0.02)),
    )


def _viewpoint(rng: Rng, lens: Lens, reach: float, wishes: Wishes) -> Viewpoint:
    """A camera that has the board's outer edge, ``reach`` mm, fill a share of the picture."""
    tilt = wishes.tilt_deg
    if tilt is None:
        low, high = ((0, 10), (10, 35), (35, 52), (52, 60))[
            int(rng.choice(4, p=(0.35, 0.35, 0.22, 0.08)))
        ]
        tilt = float(rng.uniform(low, high))
    fill = wishes.fill or float(
        rng.uniform(0.62, 1.0) if rng.uniform() < 0.85 else rng.uniform(1.05, 1.25)
    )
    away = lens.focal_px * 2 * reach / (fill * min(lens.width, lens.height))
    slide = 0.06 * reach if fill <= 1 else 0.28 * reach
    azimuth = rng.uniform(0, 2 * math.pi)
    t = math.radians(tilt)
    flat = away * math.sin(t)
    position = (
        float(flat * math.cos(azimuth)),
        float(flat * math.sin(azimuth)),
        float(away * math.cos(t)),
    )
    target = (float(rng.uniform(-slide, slide)), float(rng.uniform(-slide, slide)), 0.0)
    roll = float(rng.uniform(-180, 180) if tilt < 12 else rng.normal(0, 4))
    return Viewpoint(position=position, target=target, roll_deg=roll)


def invent(seed: int, wishes: Wishes | None = None) -> Scene:
    """The scene of a seed, held to the wishes."""
    rng, wishes = np.random.default_rng(seed), wishes or Wishes()
    lens, board = _lens(rng, wishes), invent_board(rng, wishes)
    reach = board.playing_radius + board.ditch_width + board.rail_width
    viewpoint = _viewpoint(rng, lens, reach, wishes)
    teams, shape = invent_teams(rng, board.surface.name, wishes), invent_shape(rng)
    light = wishes.light or pick(
        rng, ("window", "lamp", "sun", "ceiling", "mixed"), (0.28, 0.17, 0.13, 0.27, 0.15)
    )
    lamps, ambient = invent_lights(rng, light, viewpoint.position)
    tint = LIGHT_TINTS[int(rng.choice(5, p=(0.12, 0.28, 0.3, 0.2, 0.1)))]
    sensor = invent_sensor(rng, dim=light != "sun" and rng.uniform() < 0.15)
    layout = Layout(
        board=board,
        shape=shape,
        teams=teams,
        rng=rng,
        visible=in_frame(lens, viewpoint, shape.radius),
    )
    return Scene(
        seed=seed,
        lens=lens,
        viewpoint=viewpoint,
        board=board,
        disc_shape=shape,
        teams=teams,
        discs=play_round(rng, layout, wishes),
        table=invent_table(rng, wishes),
        lights=tuple(replace(lamp, rgb=tint) for lamp in lamps),
        ambient_rgb=LIGHT_TINTS[rng.integers(1, 5)],
        ambient_irradiance=ambient,
        sensor=sensor,
        props=invent_props(rng, reach, viewpoint.position),
    )


#: How much room a table scene without a board leaves around its middle, in mm.
_TABLE_REACH_MM = 320.0


def invent_still_life(seed: int, props: tuple[Prop, ...]) -> Scene:
    """A scene of a seed with ``props`` and no board."""
    rng, wishes = np.random.default_rng(seed), Wishes(size=(1280, 960), tilt_deg=24.0, fill=1.0)
    lens = _lens(rng, wishes)
    viewpoint = _viewpoint(rng, lens, _TABLE_REACH_MM, wishes)
    lamps, ambient = invent_lights(rng, "window", viewpoint.position)
    return Scene(
        seed=seed,
        lens=lens,
        viewpoint=viewpoint,
        table=invent_table(rng, wishes),
        lights=lamps,
        ambient_rgb=LIGHT_TINTS[2],
        ambient_irradiance=ambient,
        sensor=invent_sensor(rng, dim=False),
        props=props,
    )
