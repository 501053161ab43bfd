"""Points on ring lines → pose, camera and line radii of a board, with covariance.

Knows least squares on ring evidence. Refuses to know how the evidence was found in an image, and
which way up the board lies: circles do not say (see ``turned``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.transform import Rotation

from calibration.board import SCALE_RADIUS_MM, BoardSpec, oval
from calibration.camera import Camera, FloatArray
from calibration.least_squares import Solution, robust_least_squares
from calibration.pose import Pose, View

#: A phone camera's main lens spans 23 to 28 mm (35 mm film equivalent); crops make it longer.
#: Focal length over the long side: 26 mm / 34.6 mm, and one standard deviation of its logarithm.
PRIOR_FOCAL_SIDES, PRIOR_FOCAL_LOG_SIGMA = 0.75, 0.12
#: The same when EXIF names the focal length: whole millimetres, focus breathing, stabiliser crops.
EXIF_FOCAL_LOG_SIGMA = 0.03
#: The lens looks through the middle of the picture unless somebody cropped it; one standard
#: deviation over the long side, for a camera's own picture shape and for any other shape.
CENTRE_SIGMA_SIDES, CROPPED_CENTRE_SIGMA_SIDES = 0.01, 0.03
#: Radial distortion that phones leave in their pictures.
PRIOR_K1_SIGMA = 0.04
#: Home-made boards stray from 1 : 2 : 3; one standard deviation of a line's log radius. A board
#: that turns out within the second of them of 1 : 2 : 3 was made to it, to within the third.
PRIOR_RADIUS_LOG_SIGMA, _MADE_TO_MEASURE, _MAKING_LOG_SIGMA = 0.08, 0.025, 0.006
#: Rings are drawn concentric to within about this; one standard deviation along each axis, mm.
PRIOR_CENTRE_SIGMA_MM = 0.4
#: Rings are round to within about this share of their radius, one standard deviation.
PRIOR_OVALITY_SIGMA = 0.002
#: Neighbouring points of a ring share their error (an oval ring, a warped board): so many count as
#: one.
_SHARED_ERROR = 8.0
#: Ring points are never better than this, px: sub-pixel bias of painted lines in a JPEG.
_MIN_SCALE_PX = 0.1

#: Order of the fitted parameters.
_TURN, _SHIFT, _FOCAL, _K1, _CX, _CY, _R15, _R5 = slice(0, 3), slice(3, 6), 6, 7, 8, 9, 10, 11
_CENTRE_15, _CENTRE_5 = slice(12, 14), slice(14, 16)
_OVALITY = slice(16, 18)
_PARAMETERS = 18
_CAMERA_AND_POSE = slice(0, 10)


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
    """What is believed about the lens before the fit: focal length and principal point, px."""

    focal_px: float
    focal_log_sigma: float
    centre_px: tuple[float, float]
    centre_sigma_px: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardFit:
    """A board that was found: the view of it, its measured sizes, and how well both are known.

    view         in pixels of the image that was fitted
    spec         this board's measured sizes
    residual_px  robust standard deviation of the ring evidence about the fit
    covariance   of (rotation vector rad (3,), translation mm (3,), log focal length, k1,
                 cx px, cy px): (10, 10); the rotation vector turns the camera frame
    """

    view: View
    spec: BoardSpec
    residual_px: float
    covariance: FloatArray

    def turned(self, angle_rad: float) -> BoardFit:
        """The same board with its frame turned counter-clockwise by ``angle_rad`` about z."""
        turn = Rotation.from_rotvec([0.0, 0.0, angle_rad]).as_matrix()
        pose = self.view.cam_from_board
        turned_pose = Pose(rotation=pose.rotation @ turn, translation_mm=pose.translation_mm)
        centres = np.array(self.spec.line_centres_mm) @ turn[:2, :2]
        c, s = self.spec.ovality
        double = 2 * angle_rad
        return replace(
            self,
            view=View(camera=self.view.camera, cam_from_board=turned_pose),
            spec=replace(
                self.spec, line_centres_mm=tuple((float(x), float(y)) for x, y in centres),
                ovality=(
                    c * np.cos(double) + s * np.sin(double),
                    s * np.cos(double) - c * np.sin(double),
                ),
            ),
        )

    def scaled(self, factor: float) -> BoardFit:
        """The same fit for the image resized by ``factor``."""
        unit = np.ones(10)
        unit[[_CX, _CY]] = factor
        return replace(
            self,
            view=self.view.scaled(factor),
            residual_px=self.residual_px * factor,
            covariance=self.covariance * np.outer(unit, unit),
        )


def fit_rings(
    evidence: RingPoints, start: View, line_radii_mm: tuple[float, ...], prior: LensPrior
) -> tuple[BoardFit, FloatArray]:
    """The board's fit, and how far each point was believed (n,) in 0..1.

    ``start`` is a rough view and ``line_radii_mm`` rough radii; only the 10-line's is exact, as it
    sets the scale. Raises numpy.linalg.LinAlgError when the points do not determine a board.
    """

    fit, weights = _fit_rings(evidence, start, line_radii_mm, prior, PRIOR_RADIUS_LOG_SIGMA)
    nominal = BoardSpec().line_radii_mm
    stray = np.log(np.array(fit.spec.line_radii_mm) / nominal)
    if np.all(np.abs(stray) < _MADE_TO_MEASURE):
        return _fit_rings(evidence, fit.view, nominal, prior, _MAKING_LOG_SIGMA)
    return fit, weights


def _fit_rings(
    evidence: RingPoints,
    start: View,
    line_radii_mm: tuple[float, ...],
    prior: LensPrior,
    radius_log_sigma: float,
) -> tuple[BoardFit, FloatArray]:
    def residual(x: FloatArray) -> FloatArray:
        shape = _decode(x, start)
        arm = shape.view.lift(evidence.points_px) - shape.centres_mm[evidence.ring]
        radius = shape.radii_mm[evidence.ring] * oval(
            np.arctan2(arm[:, 1], arm[:, 0]), shape.ovality
        )
        return (np.linalg.norm(arm, axis=-1) - radius) * evidence.px_per_mm

    nominal = BoardSpec().line_radii_mm
    mean = np.zeros(_PARAMETERS)
    mean[_FOCAL] = np.log(prior.focal_px / start.camera.fx_px)
    mean[_R15], mean[_R5] = np.log(nominal[0]), np.log(nominal[2])
    mean[_K1] = -start.camera.k1  # parameters are changes from the start; the prior is k1 = 0
    mean[_CX] = prior.centre_px[0] - start.camera.cx_px
    mean[_CY] = prior.centre_px[1] - start.camera.cy_px
    sigma = np.full(_PARAMETERS, np.inf)
    sigma[[_CX, _CY]] = prior.centre_sigma_px
    # Rings say nothing of the turn about the normal: 1 mrad keeps it where it is.
    sigma[_FOCAL], sigma[_K1] = prior.focal_log_sigma, PRIOR_K1_SIGMA
    sigma[_CENTRE_15] = sigma[_CENTRE_5] = PRIOR_CENTRE_SIGMA_MM
    sigma[_OVALITY] = PRIOR_OVALITY_SIGMA
    sigma[[_R15, _R5]] = radius_log_sigma
    sigma[_TURN] = 1.0
    begin = np.zeros(_PARAMETERS)
    begin[_R15], begin[_R5] = np.log(line_radii_mm[0]), np.log(line_radii_mm[2])
    solution = robust_least_squares(
        residual,
        begin,
        steps=np.array([1e-4] * 3 + [1e-2] * 3 + [1e-4, 1e-4, 0.1, 0.1, 1e-4, 1e-4] + [1e-2] * 4 + [1e-4] * 2),
        prior_mean=mean,
        prior_sigma=sigma / np.sqrt(_SHARED_ERROR),
        min_scale=_MIN_SCALE_PX,
    )
    return _board_fit(solution, start), solution.weights


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Shape:
    """What the parameters stand for."""

    view: View
    radii_mm: FloatArray  # (3,)
    centres_mm: FloatArray  # (3, 2)
    ovality: FloatArray  # (2,)


def _decode(x: FloatArray, start: View) -> _Shape:
    camera, pose = start.camera, start.cam_from_board
    stretch = float(np.exp(x[_FOCAL]))
    view = View(
        camera=Camera(
            fx_px=camera.fx_px * stretch,
            fy_px=camera.fy_px * stretch,
            cx_px=camera.cx_px + float(x[_CX]),
            cy_px=camera.cy_px + float(x[_CY]),
            k1=camera.k1 + float(x[_K1]),
            k2=camera.k2,
        ),
        cam_from_board=Pose(
            rotation=Rotation.from_rotvec(x[_TURN]).as_matrix() @ pose.rotation,
            translation_mm=pose.translation_mm + x[_SHIFT],
        ),
    )
    radii = np.array([np.exp(x[_R15]), SCALE_RADIUS_MM, np.exp(x[_R5])])
    centres = np.stack([x[_CENTRE_15], np.zeros(2), x[_CENTRE_5]])
    return _Shape(view=view, radii_mm=radii, centres_mm=centres, ovality=x[_OVALITY])


def _board_fit(solution: Solution, start: View) -> BoardFit:
    shape = _decode(solution.parameters, start)
    r15, r10, r5 = (float(r) for r in shape.radii_mm)
    log_sigmas = np.sqrt(np.diag(solution.covariance) * _SHARED_ERROR)
    nominal = BoardSpec()
    growth = r5 / nominal.line_radii_mm[2]
    spec = BoardSpec(
        line_radii_mm=(r15, r10, r5),
        line_sigmas_mm=(r15 * float(log_sigmas[_R15]), 0.0, r5 * float(log_sigmas[_R5])),
        line_centres_mm=tuple((float(x), float(y)) for x, y in shape.centres_mm),
        ovality=(float(shape.ovality[0]), float(shape.ovality[1])),
        hole_radius_mm=nominal.hole_radius_mm * growth,
        surface_radius_mm=nominal.surface_radius_mm * growth,
        post_ring_radius_mm=r15,
    )
    return BoardFit(
        view=shape.view,
        spec=spec,
        residual_px=solution.scale,
        covariance=solution.covariance[_CAMERA_AND_POSE, _CAMERA_AND_POSE] * _SHARED_ERROR,
    )
