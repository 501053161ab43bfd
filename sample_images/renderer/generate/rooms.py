"""Rooms from a seed: the table, the light, the clutter, and the phone's sensor.

Ranges are those of real photos. Lengths in mm, colours sRGB 0 to 1.
"""

from __future__ import annotations

import math

import numpy as np

from sample_images.renderer.generate.choices import Rng, SceneOptions, vary_colour
from sample_images.renderer.palette import TABLES
from sample_images.renderer.scene import Light, Point, Prop, Rgb, Sensor, Tabletop

_SKIN = (0.72, 0.50, 0.38)


def generate_table(rng: Rng, options: SceneOptions) -> Tabletop:
    """The table under the board."""
    choices = [t for t in TABLES if options.table in (None, t[0])]
    kind, rgb, second = choices[rng.integers(len(choices))]
    pattern = {"plain": 300.0, "wood": 130.0, "tile": 320.0, "cloth": 4.0}[kind]
    small = rng.uniform() < 0.35
    return Tabletop(
        kind=kind,
        rgb=vary_colour(rng, rgb, 0.12),
        second_rgb=second,
        pattern_mm=float(pattern * rng.uniform(0.7, 1.4)),
        turn_deg=float(rng.uniform(0, 90)),
        extent=(float(rng.uniform(480, 700)), float(rng.uniform(480, 1000)))
        if small
        else (2500.0, 2500.0),
        roughness=float(rng.uniform(0.35, 0.9)),
        floor_rgb=vary_colour(rng, (0.42, 0.38, 0.34), 0.4),
    )


def _position_above(azimuth: float, elevation_deg: float, away: float) -> Point:
    e = math.radians(elevation_deg)
    return (
        float(away * math.cos(e) * math.cos(azimuth)),
        float(away * math.cos(e) * math.sin(azimuth)),
        float(away * math.sin(e)),
    )


def _window(rng: Rng, eye: Point) -> tuple[Light, ...]:
    """One large window, often where the board reflects it into the camera."""
    mirrored = math.atan2(-eye[1], -eye[0]) + rng.normal(0, 0.35)
    azimuth = mirrored if rng.uniform() < 0.6 else rng.uniform(0, 2 * math.pi)
    height = math.degrees(math.atan2(eye[2], math.hypot(eye[0], eye[1]) + 1.0))
    elevation = float(np.clip(height + rng.normal(0, 8), 25, 70))
    size = (float(rng.uniform(600, 1400)), float(rng.uniform(700, 1600)))
    return (
        Light(
            kind="area",
            position=_position_above(azimuth, elevation, 2200.0),
            size=size,
            irradiance=1.0,
        ),
    )


def _lamp(rng: Rng) -> tuple[Light, ...]:
    """One small lamp: hard shadows and a small bright reflection."""
    position = _position_above(
        rng.uniform(0, 2 * math.pi), float(rng.uniform(35, 75)), float(rng.uniform(900, 1800))
    )
    side = float(rng.uniform(40, 160))
    return (Light(kind="area", position=position, size=(side, side), irradiance=1.0),)


def _sun(rng: Rng) -> tuple[Light, ...]:
    position = _position_above(rng.uniform(0, 2 * math.pi), float(rng.uniform(28, 70)), 3000.0)
    return (
        Light(
            kind="sun", position=position, size=(float(rng.uniform(0.5, 3.0)), 0.0), irradiance=1.0
        ),
    )


def _ceiling(rng: Rng) -> tuple[Light, ...]:
    """One to three panels overhead."""
    lights = []
    for _ in range(int(rng.integers(1, 4))):
        position = (
            float(rng.uniform(-1300, 1300)),
            float(rng.uniform(-1300, 1300)),
            float(rng.uniform(1500, 2100)),
        )
        size = (float(rng.uniform(250, 700)), float(rng.uniform(250, 1200)))
        lights.append(Light(kind="area", position=position, size=size, irradiance=0.6))
    return tuple(lights)


def generate_lights(rng: Rng, kind: str, eye: Point) -> tuple[tuple[Light, ...], float]:
    """The lamps, and the light from all around."""
    if kind == "window":
        return _window(rng, eye), float(rng.uniform(0.25, 0.8))
    if kind == "lamp":
        return _lamp(rng), float(rng.uniform(0.08, 0.4))
    if kind == "sun":
        return _sun(rng), float(rng.uniform(0.15, 0.5))
    if kind == "mixed":
        return (*_ceiling(rng), *_lamp(rng)), float(rng.uniform(0.2, 0.6))
    return _ceiling(rng), float(rng.uniform(0.2, 0.7))


def generate_sensor(rng: Rng, dim: bool) -> Sensor:
    """A phone's exposure, colour, sharpness and noise."""
    cast = rng.normal(0, 0.10 if rng.uniform() < 0.4 else 0.03)
    return Sensor(
        exposure=float(rng.uniform(0.085, 0.14) if dim else rng.uniform(0.15, 0.34)),
        white_balance=(float(math.exp(cast)), 1.0, float(math.exp(-cast))),
        blur_px=float(rng.uniform(0.35, 0.7) if rng.uniform() < 0.75 else rng.uniform(0.8, 1.4)),
        noise=float(rng.uniform(0.025, 0.05) if dim else rng.uniform(0.004, 0.018)),
        vignette=float(rng.uniform(0.0, 0.3)),
        jpeg_quality=int(rng.integers(75, 93)),
    )


_PROP_SIZES = {
    "cup": (70, 95),
    "plate": (160, 260),
    "box": (80, 200),
    "bowl": (90, 150),
    "arm": (78, 95),
}


def _rgb(values: np.ndarray) -> Rgb:
    r, g, b = (float(np.clip(v, 0.03, 0.9)) for v in values)
    return r, g, b


def _prop_colours(rng: Rng, kind: str) -> tuple[Rgb, Rgb]:
    """Muted colours, as most objects have; skin and a sleeve for an arm."""
    first = _rgb(rng.uniform(0.1, 0.85) + rng.normal(0, 0.09, 3))
    second = _rgb(rng.uniform(0.05, 0.8) + rng.normal(0, 0.12, 3))
    return vary_colour(rng, _SKIN if kind == "arm" else first, 0.15), second


def generate_props(rng: Rng, reach: float, eye: Point) -> tuple[Prop, ...]:
    """Clutter beside a board of radius ``reach``, never between it and the camera."""
    props: list[Prop] = []
    count = int(rng.choice(4, p=(0.35, 0.3, 0.2, 0.15)))
    for kind in rng.permutation(list(_PROP_SIZES))[:count]:
        size = float(rng.uniform(*_PROP_SIZES[kind]))
        # from 70 degrees off the camera's side, around the back
        azimuth = math.atan2(eye[1], eye[0]) + rng.uniform(1.2, 2 * math.pi - 1.2)
        away = reach * 1.09 + (15.0 if kind == "arm" else 0.75 * size) + rng.uniform(0, 90)
        x, y = float(away * math.cos(azimuth)), float(away * math.sin(azimuth))
        if any(math.hypot(x - p.x, y - p.y) < size + p.size for p in props):
            continue
        rgb, second = _prop_colours(rng, kind)
        facing = float(math.degrees(azimuth) + 180.0 + rng.normal(0, 12))
        props.append(
            Prop(kind=str(kind), x=x, y=y, turn_deg=facing, size=size, rgb=rgb, second_rgb=second)
        )
    return tuple(props)
