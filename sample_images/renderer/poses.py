"""Resting poses of a disc: flat, tilted on the hole's edge, or standing in the ditch.

Rigid bodies are in contact with their supports, with as much friction as they need. Lengths in mm.
"""

from __future__ import annotations

import math

import numpy as np

from sample_images.renderer.scene import Board, Disc, DiscModel

#: Points around a disc's edges by which a tilted disc is held out of the wood.
_EDGE_POINTS = 180
#: Depth to which a leaning disc may press into the wall (mm), too small to be visible.
_WALL_TOLERANCE_MM = 0.02


def disc_rotation(disc: Disc) -> np.ndarray:
    """Rotation (3, 3) of a disc's own frame (z along its axis) into the board frame."""
    lean, tilt, spin = (math.radians(a) for a in (disc.lean_deg, disc.tilt_deg, disc.spin_deg))
    return _about_z(lean) @ _raise_x(tilt) @ _about_z(spin - lean)


def _about_z(angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])


def _raise_x(angle: float) -> np.ndarray:
    """Rotation about y that lifts the +x side."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]])


def _body_points(shape: DiscModel) -> np.ndarray:
    """Points (n, 3) on the bottom face, the side and the top edge, bottom centre at 0."""
    a = np.arange(_EDGE_POINTS) * (2 * np.pi / _EDGE_POINTS)
    circle = np.stack([np.cos(a), np.sin(a)], axis=1)
    rings = [(r, 0.0) for r in np.linspace(0.05, 1, 40) * shape.bottom_radius]
    rings += [(shape.radius, z) for z in np.linspace(0.15, 1, 18) * shape.height]
    return np.concatenate([np.c_[r * circle, np.full(_EDGE_POINTS, z)] for r, z in rings])


def pose_leaner(board: Board, shape: DiscModel, tilt_deg: float, lean_deg: float) -> Disc | None:
    """A disc with one edge down on the hole's floor and its underside on the hole's rim.

    None if a disc of this size cannot lean at this tilt. The colour is left empty.
    """
    body = _body_points(shape) @ _raise_x(math.radians(tilt_deg)).T
    lift = -board.hole_depth - body[:, 2].min()
    sunk = body[body[:, 2] + lift < 0.0]
    reach = np.sqrt(np.maximum(board.hole_radius**2 - sunk[:, 1] ** 2, 0.0))
    low, high = (-reach - sunk[:, 0]).max(), (reach - sunk[:, 0]).min()
    if low > high + _WALL_TOLERANCE_MM or np.abs(sunk[:, 1]).max() > board.hole_radius:
        return None
    if not _rests_stably(sunk, body):
        return None
    turn = _about_z(math.radians(lean_deg))
    centre = turn @ (high, 0.0, lift) + (*board.hole_centre, 0.0)
    position = (float(centre[0]), float(centre[1]), float(centre[2]))
    return Disc(colour="", position=position, state="leaning", tilt_deg=tilt_deg, lean_deg=lean_deg)


def _rests_stably(sunk: np.ndarray, body: np.ndarray) -> bool:
    """Whether the middle of the disc is between its low edge and the rim that carries it."""
    middle = body[:, 0].mean()
    return bool(sunk[:, 0].min() < middle < sunk[:, 0].max())


def pose_in_ditch(board: Board, shape: DiscModel, azimuth_deg: float, lean_deg: float) -> Disc:
    """A disc on its edge in the ditch, leaning ``lean_deg`` from upright against the rail.

    ``azimuth_deg`` should be the middle of a flat on an octagonal rail. Colour left empty.
    """
    lean = math.radians(lean_deg)
    wall = board.playing_radius + board.ditch_width
    touch = min(2 * shape.radius * math.cos(lean), board.ditch_depth + board.rail_height)
    base = wall - 1.0 - touch * math.tan(lean)  # 1 mm keeps a round rail's curve clear
    # the underside faces the rail: its centre is half a diameter up the leaning face
    out = base + shape.radius * math.sin(lean)
    z = -board.ditch_depth + shape.radius * math.cos(lean)
    azimuth = math.radians(azimuth_deg)
    return Disc(
        colour="",
        position=(out * math.cos(azimuth), out * math.sin(azimuth), z),
        state="ditch",
        tilt_deg=90.0 - lean_deg,
        lean_deg=azimuth_deg,
    )
