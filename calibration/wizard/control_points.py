"""Computes a rough view of a board from four points that a user marks on it.

The points are the intersections of the quadrant lines with the outer ring. Their homography gives a
pose (Zhang 2000, section 3.1), which Levenberg-Marquardt refines together with the focal length.
The view is as accurate as the marks; ring points make it exact (see ``calibration.fit``). Points
that no board could have are refused with a reason. The view is correct up to a quarter turn.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.board import BoardSpec, FloatArray
from calibration.camera import Camera
from calibration.parameters import StageParameters, parameter
from calibration.phrase import Phrase
from calibration.pose import Pose, View

#: The quadrant lines meet the outer ring at these azimuths, counter-clockwise, degrees.
CONTROL_POINT_AZIMUTHS_DEG = (45.0, 135.0, 225.0, 315.0)


class ControlPointsParameters(StageParameters):
    """Parameters of ``control_points``."""

    #: A view more oblique than this, or closer than this to the board's middle, is a mistake.
    max_tilt_deg: float = parameter(
        80.0, unit="°", source="chosen: in a more oblique view, nobody could see the lines"
    )
    min_distance_mm: float = parameter(
        250.0, unit="mm", source="chosen: from any closer, no camera sees the whole board"
    )
    focal_log_sigma: float = parameter(
        0.15, unit="log", source="chosen: wide, because four points hardly determine a lens"
    )
    drag_sigma_share: float = parameter(
        0.01,
        unit="share",
        source="chosen: the error of a finger, divided by the distance between the control points",
    )
    #: Control points with a larger residual, relative to their spread, do not fit a board.
    max_miss_share: float = parameter(
        0.15, unit="share", source="chosen: far more than the error of a careless finger"
    )


PARAMS = ControlPointsParameters()


@dataclass(frozen=True, slots=True, kw_only=True)
class InvalidControlPoints:
    """Four points that fit no board; the reason includes the remedy."""

    reason: str


def control_points_mm(spec: BoardSpec) -> FloatArray:
    """Control points on the board: (4, 2), mm, counter-clockwise from the upper right."""
    return spec.line_points_mm(2, np.radians(CONTROL_POINT_AZIMUTHS_DEG))


def default_control_points_px(width_px: int, height_px: int) -> FloatArray:
    """Initial control points (4, 2) without a board: a square in the picture's middle."""
    half = 0.3 * min(width_px, height_px)
    middle = np.array([(width_px - 1) / 2, (height_px - 1) / 2])
    corners = np.array([[1.0, -1.0], [-1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]])
    return np.asarray(middle + half * corners)


def fit_view_to_control_points(
    control_points_px: FloatArray, spec: BoardSpec, camera: Camera
) -> View | InvalidControlPoints:
    """The view that projects ``control_points_mm`` to ``control_points_px`` (4, 2), in any order.

    ``camera`` is the assumed lens; its focal length is refined where needed. The view is correct up
    to a quarter turn. If no board could have these points, the reason is returned.
    """
    points_px: FloatArray = np.asarray(control_points_px, dtype=np.float64)
    if points_px.shape != (4, 2) or not np.isfinite(points_px).all():
        return InvalidControlPoints(
            reason=Phrase("Place all four handles on the board in the photo.")
        )
    points_px = _order_counter_clockwise(points_px)
    if not _is_convex(points_px):
        return InvalidControlPoints(
            reason=(
                Phrase(
                    "One handle is inside the shape made by the others. Put one handle "
                    "at each of the four places where a quadrant line meets the outer "
                    "ring."
                )
            )
        )
    spread_px = float(np.linalg.norm(points_px - points_px.mean(axis=0), axis=-1).mean())
    points_mm = control_points_mm(spec)
    start = _solve_planar_pose(points_mm, camera.rays(points_px)[:, :2])
    view, miss_px = _refine_view(points_px, points_mm, View(camera=camera, cam_from_board=start))
    pose = view.cam_from_board
    is_possible = (
        pose.tilt_deg < PARAMS.max_tilt_deg
        and np.linalg.norm(pose.translation_mm) > PARAMS.min_distance_mm
        and miss_px < PARAMS.max_miss_share * spread_px
    )
    if not is_possible:
        return InvalidControlPoints(
            reason=(
                Phrase(
                    "These four handles do not match a crokinole board. Put one at "
                    "each place where a quadrant line meets the outer ring."
                )
            )
        )
    return view


def _order_counter_clockwise(points_px: FloatArray) -> FloatArray:
    """The points in the board's order: counter-clockwise as seen in the picture."""
    arm = points_px - points_px.mean(axis=0)
    angle = np.arctan2(-arm[:, 1], arm[:, 0])  # pixel rows grow downwards
    return np.asarray(points_px[np.argsort(angle)])


def _is_convex(points_px: FloatArray) -> bool:
    side = np.roll(points_px, -1, axis=0) - points_px
    turn = side[:, 0] * np.roll(side[:, 1], -1) - side[:, 1] * np.roll(side[:, 0], -1)
    return bool((turn < 0).all())


def _solve_planar_pose(points_mm: FloatArray, rays: FloatArray) -> Pose:
    """The pose of points (4, 2) of the plane, seen along rays (4, 2): x/z and y/z.

    Infinitesimal plane-based pose estimation (Collins and Bartoli 2014); of its two solutions, the
    one with the smaller residual.
    """
    plane = np.column_stack([points_mm, np.zeros(len(points_mm))])
    _, rotations, translations, _ = cv2.solvePnPGeneric(
        plane, np.ascontiguousarray(rays), np.eye(3), None, flags=cv2.SOLVEPNP_IPPE
    )
    rotation, _ = cv2.Rodrigues(rotations[0])
    return Pose(
        rotation=np.asarray(rotation, dtype=np.float64),
        translation_mm=np.asarray(translations[0], dtype=np.float64).ravel(),
    )


def _refine_view(points_px: FloatArray, points_mm: FloatArray, start: View) -> tuple[View, float]:
    """The view with the smallest squared reprojection error, and its largest error, px."""
    # These imports take longer than everything that a picture without control points needs.
    from scipy.optimize import least_squares
    from scipy.spatial.transform import Rotation

    sigma_px = PARAMS.drag_sigma_share * float(np.ptp(points_px, axis=0).max())
    camera, pose = start.camera, start.cam_from_board

    def view_at(x: FloatArray) -> View:
        stretch = float(np.exp(x[6]))
        return View(
            camera=Camera(
                fx_px=camera.fx_px * stretch,
                fy_px=camera.fy_px * stretch,
                cx_px=camera.cx_px,
                cy_px=camera.cy_px,
                k1=camera.k1,
                k2=camera.k2,
            ),
            cam_from_board=Pose(
                rotation=Rotation.from_rotvec(x[:3]).as_matrix() @ pose.rotation,
                translation_mm=pose.translation_mm + 1000.0 * x[3:6],
            ),
        )

    def residuals(x: FloatArray) -> FloatArray:
        away = (view_at(x).project_plane(points_mm) - points_px).ravel() / sigma_px
        return np.append(away, x[6] / PARAMS.focal_log_sigma)

    solved = view_at(least_squares(residuals, np.zeros(7), method="lm", max_nfev=400).x)
    away_px = np.linalg.norm(solved.project_plane(points_mm) - points_px, axis=-1)
    return solved, float(away_px.max())
