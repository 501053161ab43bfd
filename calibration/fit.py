"""Points on ring lines → pose, camera and line shapes of a board, with covariance.

Knows least squares on ring evidence. Refuses to know how the evidence was found in an image, and
which way up the board lies: circles do not say (see ``BoardFit.turned``).

The residual of a point is its distance from its ring, on the board, in pixels. Real rings are not
perfect: each has its own radius and centre, and all share an ovality, each with a prior.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import cv2
import numpy as np
from scipy.spatial.transform import Rotation

from calibration.board import SCALE_RADIUS_MM, BoardSpec, FloatArray
from calibration.camera import Camera
from calibration.parameters import StageParameters, parameter
from calibration.pose import Pose, View
from calibration.robust.least_squares import MAD_TO_SIGMA, Solution, robust_least_squares
from calibration.robust.medians import upper_median

#: A phone camera's main lens spans 23 to 28 mm (35 mm film equivalent); crops make it longer.
#: Focal length over the long side: 26 mm / 34.6 mm, and one standard deviation of its logarithm.
PRIOR_FOCAL_SIDES, PRIOR_FOCAL_LOG_SIGMA = 0.75, 0.12
#: The same of a picture whose shape no camera has: cropped, some by a quarter of the long side.
CROPPED_FOCAL_SIDES, CROPPED_FOCAL_LOG_SIGMA = 0.88, 0.2
#: The same when EXIF names the focal length: whole millimetres, focus breathing, stabiliser crops.
EXIF_FOCAL_LOG_SIGMA = 0.03
#: The lens looks through the middle of the picture unless somebody cropped it; one standard
#: deviation over the long side, for a camera's own picture shape and for any other shape.
CENTRE_SIGMA_SIDES, CROPPED_CENTRE_SIGMA_SIDES = 0.01, 0.03
#: Radial distortion that phones leave in their pictures.
PRIOR_K1_SIGMA = 0.06
#: Home-made boards stray from 1 : 2 : 3; one standard deviation of a line's log radius. A board
#: that turns out within the second of them of 1 : 2 : 3 was made to it, to within the third.
PRIOR_RADIUS_LOG_SIGMA, _NOMINAL_LOG_TOLERANCE, _NOMINAL_LOG_SIGMA = 0.08, 0.015, 0.002


@dataclass(frozen=True, slots=True, kw_only=True)
class FitParameters(StageParameters):
    """What ``fit`` takes for granted."""

    stage: ClassVar[str] = "fit"

    #: Lines that fit the points to within this, px, are as they were believed to be; where they do
    #: not, strays are believed that leave less than this share of the misfit.
    good_residual_px: float = parameter(0.2, unit="px", source="")
    better_residual_share: float = parameter(0.7, unit="share", source="")
    #: Neighbouring points of a ring share their error (a warped board, a wavy line): so many count
    #: as one.
    points_per_error: float = parameter(6.0, unit="", source="a warped board, a wavy line")
    #: Ring points are never better than this, px: sub-pixel bias of painted lines in a JPEG.
    min_scale_px: float = parameter(0.1, unit="px", source="")
    #: Fewer points leave the eighteen parameters to the priors.
    min_points: int = parameter(30, unit="", source="")
    #: Rings say nothing of the turn about the normal: this keeps it where it is, rad.
    rotation_sigma_rad: float = parameter(1.0, unit="rad", source="")
    parameter_count: int = parameter(18, unit="", source="")


PARAMS = FitParameters.active()
#: Rings are drawn concentric to within about this; one standard deviation along each axis, mm.
PRIOR_CENTRE_SIGMA_MM = 0.4
#: Rings are round to within about this share of their radius, one standard deviation.
PRIOR_OVALITY_SIGMA = 0.002

#: Order of the fitted parameters.
_ROTATION, _TRANSLATION, _FOCAL, _K1, _CX, _CY = slice(0, 3), slice(3, 6), 6, 7, 8, 9
_LENS, _CAMERA_AND_POSE = slice(6, 10), slice(0, 10)
_R15, _R5, _CENTRE_15, _CENTRE_5, _OVALITY = 10, 11, slice(12, 14), slice(14, 16), slice(16, 18)


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
class LensPrior:
    """What is believed about the lens before the fit: means and standard deviations."""

    focal_px: float
    focal_log_sigma: float
    centre_px: tuple[float, float]
    centre_sigma_px: float
    k1: float = 0.0
    k1_sigma: float = PRIOR_K1_SIGMA

    def camera(self) -> Camera:
        """The camera that is believed in."""
        return Camera(
            fx_px=self.focal_px,
            fy_px=self.focal_px,
            cx_px=self.centre_px[0],
            cy_px=self.centre_px[1],
            k1=self.k1,
        )

    def rescale(self, factor: float) -> LensPrior:
        """The same belief for the image resized by ``factor``."""
        x, y = self.centre_px
        return replace(
            self,
            focal_px=self.focal_px * factor,
            centre_px=((x + 0.5) * factor - 0.5, (y + 0.5) * factor - 0.5),
            centre_sigma_px=self.centre_sigma_px * factor,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardFit:
    """A fitted board: the view of it, its measured sizes, and how well both are known.

    view         in pixels of the image that was fitted
    spec         this board's measured sizes
    residual_px  robust standard deviation of the ring points about the fit
    covariance   of (rotation vector rad (3,), translation mm (3,), log focal length, k1,
                 cx px, cy px): (10, 10); the rotation vector turns the camera frame
    """

    view: View
    spec: BoardSpec
    residual_px: float
    covariance: FloatArray

    def rotate(self, angle_rad: float) -> BoardFit:
        """The same board with its frame turned counter-clockwise by ``angle_rad`` about z."""
        turn = Rotation.from_rotvec([0.0, 0.0, angle_rad]).as_matrix()
        pose = self.view.cam_from_board
        turned_pose = Pose(rotation=pose.rotation @ turn, translation_mm=pose.translation_mm)
        centres = np.array(self.spec.line_centres_mm) @ turn[:2, :2]
        c, s = self.spec.ovality
        cos, sin = np.cos(2 * angle_rad), np.sin(2 * angle_rad)
        return replace(
            self,
            view=View(camera=self.view.camera, cam_from_board=turned_pose),
            spec=replace(
                self.spec,
                line_centres_mm=tuple((float(x), float(y)) for x, y in centres),
                ovality=(float(c * cos + s * sin), float(s * cos - c * sin)),
            ),
        )

    def rescale_to_spec(self, spec: BoardSpec) -> BoardFit:
        """The same fit for a board whose sizes are known: ``spec`` and its scale hold.

        Where ``spec`` says nothing of the rings' shape, the fit's own centres and ovality stay:
        they turn with the board, so that a measured board rarely states them.
        """
        scale = spec.line_radii_mm[1] / self.spec.line_radii_mm[1]
        if not np.any(spec.ovality) and not np.any(spec.line_centres_mm):
            centres = scale * np.array(self.spec.line_centres_mm)
            spec = replace(
                spec,
                line_centres_mm=tuple((float(x), float(y)) for x, y in centres),
                ovality=self.spec.ovality,
            )
        pose = self.view.cam_from_board
        unit = np.ones(10)
        unit[_TRANSLATION] = scale
        return replace(
            self,
            view=View(
                camera=self.view.camera,
                cam_from_board=Pose(
                    rotation=pose.rotation, translation_mm=pose.translation_mm * scale
                ),
            ),
            spec=spec,
            covariance=self.covariance * np.outer(unit, unit),
        )

    def rescale(self, factor: float) -> BoardFit:
        """The same fit for the image resized by ``factor``."""
        unit = np.ones(10)
        unit[[_CX, _CY]] = factor
        return replace(
            self,
            view=self.view.rescale(factor),
            residual_px=self.residual_px * factor,
            covariance=self.covariance * np.outer(unit, unit),
        )


def fit_rings(
    ring_points: RingPoints,
    start: View,
    line_radii_mm: tuple[float, ...],
    prior: LensPrior,
    known: BoardSpec | None = None,
) -> BoardFit:
    """The board whose rings run through the points.

    ``start`` is a rough view and ``line_radii_mm`` rough radii in the scale in which the 10-line's
    is ``SCALE_RADIUS_MM``; radii near 1 : 2 : 3 are believed to be meant so, unless the points say
    otherwise. ``known`` holds measured sizes from a profile, of which only the proportions are used
    here. Raises numpy.linalg.LinAlgError when the points do not determine a board, and ValueError
    when they determine an impossible one.
    """
    count = len(ring_points.ring)
    if count < PARAMS.min_points:
        raise ValueError(f"a board needs {PARAMS.min_points} ring points, got {count}")
    if known is not None:
        proportions = np.array(known.line_radii_mm) * SCALE_RADIUS_MM / known.line_radii_mm[1]
        return _fit_rings(ring_points, start, tuple(proportions), proportions, prior)
    nominal = np.array(BoardSpec().line_radii_mm)
    nominal_fit: BoardFit | None = None
    if np.all(np.abs(np.log(np.array(line_radii_mm) / nominal)) < _NOMINAL_LOG_TOLERANCE):
        nominal_fit = _fit_rings(ring_points, start, line_radii_mm, nominal, prior)
        if nominal_fit.residual_px < PARAMS.good_residual_px:
            return nominal_fit
    free_fit = _fit_rings(ring_points, start, line_radii_mm, nominal, prior, PRIOR_RADIUS_LOG_SIGMA)
    if (
        nominal_fit is not None
        and free_fit.residual_px > PARAMS.better_residual_share * nominal_fit.residual_px
    ):
        return nominal_fit
    return free_fit


def _fit_rings(
    ring_points: RingPoints,
    start: View,
    line_radii_mm: tuple[float, ...],
    prior_radii_mm: FloatArray,
    prior: LensPrior,
    radius_log_sigma: float = _NOMINAL_LOG_SIGMA,
) -> BoardFit:
    """The fit with lines believed to have the radii ``prior_radii_mm`` (3,)."""
    mean, sigma = np.zeros(PARAMS.parameter_count), np.full(PARAMS.parameter_count, np.inf)
    camera = start.camera  # parameters of pose and camera are changes from the start
    mean[_FOCAL], sigma[_FOCAL] = np.log(prior.focal_px / camera.fx_px), prior.focal_log_sigma
    mean[_K1], sigma[_K1] = prior.k1 - camera.k1, prior.k1_sigma
    mean[_CX], mean[_CY] = np.subtract(prior.centre_px, (camera.cx_px, camera.cy_px))
    sigma[[_CX, _CY]] = prior.centre_sigma_px
    mean[[_R15, _R5]], sigma[[_R15, _R5]] = np.log(prior_radii_mm[[0, 2]]), radius_log_sigma
    sigma[_CENTRE_15] = sigma[_CENTRE_5] = PRIOR_CENTRE_SIGMA_MM
    sigma[_OVALITY] = PRIOR_OVALITY_SIGMA
    sigma[_ROTATION] = PARAMS.rotation_sigma_rad
    begin = np.zeros(PARAMS.parameter_count)
    begin[[_R15, _R5]] = np.log(line_radii_mm[0]), np.log(line_radii_mm[2])
    solution = robust_least_squares(
        lambda x: _compute_residuals(x, ring_points, start),
        begin,
        prior_mean=mean,
        # points that share their error weigh less, which is to say that priors weigh more
        prior_sigma=sigma / np.sqrt(PARAMS.points_per_error),
        min_scale=PARAMS.min_scale_px,
    )
    return _make_board_fit(solution, start, ring_points)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _BoardModel:
    """What the parameters stand for."""

    view: View
    radii_mm: FloatArray  # (3,)
    centres_mm: FloatArray  # (3, 2)
    ovality: FloatArray  # (2,)


def _decode(x: FloatArray, start: View) -> _BoardModel:
    camera, pose = start.camera, start.cam_from_board
    focal_factor = float(np.exp(x[_FOCAL]))
    view = View(
        camera=Camera(
            fx_px=camera.fx_px * focal_factor,
            fy_px=camera.fy_px * focal_factor,
            cx_px=camera.cx_px + float(x[_CX]),
            cy_px=camera.cy_px + float(x[_CY]),
            k1=camera.k1 + float(x[_K1]),
            k2=camera.k2,
        ),
        cam_from_board=Pose(
            # once an evaluation: a tenth of the time that scipy's Rotation takes
            rotation=cv2.Rodrigues(x[_ROTATION])[0] @ pose.rotation,
            translation_mm=pose.translation_mm + x[_TRANSLATION],
        ),
    )
    radii = np.array([np.exp(x[_R15]), SCALE_RADIUS_MM, np.exp(x[_R5])])
    centres = np.stack([x[_CENTRE_15], np.zeros(2), x[_CENTRE_5]])
    return _BoardModel(view=view, radii_mm=radii, centres_mm=centres, ovality=x[_OVALITY])


def _compute_residuals(
    x: FloatArray, ring_points: RingPoints, start: View
) -> tuple[FloatArray, FloatArray]:
    """Distances of the points from their rings in px (n,), and their Jacobian (n, parameters).

    A small motion of the camera-frame point v moves the board point by v's shadow along the ray on
    the board. What counts of that shadow is its part across the ring, which is linear in v: a
    covector (3,) of each point, of which every column of the Jacobian is one small motion's part.
    """
    model, ring = _decode(x, start), ring_points.ring
    camera, pose = model.view.camera, model.view.cam_from_board
    ray = camera.rays(ring_points.points_px).T
    direction, camera_mm = pose.rotation.T @ ray, pose.camera_board_mm
    depth = -camera_mm[2] / direction[2]
    point = camera_mm[:2, None] + depth * direction[:2]
    arm = point - model.centres_mm.take(ring, axis=0).T
    length = np.sqrt(arm[0] ** 2 + arm[1] ** 2)
    along = arm / length
    cos, sin = along[0] ** 2 - along[1] ** 2, 2 * along[0] * along[1]  # of twice the azimuth
    radius = model.radii_mm.take(ring)
    round_part = 1.0 + model.ovality[0] * cos + model.ovality[1] * sin

    rise = -(along * direction[:2]).sum(axis=0) / direction[2]
    covector = pose.rotation @ np.stack([along[0], along[1], rise])
    rows = np.zeros((PARAMS.parameter_count, len(ring)))
    rows[_ROTATION] = _rotation_jacobian(
        x[_ROTATION], ray * depth - pose.translation_mm[:, None], covector
    )
    rows[_TRANSLATION] = -covector
    rows[_LENS] = _lens_jacobian(camera, ray, covector) * depth
    # The ovality's own change of azimuth is of second order and left out.
    for radius_row, centre, line in ((_R15, _CENTRE_15, 0), (_R5, _CENTRE_5, 2)):
        own = ring == line
        rows[radius_row] = np.where(own, -radius * round_part, 0.0)
        rows[centre] = np.where(own, -along, 0.0)
    rows[_OVALITY] = -radius * np.stack([cos, sin])
    scale = ring_points.px_per_mm
    return (length - radius * round_part) * scale, (rows * scale).T


def _rotation_jacobian(rotation: FloatArray, lever: FloatArray, covector: FloatArray) -> FloatArray:
    """Parts (3, n) along the covectors of how points at the levers (3, n) move with the turn."""
    # Left Jacobian of the rotation vector, to second order: turns stay below a few degrees.
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
    """Parts (4, n) of how rays (3, n) with z = 1 move with log focal length, k1, cx and cy."""
    r2 = ray[0] ** 2 + ray[1] ** 2
    r = np.sqrt(np.maximum(r2, 1e-18))
    factor = 1 + r2 * (camera.k1 + r2 * camera.k2)
    slope = 1 + r2 * (3 * camera.k1 + 5 * r2 * camera.k2)
    radial = ray[:2] / r
    outward = (radial * covector[:2]).sum(axis=0)  # part of a motion away from the middle
    centre = (-radial * outward / slope + (radial * outward - covector[:2]) / factor) / np.array(
        [[camera.fx_px], [camera.fy_px]]
    )
    return np.stack([-r * factor / slope * outward, -(r**3) / slope * outward, *centre])


def _make_board_fit(solution: Solution, start: View, ring_points: RingPoints) -> BoardFit:
    model = _decode(solution.parameters, start)
    covariance = solution.covariance * PARAMS.points_per_error
    r15, r10, r5 = (float(r) for r in model.radii_mm)
    nominal = BoardSpec()
    growth = r5 / nominal.line_radii_mm[2]
    spec = BoardSpec(
        line_radii_mm=(r15, r10, r5),
        line_sigmas_mm=_estimate_line_sigmas(solution, ring_points),
        line_centres_mm=tuple((float(x), float(y)) for x, y in model.centres_mm),
        ovality=(float(model.ovality[0]), float(model.ovality[1])),
        hole_radius_mm=nominal.hole_radius_mm * growth,
        surface_radius_mm=nominal.surface_radius_mm * growth,
        post_ring_radius_mm=r15,
    )
    return BoardFit(
        view=model.view,
        spec=spec,
        residual_px=solution.scale,
        covariance=covariance[_CAMERA_AND_POSE, _CAMERA_AND_POSE],
    )


def _estimate_line_sigmas(
    solution: Solution, ring_points: RingPoints
) -> tuple[float, float, float]:
    """How far each line strays from its shape here and there, mm: its points' robust scatter.

    A disc is held against the line beside it, so that errors of pose and radius, which move both
    alike, do not count.
    """

    def scatter(line: int) -> float:
        own = (ring_points.ring == line) & (solution.weights > 0)
        stray_mm = np.abs(solution.residuals[own]) / ring_points.px_per_mm[own]
        return MAD_TO_SIGMA * upper_median(stray_mm) if own.any() else 0.0

    return scatter(0), scatter(1), scatter(2)
