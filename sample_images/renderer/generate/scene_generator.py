"""A scene from a seed: boards, rooms, cameras and rounds as varied as in real photos.

The resulting scene is completely defined; nothing is random after it. The order of the draws is
part of a seed's meaning. Lengths in mm.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from sample_images.renderer.generate.boards import (
    generate_board,
    generate_disc_shape,
    generate_teams,
)
from sample_images.renderer.generate.choices import Rng, SceneOptions, pick
from sample_images.renderer.generate.layout import Layout
from sample_images.renderer.generate.rooms import (
    generate_lights,
    generate_props,
    generate_sensor,
    generate_table,
)
from sample_images.renderer.generate.rounds import generate_round, make_visibility_test
from sample_images.renderer.palette import LIGHT_TINTS
from sample_images.renderer.scene import CameraIntrinsics, Prop, RenderScene, Viewpoint

_SIZES = (
    (1280, 960),
    (1280, 960),
    (1600, 1200),
    (1440, 1080),
    (1200, 1200),
    (1280, 720),
    (960, 1280),
)


def _generate_lens(rng: Rng, options: SceneOptions) -> CameraIntrinsics:
    width, height = options.size or _SIZES[rng.integers(len(_SIZES))]
    return CameraIntrinsics(
        width=width,
        height=height,
        focal_px=float(max(width, height) * rng.uniform(0.62, 0.90)),
        k1=float(rng.uniform(-0.09, 0.04)),
        k2=float(rng.uniform(-0.01, 0.02)),
    )


def _generate_viewpoint(
    rng: Rng, lens: CameraIntrinsics, reach: float, options: SceneOptions
) -> Viewpoint:
    """A camera in whose picture the board's outer edge, ``reach`` mm, fills a given share."""
    tilt = options.tilt_deg
    if tilt is None:
        low, high = ((0, 10), (10, 35), (35, 52), (52, 60))[
            int(rng.choice(4, p=(0.35, 0.35, 0.22, 0.08)))
        ]
        tilt = float(rng.uniform(low, high))
    fill = options.fill or float(
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


def generate_scene(seed: int, options: SceneOptions | None = None) -> RenderScene:
    """The scene of a seed, within the options."""
    rng, options = np.random.default_rng(seed), options or SceneOptions()
    lens, board = _generate_lens(rng, options), generate_board(rng, options)
    reach = board.playing_radius + board.ditch_width + board.rail_width
    viewpoint = _generate_viewpoint(rng, lens, reach, options)
    teams, shape = generate_teams(rng, board.surface.name, options), generate_disc_shape(rng)
    light = options.light or pick(
        rng, ("window", "lamp", "sun", "ceiling", "mixed"), (0.28, 0.17, 0.13, 0.27, 0.15)
    )
    lamps, ambient = generate_lights(rng, light, viewpoint.position)
    tint = LIGHT_TINTS[int(rng.choice(5, p=(0.12, 0.28, 0.3, 0.2, 0.1)))]
    sensor = generate_sensor(rng, dim=light != "sun" and rng.uniform() < 0.15)
    layout = Layout(
        board=board,
        shape=shape,
        teams=teams,
        rng=rng,
        visible=make_visibility_test(lens, viewpoint, shape.radius),
    )
    return RenderScene(
        seed=seed,
        lens=lens,
        viewpoint=viewpoint,
        board=board,
        disc_shape=shape,
        teams=teams,
        discs=generate_round(rng, layout, options),
        table=generate_table(rng, options),
        lights=tuple(replace(lamp, rgb=tint) for lamp in lamps),
        ambient_rgb=LIGHT_TINTS[rng.integers(1, 5)],
        ambient_irradiance=ambient,
        sensor=sensor,
        props=generate_props(rng, reach, viewpoint.position),
    )


#: How much room a table scene without a board leaves around its middle, in mm.
_TABLE_REACH_MM = 320.0


def generate_still_life(seed: int, props: tuple[Prop, ...]) -> RenderScene:
    """A scene of a seed with ``props`` and no board."""
    rng, options = (
        np.random.default_rng(seed),
        SceneOptions(size=(1280, 960), tilt_deg=24.0, fill=1.0),
    )
    lens = _generate_lens(rng, options)
    viewpoint = _generate_viewpoint(rng, lens, _TABLE_REACH_MM, options)
    lamps, ambient = generate_lights(rng, "window", viewpoint.position)
    return RenderScene(
        seed=seed,
        lens=lens,
        viewpoint=viewpoint,
        table=generate_table(rng, options),
        lights=lamps,
        ambient_rgb=LIGHT_TINTS[2],
        ambient_irradiance=ambient,
        sensor=generate_sensor(rng, dim=False),
        props=props,
    )
