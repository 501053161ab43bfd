"""Pose templates of a disc in the 20-hole, flat or with one edge on the hole's edge, and their
masks.

A disc that dropped badly rests with its low edge on the hole's floor and its underside on the
hole's edge. Its tilt then determines its distance from the middle. Discs are cylinders; the hole is
a cylinder with straight walls and a flat floor. The frame is the board's, with its origin at the
hole's middle.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.camera import FloatArray
from calibration.circle import circle_mm
from calibration.parameters import StageParameters, parameter
from vision.discs.outline.contour import DiscGeometry


class PoseTemplatesParameters(StageParameters):
    """Parameters of ``pose_templates``."""

    #: Possible depths of the hole: a picture does not show which board it is.
    depths_mm: tuple[float, ...] = parameter(
        (5.5, 7.5, 9.5),
        unit="mm",
        source="rule books and measured boards: holes are 5 to 10 mm deep",
    )
    #: Rounded edges sink this far into a wall that is assumed to be straight.
    into_wall_mm: float = parameter(
        0.8, unit="mm", source="chosen: edges are rounded with radii up to 0.8 mm"
    )


PARAMS = PoseTemplatesParameters()
#: Discs flat in the hole are in its middle, or against its wall in this many directions, for speed.
_FLAT_DIRECTIONS = 8
#: Points of the underside's edge that must fit in the hole, from its top to its low end.
_EDGE_POINTS = 91


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DiscPoses:
    """Poses of n discs: centres of their bottom faces (n, 3), mm, and unit axes (n, 3)."""

    base_mm: FloatArray
    axis: FloatArray


def pose_on_surface(base_mm: FloatArray) -> DiscPoses:
    """Discs flat on the surface at ``base_mm`` (n, 2)."""
    base = np.reshape(base_mm, (-1, 2))
    return _make_upright(np.column_stack([base, np.zeros(len(base))]))


def pose_in_hole(hole_radius_mm: float, shape: DiscGeometry) -> DiscPoses:
    """Poses of a disc flat on the hole's floor, at every depth: in the middle, and at the wall."""
    play_mm = max(hole_radius_mm - shape.radius_mm, 0.0)
    at_wall = circle_mm((0.0, 0.0), play_mm, _FLAT_DIRECTIONS)
    place = np.concatenate([np.zeros((1, 2)), at_wall])
    return _make_upright(
        np.concatenate([np.insert(place, 2, -depth, axis=1) for depth in PARAMS.depths_mm])
    )


def _make_upright(base_mm: FloatArray) -> DiscPoses:
    return DiscPoses(base_mm=base_mm, axis=np.tile([0.0, 0.0, 1.0], (len(base_mm), 1)))


def pose_leaners(
    tilt_rad: FloatArray, turn_rad: FloatArray, hole_radius_mm: float, shape: DiscGeometry
) -> tuple[DiscPoses, FloatArray]:
    """k possible leaners at every tilt (n,), turn (m,) and depth, with their tilts and turns.

    ``turn_rad`` is the direction of the high edge, counter-clockwise from +x. Tilts and turns are
    returned as (k, 2), rad. k is 0 if no disc of the ``shape`` can lean at any of the tilts.
    """
    base, axis, angles_rad = [], [], []
    turns = np.stack([np.cos(turn_rad), np.sin(turn_rad)], axis=-1)
    for tilt in tilt_rad:
        for depth_mm in PARAMS.depths_mm:
            rest = _solve_rest(float(tilt), depth_mm, hole_radius_mm, shape.radius_mm)
            if rest is None:
                continue
            out_mm, up_mm = rest
            base.append(np.insert(out_mm * turns, 2, up_mm, axis=1))
            axis.append(np.insert(-np.sin(tilt) * turns, 2, np.cos(tilt), axis=1))
            angles_rad.append(np.column_stack([np.full(len(turns), tilt), turn_rad]))
    if not base:
        return _make_upright(np.zeros((0, 3))), np.zeros((0, 2))
    return (
        DiscPoses(base_mm=np.concatenate(base), axis=np.concatenate(axis)),
        np.concatenate(angles_rad),
    )


def _solve_rest(
    tilt_rad: float, depth_mm: float, hole_radius_mm: float, radius_mm: float
) -> tuple[float, float] | None:
    """The bottom face's middle of a disc with its low edge on the floor: its distance from the
    hole's middle, towards its high edge, and its height; None if that pose is impossible.
    """
    up_mm = radius_mm * np.sin(tilt_rad) - depth_mm
    along = np.linspace(0.0, np.pi, _EDGE_POINTS)
    is_below = radius_mm * np.cos(along) * np.sin(tilt_rad) + up_mm < 0
    if is_below.all():
        return None
    out = radius_mm * np.cos(along[is_below]) * np.cos(tilt_rad)
    room = np.sqrt(np.maximum(hole_radius_mm**2 - (radius_mm * np.sin(along[is_below])) ** 2, 0.0))
    farthest, nearest = float((room - out).min()), float((-room - out).max())
    if nearest > farthest + PARAMS.into_wall_mm:
        return None
    return farthest, float(up_mm)


def render_masks(
    camera_mm: FloatArray,
    place_mm: FloatArray,
    poses: DiscPoses,
    shape: DiscGeometry,
    hole_radius_mm: float,
) -> np.ndarray:
    """Whether n discs are seen at the surface's points (m, 2): (n, m) bool.

    A ray is intersected with a cylinder's round side and with the slab between its faces. Below the
    surface a disc is seen only through the hole. ``camera_mm`` (3,) is the camera's centre.
    """
    camera_mm = camera_mm.astype(np.float32)
    way = np.column_stack([place_mm, np.zeros(len(place_mm))]).astype(np.float32) - camera_mm
    to_camera, axis = camera_mm - poses.base_mm.astype(np.float32), poses.axis.astype(np.float32)
    # along the ray eye + t way, t = 1 on the surface: where it is inside the round side ...
    camera_up, way_up = (to_camera * axis).sum(axis=1)[:, None], axis @ way.T
    a = np.maximum((way * way).sum(axis=1) - way_up**2, np.float32(1e-9))
    b = to_camera @ way.T - camera_up * way_up
    c = (to_camera * to_camera).sum(axis=1)[:, None] - camera_up**2 - np.float32(shape.radius_mm**2)
    under_root = b * b - a * c
    root = np.sqrt(np.maximum(under_root, 0))
    # ... and where between the faces
    way_up = np.where(np.abs(way_up) < 1e-6, np.float32(1e-6), way_up)
    one, other = -camera_up / way_up, (np.float32(shape.height_mm) - camera_up) / way_up
    enters = np.maximum((-b - root) / a, np.minimum(one, other))
    leaves = np.minimum((root - b) / a, np.maximum(one, other))
    through_hole = (place_mm * place_mm).sum(axis=1) < hole_radius_mm**2
    return np.asarray((under_root > 0) & (enters <= leaves) & ((enters <= 1) | through_hole))
