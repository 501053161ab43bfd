"""A field of discs from a seed, as varied as real rooms, boards and phones.

Nothing is random after it. mm, linear light.
"""

from __future__ import annotations

import math
from dataclasses import replace

import cv2
import numpy as np

from calibration.camera import Camera, FloatArray
from calibration.pose import Pose, View
from sample_images.renderer.generate.boards import generate_disc_shape
from sample_images.renderer.generate.choices import Rng, vary_colour
from sample_images.renderer.generate.rooms import generate_lights, generate_sensor
from sample_images.renderer.lens import cam_from_board
from sample_images.renderer.palette import (
    DISCS,
    EASY_TEAMS,
    HARD_TEAMS,
    LIGHT_TINTS,
    SURFACES,
    linear_light,
)
from sample_images.renderer.scene import Light, Rgb, Sensor, Viewpoint
from sample_images.train_rims.field import Field, Lamp

#: Side of the pictures, px, and how finely their wood is painted.
_SIZE_PX = 288
_WOOD_MM_PER_PX = 0.5
#: Number of tries to place a disc, and share of the discs that are tried next to another.
_TRIES, _TOUCHING = 30, 0.35
#: Distance of the lamp that stands for the sun, mm.
_SUN_AWAY_MM = 20_000.0


def _to_linear(rgb: Rgb) -> FloatArray:
    return np.array(linear_light(rgb))


def _generate_view(rng: Rng, mm_per_px: float) -> View:
    """A camera over the middle of a board, or over its edge, tilted as in photos."""
    focal_px = float(rng.uniform(800, 1400))
    tilt = float(rng.choice([rng.uniform(0, 12), rng.uniform(5, 38), rng.uniform(35, 58)]))
    away = focal_px * mm_per_px
    azimuth, t = rng.uniform(0, 2 * math.pi), math.radians(tilt)
    position = (
        float(away * math.sin(t) * math.cos(azimuth)),
        float(away * math.sin(t) * math.sin(azimuth)),
        float(away * math.cos(t)),
    )
    eye = Viewpoint(
        position=position, target=(0.0, 0.0, 0.0), roll_deg=float(rng.uniform(-180, 180))
    )
    rotation, translation = cam_from_board(eye)
    middle = (_SIZE_PX - 1) / 2
    camera = Camera(fx_px=focal_px, fy_px=focal_px, cx_px=middle, cy_px=middle)
    return View(camera=camera, cam_from_board=Pose(rotation=rotation, translation_mm=translation))


def _scatter_discs(rng: Rng, half_mm: float, radius_mm: float) -> FloatArray:
    """Places (n, 2) of discs that do not overlap; some touch, some hide part of another."""
    kept: list[FloatArray] = []
    for _ in range(_TRIES):
        if kept and rng.uniform() < _TOUCHING:
            turn = rng.uniform(0, 2 * math.pi)
            gap = 2 * radius_mm + float(rng.choice([0.0, rng.uniform(0, 6)]))
            place = kept[rng.integers(len(kept))] + gap * np.array([math.cos(turn), math.sin(turn)])
        else:
            place = rng.uniform(-half_mm, half_mm, 2)
        apart = all(np.hypot(*(place - other)) > 2 * radius_mm - 1e-6 for other in kept)
        if apart and np.abs(place).max() < half_mm:
            kept.append(place)
    return np.array(kept)


def _generate_wood(rng: Rng, surface: str, side_mm: float) -> np.ndarray:
    """Albedo of the wood, with grain and a few painted lines."""
    rgb, contrast = SURFACES[surface]
    side = int(side_mm / _WOOD_MM_PER_PX)
    grain = _generate_grain(rng, side)
    shade = 1 + float(rng.uniform(*contrast)) * grain
    wood = np.clip(_to_linear(vary_colour(rng, rgb, 0.08)) * shade[..., None] ** 2.2, 0.001, 0.95)
    dark = rng.uniform() < 0.7
    paint = _to_linear(vary_colour(rng, (0.08, 0.07, 0.06) if dark else (0.85, 0.8, 0.7), 0.05))
    for _ in range(int(rng.integers(0, 4))):
        cover = _generate_ring(rng, side)[..., None]
        wood = wood * (1 - cover) + paint * cover
    return wood.astype(np.float32)


def _generate_grain(rng: Rng, side: int) -> np.ndarray:
    """Streaks (side, side) of -1 to 1 along any direction."""
    noise = rng.standard_normal((side, side)).astype(np.float32)
    ring_px = rng.uniform(5, 16) / _WOOD_MM_PER_PX
    grain = cv2.GaussianBlur(noise, (0, 0), sigmaX=8 * ring_px, sigmaY=0.25 * ring_px)
    grain = np.clip(grain / (2 * grain.std()), -1, 1)
    turn = cv2.getRotationMatrix2D((side / 2, side / 2), float(rng.uniform(0, 180)), 1.45)
    return cv2.warpAffine(grain, turn, (side, side), borderMode=cv2.BORDER_REFLECT)


def _generate_ring(rng: Rng, side: int) -> np.ndarray:
    """Share of the wood (side, side) covered by a painted circle, 0 to 1."""
    mask = np.zeros((side, side), np.uint8)
    middle = tuple(int(v) for v in rng.uniform(-0.5, 1.5, 2) * side)
    width = max(1, round(float(rng.uniform(1.2, 3.2)) / _WOOD_MM_PER_PX))
    radius = int(rng.uniform(100, 310) / _WOOD_MM_PER_PX)
    cv2.circle(mask, middle, radius, 255, width, cv2.LINE_AA)
    return float(rng.uniform(0.55, 1.0)) * (mask / 255.0)


def _build_lamp(light: Light, tint: FloatArray) -> Lamp:
    """A rectangle that faces the middle of the wood and gives the light's irradiance there."""
    place = np.array(light.position)
    half = np.array(light.size) / 2
    if light.kind == "sun":
        place = place / np.linalg.norm(place) * _SUN_AWAY_MM
        half = np.full(2, 0.5 * _SUN_AWAY_MM * math.radians(light.size[0]))
    away = float(np.linalg.norm(place))
    towards = place / away
    u = np.cross(towards, [0.0, 0.0, 1.0])
    u = u / np.linalg.norm(u) if np.linalg.norm(u) > 1e-6 else np.array([1.0, 0.0, 0.0])
    v = np.cross(towards, u)
    radiance = light.irradiance * math.pi * away**2 / (4 * half[0] * half[1] * max(towards[2], 0.2))
    return Lamp(
        middle_mm=place, half_u_mm=half[0] * u, half_v_mm=half[1] * v, radiance_rgb=radiance * tint
    )


def _balance_sensor(rng: Rng, sensor: Sensor, tints: list[FloatArray]) -> Sensor:
    """The sensor, with most of the room's colour removed as phones do."""
    room = 0.5 * (tints[0] + tints[1])
    gain = (room[1] / room) ** float(rng.uniform(0.6, 1.0)) * np.array(sensor.white_balance)
    red, green, blue = (float(g) for g in gain)
    return replace(sensor, white_balance=(red, green, blue))


def generate_field(seed: int) -> Field:
    """The field of a seed."""
    rng = np.random.default_rng(seed)
    mm_per_px = float(np.exp(rng.uniform(math.log(0.35), math.log(1.5))))
    view = _generate_view(rng, mm_per_px)
    eye = view.cam_from_board.camera_board_mm
    surface = str(rng.choice(list(SURFACES)))
    pool = HARD_TEAMS[surface] if rng.uniform() < 0.4 else EASY_TEAMS
    teams = [DISCS[name] for name in pool[rng.integers(len(pool))]]
    shape = generate_disc_shape(rng)
    half = min(0.5 * _SIZE_PX * mm_per_px - 25.0, 260.0)
    base_centre = _scatter_discs(rng, max(half, 40.0), shape.radius)
    base = np.array([_to_linear(vary_colour(rng, team.rgb, 0.05)) for team in teams])
    own = base[rng.integers(len(base), size=len(base_centre))]
    lit = str(rng.choice(("window", "lamp", "sun", "ceiling", "mixed")))
    lights, ambient = generate_lights(rng, lit, (float(eye[0]), float(eye[1]), float(eye[2])))
    tints = [_to_linear(LIGHT_TINTS[rng.integers(len(LIGHT_TINTS))]) for _ in range(2)]
    return Field(
        width_px=_SIZE_PX,
        height_px=_SIZE_PX,
        view=view,
        base_mm=base_centre,
        disc_rgb=np.clip(own * rng.uniform(0.9, 1.1, (len(base_centre), 1)), 0.002, 0.95),
        radius_mm=shape.radius,
        disc_height_mm=shape.height,
        round_mm=(float(rng.uniform(0.1, 1.0)), float(rng.uniform(0.2, 3.2))),
        wood_rgb=_generate_wood(rng, surface, 2 * half + 160.0),
        wood_mm_per_px=_WOOD_MM_PER_PX,
        gloss=(float(rng.choice([0.0, 0.2, 0.5])), float(rng.choice([0.0, 0.2, 0.5]))),
        roughness=(float(rng.uniform(0.05, 0.4)), float(rng.uniform(0.05, 0.4))),
        lamps=tuple(_build_lamp(light, tints[0]) for light in lights),
        ambient_rgb=float(ambient) * tints[1],
        sensor=_balance_sensor(rng, generate_sensor(rng, bool(rng.uniform() < 0.12)), tints),
        sharpening=float(rng.choice([0.0, rng.uniform(0, 0.8)])),
    )
