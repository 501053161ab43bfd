"""Outline fit: from rough places to the bases of flat discs, fitted one by one on the picture.

To first order in the base (x, y), the radius R and the height h, an edge found ``t`` mm out along
the outline's normal m gives

    t = m_x dx + m_y dy + cos(elevation) dR + [on top] m_z dh                                   (1)

which is solved for (dx, dy, dR) by iteratively reweighted least squares with Tukey's biweight and a
normal prior on R (all discs together, with the sizes that they share: ``bundle_fit``). Every fit
returns a result. A fit that began more than a few mm away, or not on a disc, ends on other edges
there; its scatter, its weak steps and its low weights show this.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from calibration.camera import FloatArray
from calibration.numerics.least_squares import MAD_TO_SIGMA
from calibration.numerics.least_squares import PARAMS as ROBUST
from calibration.numerics.medians import median_where
from calibration.parameters import StageParameters, parameter
from vision.discs.outline.contour import Contour, FlatDiscs, compute_contour
from vision.discs.outline.edge_profiles import compute_whitened_steps, sample_profiles, sum_squares
from vision.discs.outline.posed_image import PosedImage
from vision.discs.outline.range_map import RangeMap

#: Directions sampled around a disc: 1.5 mm of rim each.
DIRECTIONS = 64


class OutlineFitParameters(StageParameters):
    """Parameters of ``outline_fit``."""

    #: Half-length of a profile, and largest distance of the true edge from the model, for every
    #: round.
    rounds_reach_mm: tuple[float, ...] = parameter(
        (4.0, 3.0, 2.5), unit="mm", source="chosen: at least two sigmas of each round's prior"
    )
    rounds_prior_mm: tuple[float, ...] = parameter(
        (2.0, 1.0, 0.7),
        unit="mm",
        source="chosen: Hough votes are blurred by 1.5 mm, so their peaks are 2 mm off",
    )
    #: Colours are averaged over this on both sides of an edge.
    step_width_mm: float = parameter(
        0.6, unit="mm", source="chosen: narrower than a disc's wall in a grazing view"
    )
    #: Edges with at least this trust (the strongest has 1) are independent enough to measure their
    #: scatter.
    min_trust: float = parameter(
        0.2, unit="share", source="chosen: a quarter of the median step in brightness"
    )
    #: No edge is assumed to be more accurate than this.
    edge_sigma_floor_mm: float = parameter(
        0.08,
        unit="mm",
        source="chosen: the error caused by interpolation, demosaicing and uneven paint",
    )
    #: Share of the edges with independent errors, for the weight of the radius's prior.
    independent_share: float = parameter(
        0.3,
        unit="share",
        source="chosen: errors are shared over about 5 mm of rim, so 64 edges count as 20",
    )
    #: Bands outside the edge, in each of which a step must still be visible.
    outside_mm: tuple[tuple[float, float], ...] = parameter(
        ((2.5, 4.5), (6.0, 8.0)),
        unit="mm",
        source="chosen: clear of the bevel and of the stroke of a letter",
    )
    #: A step persists if at least this share of it remains, where the fit gives the edge this
    #: weight.
    lasting_step_share: float = parameter(
        0.3, unit="share", source="chosen: shade beside a disc takes part of the step"
    )
    lasting_min_weight: float = parameter(
        0.1, unit="", source="chosen: low, so that only outliers are dropped"
    )


PARAMS = OutlineFitParameters()
#: Samples of a profile are half a pixel apart, within these bounds: limits the time in close views,
#: and the steps in distant ones.
_SPACING_MM = (0.25, 0.6)
#: Rounds of reweighting: more of them cost time and change little.
_WEIGHTINGS = 4
#: Samples across a band outside a rim: every 0.7 mm.
_OUTSIDE_SAMPLES = 4


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OutlineFit:
    """Outlines of n discs fitted to edges at k directions.

    base_mm    board frame: (n, 2)
    radius_mm  (n,)
    offset_mm  signed distance of the found edge from the fitted outline, outward: (n, k)
    weight     of the edges in the fit, 0 to 1: (n, k)
    step       colour outside minus inside at the found edge, whitened: (n, k, 3)
    sigma_mm   robust scatter of the edges: (n,)
    outline    the model before the last step: (n, k)
    visible    no known nearer object hides the outline there: (n, k) bool
    """

    base_mm: FloatArray
    radius_mm: FloatArray
    offset_mm: FloatArray
    weight: FloatArray
    step: FloatArray
    sigma_mm: FloatArray
    outline: Contour
    visible: np.ndarray

    def average_visible(self, values: FloatArray) -> FloatArray:
        """Mean (n,) of values (n, k) over the directions in which the outline is visible."""
        return np.asarray((values * self.visible).sum(axis=1) / self.visible.sum(axis=1))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProfileEdges:
    """The likeliest edge on each of n × k profiles across outlines.

    offset_mm  signed distance from the outline, outward: (n, k)
    step       colour outside minus inside, whitened: (n, k, 3)
    """

    offset_mm: FloatArray
    step: FloatArray


def fit_outlines(
    picture: PosedImage,
    discs: FlatDiscs,
    *,
    radius_sigma_mm: float = 1e-3,
    in_front: RangeMap | None = None,
) -> OutlineFit:
    """The outlines near ``discs``, moved to the picture's edges.

    ``radius_sigma_mm`` is how far a disc's own radius may differ from the given one. Parts of an
    outline hidden by ``in_front`` are ignored.
    """
    expected_mm = discs.radius_mm
    for reach_mm, prior_mm in zip(PARAMS.rounds_reach_mm, PARAMS.rounds_prior_mm, strict=True):
        outline = compute_contour(picture.camera_mm, discs, DIRECTIONS)
        edges = find_profile_edges(picture, outline, reach_mm, prior_mm)
        visible = np.ones(outline.on_top.shape, dtype=bool)
        if in_front is not None:
            visible = in_front.find_visible(outline.point_mm, discs.base_mm)
        fit = _solve_each(discs, outline, edges, (expected_mm, radius_sigma_mm), visible)
        discs = replace(discs, base_mm=fit.base_mm, radius_mm=fit.radius_mm)
    return fit


def find_profile_edges(
    picture: PosedImage, outline: Contour, reach_mm: float, prior_mm: float
) -> ProfileEdges:
    """The strongest step on every profile, weighted with a normal distribution of the distance.

    ``prior_mm`` is that distribution's sigma; profiles reach ``reach_mm`` to both sides of the
    outline.
    """
    spacing = float(np.clip(0.5 * picture.view.mm_per_px(), *_SPACING_MM))
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
    # a parabola through three samples has its top between them
    shift = np.where(bend < 0, 0.5 * (left - right) / np.minimum(bend, -1e-6), 0.0)
    found = offset[best] + np.clip(shift, -1, 1) * spacing
    shape = outline.point_mm.shape
    return ProfileEdges(offset_mm=found.reshape(shape[:2]), step=step[row, best].reshape(shape))


def _solve_each(
    discs: FlatDiscs,
    outline: Contour,
    edges: ProfileEdges,
    radius_prior_mm: tuple[FloatArray, float],
    visible: np.ndarray,
) -> OutlineFit:
    """The solutions of equation (1) for the discs' (dx, dy, dR); the radii's prior is a mean (n,)
    and a sigma.

    Only ``visible`` (n, k) points count.
    """
    offset = edges.offset_mm
    m = outline.normal.copy()
    m[..., 2] = np.linalg.norm(m[..., :2], axis=-1)  # cos(elevation): derivative by the radius
    strength = np.linalg.norm(edges.step, axis=-1)
    usual = median_where(strength[..., None], visible)
    trust = visible * strength / (strength + usual + 1e-9)
    move = np.zeros((len(discs.base_mm), 3))
    prior_mean, prior_sigma = radius_prior_mm
    for _ in range(_WEIGHTINGS):
        residual = offset - (m @ move[..., None])[..., 0]
        sigma = _estimate_sigma(residual, trust)
        weight = trust * _compute_tukey_weight(residual / sigma[:, None])
        weighted = (weight[..., None] * m).transpose(0, 2, 1)
        normal_matrix = weighted @ m + 1e-3 * np.eye(3)
        right = (weighted @ offset[..., None])[..., 0]
        stiff = (sigma / prior_sigma) ** 2 / PARAMS.independent_share
        normal_matrix[:, 2, 2] += stiff
        right[:, 2] += stiff * (prior_mean - discs.radius_mm)
        move = np.linalg.solve(normal_matrix, right[..., None])[..., 0]
    residual = offset - (m @ move[..., None])[..., 0]
    return OutlineFit(
        base_mm=discs.base_mm + move[:, :2],
        radius_mm=discs.radius_mm + move[:, 2],
        offset_mm=residual,
        weight=weight,
        step=edges.step,
        sigma_mm=sigma,
        outline=outline,
        visible=visible,
    )


def _estimate_sigma(residual: FloatArray, trust: FloatArray) -> FloatArray:
    """Scatter (n,) of residuals (n, k) by their median absolute deviation, as if normal.

    An edge of little trust counts as 1 mm off, more than any true edge; so do all edges of a
    picture without any step.
    """
    spread = _compute_masked_median(
        np.where(trust > PARAMS.min_trust, np.abs(residual), 1.0), trust > 0
    )
    spread = np.where(np.isfinite(spread), spread, 1.0)
    return np.maximum(spread * MAD_TO_SIGMA, PARAMS.edge_sigma_floor_mm)


def _compute_masked_median(values: FloatArray, used: np.ndarray) -> FloatArray:
    """Lower median (n,) of the values (n, k) that are used; infinite if none is."""
    ordered = np.sort(np.where(used, values, np.inf), axis=1)
    middle = np.maximum(used.sum(axis=1) - 1, 0) // 2
    return np.take_along_axis(ordered, middle[:, None], axis=1)[:, 0]


def _compute_tukey_weight(ratio: FloatArray) -> FloatArray:
    """Tukey's biweight of residuals in units of sigma."""
    inside = np.maximum(1 - (ratio / ROBUST.tukey) ** 2, 0.0)
    return inside * inside


def measure_lasting_share(
    picture: PosedImage, rims: OutlineFit, face_bgr: FloatArray
) -> FloatArray:
    """Share (n,) of a rim across which the colour changes permanently from the face's colour (n,
    3).

    A letter's stroke or a scratch is as sharp as a rim, but its colour changes back.
    """
    shape, bands = rims.step.shape, PARAMS.outside_mm
    offset = np.concatenate([np.linspace(*band, _OUTSIDE_SAMPLES) for band in bands])
    colours = sample_profiles(picture.image, picture.view, rims.outline, offset).astype(np.float32)
    outside = colours.reshape(*shape[:2], len(bands), _OUTSIDE_SAMPLES, 3).mean(axis=3)
    change = (outside - face_bgr[:, None, None]) @ picture.whitening.T
    size = np.einsum("nkc,nkc->nk", rims.step, rims.step)
    part = np.einsum("nkc,nkbc->nkb", rims.step, change) / np.maximum(size, 1e-9)[..., None]
    lasts = (rims.weight > PARAMS.lasting_min_weight) & (part > PARAMS.lasting_step_share).all(
        axis=-1
    )
    return rims.average_visible(lasts)
