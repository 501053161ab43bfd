"""A simulated shot drawn on its board from above: paths, contacts, where discs end; +y is up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from calibration.placed_disc import DiscState
from scorer.physics.engine import SimulationResult
from scorer.physics.scene import PhysicsScene

_SIZE_PX, _PX_PER_MM = 1000, 1.35
#: Sub-pixel bits of OpenCV's drawing.
_SHIFT = 4
# Blue, green, red.
_TABLE, _WOOD, _INK, _HOLE = (70, 80, 90), (150, 195, 225), (60, 70, 80), (40, 45, 50)
_SHOOTER, _OTHERS, _CONTACT = (40, 60, 200), (150, 90, 30), (0, 0, 0)
#: Frames a second of an animation, and how much slower than life it runs.
_FPS, _SLOW_MOTION = 25, 2.0


def draw_shot(scene: PhysicsScene, outcome: SimulationResult) -> np.ndarray:
    """The picture of the shot, (1000, 1000, 3) BGR."""
    picture = _draw_board(scene)
    for leg in outcome.path:
        colour = _disc_colour(scene, leg.id)
        cv2.line(
            picture,
            _to_fixed_px(leg.from_mm),
            _to_fixed_px(leg.to_mm),
            colour,
            2,
            cv2.LINE_AA,
            _SHIFT,
        )
        if leg.t0_s > 0:
            _draw_circle(picture, leg.from_mm, 2.5, _CONTACT, thickness=-1)
    for name, place in zip(scene.ids, scene.places_mm.tolist(), strict=True):
        _draw_circle(
            picture, place, scene.table.disc.radius_mm, _disc_colour(scene, name), thickness=1
        )
    for disc in outcome.discs:
        _draw_disc(
            picture, scene, disc.id, (disc.x_mm, disc.y_mm), faint=disc.state is DiscState.DITCH
        )
    return picture


def animate_shot(scene: PhysicsScene, outcome: SimulationResult) -> list[Image.Image]:
    """The frames of the shot at half its speed, (500, 500) RGB."""
    last = max((leg.t1_s for leg in outcome.path), default=0.0)
    board = _draw_board(scene)
    frames = []
    for step in range(math.ceil(last * _FPS * _SLOW_MOTION) + 2):
        picture = board.copy()
        for name, place in zip(scene.ids, scene.places_mm.tolist(), strict=True):
            t = step / _FPS / _SLOW_MOTION
            _draw_disc(
                picture, scene, name, interpolate_place(outcome, name, place, t), faint=False
            )
        small = cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        frames.append(Image.fromarray(np.ascontiguousarray(small[:, :, ::-1])))
    return frames


def save_picture(picture: np.ndarray, path: Path) -> None:
    """Write a picture in the format of its name. Raises ``OSError`` and ``ValueError``."""
    Image.fromarray(np.ascontiguousarray(picture[:, :, ::-1])).save(path)


def save_animation(frames: Sequence[Image.Image], path: str) -> None:
    """Write the frames as an animated GIF. Raises ``OSError`` and ``ValueError``."""
    frames[0].save(
        path, save_all=True, append_images=frames[1:], duration=1000 // _FPS, loop=0, format="GIF"
    )


def interpolate_place(
    outcome: SimulationResult, name: str, begin_mm: Sequence[float], t_s: float
) -> tuple[float, float]:
    """Where a disc is at a time, (x, y) mm: evenly along each leg, braking along its last."""
    here = (begin_mm[0], begin_mm[1])
    for leg in outcome.path:
        if leg.id != name or leg.t0_s > t_s:
            continue
        part = min((t_s - leg.t0_s) / max(leg.t1_s - leg.t0_s, 1e-9), 1.0)
        is_last = leg.to_mm == next((d.x_mm, d.y_mm) for d in outcome.discs if d.id == name)
        if is_last:
            part = 1 - (1 - part) ** 2
        here = (
            leg.from_mm[0] + part * (leg.to_mm[0] - leg.from_mm[0]),
            leg.from_mm[1] + part * (leg.to_mm[1] - leg.from_mm[1]),
        )
    return here


def _draw_board(scene: PhysicsScene) -> np.ndarray:
    board = scene.table.board
    picture = np.full((_SIZE_PX, _SIZE_PX, 3), _TABLE, dtype=np.uint8)
    _draw_circle(picture, (0, 0), board.surface_radius_mm, _WOOD, thickness=-1)
    for radius, centre in zip(board.line_radii_mm, board.line_centres_mm, strict=True):
        _draw_circle(picture, centre, radius, _INK, thickness=1)
    _draw_circle(picture, board.hole_centre_mm, board.hole_radius_mm, _HOLE, thickness=-1)
    for post in scene.table.posts_mm.tolist():
        radius = board.post_radius_mm + scene.table.physics.post_sleeve_mm
        _draw_circle(picture, post, radius, _INK, thickness=-1)
    return picture


def _draw_disc(
    picture: np.ndarray, scene: PhysicsScene, name: str, place: Sequence[float], *, faint: bool
) -> None:
    radius = scene.table.disc.radius_mm
    if not faint:
        _draw_circle(picture, place, radius, _disc_colour(scene, name), thickness=-1)
    _draw_circle(picture, place, radius, _CONTACT, thickness=1)


def _disc_colour(scene: PhysicsScene, name: str) -> tuple[int, int, int]:
    return _SHOOTER if name == scene.shot.id else _OTHERS


def _to_fixed_px(place: Sequence[float]) -> tuple[int, int]:
    scale = 1 << _SHIFT
    middle = _SIZE_PX / 2
    return (
        round((middle + place[0] * _PX_PER_MM) * scale),
        round((middle - place[1] * _PX_PER_MM) * scale),
    )


def _draw_circle(
    picture: np.ndarray,
    place: Sequence[float],
    radius_mm: float,
    colour: tuple[int, int, int],
    *,
    thickness: int,
) -> None:
    radius = round(radius_mm * _PX_PER_MM * (1 << _SHIFT))
    cv2.circle(picture, _to_fixed_px(place), radius, colour, thickness, cv2.LINE_AA, _SHIFT)
