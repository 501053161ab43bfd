"""Outline fit: from a rough place to a disc's foot in mm, by robust least squares on the picture.

Knows how a step across the outline moves the foot, and how sure that makes it. Refuses to decide
what is a disc.

An edge found ``t`` mm out along the outline's normal m says, to first order in the foot (x, y), the
radius R and the height h,

    t = m_x dx + m_y dy + cos(elevation) dR + [on top] m_z dh                                   (1)

which is solved by Tukey-weighted least squares for each disc alone (all together: ``bundle_fit``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.pose import View
from vision.discs.outline.contour import Contour, DiscGeometry, compute_contour
from vision.discs.outline.edge_profiles import compute_whitened_steps, sample_profiles, sum_squares

#: Directions sampled around a disc: 1.5 mm of rim each.
DIRECTIONS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineFitParameters(StageParameters):
    """What ``outline_fit`` takes for granted."""

    stage: ClassVar[str] = "discs.outline.outline_fit"

    #: Half-length of a profile and how far the true edge may be from the model, by round, mm.
    rounds_reach_mm: tuple[float, float, float] = parameter((4.0, 3.0, 2.5), unit="mm", source="")
    rounds_prior_mm: tuple[float, float, float] = parameter((2.0, 1.0, 0.7), unit="mm", source="")
    #: Colours are averaged over this on both sides of an edge, mm: narrower than a disc's wall.
    step_width_mm: float = parameter(0.6, unit="mm", source="")
    #: Tukey's constant: residuals beyond 4.685 sigma weigh nothing (95% efficient for a normal
    #: law).
    tukey_constant: float = parameter(4.685, unit="", source="")
    #: No edge is believed better than this, mm: interpolation, demosaicing, fuzzy paint.
    edge_sigma_floor_mm: float = parameter(0.08, unit="mm", source="")
    #: Edges of neighbouring directions err together over about 5 mm of rim: 64 count as 20.
    independent_share: float = parameter(0.3, unit="share", source="")
    #: Samples across each of these bands.
    outside_samples: int = parameter(4, unit="", source="")
    #: A step lasts when this share of it is still there.
    lasting_step_share: float = parameter(0.3, unit="share", source="")


PARAMS = OutlineFitParameters.active()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OutlineFit:
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
class PosedImage:
    """An image with its known camera pose, and the grain's whitening (3, 3)."""

    image: np.ndarray
    view: View
    whitening: FloatArray

    @property
    def eye_mm(self) -> FloatArray:
        """The camera's centre (3,) in the board frame."""
        return self.view.cam_from_board.camera_board_mm


def fit_outlines(
    picture: PosedImage,
    foot_mm: FloatArray,
    shape: DiscGeometry,
    *,
    radius_mm: FloatArray | None = None,
    height_mm: FloatArray | None = None,
    radius_sigma_mm: float = 1e-3,
) -> OutlineFit:
    """The outlines of ``shape`` near ``foot_mm`` (n, 2), each moved to where the edges are.

    ``radius_sigma_mm`` is how far each disc's own radius may stray from the shape's, or from its
    own ``radius_mm`` (n,); ``height_mm`` (n,) stands in for the shape's.
    """
    foot: FloatArray = np.array(foot_mm, dtype=np.float64).reshape(-1, 2)
    expected = np.full(len(foot), shape.radius_mm) if radius_mm is None else radius_mm
    radius: FloatArray = expected
    for reach, prior in zip(PARAMS.rounds_reach_mm, PARAMS.rounds_prior_mm, strict=True):
        outline = compute_contour(picture.eye_mm, foot, shape, radius, DIRECTIONS, height_mm)
        offset, step = find_profile_edges(picture, outline, reach, prior)
        fit = _solve_each(foot, radius, outline, offset, step, (expected, radius_sigma_mm))
        foot, radius = fit.foot_mm, fit.radius_mm
    return fit


def find_profile_edges(
    picture: PosedImage, outline: Contour, reach_mm: float, prior_mm: float
) -> tuple[FloatArray, FloatArray]:
    """Signed distance (n, k) and whitened colour step (n, k, 3) of the edge nearest each point."""
    spacing = float(np.clip(0.5 * picture.view.mm_per_px(), 0.25, 0.6))
    half = int(np.ceil(reach_mm / spacing))
    offset = np.arange(-half, half + 1) * spacing
    colours = sample_profiles(picture.image, picture.view, outline, offset)
    width = max(2, int(round(PARAMS.step_width_mm / spacing)))
    step = compute_whitened_steps(colours, width, picture.whitening)
    size = np.sqrt(sum_squares(step))
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
) -> OutlineFit:
    """Equation (1) for (dx, dy, dR) of each disc, by four rounds of reweighting."""
    m = outline.normal.copy()
    m[..., 2] = np.linalg.norm(m[..., :2], axis=-1)  # cos(elevation): derivative by the radius
    strength = np.linalg.norm(step, axis=-1)
    trust = strength / (strength + np.median(strength, axis=1, keepdims=True) + 1e-9)
    move = np.zeros((len(foot_mm), 3))
    prior_mean, prior_sigma = radius_prior_mm
    for _ in range(4):
        residual = offset - (m @ move[..., None])[..., 0]
        sigma = estimate_sigma(residual, trust)
        weight = trust * compute_tukey_weight(residual / sigma[:, None])
        weighted = (weight[..., None] * m).transpose(0, 2, 1)
        normal_matrix = weighted @ m + 1e-3 * np.eye(3)
        right = (weighted @ offset[..., None])[..., 0]
        stiff = (sigma / prior_sigma) ** 2 / PARAMS.independent_share
        normal_matrix[:, 2, 2] += stiff
        right[:, 2] += stiff * (prior_mean - radius_mm)
        move = np.linalg.solve(normal_matrix, right[..., None])[..., 0]
    residual = offset - (m @ move[..., None])[..., 0]
    return OutlineFit(
        foot_mm=foot_mm + move[:, :2],
        radius_mm=radius_mm + move[:, 2],
        offset_mm=residual,
        weight=weight,
        step=step,
        sigma_mm=sigma,
        outline=outline,
    )


def estimate_sigma(residual: FloatArray, trust: FloatArray) -> FloatArray:
    """Scatter (n,) of the better half of residuals (n, k), as if normal."""
    spread = compute_masked_median(np.where(trust > 0.2, np.abs(residual), 1.0), trust > 0)
    return np.maximum(spread * 1.4826, PARAMS.edge_sigma_floor_mm)


def compute_masked_median(values: FloatArray, used: np.ndarray) -> FloatArray:
    """Lower median (n,) of the used ones of values (n, k); infinite where none is."""
    ordered = np.sort(np.where(used, values, np.inf), axis=1)
    middle = np.maximum(used.sum(axis=1) - 1, 0) // 2
    return np.take_along_axis(ordered, middle[:, None], axis=1)[:, 0]


def compute_tukey_weight(ratio: FloatArray) -> FloatArray:
    """Tukey's biweight of residuals in units of sigma."""
    inside = np.maximum(1 - (ratio / PARAMS.tukey_constant) ** 2, 0.0)
    return inside * inside


#: Where a step must still be seen outside, twice: clear of the bevel and of a letter's stroke.
_OUTSIDE_MM = ((2.5, 4.5), (6.0, 8.0))


def measure_lasting_share(
    picture: PosedImage, rims: OutlineFit, face_bgr: FloatArray
) -> FloatArray:
    """Share (n,) of each rim that leads from the face's colour (n, 3) to another for good.

    A letter's stroke or a scratch is as sharp as a rim, but leads from one colour back to it.
    """
    shape = rims.step.shape
    offset = np.concatenate([np.linspace(*band, PARAMS.outside_samples) for band in _OUTSIDE_MM])
    colours = sample_profiles(picture.image, picture.view, rims.outline, offset).astype(np.float32)
    bands = colours.reshape(*shape[:2], len(_OUTSIDE_MM), PARAMS.outside_samples, 3).mean(axis=3)
    change = (bands - face_bgr[:, None, None]) @ picture.whitening.T
    size = np.einsum("nkc,nkc->nk", rims.step, rims.step)
    part = np.einsum("nkc,nkbc->nkb", rims.step, change) / np.maximum(size, 1e-9)[..., None]
    lasts = (rims.weight > 0.1) & (part > PARAMS.lasting_step_share).all(axis=-1)
    return np.asarray(lasts.mean(axis=1))
