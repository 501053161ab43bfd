"""Bundle fit: the bases of all flat discs of one picture, fitted together with the sizes that they
share.

To first order in the base (x, y), the radius R, the height h and the top edge's rounding radius r,
an outline found ``t`` mm out along its normal m gives

    t = m_x dx + m_y dy + cos(e) dR + [on top] (sin(e) dh + (1 - cos(e) - sin(e)) dr)           (1)

at the elevation e of m. All are solved by iteratively reweighted least squares with weights of
Student's law. As in bundle adjustment (Triggs et al. 2000), the bases are eliminated first by the
Schur complement, so thirty discs cost little more than one. Circles that are not discs are fitted
too, and distort the shared sizes a little.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.camera import FloatArray
from calibration.disc import DiscSpec
from calibration.parameters import StageParameters, parameter
from calibration.pose import View
from vision.discs.outline.contour import Contour, DiscGeometry, FlatDiscs, compute_contour
from vision.discs.outline.edge_network import OutlineEdges, predict_outline_edges
from vision.discs.outline.outline_fit import DIRECTIONS
from vision.discs.outline.posed_image import PosedImage


class BundleFitParameters(StageParameters):
    """Parameters of ``bundle_fit``."""

    #: The top edge's rounding and its sigma.
    top_round_mm: float = parameter(
        1.5, unit="mm", source="chosen: turned discs are worn and sanded at that edge"
    )
    top_round_sigma_mm: float = parameter(
        0.8, unit="mm", source="chosen: 2 sigmas to either side then cover 0 to 3 mm"
    )
    #: Share of a disc's directions with independent errors: 64 count as three.
    independent_share: float = parameter(
        0.05, unit="share", source="chosen: light shifts whole sides of a rim alike"
    )
    #: Error of any outline caused by light from one side, across the line of sight, and of the
    #: radius caused by shade and glints.
    shading_sigma_mm: float = parameter(
        0.2, unit="mm", source="chosen: about the same as for the radius (radius_shading_sigma_mm)"
    )
    #: Error of a wall's edges, along the wall, caused by contact shadows and the surface's mirror
    #: image; a disc's position is affected by the wall's share of its visible area.
    wall_sigma_px: float = parameter(
        0.75,
        unit="px",
        source="measured on renders at 35 to 78°: with it, base centres are one sigma off in depth",
    )
    #: Further error of an outline's place as long as none of it was seen.
    outline_sigma_px: float = parameter(
        0.2, unit="px", source="measured on photographs and renders: medians of 0.14 to 0.28"
    )
    #: Bases of outlines fitted alone are kept, unless the bundle's are within this: then the
    #: average of both is better.
    agree_mm: float = parameter(
        2.5,
        unit="mm",
        source="measured on 39 renders at 60 to 78°: with 2 to 3 mm, sideways errors are a "
        "tenth smaller",
    )
    radius_shading_sigma_mm: float = parameter(
        0.17,
        unit="mm",
        source="measured on 25 renders: with it, radii are one sigma off on average; without "
        "it 3.4",
    )
    #: An outline's misfit counts as at most this many sigmas in a disc's misfit.
    max_sigmas: float = parameter(
        5.0, unit="σ", source="chosen: so that one glint cannot decide the fit"
    )


PARAMS = BundleFitParameters()
#: Least rounding of the top edge.
_MIN_TOP_ROUND_MM = 0.2
#: No outline is assumed to be farther than this from the guess: just inside the ends of the
#: network's lines, at 3.2 mm.
_MAX_OFFSET_MM = 3.0
#: Rounds of finding the outlines: more of them cost time and change little.
_ROUNDS = 3
#: Rounds of weighting in each of them: more of them cost time and change little.
_WEIGHTINGS = 4
#: Rounding of the bottom edge, mm, with which the network was trained; it is hardly visible.
BOTTOM_ROUND_MM = 0.5
#: Degrees of freedom of Student's law, with which the network was trained.
STUDENT_FREEDOM = 4.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BundleFit:
    """Flat discs fitted with one shape.

    base_mm         board frame: (n, 2)
    covariance_mm2  with the uncertainty of the shape: (n, 2, 2); larger where outlines disagree
    size_sigma_mm   of radius and height: (2,)
    """

    base_mm: FloatArray
    covariance_mm2: FloatArray
    shape: DiscGeometry
    size_sigma_mm: FloatArray

    @property
    def size(self) -> DiscSpec:
        """The discs' sizes, with their sigmas."""
        return DiscSpec(
            radius_mm=self.shape.radius_mm,
            radius_sigma_mm=float(self.size_sigma_mm[0]),
            height_mm=self.shape.height_mm,
            height_sigma_mm=float(self.size_sigma_mm[1]),
        )


def fit_bundle(
    picture: PosedImage,
    base_mm: FloatArray,
    shape: DiscGeometry,
    size_sigma_mm: tuple[float, float],
    *,
    is_oblique: bool = False,
    keeps_bases: bool = False,
) -> BundleFit:
    """Bases and shared sizes of flat discs whose bases were known to 3 mm, ``base_mm`` (n, 2).

    The radius and height of ``shape``, with ``size_sigma_mm``, are the prior of the sizes. In an
    oblique view (``is_oblique``) all discs' shadows make them look higher in the same way, so the
    pixels carry less information about the height than their outlines suggest.
    """
    base = np.array(base_mm, dtype=np.float64).reshape(-1, 2)
    wall_mm = (
        PARAMS.wall_sigma_px / _measure_wall_px_per_mm(picture.view, base) if is_oblique else 0.0
    )
    prior = np.array([shape.radius_mm, shape.height_mm, PARAMS.top_round_mm])
    prior_sigma = np.array([*size_sigma_mm, PARAMS.top_round_sigma_mm])
    size = prior
    for _ in range(_ROUNDS):
        outline = compute_contour(
            picture.camera_mm, FlatDiscs.of_shape(base, _make_geometry(size)), DIRECTIONS
        )
        edges = predict_outline_edges(picture.image, picture.view, outline)
        solved = _solve(outline, edges, prior - size, prior_sigma, wall_mm)
        base, size = base + solved.move, size + solved.size_move
        size[2] = max(size[2], _MIN_TOP_ROUND_MM)
    unseen_mm2 = np.array([PARAMS.radius_shading_sigma_mm**2, 0.0])
    wall_sigma_px = 0.0 if keeps_bases else PARAMS.wall_sigma_px
    shared_mm2 = _compute_shared_error(picture.view, base, shape, wall_sigma_px)
    if keeps_bases:
        base[:], mean_mm2 = _average_agreeing(np.reshape(base_mm, (-1, 2)), base)
        # with it, the margins of 205 drawn boards at up to 78° have a z² of 0.99
        shared_mm2 = shared_mm2 + mean_mm2
    return BundleFit(
        base_mm=base,
        covariance_mm2=solved.covariance + shared_mm2,
        shape=_make_geometry(size),
        size_sigma_mm=np.sqrt(np.diag(solved.size_covariance)[:2] + unseen_mm2),
    )


def _average_agreeing(lone_mm: FloatArray, base_mm: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Bases (n, 2): the mean of both fits where they agree, otherwise ``lone_mm`` (n, 2); and the
    covariance (n, 2, 2), mm², of a mean of two that are so far apart.
    """
    apart_mm = base_mm - lone_mm
    agrees = np.linalg.norm(apart_mm, axis=-1, keepdims=True) < PARAMS.agree_mm
    mean_mm2 = apart_mm[:, :, None] * apart_mm[:, None] / 4
    return np.where(agrees, (lone_mm + base_mm) / 2, lone_mm), mean_mm2


def _measure_wall_px_per_mm(view: View, base_mm: FloatArray) -> float:
    """Length in the picture, px, of a millimetre of height, the median over discs at (n, 2)."""
    rise = view.project_plane(base_mm, 1.0) - view.project_plane(base_mm)
    return max(float(np.median(np.linalg.norm(rise, axis=-1))), 1e-6)


def predict_base_covariance(
    view: View, base_mm: FloatArray, shape: DiscSpec | DiscGeometry
) -> FloatArray:
    """Covariance (n, 2, 2), mm², that bases at ``base_mm`` (n, 2) would have in this view.

    It assumes a sharp picture and good light and needs no picture, so views can be compared.
    """
    mm_per_px = _mm_per_px(view, base_mm)
    outline_px2 = PARAMS.outline_sigma_px**2
    found = outline_px2 * mm_per_px @ mm_per_px.transpose(0, 2, 1)
    shared_mm2 = _compute_shared_error(view, base_mm, shape, PARAMS.wall_sigma_px)
    return np.asarray(shared_mm2 + found)


def _compute_shared_error(
    view: View, base_mm: FloatArray, shape: DiscSpec | DiscGeometry, wall_sigma_px: float
) -> FloatArray:
    """Covariance (n, 2, 2), mm², of effects that shift a disc's whole outline in the picture.

    Shading shifts it equally in all directions, and a wall's shadow and mirror image shift it along
    the wall. On the board, both grow in depth as the view gets more oblique.
    """
    mm_per_px = _mm_per_px(view, base_mm)
    # perpendicular to the line of sight
    scale = np.linalg.norm(np.linalg.inv(mm_per_px), ord=2, axis=(1, 2))
    camera_mm = view.cam_from_board.camera_board_mm
    wall = shape.height_mm * np.linalg.norm(base_mm - camera_mm[:2], axis=-1) / camera_mm[2]
    wall_share = wall / (wall + np.pi / 2 * shape.radius_mm)
    down = view.project_plane(base_mm) - view.project_plane(base_mm, shape.height_mm)
    down /= np.maximum(np.linalg.norm(down, axis=-1, keepdims=True), 1e-9)
    shift_px = (wall_sigma_px * wall_share)[:, None] * down
    shading_px2 = (PARAMS.shading_sigma_mm * scale) ** 2
    covariance_px2 = shift_px[:, :, None] * shift_px[:, None] + shading_px2[:, None, None] * np.eye(
        2
    )
    return np.asarray(mm_per_px @ covariance_px2 @ mm_per_px.transpose(0, 2, 1))


def _mm_per_px(view: View, base_mm: FloatArray) -> FloatArray:
    """Movement of a place on the board per pixel: (n, 2, 2) at ``base_mm`` (n, 2)."""
    beside = base_mm[:, None] + np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    px = view.project_plane(beside)
    return np.asarray(np.linalg.inv((px[:, 1:] - px[:, :1]).transpose(0, 2, 1)))


def _make_geometry(size: FloatArray) -> DiscGeometry:
    radius, height, top_round = (float(value) for value in size)
    return DiscGeometry(
        radius_mm=radius,
        height_mm=height,
        bottom_round_mm=BOTTOM_ROUND_MM,
        top_round_mm=top_round,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Solution:
    """Moves of bases (n, 2) and sizes (3,), mm, with covariances (n, 2, 2) and (3, 3), mm².

    covariance  of the bases, including the sizes' share
    """

    move: FloatArray
    size_move: FloatArray
    covariance: FloatArray
    size_covariance: FloatArray


def compute_size_jacobian(outline: Contour) -> FloatArray:
    """Outward movement of the points, mm per mm, with radius, height and top rounding: (n, k,
    3).
    """
    sideways = np.linalg.norm(outline.normal[..., :2], axis=-1)
    rise = np.maximum(outline.normal[..., 2], 0.0)
    return np.stack([sideways, rise, np.where(rise > 0, 1 - sideways - rise, 0.0)], axis=-1)


def _solve(
    outline: Contour,
    edges: OutlineEdges,
    prior_move: FloatArray,
    prior_sigma: FloatArray,
    wall_mm: float,
) -> _Solution:
    """The solution of equation (1) for every (dx, dy) and the shared sizes; the bases are
    eliminated first.

    ``wall_mm`` is the standard deviation of an error common to all visible heights.
    """
    m, s = outline.normal[..., :2], compute_size_jacobian(outline)
    offset = np.clip(edges.offset_mm, -_MAX_OFFSET_MM, _MAX_OFFSET_MM)
    precision = PARAMS.independent_share / edges.sigma_mm**2
    move, size = np.zeros((len(m), 2)), np.zeros(s.shape[-1])
    for _ in range(_WEIGHTINGS):
        residual = offset - (m @ move[..., None])[..., 0] - s @ size
        student = (STUDENT_FREEDOM + 1) / (STUDENT_FREEDOM + (residual / edges.sigma_mm) ** 2)
        precise = (precision * student)[..., None]
        precise_m, precise_s = (precise * m).transpose(0, 2, 1), precise * s
        a_inv = np.linalg.inv(precise_m @ m + 1e-3 * np.eye(2))
        b = precise_m @ s
        right = (precise_m @ offset[..., None])[..., 0]
        coupling = a_inv @ b
        c = np.einsum("nki,nkj->ij", precise_s, s) - np.einsum("nij,nik->jk", b, coupling)
        d = np.einsum("nki,nk->i", precise_s, offset) - np.einsum("nij,ni->j", coupling, right)
        # with a shared error of the height, the information c becomes (c⁻¹ + its variance)⁻¹
        less = np.linalg.inv(np.eye(len(c)) + c @ np.diag([0.0, wall_mm**2, 0.0]))
        size_covariance = np.linalg.inv(less @ c + np.diag(prior_sigma**-2))
        size = size_covariance @ (less @ d + prior_move / prior_sigma**2)
        move = np.einsum("nij,nj->ni", a_inv, right) - coupling @ size
    residual = offset - (m @ move[..., None])[..., 0] - s @ size
    sigmas = np.minimum(np.abs(residual) / edges.sigma_mm, PARAMS.max_sigmas)
    # outlines that disagree by more than their sigmas get larger ones (Birge 1932)
    misfit = np.maximum(np.mean(sigmas**2, axis=1), 1.0)[:, None, None]
    return _Solution(
        move=move,
        size_move=size,
        covariance=misfit * a_inv + coupling @ size_covariance @ coupling.transpose(0, 2, 1),
        size_covariance=size_covariance,
    )
