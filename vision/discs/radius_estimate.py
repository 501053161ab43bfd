"""The radius of one board's discs, measured before any disc is known.

Most sharp circles of about a disc's size on a board, or in its ditch, are its discs. The radii of
Hough circles, fitted on the picture, vote in a kernel density estimate whose mode is the radius.
Letters, knots or a mirrored lamp may win the vote.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from calibration.board import BoardSpec
from calibration.camera import FloatArray
from calibration.disc import DiscSpec
from calibration.parameters import StageParameters, parameter
from vision.discs.edges_above_grain import ColourEdges
from vision.discs.hough_votes import (
    OrientedEdges,
    accumulate_votes,
    find_peaks,
    orient_edges,
    suppress_non_maxima,
)
from vision.discs.outline.contour import DiscGeometry, FlatDiscs
from vision.discs.outline.outline_fit import OutlineFit, fit_outlines
from vision.discs.outline.posed_image import PosedImage
from vision.discs.rim_classifier import PARAMS as RIM_CLASSIFIER
from vision.rectify.birds_eye import BirdsEyeImage

#: A board without a clear disc is assumed to have nominal discs.
NOMINAL_DISC = DiscSpec()


class RadiusEstimateParameters(StageParameters):
    """Parameters of ``radius_estimate``."""

    #: Height of a disc as a share of its radius, if nothing else is known.
    height_per_radius: float = parameter(0.595, unit="", source="measured on renders: 0.54 to 0.65")
    #: Rough circles: least share of the rim supported by edges.
    min_vote_share: float = parameter(0.2, unit="share", source="measured: noise reaches 0.2")
    #: Largest difference of a circle's radius from the tried radius.
    radius_sigma_mm: float = parameter(
        1.0, unit="mm", source="chosen: about the step of the radii tried"
    )
    #: Scatter of a rim's edges at which its quality begins to fall.
    sharp_rim_mm: float = parameter(0.3, unit="mm", source="chosen: edges of discs scatter by less")
    #: An edge counts from this weight in its fit on.
    min_edge_weight: float = parameter(
        0.2, unit="", source="chosen: low, so that only outliers are dropped"
    )
    #: Scatter of the radii of one board's discs when each is measured alone.
    radius_scatter_mm: float = parameter(
        0.35,
        unit="mm",
        source="chosen: the scatter of discs fitted alone, as the bandwidth of the density",
    )
    #: Weight of the nominal disc, as a number of sharp rims, in case no circle is clear; its
    #: sharpest circle is its contact edge.
    nominal_weight: float = parameter(
        0.3, unit="", source="chosen: less than half the weight of one sharp rim"
    )
    #: Sigma of the prior on a radius, in logarithms about the nominal one; an unusual radius keeps
    #: at least this weight.
    usual_radius_log: float = parameter(
        0.1, unit="log", source="chosen: a lamp's reflection in the varnish is round too"
    )
    unusual_weight: float = parameter(
        0.25, unit="", source="chosen: four times as many rims outweigh any deviation of the radius"
    )
    #: Rims of less quality are not used for the radius.
    min_rim_quality: float = parameter(0.3, unit="", source="chosen: letters and knots have less")


PARAMS = RadiusEstimateParameters()
#: Width of the ditch that is searched for discs, beyond the surface's edge: usual ditches are 51 mm
#: wide, and the rail keeps a disc's centre away.
DITCH_SEARCH_MM = 45.0
#: Least distance of two rough circles: the radius of the smallest disc.
_SAME_CIRCLE_MM = 12.0
#: A circle whose middle is this close to the hole's is the hole: seen from the side, the hole's
#: edge is shifted by less than this.
_ON_HOLE_MM = 10.0
#: Radii tried, on the scale in which the 10-line has its nominal 203.2 mm: home boards and discs
#: vary this much; each value is 8% above the one before.
_RADII_MM = (13.2, 14.3, 15.4, 16.6, 17.9, 19.4, 21.0)
#: Distance between rough circles of one radius, less than any radius.
_MIN_PEAK_DISTANCE_MM = 10.0
#: Number of rough circles that are kept: as many as one game has discs.
_MAX_CIRCLES = 24
#: The density is computed between these radii: the radii tried, and half a step more.
_RADIUS_RANGE_MM = (12.5, 22.5)
#: Resolution of the search, for speed: a tenth of a disc.
_COARSE_MM_PER_PX = 3.0
#: Most edges of the search, for speed: 80 rims of 100 edges.
_COARSE_EDGES = 8_000
#: Step of the density: a third of its bandwidth.
_RADIUS_STEP_MM = 0.1
#: Most circles of one radius, for speed.
_MAX_CIRCLES_PER_RADIUS = 16


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SharpCircles:
    """n circles of about a disc's size, discs or not.

    base_mm    middles on the surface, if they are rims of discs: (n, 2)
    radius_mm  (n,)
    quality    0 to 1, the visible share of the rim times its sharpness: (n,)
    """

    base_mm: FloatArray
    radius_mm: FloatArray
    quality: FloatArray


def find_sharp_circles(
    picture: PosedImage, rectified: BirdsEyeImage, edges: ColourEdges, spec: BoardSpec
) -> SharpCircles:
    """The clearest circles of any disc's size on the board and in its ditch, none of them on the
    hole.

    There may be none. ``edges`` are those of ``rectified``.
    """
    step = round(_COARSE_MM_PER_PX / rectified.mm_per_px)
    coarse = BirdsEyeImage(
        image=rectified.image[::step, ::step],
        inside=rectified.inside[::step, ::step],
        mm_per_px=step * rectified.mm_per_px,
        z_mm=rectified.z_mm,
    )
    strong = _select_strongest(edges.weight, _COARSE_EDGES)
    thin = ColourEdges(
        place_px=coarse.to_px(rectified.to_mm(edges.place_px[strong])).astype(np.float32),
        normal=edges.normal[strong],
        weight=edges.weight[strong],
    )
    rough = _find_rough_circles(coarse, orient_edges(coarse, thin, picture.camera_mm), spec)
    nominal = DiscGeometry(radius_mm=NOMINAL_DISC.radius_mm, height_mm=NOMINAL_DISC.height_mm)
    discs = replace(
        FlatDiscs.of_shape(rough[:, :2], nominal),
        radius_mm=rough[:, 3],
        height_mm=PARAMS.height_per_radius * rough[:, 3],
    )
    rims = fit_outlines(picture, discs, radius_sigma_mm=PARAMS.radius_sigma_mm)
    return SharpCircles(
        base_mm=rims.base_mm, radius_mm=rims.radius_mm, quality=_compute_rim_quality(rims)
    )


def _select_strongest(weight: FloatArray, most: int) -> np.ndarray:
    """Indices of the ``most`` largest weights (n,), in no order."""
    if len(weight) <= most:
        return np.arange(len(weight))
    return np.argpartition(weight, len(weight) - most)[-most:]


def _find_rough_circles(coarse: BirdsEyeImage, edges: OrientedEdges, spec: BoardSpec) -> FloatArray:
    """The strongest circles (n, 4) of any radius, as (x, y, share, radius), none on the hole."""
    reach_mm = spec.surface_radius_mm + DITCH_SEARCH_MM
    found = []
    for radius in _RADII_MM:
        share = accumulate_votes(coarse, edges, radius).total
        place = find_peaks(
            share,
            coarse,
            min_distance_mm=_MIN_PEAK_DISTANCE_MM,
            min_share=PARAMS.min_vote_share,
        )
        near_hole = np.hypot(*(place[:, :2] - spec.hole_centre_mm).T) < _ON_HOLE_MM
        far_out = np.hypot(*place[:, :2].T) > reach_mm
        place = place[~near_hole & ~far_out][:_MAX_CIRCLES_PER_RADIUS]
        found.append(np.column_stack([place, np.full(len(place), radius)]))
    circles = np.concatenate(found)
    circles = circles[np.argsort(-circles[:, 2], kind="stable")]
    kept = suppress_non_maxima(circles[:, :2], _SAME_CIRCLE_MM)
    return circles[kept[:_MAX_CIRCLES]]


def _compute_rim_quality(rims: OutlineFit) -> FloatArray:
    """0 to 1 (n,): share of the rim that the fit supports, times its sharpness.

    Empty wood has weak edges everywhere, and on smooth wood those nearest to a guess fit it.
    """
    sharp = np.minimum(1.0, (PARAMS.sharp_rim_mm / rims.sigma_mm) ** 2)
    is_edge = np.linalg.norm(rims.step, axis=-1) > RIM_CLASSIFIER.min_edge_sigma
    return np.mean(is_edge & (rims.weight > PARAMS.min_edge_weight), axis=1) * sharp


def estimate_radius(circles: SharpCircles) -> float:
    """The likeliest radius that the circles share, mm.

    It is the mode of a kernel density estimate, placed by a parabola through three of its steps.
    The nominal disc has a little weight, so there is a radius even without circles.
    """
    tried = np.arange(*_RADIUS_RANGE_MM, _RADIUS_STEP_MM)
    radius = np.append(circles.radius_mm, NOMINAL_DISC.contact_radius_mm)
    weight = np.append(
        np.maximum(circles.quality - PARAMS.min_rim_quality, 0.0), PARAMS.nominal_weight
    )
    unusual = np.log(radius / NOMINAL_DISC.radius_mm) / PARAMS.usual_radius_log
    weight *= np.maximum(np.exp(-0.5 * unusual**2), PARAMS.unusual_weight)
    density = np.exp(-0.5 * ((tried[:, None] - radius) / PARAMS.radius_scatter_mm) ** 2) @ weight
    top = 1 + int(np.argmax(density[1:-1]))
    left, here, right = density[top - 1 : top + 2]
    bend = max(2 * here - left - right, 1e-12)
    return float(tried[top] + 0.5 * _RADIUS_STEP_MM * (right - left) / bend)
