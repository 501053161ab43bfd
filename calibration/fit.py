"""Fits a board's pose, camera and line shapes to points on its ring lines, with covariance.

Robust least squares (Levenberg-Marquardt with Tukey's biweight) on the points' distances from their
rings (see ``ring_residuals``), with normal priors on the lens, the radii, the centres and a common
ovality: real rings are not perfect. It fails if fewer points than parameters are certain, or if
they determine an impossible board. Rings do not determine the board's rotation: quadrant lines or
posts do, and ``BoardFit.rotate`` turns the fit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from calibration.board import SCALE_RADIUS_MM, BoardSpec, FloatArray
from calibration.lens_prior import LensPrior
from calibration.numerics.least_squares import (
    MAD_TO_SIGMA,
    NormalPrior,
    Solution,
    biweight_loss,
    robust_least_squares,
)
from calibration.numerics.medians import upper_median
from calibration.parameters import StageParameters, parameter
from calibration.pose import Pose, View
from calibration.ring_residuals import (
    CAMERA_AND_POSE,
    CENTRE_5,
    CENTRE_15,
    CX,
    CY,
    FOCAL,
    K1,
    OVALITY,
    PARAMETER_COUNT,
    R5,
    R15,
    ROTATION,
    TRANSLATION,
    RingPoints,
    compute_residuals,
    decode_model,
)


class FitParameters(StageParameters):
    """Parameters of ``fit``. Sigmas are one standard deviation."""

    #: Radii other than 1 : 2 : 3 are accepted if their log-likelihood is higher by this much: two
    #: more free radii explain as much of the points by chance alone.
    min_log_likelihood_gain: float = parameter(
        5.0,
        unit="log",
        source="Schwarz's criterion: half of 2 log 70, for about 70 independent points; 27 "
        "renders and photographs of nominal boards gain up to 3.4, other boards 10 and "
        "more",
    )
    #: Neighbouring points of a ring share their error: this many count as one point.
    points_per_error: float = parameter(
        6.0,
        unit="points",
        source="chosen: the length over which a warped board or a wavy line deviates alike",
    )
    min_scale_px: float = parameter(
        0.1, unit="px", source="chosen: the sub-pixel bias of painted lines in JPEG pictures"
    )
    min_points: int = parameter(
        30,
        unit="points",
        source="chosen: with fewer points, the priors would determine the 18 parameters",
    )
    #: Rings do not determine the rotation about the normal: this prior fixes it.
    rotation_sigma_rad: float = parameter(
        1.0, unit="rad", source="chosen: far wider than the error of any rough view"
    )
    radius_log_sigma: float = parameter(
        0.08, unit="log", source="chosen: the deviation of home-made boards' lines from 1 : 2 : 3"
    )
    #: A board whose fitted radii are within the first share of 1 : 2 : 3 was made to these
    #: proportions, and keeps them to within the second.
    nominal_log_tolerance: float = parameter(
        0.015, unit="log", source="chosen: 3 mm on the 10-line's radius of 203 mm"
    )
    nominal_log_sigma: float = parameter(
        0.002, unit="log", source="chosen: boards are made to 0.4 mm on a radius of 203 mm"
    )
    centre_sigma_mm: float = parameter(
        0.4,
        unit="mm",
        source="chosen: rings are drawn concentric to within about this, along either axis",
    )
    ovality_sigma: float = parameter(
        0.002, unit="share", source="chosen: rings are round to within about this"
    )


PARAMS = FitParameters()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _RadiusPrior:
    """Prior radii (3,) of the lines, and one sigma of their logarithm."""

    radii_mm: FloatArray
    log_sigma: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardFit:
    """A fitted board: its view, its measured sizes, and their uncertainty.

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

    @property
    def focal_log_sigma(self) -> float:
        """One standard deviation of the log focal length."""
        return float(np.sqrt(self.covariance[FOCAL, FOCAL]))

    def rotate(self, angle_rad: float) -> BoardFit:
        """The same board with its frame turned counter-clockwise by ``angle_rad`` about z."""
        turn = np.eye(3)
        turn[:2, 0] = np.cos(angle_rad), np.sin(angle_rad)
        turn[:2, 1] = -np.sin(angle_rad), np.cos(angle_rad)
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
        """The same fit, rescaled to the known sizes in ``spec``.

        If ``spec`` does not state the rings' shape, the fit's own centres and ovality are kept.
        They turn with the board, and a measured board rarely states them.
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
        unit[TRANSLATION] = scale
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
        unit[[CX, CY]] = factor
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

    ``start`` is a rough view, accurate to a few degrees, and ``line_radii_mm`` rough radii in the
    scale in which the 10-line's is ``SCALE_RADIUS_MM``; radii near 1 : 2 : 3 are taken as exactly
    that, unless the points contradict it. ``prior`` is in the points' pixels. ``known`` holds
    measured sizes from a profile, of which only the proportions are used here. Raises
    numpy.linalg.LinAlgError when the points do not determine a board, and ValueError when they are
    too few or determine an impossible one.
    """
    count = len(ring_points.ring)
    if count < PARAMS.min_points:
        raise ValueError(f"a board needs {PARAMS.min_points} ring points, got {count}")
    if known is not None:
        proportions = np.array(known.line_radii_mm) * SCALE_RADIUS_MM / known.line_radii_mm[1]
        expected = _RadiusPrior(radii_mm=proportions, log_sigma=PARAMS.nominal_log_sigma)
        solution = _solve_rings(ring_points, start, tuple(proportions), prior, expected)
        return _make_board_fit(solution, start, ring_points)
    nominal = np.array(BoardSpec().line_radii_mm)
    free = _RadiusPrior(radii_mm=nominal, log_sigma=PARAMS.radius_log_sigma)
    solution = _solve_rings(ring_points, start, line_radii_mm, prior, free)
    if np.all(np.abs(np.log(np.array(line_radii_mm) / nominal)) < PARAMS.nominal_log_tolerance):
        expected = _RadiusPrior(radii_mm=nominal, log_sigma=PARAMS.nominal_log_sigma)
        made_to_it = _solve_rings(ring_points, start, line_radii_mm, prior, expected)
        if _compute_gain(made_to_it, solution) < PARAMS.min_log_likelihood_gain:
            solution = made_to_it
    return _make_board_fit(solution, start, ring_points)


def _compute_gain(one: Solution, other: Solution) -> float:
    """Log-likelihood ratio of the other solution to this one, for the same points."""
    losses = (biweight_loss(solution.residuals, other.scale).sum() for solution in (one, other))
    loss, other_loss = (float(solution_loss) / PARAMS.points_per_error for solution_loss in losses)
    return loss - other_loss


def _solve_rings(
    ring_points: RingPoints,
    start: View,
    line_radii_mm: tuple[float, ...],
    lens: LensPrior,
    expected: _RadiusPrior,
) -> Solution:
    """The solution from ``start`` and rough radii, with priors on the lens and the lines' radii."""
    mean, sigma = np.zeros(PARAMETER_COUNT), np.full(PARAMETER_COUNT, np.inf)
    camera = start.camera  # fitted pose and camera parameters are changes from the start
    mean[FOCAL], sigma[FOCAL] = np.log(lens.focal_px / camera.fx_px), lens.focal_log_sigma
    mean[K1], sigma[K1] = lens.k1 - camera.k1, lens.k1_sigma
    mean[CX], mean[CY] = np.subtract(lens.centre_px, (camera.cx_px, camera.cy_px))
    sigma[[CX, CY]] = lens.centre_sigma_px
    mean[[R15, R5]], sigma[[R15, R5]] = np.log(expected.radii_mm[[0, 2]]), expected.log_sigma
    sigma[CENTRE_15] = sigma[CENTRE_5] = PARAMS.centre_sigma_mm
    sigma[OVALITY] = PARAMS.ovality_sigma
    sigma[ROTATION] = PARAMS.rotation_sigma_rad
    begin = np.zeros(PARAMETER_COUNT)
    begin[[R15, R5]] = np.log(line_radii_mm[0]), np.log(line_radii_mm[2])
    return robust_least_squares(
        lambda x: compute_residuals(x, ring_points, start),
        begin,
        # points that share their error weigh less, so priors weigh more
        prior=NormalPrior(mean=mean, sigma=sigma / np.sqrt(PARAMS.points_per_error)),
        min_scale=PARAMS.min_scale_px,
    )


def _make_board_fit(solution: Solution, start: View, ring_points: RingPoints) -> BoardFit:
    model = decode_model(solution.parameters, start)
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
        covariance=covariance[CAMERA_AND_POSE, CAMERA_AND_POSE],
    )


def _estimate_line_sigmas(
    solution: Solution, ring_points: RingPoints
) -> tuple[float, float, float]:
    """Local deviation of each line from its shape, mm: the robust scatter of its points (MAD).

    Errors of pose and radius are excluded: they move a disc and the line beside it alike.
    """

    def scatter(line: int) -> float:
        own = (ring_points.ring == line) & (solution.weights > 0)
        deviation_mm = np.abs(solution.residuals[own]) / ring_points.px_per_mm[own]
        return MAD_TO_SIGMA * upper_median(deviation_mm) if own.any() else 0.0

    return scatter(0), scatter(1), scatter(2)
