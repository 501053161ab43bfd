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
from vision.silhouette import Contour, DiscShape, across, contour, steps

#: Directions sampled around a disc: 1.5 mm of rim each.
DIRECTIONS = 64
#: Half-length of a profile and how far the true edge may be from the model, by round, mm.
_ROUNDS_REACH_MM = (4.0, 3.0, 2.5)
_ROUNDS_PRIOR_MM = (2.0, 1.0, 0.7)
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
    covariance_mm2  (n, 2, 2), for the sizes given
    offset_mm  signed distance of the found edge from the fitted outline: (n, k)
    weight     of each edge in the fit, 0 to 1: (n, k)
    step       colour outside minus inside at the found edge, whitened: (n, k, 3)
    sigma_mm   robust scatter of the edges: (n,)
    """

    foot_mm: FloatArray
    radius_mm: FloatArray
    covariance_mm2: FloatArray
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
    base_z_mm: float = 0.0,
    radius_sigma_mm: float = 1e-3,
) -> RimFit:
    """The outlines of ``shape`` near ``foot_mm`` (n, 2), each moved to where the edges are.

    ``radius_sigma_mm`` is how far each disc's own radius may stray from the shape's.
    """
    foot = np.array(foot_mm, dtype=np.float64).reshape(-1, 2)
    radius = np.full(len(foot), shape.radius_mm)
    for reach, prior in zip(_ROUNDS_REACH_MM, _ROUNDS_PRIOR_MM, strict=True):
        outline = contour(picture.eye_mm, foot, shape, radius, DIRECTIONS, base_z_mm)
        offset, step = find_edges_across(picture, outline, reach, prior)
        fit = _solve_each(foot, radius, outline, offset, step, (shape.radius_mm, radius_sigma_mm))
        foot, radius = fit.foot_mm, fit.radius_mm
    return fit


def find_edges_across(
    picture: Picture, outline: Contour, reach_mm: float, prior_mm: float
) -> tuple[FloatArray, FloatArray]:
    """Signed distance (n, k) and whitened colour step (n, k, 3) of the edge nearest each point."""
    spacing = float(np.clip(0.5 * picture.view.mm_per_px(), 0.25, 0.6))
    half = int(np.ceil(reach_mm / spacing))
    offset = np.arange(-half, half + 1) * spacing
    profile = across(picture.image, picture.view, outline, offset) @ picture.whitening.T
    width = max(2, int(round(1.0 / spacing)))
    step = steps(profile.astype(np.float32), width)
    size = np.sqrt(np.einsum("nktc,nktc->nkt", step, step))
    likely = size * np.exp(-0.5 * (offset / prior_mm) ** 2)
    best = np.clip(likely.argmax(axis=2), 1, len(offset) - 2)
    left, peak, right = (
        np.take_along_axis(size, (best + d)[..., None], axis=2)[..., 0] for d in (-1, 0, 1)
    )
    bend = left - 2 * peak + right
    shift = np.where(bend < 0, 0.5 * (left - right) / np.minimum(bend, -1e-6), 0.0)
    found = np.take_along_axis(step, best[..., None, None], axis=2)[:, :, 0]
    return (offset[best] + np.clip(shift, -1, 1) * spacing).astype(np.float64), found


def _solve_each(
    foot_mm: FloatArray,
    radius_mm: FloatArray,
    outline: Contour,
    offset: FloatArray,
    step: FloatArray,
    radius_prior_mm: tuple[float, float],
) -> RimFit:
    """Equation (1) for (dx, dy, dR) of each disc, by four rounds of reweighting."""
    m = outline.normal.copy()
    m[..., 2] = np.linalg.norm(m[..., :2], axis=-1)  # cos(elevation): the say of the radius
    strength = np.linalg.norm(step, axis=-1)
    trust = strength / (strength + np.median(strength, axis=1, keepdims=True) + 1e-9)
    move = np.zeros((len(foot_mm), 3))
    prior_mean, prior_sigma = radius_prior_mm
    for _ in range(4):
        residual = offset - np.einsum("nkc,nc->nk", m, move)
        sigma = robust_sigma(residual, trust)
        weight = trust * tukey(residual / sigma[:, None])
        normal_matrix = np.einsum("nk,nki,nkj->nij", weight, m, m) + 1e-3 * np.eye(3)
        right = np.einsum("nk,nki,nk->ni", weight, m, offset)
        stiff = (sigma / prior_sigma) ** 2 / _INDEPENDENT_SHARE
        normal_matrix[:, 2, 2] += stiff
        right[:, 2] += stiff * (prior_mean - radius_mm)
        move = np.linalg.solve(normal_matrix, right[..., None])[..., 0]
    residual = offset - np.einsum("nkc,nc->nk", m, move)
    covariance = np.linalg.inv(normal_matrix) * (sigma**2 / _INDEPENDENT_SHARE)[:, None, None]
    return RimFit(
        foot_mm=foot_mm + move[:, :2],
        radius_mm=radius_mm + move[:, 2],
        covariance_mm2=covariance[:, :2, :2],
        offset_mm=residual,
        weight=weight,
        step=step,
        sigma_mm=sigma,
        outline=outline,
    )


def robust_sigma(residual: FloatArray, trust: FloatArray) -> FloatArray:
    """Scatter (n,) of the better half of residuals (n, k), as if normal."""
    spread = np.median(np.where(trust > 0.2, np.abs(residual), 1.0), axis=1) * 1.4826
    return np.maximum(spread, _EDGE_SIGMA_FLOOR_MM)


def tukey(ratio: FloatArray) -> FloatArray:
    """Tukey's biweight of residuals in units of sigma."""
    inside = np.maximum(1 - (ratio / _TUKEY) ** 2, 0.0)
    return inside * inside


#: Where a step must still be seen outside, twice: clear of the bevel and of a letter's stroke.
_OUTSIDE_MM = ((2.5, 4.5), (6.0, 8.0))
#: A step lasts when this share of it is still there.
_LASTING_PART = 0.3


def lasting_share(picture: Picture, rims: RimFit, face_bgr: FloatArray) -> FloatArray:
    """Share (n,) of each rim that leads from the face's colour (n, 3) to another for good.

    A letter's stroke or a scratch is as sharp as a rim, but leads from one colour back to it.
    """
    size = np.einsum("nkc,nkc->nk", rims.step, rims.step)
    lasts = rims.weight > 0.1
    for band_mm in _OUTSIDE_MM:
        outside = _band(picture, rims.outline, *band_mm)
        change = (outside - face_bgr[:, None]) @ picture.whitening.T
        part = np.einsum("nkc,nkc->nk", rims.step, change) / np.maximum(size, 1e-9)
        lasts &= part > _LASTING_PART
    return lasts.mean(axis=1)


def _band(picture: Picture, outline: Contour, from_mm: float, to_mm: float) -> FloatArray:
    """Mean colours (n, k, 3) across a band outside the outline."""
    offset = np.linspace(from_mm, to_mm, 4)
    return across(picture.image, picture.view, outline, offset).mean(axis=2)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointFit:
    """All discs fitted with one radius and one height.

    covariance_mm2 includes what is not known of radius and height: (n, 2, 2)
    size_sigma_mm  of radius and height: (2,)
    """

    rims: RimFit
    shape: DiscShape
    covariance_mm2: FloatArray
    size_sigma_mm: FloatArray


def fit_together(
    picture: Picture, foot_mm: FloatArray, shape: DiscShape, size_sigma_mm: tuple[float, float]
) -> JointFit:
    """Feet (n, 2) of flat discs with one radius and height, ``shape`` with sigmas the prior."""
    foot = np.array(foot_mm, dtype=np.float64).reshape(-1, 2)
    prior = np.array([shape.radius_mm, shape.height_mm])
    size = prior.copy()
    for reach, edge_prior in zip(_ROUNDS_REACH_MM[1:], _ROUNDS_PRIOR_MM[1:], strict=True):
        now = DiscShape(radius_mm=size[0], height_mm=size[1], round_mm=shape.round_mm)
        radius = np.full(len(foot), size[0])
        outline = contour(picture.eye_mm, foot, now, radius, DIRECTIONS)
        offset, step = find_edges_across(picture, outline, reach, edge_prior)
        solved = _solve_together(outline, offset, step, prior - size, np.array(size_sigma_mm))
        foot = foot + solved.move
        size = size + solved.size_move
    rims = RimFit(
        foot_mm=foot,
        radius_mm=np.full(len(foot), size[0]),
        covariance_mm2=solved.covariance,
        offset_mm=solved.residual,
        weight=solved.weight,
        step=step,
        sigma_mm=solved.sigma,
        outline=outline,
    )
    return JointFit(
        rims=rims,
        shape=DiscShape(radius_mm=size[0], height_mm=size[1], round_mm=shape.round_mm),
        covariance_mm2=solved.covariance,
        size_sigma_mm=np.sqrt(np.diag(solved.size_covariance)),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Solved:
    move: FloatArray  # (n, 2)
    size_move: FloatArray  # (2,)
    covariance: FloatArray  # (n, 2, 2), with the sizes' share
    size_covariance: FloatArray  # (2, 2)
    residual: FloatArray
    weight: FloatArray
    sigma: FloatArray


def _solve_together(
    outline: Contour,
    offset: FloatArray,
    step: FloatArray,
    prior_move: FloatArray,
    prior_sigma: FloatArray,
) -> _Solved:
    """Equation (1) for every (dx, dy) and the shared (dR, dh), by eliminating the feet first."""
    m = outline.normal[..., :2]
    s = np.stack([np.linalg.norm(m, axis=-1), outline.normal[..., 2] * outline.on_top], axis=-1)
    strength = np.linalg.norm(step, axis=-1)
    trust = strength / (strength + np.median(strength, axis=1, keepdims=True) + 1e-9)
    move, size = np.zeros((len(m), 2)), np.zeros(2)
    for _ in range(4):
        residual = offset - np.einsum("nkc,nc->nk", m, move) - s @ size
        sigma = robust_sigma(residual, trust)
        weight = trust * tukey(residual / sigma[:, None])
        precise = weight * (_INDEPENDENT_SHARE / sigma**2)[:, None]
        a = np.einsum("nk,nki,nkj->nij", precise, m, m) + 1e-3 * np.eye(2)
        b = np.einsum("nk,nki,nkj->nij", precise, m, s)
        a_inv = np.linalg.inv(a)
        right = np.einsum("nk,nki,nk->ni", precise, m, offset)
        lean = a_inv @ b
        c = np.einsum("nk,nki,nkj->ij", precise, s, s) + np.diag(prior_sigma**-2)
        c -= np.einsum("nij,nik->jk", b, lean)
        d = np.einsum("nk,nki,nk->i", precise, s, offset) + prior_move / prior_sigma**2
        d -= np.einsum("nij,ni->j", lean, right)
        size_covariance = np.linalg.inv(c)
        size = size_covariance @ d
        move = np.einsum("nij,nj->ni", a_inv, right) - lean @ size
    return _Solved(
        move=move,
        size_move=size,
        covariance=a_inv + lean @ size_covariance @ lean.transpose(0, 2, 1),
        size_covariance=size_covariance,
        residual=offset - np.einsum("nkc,nc->nk", m, move) - s @ size,
        weight=weight,
        sigma=sigma,
    )
