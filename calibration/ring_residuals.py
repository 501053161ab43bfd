"""Distances of ring points from the rings of a parametrised board, and their Jacobian.

A point's residual is its distance from its ring, measured on the board along the radius and
converted to pixels by the local scale. Unlike a distance in the picture, this needs no search for
the nearest point on an ellipse. The Jacobian is analytic (chain rule through the pinhole model with
radial distortion); only the ovality's change with azimuth is neglected, which is of second order.
Residuals are meaningless if a ray is parallel to the board.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.board import SCALE_RADIUS_MM, FloatArray
from calibration.camera import Camera
from calibration.pose import Pose, View

#: Order of the fitted parameters: changes of pose and camera from the start (rotation vector rad,
#: translation mm, log focal length, k1, cx px, cy px), then those of the lines (log radii, centres
#: mm, ovality). The 10-line's radius and centre are not fitted: they define scale and origin.
ROTATION, TRANSLATION, FOCAL, K1, CX, CY = slice(0, 3), slice(3, 6), 6, 7, 8, 9
POSE, LENS, CAMERA_AND_POSE = slice(0, 6), slice(6, 10), slice(0, 10)
R15, R5, CENTRE_15, CENTRE_5, OVALITY = 10, 11, slice(12, 14), slice(14, 16), slice(16, 18)
PARAMETER_COUNT = 18


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RingPoints:
    """Points seen on ring lines.

    points_px (n, 2); ring (n,) int: 0 the 15-line, 1 the 10-line, 2 the 5-line;
    px_per_mm (n,): image length of a millimetre across the ring there
    """

    points_px: FloatArray
    ring: np.ndarray
    px_per_mm: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardModel:
    """The board that fitted parameters describe: its view, and the shapes of its three lines."""

    view: View
    radii_mm: FloatArray  # (3,)
    centres_mm: FloatArray  # (3, 2)
    ovality: FloatArray  # (2,)


def decode_model(x: FloatArray, start: View) -> BoardModel:
    """The board of parameters (18,), which are changes from the view ``start``."""
    camera, pose = start.camera, start.cam_from_board
    focal_factor = float(np.exp(x[FOCAL]))
    view = View(
        camera=Camera(
            fx_px=camera.fx_px * focal_factor,
            fy_px=camera.fy_px * focal_factor,
            cx_px=camera.cx_px + float(x[CX]),
            cy_px=camera.cy_px + float(x[CY]),
            k1=camera.k1 + float(x[K1]),
            k2=camera.k2,
        ),
        cam_from_board=Pose(
            # one evaluation; scipy's Rotation takes ten times as long
            rotation=cv2.Rodrigues(x[ROTATION])[0] @ pose.rotation,
            translation_mm=pose.translation_mm + x[TRANSLATION],
        ),
    )
    radii = np.array([np.exp(x[R15]), SCALE_RADIUS_MM, np.exp(x[R5])])
    centres = np.stack([x[CENTRE_15], np.zeros(2), x[CENTRE_5]])
    return BoardModel(view=view, radii_mm=radii, centres_mm=centres, ovality=x[OVALITY])


def compute_residuals(
    x: FloatArray, ring_points: RingPoints, start: View
) -> tuple[FloatArray, FloatArray]:
    """Distances of the points from their rings in px (n,), and their Jacobian (n, 18)."""
    model, ring = decode_model(x, start), ring_points.ring
    crossing = _cross_board(model, ring_points)
    rows = np.zeros((PARAMETER_COUNT, len(ring)))
    rows[POSE] = _pose_jacobian(model, x[ROTATION], crossing)
    rows[LENS] = _lens_jacobian(model.view.camera, crossing.ray, crossing.covector) * crossing.depth
    # The ovality's change with azimuth is of second order and neglected.
    for radius_row, centre, line in ((R15, CENTRE_15, 0), (R5, CENTRE_5, 2)):
        own = ring == line
        rows[radius_row] = np.where(own, -crossing.radius_mm, 0.0)
        rows[centre] = np.where(own, -crossing.along, 0.0)
    rows[OVALITY] = -model.radii_mm.take(ring) * np.stack(crossing.twice_azimuth)
    return crossing.outside_mm * ring_points.px_per_mm, (rows * ring_points.px_per_mm).T


def compute_pose_residuals(
    model: BoardModel, turn: FloatArray, ring_points: RingPoints
) -> tuple[FloatArray, FloatArray]:
    """Like ``compute_residuals`` for a known board: the Jacobian (n, 6) covers only the pose.

    ``turn`` (3,) is the rotation vector by which the model's view was turned from the start.
    """
    crossing = _cross_board(model, ring_points)
    rows = _pose_jacobian(model, turn, crossing)
    return crossing.outside_mm * ring_points.px_per_mm, (rows * ring_points.px_per_mm).T


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Crossing:
    """Intersections of the points' rays with the board.

    A small motion of the camera-frame point v moves the board point by v's projection along the ray
    onto the board. Only the component across the ring counts. It is linear in v, so every point has
    a covector (3,), and a Jacobian column is a small motion times these covectors.

    ray            (3, n), camera frame, z = 1
    depth          along the ray (n,), mm
    outside_mm     distance from the ring (n,), positive outside it
    radius_mm      of the ring there (n,)
    along          unit vectors (2, n) away from the ring's centre
    twice_azimuth  cosine and sine (n,) of twice the azimuth about that centre
    covector       (3, n)
    """

    ray: FloatArray
    depth: FloatArray
    outside_mm: FloatArray
    radius_mm: FloatArray
    along: FloatArray
    twice_azimuth: tuple[FloatArray, FloatArray]
    covector: FloatArray


def _cross_board(model: BoardModel, ring_points: RingPoints) -> _Crossing:
    pose, ring = model.view.cam_from_board, ring_points.ring
    ray = model.view.camera.rays(ring_points.points_px).T
    direction, camera_mm = pose.rotation.T @ ray, pose.camera_board_mm
    depth = -camera_mm[2] / direction[2]
    point = camera_mm[:2, None] + depth * direction[:2]
    arm = point - model.centres_mm.take(ring, axis=0).T
    length = np.sqrt(arm[0] ** 2 + arm[1] ** 2)
    along = arm / length
    cos, sin = along[0] ** 2 - along[1] ** 2, 2 * along[0] * along[1]
    round_part = 1.0 + model.ovality[0] * cos + model.ovality[1] * sin
    radius_mm = model.radii_mm.take(ring) * round_part
    rise = -(along * direction[:2]).sum(axis=0) / direction[2]
    return _Crossing(
        ray=ray,
        depth=depth,
        outside_mm=length - radius_mm,
        radius_mm=radius_mm,
        along=along,
        twice_azimuth=(cos, sin),
        covector=pose.rotation @ np.stack([along[0], along[1], rise]),
    )


def _pose_jacobian(model: BoardModel, turn: FloatArray, crossing: _Crossing) -> FloatArray:
    """Rows (6, n): derivatives of the distances from the rings by rotation vector and
    translation."""
    lever = crossing.ray * crossing.depth - model.view.cam_from_board.translation_mm[:, None]
    rotation = _rotation_jacobian(turn, lever, crossing.covector)
    return np.concatenate([rotation, -crossing.covector])


def _rotation_jacobian(rotation: FloatArray, lever: FloatArray, covector: FloatArray) -> FloatArray:
    """Motion along the covectors (3, n), per rotation vector, of points at the lever arms (3,
    n).
    """
    # Left Jacobian of the rotation vector, to second order: rotations stay below a few degrees.
    cross = np.array(
        [
            [0, -rotation[2], rotation[1]],
            [rotation[2], 0, -rotation[0]],
            [-rotation[1], rotation[0], 0],
        ]
    )
    left = np.eye(3) + 0.5 * cross + cross @ cross / 6
    (x, y, z), (a, b, c) = lever, covector
    moment = np.stack([y * c - z * b, z * a - x * c, x * b - y * a])
    parts: FloatArray = -left.T @ moment
    return parts


def _lens_jacobian(camera: Camera, ray: FloatArray, covector: FloatArray) -> FloatArray:
    """Motion along the covectors (4, n) of rays (3, n), z = 1, per log focal length, k1, cx and
    cy.
    """
    r2 = ray[0] ** 2 + ray[1] ** 2
    r = np.sqrt(np.maximum(r2, 1e-18))
    factor = 1 + r2 * (camera.k1 + r2 * camera.k2)
    slope = 1 + r2 * (3 * camera.k1 + 5 * r2 * camera.k2)
    radial = ray[:2] / r
    outward = (radial * covector[:2]).sum(axis=0)  # component of a motion away from the middle
    centre = (-radial * outward / slope + (radial * outward - covector[:2]) / factor) / np.array(
        [[camera.fx_px], [camera.fy_px]]
    )
    return np.stack([-r * factor / slope * outward, -(r**3) / slope * outward, *centre])
