"""From a rough place to a disc's foot in mm: least squares of its outline on the picture.

Knows how a step across the outline moves the foot, and how sure that makes it. Refuses to decide
what is a disc.

An edge found ``t`` mm out along the outline's normal m says, to first order in the foot (x, y), the
radius R and the height h,

    t = m_x dx + m_y dy + cos(elevation) dR + [on top] m_z dh                                   (1)

which is solved by Tukey-weighted least squares, each disc alone and then all with one R and one h.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.camera import FloatArray
from calibration.pose import View
from vision.profiles import profiles, squared, whitened_steps
from vision.silhouette import Contour, DiscShape, both_rims, contour

#: Directions sampled around a disc: 1.5 mm of rim each.
DIRECTIONS = 64
#: Half-length of a profile and how far the true edge may be from the model, by round, mm.
_ROUNDS_REACH_MM = (4.0, 3.0, 2.5)
_ROUNDS_PRIOR_MM = (2.0, 1.0, 0.7)
#: Colours are averaged over this on both sides of an edge, mm: narrower than a disc's wall.
_STEP_WIDTH_MM = 0.6
#: Tukey's constant: residuals beyond 4.685 sigma have no say (95% efficient for a normal law).
_TUKEY = 4.685
#: No edge is believed better than this, mm: interpolation, demosaicing, fuzzy paint.
_EDGE_SIGMA_FLOOR_MM = 0.08
#: Edges of neighbouring directions err together over about 5 mm of rim: 64 count as 20.
_INDEPENDENT_SHARE = 0.3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RimFit:
    """Outlines of n discs fitted to edges at k directions.

    foot_mm    (n, 2)
    radius_mm  (n,)
    offset_mm  signed distance of the found edge from the fitted outline: (n, k)
    weight     of each edge in the fit, 0 to 1: (n, k)
    step       colour outside minus inside at the found edge, whitened: (n, k, 3)
    sigma_mm   robust scatter of the edges: (n,)
    """

    foot_mm: FloatArray
    radius_mm: FloatArray
    offset_mm: FloatArray
    weight: FloatArray
    step: FloatArray
    sigma_mm: FloatArray
    outline: Contour


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Picture:
    """What every measurement needs: the image, its view and the grain's whitening (3, 3)."""

    image: np.ndarray
    view: View
    whitening: FloatArray

    @property
    def eye_mm(self) -> FloatArray:
        """The camera's centre (3,) in the board frame."""
        return self.view.cam_from_board.camera_board_mm


def fit_rims(
    picture: Picture,
    foot_mm: FloatArray,
    shape: DiscShape,
    *,
    radius_mm: FloatArray | None = None,
    radius_sigma_mm: float = 1e-3,
) -> RimFit:
    """The outlines of ``shape`` near ``foot_mm`` (n, 2), each moved to where the edges are.

    ``radius_sigma_mm`` is how far each disc's own radius may stray from the shape's, or from its
    own ``radius_mm`` (n,).
    """
    foot: FloatArray = np.array(foot_mm, dtype=np.float64).reshape(-1, 2)
    expected = np.full(len(foot), shape.radius_mm) if radius_mm is None else radius_mm
    radius: FloatArray = expected
    for reach, prior in zip(_ROUNDS_REACH_MM, _ROUNDS_PRIOR_MM, strict=True):
        outline = contour(picture.eye_mm, foot, shape, radius, DIRECTIONS)
        offset, step = find_edges_across(picture, outline, reach, prior)
        fit = _solve_each(foot, radius, outline, offset, step, (expected, radius_sigma_mm))
        foot, radius = fit.foot_mm, fit.radius_mm
    return fit


def find_edges_across(
    picture: Picture, outline: Contour, reach_mm: float, prior_mm: float
) -> tuple[FloatArray, FloatArray]:
    """Signed distance (n, k) and whitened colour step (n, k, 3) of the edge nearest each point."""
    spacing = float(np.clip(0.5 * picture.view.mm_per_px(), 0.25, 0.6))
    half = int(np.ceil(reach_mm / spacing))
    offset = np.arange(-half, half + 1) * spacing
    colours = profiles(picture.image, picture.view, outline, offset)
    width = max(2, int(round(_STEP_WIDTH_MM / spacing)))
    step = whitened_steps(colours, width, picture.whitening)
    size = np.sqrt(squared(step))
    likely = size * np.exp(-0.5 * (offset / prior_mm) ** 2).astype(np.float32)
    best = np.clip(likely.argmax(axis=1), 1, len(offset) - 2)
    row = np.arange(len(best))
    left, peak, right = (size[row, best + d] for d in (-1, 0, 1))
    bend = left - 2 * peak + right
    shift = np.where(bend < 0, 0.5 * (left - right) / np.minimum(bend, -1e-6), 0.0)
    found = offset[best] + np.clip(shift, -1, 1) * spacing
    shape = outline.point_mm.shape
    return found.reshape(shape[:2]), step[row, best].reshape(shape)


def _solve_each(
    foot_mm: FloatArray,
    radius_mm: FloatArray,
    outline: Contour,
    offset: FloatArray,
    step: FloatArray,
    radius_prior_mm: tuple[FloatArray, float],
) -> RimFit:
    """Equation (1) for (dx, dy, dR) of each disc, by four rounds of reweighting."""
    m = outline.normal.copy()
    m[..., 2] = np.linalg.norm(m[..., :2], axis=-1)  # cos(elevation): the say of the radius
    strength = np.linalg.norm(step, axis=-1)
    trust = strength / (strength + np.median(strength, axis=1, keepdims=True) + 1e-9)
    move = np.zeros((len(foot_mm), 3))
    prior_mean, prior_sigma = radius_prior_mm
    for _ in range(4):
        residual = offset - (m @ move[..., None])[..., 0]
        sigma = robust_sigma(residual, trust)
        weight = trust * tukey(residual / sigma[:, None])
        weighted = (weight[..., None] * m).transpose(0, 2, 1)
        normal_matrix = weighted @ m + 1e-3 * np.eye(3)
        right = (weighted @ offset[..., None])[..., 0]
        stiff = (sigma / prior_sigma) ** 2 / _INDEPENDENT_SHARE
        normal_matrix[:, 2, 2] += stiff
        right[:, 2] += stiff * (prior_mean - radius_mm)
        move = np.linalg.solve(normal_matrix, right[..., None])[..., 0]
    residual = offset - (m @ move[..., None])[..., 0]
    return RimFit(
        foot_mm=foot_mm + move[:, :2],
        radius_mm=radius_mm + move[:, 2],
        offset_mm=residual,
        weight=weight,
        step=step,
        sigma_mm=sigma,
        outline=outline,
    )


def robust_sigma(residual: FloatArray, trust: FloatArray) -> FloatArray:
    """Scatter (n,) of the better half of residuals (n, k), as if normal."""
    spread = median_of(np.where(trust > 0.2, np.abs(residual), 1.0), trust > 0)
    return np.maximum(spread * 1.4826, _EDGE_SIGMA_FLOOR_MM)


def median_of(values: FloatArray, used: np.ndarray) -> FloatArray:
    """Lower median (n,) of the used ones of values (n, k); infinite where none is."""
    ordered = np.sort(np.where(used, values, np.inf), axis=1)
    middle = np.maximum(used.sum(axis=1) - 1, 0) // 2
    return np.take_along_axis(ordered, middle[:, None], axis=1)[:, 0]


def tukey(ratio: FloatArray) -> FloatArray:
    """Tukey's biweight of residuals in units of sigma."""
    inside = np.maximum(1 - (ratio / _TUKEY) ** 2, 0.0)
    return inside * inside


#: Where a step must still be seen outside, twice: clear of the bevel and of a letter's stroke.
_OUTSIDE_MM = ((2.5, 4.5), (6.0, 8.0))
#: Samples across each of these bands.
_OUTSIDE_SAMPLES = 4
#: A step lasts when this share of it is still there.
_LASTING_PART = 0.3


def lasting_share(picture: Picture, rims: RimFit, face_bgr: FloatArray) -> FloatArray:
    """Share (n,) of each rim that leads from the face's colour (n, 3) to another for good.

    A letter's stroke or a scratch is as sharp as a rim, but leads from one colour back to it.
    """
    shape = rims.step.shape
    offset = np.concatenate([np.linspace(*band, _OUTSIDE_SAMPLES) for band in _OUTSIDE_MM])
    colours = profiles(picture.image, picture.view, rims.outline, offset).astype(np.float32)
    bands = colours.reshape(*shape[:2], len(_OUTSIDE_MM), _OUTSIDE_SAMPLES, 3).mean(axis=3)
    change = (bands - face_bgr[:, None, None]) @ picture.whitening.T
    size = np.einsum("nkc,nkc->nk", rims.step, rims.step)
    part = np.einsum("nkc,nkbc->nkb", rims.step, change) / np.maximum(size, 1e-9)[..., None]
    lasts = (rims.weight > 0.1) & (part > _LASTING_PART).all(axis=-1)
    return np.asarray(lasts.mean(axis=1))


#: Directions around each of the two rims of a disc in the last fit.
_FINE_DIRECTIONS = 48
#: Reach of a profile and how far the edge may be from the model, by round of the last fit, mm.
_FINE_REACH_MM = (2.5, 2.5, 2.5)
_FINE_PRIOR_MM = (1.2, 0.7, 0.6)
#: Two rims closer than this in the picture, mm, show one edge; it counts for the nearer of them.
_SAME_EDGE_MM = 0.7
#: How much farther out the foot's visible edge lies than the top's, mm, with sigma: bevels below
#: and contact shadows differ from picture to picture (renders: 0.0 +- 0.4).
_FOOT_BIAS_MM, _FOOT_BIAS_SIGMA_MM = 0.0, 0.3
#: How much farther out the top's far edge is seen than its sides: the bevel there mirrors what lies
#: behind the disc and is taken for it (renders: -0.35 and -0.15 +- 0.2).
_FAR_BIAS_MM, _FAR_BIAS_SIGMA_MM = -0.25, 0.2
#: What glints and shadows leave of doubt in any foot, mm, ...
_SHADING_SIGMA_MM = 0.3
#: ... and, along the line of sight, what bevels leave of doubt in every height of a picture, mm.
_SHADED_HEIGHT_SIGMA_MM = 0.45


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointFit:
    """Flat discs fitted with one radius and one height.

    foot_mm         (n, 2)
    covariance_mm2  with what is not known of radius and height: (n, 2, 2)
    size_sigma_mm   of radius and height: (2,)
    """

    foot_mm: FloatArray
    covariance_mm2: FloatArray
    shape: DiscShape
    size_sigma_mm: FloatArray


def fit_together(
    picture: Picture, foot_mm: FloatArray, shape: DiscShape, size_sigma_mm: tuple[float, float]
) -> JointFit:
    """Feet (n, 2) of flat discs with one radius and height, ``shape`` with sigmas the prior."""
    foot = np.array(foot_mm, dtype=np.float64).reshape(-1, 2)
    prior = np.array([shape.radius_mm, shape.height_mm, _FOOT_BIAS_MM, _FAR_BIAS_MM])
    prior_sigma = np.array([*size_sigma_mm, _FOOT_BIAS_SIGMA_MM, _FAR_BIAS_SIGMA_MM])
    size = prior.copy()
    for reach, edge_prior in zip(_FINE_REACH_MM, _FINE_PRIOR_MM, strict=True):
        now = DiscShape(radius_mm=float(size[0]), height_mm=float(size[1]), round_mm=shape.round_mm)
        outline = both_rims(picture.eye_mm, foot, now, _FINE_DIRECTIONS)
        offset, step = find_edges_across(picture, outline, reach, edge_prior)
        offset -= _says_of_sizes(outline)[..., 2:] @ size[2:]
        step *= _one_edge_each(outline, offset)[..., None]
        solved = _solve_together(outline, offset, step, prior - size, prior_sigma)
        foot = foot + solved.move
        size = size + solved.size_move
    return JointFit(
        foot_mm=foot,
        covariance_mm2=solved.covariance + _shading_covariance(picture, foot),
        shape=DiscShape(
            radius_mm=float(size[0]), height_mm=float(size[1]), round_mm=shape.round_mm
        ),
        size_sigma_mm=np.sqrt(np.diag(solved.size_covariance))[:2],
    )


def _shading_covariance(picture: Picture, foot_mm: FloatArray) -> FloatArray:
    """What shading leaves of doubt in feet (n, 2): (n, 2, 2), longest along the line of sight."""
    eye = picture.eye_mm
    parallax = (eye[:2] - foot_mm) / eye[2] * _SHADED_HEIGHT_SIGMA_MM
    along = parallax[:, :, None] * parallax[:, None, :]
    return along + _SHADING_SIGMA_MM**2 * np.eye(2)


def _says_of_sizes(outline: Contour) -> FloatArray:
    """How far out each edge moves with radius, height, foot bias and far bias: (n, 2 k, 4)."""
    sideways = np.linalg.norm(outline.normal[..., :2], axis=-1)
    is_top = np.broadcast_to(_is_top(outline), sideways.shape)
    away = np.maximum(outline.normal[..., 2], 0.0)
    away = away / np.maximum(away.max(axis=1, keepdims=True), 1e-9)
    return np.stack([sideways, outline.normal[..., 2] * is_top, 1.0 - is_top, away * is_top], -1)


def _is_top(outline: Contour) -> np.ndarray:
    """Which of the points (k,) of both rims belong to the top."""
    return np.arange(len(outline.outward)) < len(outline.outward) // 2


def _one_edge_each(outline: Contour, offset: FloatArray) -> np.ndarray:
    """Which edges (n, 2 k) may be used: seen ones, and of two rims on one edge the nearer."""
    half = offset.shape[1] // 2
    top, foot = offset[:, :half], offset[:, half:]
    facing = ~outline.on_top[:, half:]
    apart = outline.point_mm[:, half:] - outline.point_mm[:, :half]
    gap = np.einsum("nkc,nkc->nk", apart, outline.normal[:, half:])
    shared = facing & (np.abs(gap + foot - top) < _SAME_EDGE_MM)
    foot_wins = np.abs(foot) < np.abs(top)
    return np.concatenate([~(shared & foot_wins), facing & ~(shared & ~foot_wins)], axis=1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Solved:
    move: FloatArray  # (n, 2)
    size_move: FloatArray  # (4,)
    covariance: FloatArray  # (n, 2, 2), with the sizes' share
    size_covariance: FloatArray  # (4, 4)


def _solve_together(
    outline: Contour,
    offset: FloatArray,
    step: FloatArray,
    prior_move: FloatArray,
    prior_sigma: FloatArray,
) -> _Solved:
    """Equation (1) for every (dx, dy) and the shared sizes, by eliminating the feet first.

    The sizes are those of ``_says_of_sizes``.
    """
    m, s = outline.normal[..., :2], _says_of_sizes(outline)
    strength = np.linalg.norm(step, axis=-1)
    seen = strength > 0
    typical = median_of(strength, seen)[:, None]
    trust = strength / (strength + typical)
    move, size = np.zeros((len(m), 2)), np.zeros(4)
    for _ in range(5):
        residual = offset - (m @ move[..., None])[..., 0] - s @ size
        sigma = robust_sigma(residual, trust)
        weight = trust * tukey(residual / sigma[:, None])
        precise = (weight * (_INDEPENDENT_SHARE / sigma**2)[:, None])[..., None]
        precise_m, precise_s = (precise * m).transpose(0, 2, 1), (precise * s).reshape(-1, 4)
        a_inv = np.linalg.inv(precise_m @ m + 1e-3 * np.eye(2))
        b = precise_m @ s
        right = (precise_m @ offset[..., None])[..., 0]
        lean = a_inv @ b
        c = precise_s.T @ s.reshape(-1, 4) + np.diag(prior_sigma**-2)
        c -= np.einsum("nij,nik->jk", b, lean)
        d = precise_s.T @ offset.ravel() + prior_move / prior_sigma**2
        d -= np.einsum("nij,ni->j", lean, right)
        size_covariance = np.linalg.inv(c)
        size = size_covariance @ d
        move = np.einsum("nij,nj->ni", a_inv, right) - lean @ size
    return _Solved(
        move=move,
        size_move=size,
        covariance=a_inv + lean @ size_covariance @ lean.transpose(0, 2, 1),
        size_covariance=size_covariance,
    )
