"""A board without visible lines, fitted to its eight posts and the edge of its surface.

Glare and distance hide painted lines, but not upright posts or the step at the surface's edge. An
ellipse that may be that edge is a rough view, wrong by a few centimetres if it also includes a
shadow. The ring of posts is searched about it, and posts and edge are then fitted together, round
by round. Posts set the scale. They are assumed to stand on the 15-line, and the other lines to be
nominal. Boards with fewer than six visible posts are not found, and neither are home-made ones
whose surface is less than three times as wide as their ring of posts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from calibration.board import BoardSpec, FloatArray
from calibration.circle import circle_mm
from calibration.fit import PARAMS as FIT
from calibration.fit import BoardFit
from calibration.lens_prior import LensPrior
from calibration.numerics.least_squares import NormalPrior, robust_least_squares
from calibration.parameters import StageParameters, parameter
from calibration.pose import View
from calibration.ring_residuals import CAMERA_AND_POSE, CX, CY, FOCAL, K1, decode_model
from vision.board.posts import TracedPosts, trace_posts
from vision.board.rings import PROFILE_AZIMUTHS
from vision.rectify.ring_profiles import measure_radial_mm_per_px, sample_rings


class PostFitParameters(StageParameters):
    """Parameters of ``post_fit``. Sigmas are one standard deviation."""

    stage: ClassVar[str] = "board.post_fit"

    #: Search distance from the predicted edge of the surface, round by round.
    reaches_px: tuple[float, ...] = parameter(
        (8.0, 6.0, 4.0, 3.0),
        unit="px",
        source="measured on our renders at 78°: ellipses are up to 6 px off",
    )
    #: A step in brightness is measured over this distance on both sides.
    edge_px: float = parameter(1.5, unit="px", source="chosen: the width of an edge with its blur")
    #: Of the steps at least this strong, relative to the strongest, the innermost is the surface's
    #: edge: the lower end of its side and the shadow there are further out.
    rival_share: float = parameter(
        0.6, unit="share", source="chosen: the same ratio as for lines (board.line_radii)"
    )
    min_step_grey: float = parameter(
        4.0, unit="grey value", source="chosen: twice the noise of a JPEG"
    )
    #: The surface's radius, and its deviation among boards.
    surface_radius: float = parameter(
        3.21,
        unit="15-lines",
        source="measured: edges of our renders and photographs are at 3.1 to 3.3",
    )
    surface_log_sigma: float = parameter(
        0.05,
        unit="log",
        source="chosen: twice the range of surfaces, so that the edge in the picture decides",
    )
    min_posts: int = parameter(
        6, unit="posts", source="chosen: two of the eight posts may be hidden"
    )
    min_edge_points: int = parameter(
        36,
        unit="points",
        source="chosen: three tenths of the edge's points, which are found even from a rough view",
    )
    min_scale_px: float = parameter(
        0.3, unit="px", source="chosen: posts stand within about a millimetre of their ring"
    )
    #: Deviation of a board's lines from the places predicted by its posts.
    line_log_sigma: float = parameter(
        0.015, unit="log", source="chosen: posts stand within 1.5 mm of the 15-line's 101.6 mm"
    )


PARAMS = PostFitParameters()
#: Step across the surface's edge: half a pixel.
_STEP_PX = 0.5
#: Parameters are those of camera and pose (see ``ring_residuals``), then the log of the surface's
#: radius; these are the steps of numerical differentiation. Lines are nominal.
_SURFACE = CAMERA_AND_POSE.stop
_STEPS = np.array([1e-5] * 3 + [0.01] * 3 + [1e-4, 1e-4, 0.05, 0.05, 1e-5])
_NO_STRAY = np.append(np.log(np.array(BoardSpec().line_radii_mm)[[0, 2]]), np.zeros(6))


def fit_posts_and_edge(
    grey: np.ndarray, view: View, surface_radius_mm: float, prior: LensPrior
) -> BoardFit | None:
    """The fit of posts and surface's edge near their places in a rough view, in its pixels.

    ``grey`` is (h, w) uint8, ``prior`` in its pixels. None if too few of them show, or if the
    surface would end inside the 5-line.
    """
    fit: BoardFit | None = None
    try:
        spec = replace(BoardSpec(), surface_radius_mm=surface_radius_mm)
        for reach_px in PARAMS.reaches_px:
            posts = trace_posts(grey, view, spec)
            edge = _trace_edge(grey, view, spec.surface_radius_mm, reach_px)
            if (
                len(posts.points_px) < PARAMS.min_posts
                or len(edge.points_px) < PARAMS.min_edge_points
            ):
                return None
            fit = _solve(posts, edge, view, spec.surface_radius_mm, prior)
            view, spec = fit.view, fit.spec
    except (np.linalg.LinAlgError, ValueError):
        return None
    return fit


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _TracedEdge:
    """Points (n, 2) px on the surface's edge, and image length (n,) of a millimetre across it."""

    points_px: FloatArray
    px_per_mm: FloatArray


def _trace_edge(grey: np.ndarray, view: View, radius_mm: float, reach_px: float) -> _TracedEdge:
    """Sub-pixel points on the surface's edge, near its place in a rough view."""
    azimuths = np.arange(PROFILE_AZIMUTHS) * (2 * np.pi / PROFILE_AZIMUTHS)
    px_mm = measure_radial_mm_per_px(view, radius_mm, azimuths)
    half = int(round(PARAMS.edge_px / _STEP_PX))
    count = int(round(reach_px / _STEP_PX))
    offsets = _STEP_PX * np.arange(-count - half, count + half + 1)
    strip = sample_rings(grey, view, radius_mm + offsets * px_mm[:, None], azimuths)
    total = np.pad(np.cumsum(strip, axis=1, dtype=np.float64), ((0, 0), (1, 0)))
    mean = (total[:, half + 1 :] - total[:, : -half - 1]) / (half + 1)
    step = np.nan_to_num(np.abs(mean[:, half:] - mean[:, :-half]))
    offsets = offsets[half:-half]
    least = np.maximum(PARAMS.rival_share * step.max(axis=1), PARAMS.min_step_grey)
    inner, middle, outer = step[:, :-2], step[:, 1:-1], step[:, 2:]
    is_edge = (middle >= inner) & (middle > outer) & (middle >= least[:, None])
    row = np.flatnonzero(is_edge.any(axis=1))
    at = is_edge[row].argmax(axis=1)  # the innermost of the strong steps
    inner, middle, outer = inner[row, at], middle[row, at], outer[row, at]
    # the vertex of the parabola through the three strengths
    vertex = 0.5 * (inner - outer) / np.minimum(inner - 2 * middle + outer, -1e-9)
    offset_px = offsets[at + 1] + _STEP_PX * vertex
    direction = np.stack([np.cos(azimuths[row]), np.sin(azimuths[row])], axis=-1)
    points_mm = direction * (radius_mm + offset_px * px_mm[row])[:, None]
    return _TracedEdge(points_px=view.project_plane(points_mm), px_per_mm=1.0 / px_mm[row])


def _solve(
    posts: TracedPosts, edge: _TracedEdge, start: View, surface_mm: float, lens: LensPrior
) -> BoardFit:
    """The fit of traced points, from a rough view and a rough radius of the surface."""
    r15, _, _ = BoardSpec().line_radii_mm
    axes_mm = np.full((len(posts.azimuth_rad), 3), posts.height_mm)
    axes_mm[:, 0], axes_mm[:, 1] = np.cos(posts.azimuth_rad), np.sin(posts.azimuth_rad)
    axes_mm[:, :2] *= r15
    post_weight = math.sqrt(FIT.points_per_error)  # each post has its own error

    def compute_residuals(x: FloatArray) -> FloatArray:
        view = decode_model(np.append(x[:_SURFACE], _NO_STRAY), start).view
        away_mm = np.linalg.norm(view.unproject_plane(edge.points_px), axis=-1)
        beside_px = ((posts.points_px - view.project(axes_mm)) * posts.across).sum(axis=-1)
        return np.concatenate(
            [(away_mm - np.exp(x[_SURFACE])) * edge.px_per_mm, post_weight * beside_px]
        )

    def model(x: FloatArray) -> tuple[FloatArray, FloatArray]:
        here = compute_residuals(x)
        moved = [(compute_residuals(x + step) - here) / step.sum() for step in np.diag(_STEPS)]
        return here, np.stack(moved, axis=-1)

    camera = start.camera
    mean, sigma = np.zeros(_SURFACE + 1), np.full(_SURFACE + 1, np.inf)
    mean[FOCAL], sigma[FOCAL] = np.log(lens.focal_px / camera.fx_px), lens.focal_log_sigma
    mean[K1], sigma[K1] = lens.k1 - camera.k1, lens.k1_sigma
    mean[[CX, CY]] = np.subtract(lens.centre_px, (camera.cx_px, camera.cy_px))
    sigma[[CX, CY]] = lens.centre_sigma_px
    mean[_SURFACE], sigma[_SURFACE] = np.log(PARAMS.surface_radius * r15), PARAMS.surface_log_sigma
    solution = robust_least_squares(
        model,
        np.append(np.zeros(_SURFACE), np.log(surface_mm)),
        prior=NormalPrior(mean=mean, sigma=sigma / post_weight),
        min_scale=PARAMS.min_scale_px,
    )
    covariance = solution.covariance * FIT.points_per_error
    view = decode_model(np.append(solution.parameters[:_SURFACE], _NO_STRAY), start).view
    covariance = covariance[CAMERA_AND_POSE, CAMERA_AND_POSE]
    return BoardFit(
        view=view,
        spec=replace(
            BoardSpec(),
            line_sigmas_mm=_estimate_line_sigmas(view, covariance),
            surface_radius_mm=float(np.exp(solution.parameters[_SURFACE])),
        ),
        residual_px=solution.scale,
        covariance=covariance,
    )


def _estimate_line_sigmas(view: View, covariance: FloatArray) -> tuple[float, float, float]:
    """Sigma of each line's place, mm: the view's error and the board's own."""
    sigmas = []
    for radius_mm in BoardSpec().line_radii_mm:
        line_px = view.project_plane(circle_mm((0.0, 0.0), radius_mm, PROFILE_AZIMUTHS))
        moved = []
        for step in np.diag(_STEPS[:_SURFACE]):
            other = decode_model(np.append(step, _NO_STRAY), view).view
            away_mm = np.linalg.norm(other.unproject_plane(line_px), axis=-1)
            moved.append((away_mm - radius_mm) / step.sum())
        variance = np.einsum("kn,kl,ln->n", moved, covariance, moved).mean()
        sigmas.append(math.hypot(math.sqrt(variance), PARAMS.line_log_sigma * radius_mm))
    return sigmas[0], sigmas[1], sigmas[2]
