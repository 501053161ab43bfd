"""The pose of a frame relative to a known board, from matched points on its plane and ring lines.

Robust least squares (Levenberg-Marquardt with Tukey's biweight) on the reprojection errors of
matched points (Zhang 2000, with the plane and the lens known) and on the distances of ring points
from their lines. The lines prevent the pose from drifting. Only the points determine the rotation
about the board's normal. The fit fails if too few of them agree.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.board import BoardSpec, FloatArray
from calibration.fit import PARAMS as FIT
from calibration.numerics.least_squares import NormalPrior, robust_least_squares
from calibration.parameters import StageParameters, parameter
from calibration.pose import Pose, View
from calibration.ring_residuals import BoardModel, RingPoints, compute_pose_residuals


class PoseFitParameters(StageParameters):
    """Parameters of ``pose_fit``."""

    min_scale_px: float = parameter(
        0.05, unit="px", source="chosen: the error of matches by the Lucas-Kanade method"
    )
    fewest_points: int = parameter(
        12,
        unit="points",
        source="chosen: twice the number of unknowns, so that a wrong point is outvoted",
    )
    #: A pose with a larger uncertainty than this at the outer line is rejected.
    max_sigma_mm: float = parameter(
        0.5, unit="mm", source="chosen: about the uncertainty of a place read at rest"
    )
    min_agreeing_share: float = parameter(
        0.5, unit="share", source="chosen: a robust fit follows the majority of points"
    )


PARAMS = PoseFitParameters()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MatchedPlaces:
    """Points (n, 2) on the playing surface, board mm, and their pixels (n, 2)."""

    places_mm: FloatArray
    points_px: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FramePose:
    """The camera's pose in a frame.

    residual_px  robust standard deviation of the fitted points
    sigma_mm     one standard deviation of a point of the outer line in the worst direction
    """

    view: View
    residual_px: float
    sigma_mm: float


def fit_pose(
    start: View, places: MatchedPlaces, ring_points: RingPoints, spec: BoardSpec
) -> FramePose | None:
    """The pose of the board ``spec``, with the lens of ``start``, which must be correct to a few
    pixels.

    None if there are too few points and ring points, or if they disagree.
    """
    if len(places.points_px) + len(ring_points.points_px) < PARAMS.fewest_points:
        return None

    def model(change: FloatArray) -> tuple[FloatArray, FloatArray]:
        pixels, pixel_slopes = _project_places(start, change, places.places_mm)
        lines_px, line_slopes = compute_pose_residuals(
            BoardModel(
                view=_change_pose(start, change),
                radii_mm=np.array(spec.line_radii_mm),
                centres_mm=np.array(spec.line_centres_mm),
                ovality=np.array(spec.ovality),
            ),
            change[:3],
            ring_points,
        )
        errors_px = (pixels - places.points_px).ravel()
        return np.concatenate([errors_px, lines_px]), np.concatenate([pixel_slopes, line_slopes])

    free = NormalPrior(mean=np.zeros(6), sigma=np.full(6, np.inf))
    try:
        solution = robust_least_squares(
            model, np.zeros(6), prior=free, min_scale=PARAMS.min_scale_px
        )
    except np.linalg.LinAlgError:
        return None
    if float(np.mean(solution.weights > 0)) < PARAMS.min_agreeing_share:
        return None
    view = _change_pose(start, solution.parameters)
    sigma_mm = _propagate_to_line(view, FIT.points_per_error * solution.covariance, spec)
    if not sigma_mm < PARAMS.max_sigma_mm:
        return None
    return FramePose(view=view, residual_px=solution.scale, sigma_mm=sigma_mm)


def _change_pose(start: View, change: FloatArray) -> View:
    """The view after turning and shifting its camera frame by ``change`` (6,), rad and mm."""
    pose = start.cam_from_board
    return View(
        camera=start.camera,
        cam_from_board=Pose(
            rotation=cv2.Rodrigues(change[:3])[0] @ pose.rotation,
            translation_mm=pose.translation_mm + change[3:],
        ),
    )


def _project_places(
    start: View, change: FloatArray, places_mm: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Pixels (n, 2) of points (n, 2) on the board after ``change`` (6,), and their Jacobian (2n,
    6).
    """
    if not len(places_mm):
        return np.zeros((0, 2)), np.zeros((0, 6))
    pose, camera = start.cam_from_board, start.camera
    pixels, slopes = cv2.projectPoints(
        places_mm @ pose.rotation[:, :2].T,
        change[:3],
        pose.translation_mm + change[3:],
        np.array([[camera.fx_px, 0, camera.cx_px], [0, camera.fy_px, camera.cy_px], [0, 0, 1]]),
        np.array([camera.k1, camera.k2, 0.0, 0.0]),
    )
    return np.asarray(pixels[:, 0], np.float64), np.asarray(slopes[:, :6], np.float64)


def _propagate_to_line(view: View, covariance: FloatArray, spec: BoardSpec) -> float:
    """One sigma of the outer line's points, mm on the board, at the worst of them."""
    line_mm = spec.line_points_mm(2, np.arange(8) * (np.pi / 4))

    _, slopes = _project_places(view, np.zeros(6), line_mm)
    worst_mm = 0.0
    for place, slope in zip(line_mm, slopes.reshape(-1, 2, 6), strict=True):
        worst_px = np.sqrt(np.linalg.eigvalsh(slope @ covariance @ slope.T)[-1])
        worst_mm = max(worst_mm, float(worst_px) * view.mm_per_px(place))
    return worst_mm
