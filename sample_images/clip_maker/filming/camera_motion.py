"""The motion of a camera: pushed by a person who bumped into it, or swaying in a hand.

A hand is a sum of slow sines and a little tremor in all six degrees of freedom, like hands that
hold something still (drift below 2 Hz, tremor at 4 to 10 Hz).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from calibration.camera import FloatArray
from calibration.pose import Pose, View

#: Frequencies of a hand's drift and of its tremor, Hz, and the tremor's share.
_DRIFT_HZ, _TREMOR_HZ, _TREMOR_SHARE = (0.15, 1.2), (4.0, 9.0), 0.04
#: Rotation of a hand while it moves by 1 mm, rad: both shift the board by about the same amount.
_TURN_RAD_PER_MM = 1 / 900.0


def bump_camera(view: View, rng: np.random.Generator, by_mm: float) -> View:
    """The view after a person bumped into the camera."""
    turn = rng.normal(0, 1, 3) * by_mm / 1400.0
    pose = view.cam_from_board
    rotation = _rotation_matrix(turn) @ pose.rotation
    shift: FloatArray = np.array([*rng.normal(0, 0.6, 2), 0.0]) * by_mm
    moved = _rotation_matrix(turn) @ pose.translation_mm + shift
    return View(camera=view.camera, cam_from_board=Pose(rotation=rotation, translation_mm=moved))


def sway_camera(
    view: View, rng: np.random.Generator, by_mm: float, frames: int, fps: float
) -> list[tuple[float, View]]:
    """Times (s) and views of the frames while a hand holds the camera.

    ``by_mm`` is one standard deviation per axis of the camera's movement around its place.
    """
    t_s = np.arange(frames + 1) / fps
    way_mm = by_mm * np.stack([_wander(t_s, rng) for _ in range(6)], axis=-1)
    pose = view.cam_from_board
    swayed = []
    for t, (*turn, x, y, z) in zip(t_s, way_mm, strict=True):
        rotation = _rotation_matrix(_TURN_RAD_PER_MM * np.array(turn))
        moved = rotation @ (pose.translation_mm + np.array([x, y, z]))
        swayed.append(
            (
                float(t),
                View(
                    camera=view.camera,
                    cam_from_board=Pose(rotation=rotation @ pose.rotation, translation_mm=moved),
                ),
            )
        )
    return swayed


def _wander(t_s: FloatArray, rng: np.random.Generator) -> FloatArray:
    """One coordinate of a hand (n,), of standard deviation 1: drift with tremor."""
    total = np.zeros(len(t_s))
    for (low, high), share, count in ((_DRIFT_HZ, 1.0, 4), (_TREMOR_HZ, _TREMOR_SHARE, 3)):
        for hz, phase in zip(rng.uniform(low, high, count), rng.uniform(0, 7, count), strict=True):
            total += share * math.sqrt(2 / count) * np.sin(2 * math.pi * hz * t_s + phase)
    return total


def _rotation_matrix(vector: Sequence[float] | FloatArray) -> FloatArray:
    """Rotation (3, 3) about a vector, by its length in radians (Rodrigues)."""
    v = np.asarray(vector, dtype=np.float64)
    angle = float(np.linalg.norm(v))
    if angle == 0:
        return np.eye(3)
    x, y, z = v / angle
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k)
