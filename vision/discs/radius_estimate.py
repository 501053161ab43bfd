"""The radius of one board's discs, measured before any disc is known.

Knows that most sharp circles of about a disc's size on a board, in its ditch too, are its discs.
Refuses to know which of them are: where several radii are likely, it names them all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from calibration.board import BoardSpec, DiscSpec
from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from vision.discs.hough_votes import (
    ColourEdges,
    OrientedEdges,
    accumulate_votes,
    find_peaks,
    orient_edges,
    suppress_non_maxima,
)
from vision.discs.outline.contour import DiscGeometry
from vision.discs.outline.outline_fit import OutlineFit, PosedImage, fit_outlines
from vision.discs.rim_classifier import MIN_EDGE_SIGMA
from vision.rectify.birds_eye import BirdsEyeImage

#: A board without a clear disc is taken to have nominal ones.
NOMINAL_DISC = DiscSpec()
#: Height of a disc as a share of its radius, when nothing says more (renders: 0.54 to 0.65).
HEIGHT_PER_RADIUS = 0.595
#: Ditch that is searched for discs, beyond the surface's edge, mm.
DITCH_SEARCH_MM = 45.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RadiusEstimateParameters(StageParameters):
    """What ``radius_estimate`` takes for granted."""

    stage: ClassVar[str] = "discs.radius_estimate"

    #: The search works at this resolution, on the strongest edges.
    coarse_mm_per_px: float = parameter(3.0, unit="mm", source="")
    coarse_edges: int = parameter(8_000, unit="", source="")
    #: Radii tried, in units of the 10-line's 203.2 mm: home boards and discs vary this much.
    radii_mm: tuple[float, float, float, float, float, float, float] = parameter(
        (13.2, 14.3, 15.4, 16.6, 17.9, 19.4, 21.0), unit="mm", source=""
    )
    #: Scatter of a rim's edges at which its quality begins to fall, mm.
    sharp_rim_mm: float = parameter(0.3, unit="mm", source="")
    #: Radii of one board's discs scatter by this when each is measured alone, mm.
    radius_scatter_mm: float = parameter(0.35, unit="mm", source="")
    #: Evidence, in sharp rims, for the nominal disc when nothing else speaks: the sharpest circle
    #: that shows of it is its contact edge.
    nominal_weight: float = parameter(0.3, unit="", source="")
    #: Radii this far from nominal, as a logarithm, need more rims to be believed (a lamp mirrored
    #: in the varnish is round too), but no more than this many times as many.
    usual_radius_log: float = parameter(0.1, unit="", source="")
    unusual_weight: float = parameter(0.25, unit="", source="")
    #: Rims of less quality, letters and knots, carry no weight in the radius.
    min_rim_quality: float = parameter(0.3, unit="", source="")
    #: A radius whose density is at least this share of the likeliest one's is a rival, ...
    rival_share: float = parameter(0.15, unit="share", source="")
    #: ... where it differs by more than the discs of one board do, mm, and no more than so many.
    rival_apart_mm: float = parameter(0.7, unit="mm", source="")
    max_rivals: int = parameter(2, unit="", source="")
    radius_step_mm: float = parameter(0.1, unit="mm", source="")


PARAMS = RadiusEstimateParameters.active()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SharpCircles:
    """Circles of about a disc's size, whatever they are; n of each.

    foot_mm  (n, 2); radius_mm (n,)
    quality  0 to 1 (n,): share of the rim that is seen, times how sharply
    """

    foot_mm: FloatArray
    radius_mm: FloatArray
    quality: FloatArray


def find_sharp_circles(
    picture: PosedImage, rectified: BirdsEyeImage, edges: ColourEdges, spec: BoardSpec
) -> SharpCircles:
    """The clearest circles of any disc's size on the board and in its ditch, none on the hole."""
    step = round(PARAMS.coarse_mm_per_px / rectified.mm_per_px)
    coarse = BirdsEyeImage(
        image=rectified.image[::step, ::step],
        seen=rectified.seen[::step, ::step],
        mm_per_px=step * rectified.mm_per_px,
        z_mm=rectified.z_mm,
    )
    strong = _select_strongest(edges.weight, PARAMS.coarse_edges)
    thin = ColourEdges(
        place_px=coarse.to_px(rectified.to_mm(edges.place_px[strong])).astype(np.float32),
        normal=edges.normal[strong],
        weight=edges.weight[strong],
    )
    rough = _find_rough_circles(coarse, orient_edges(coarse, thin, picture.eye_mm), spec)
    rims = fit_outlines(
        picture,
        rough[:, :2],
        DiscGeometry(radius_mm=NOMINAL_DISC.radius_mm, height_mm=NOMINAL_DISC.height_mm),
        radius_mm=rough[:, 3],
        height_mm=HEIGHT_PER_RADIUS * rough[:, 3],
        radius_sigma_mm=1.0,
    )
    return SharpCircles(
        foot_mm=rims.foot_mm, radius_mm=rims.radius_mm, quality=_compute_rim_quality(rims)
    )


def _select_strongest(weight: FloatArray, most: int) -> np.ndarray:
    """Indices of the ``most`` largest of weights (n,), in no order."""
    if len(weight) <= most:
        return np.arange(len(weight))
    return np.argpartition(weight, len(weight) - most)[-most:]


def _find_rough_circles(coarse: BirdsEyeImage, edges: OrientedEdges, spec: BoardSpec) -> FloatArray:
    """The 24 strongest circles (n, 4) of any radius, as (x, y, share, radius), none on the hole."""
    found = []
    for radius in PARAMS.radii_mm:
        share = accumulate_votes(coarse, edges, radius).total
        place = find_peaks(share, coarse, min_distance_mm=10, min_share=0.2)
        near_hole = np.hypot(*(place[:, :2] - spec.hole_centre_mm).T) < 10
        far_out = np.hypot(*place[:, :2].T) > spec.surface_radius_mm + DITCH_SEARCH_MM
        place = place[~near_hole & ~far_out][:16]
        found.append(np.column_stack([place, np.full(len(place), radius)]))
    circles = np.concatenate(found)
    circles = circles[np.argsort(-circles[:, 2], kind="stable")]
    return circles[suppress_non_maxima(circles[:, :2], 12.0)[:24]]


def _compute_rim_quality(rims: OutlineFit) -> FloatArray:
    """0 to 1 (n,): share of the rim that the fit believes, times how sharply it lies there.

    Bare wood has an edge of a kind everywhere, and on smooth wood those nearest to a guess fit it.
    """
    sharp = np.minimum(1.0, (PARAMS.sharp_rim_mm / rims.sigma_mm) ** 2)
    is_edge = np.linalg.norm(rims.step, axis=-1) > MIN_EDGE_SIGMA
    return np.mean(is_edge & (rims.weight > 0.2), axis=1) * sharp


def estimate_radii(circles: SharpCircles) -> tuple[float, ...]:
    """Radii that the circles share, mm, likeliest first; the nominal one has a little weight."""
    tried = np.arange(12.5, 22.5, PARAMS.radius_step_mm)
    radius = np.append(circles.radius_mm, NOMINAL_DISC.contact_radius_mm)
    weight = np.append(
        np.maximum(circles.quality - PARAMS.min_rim_quality, 0.0), PARAMS.nominal_weight
    )
    unusual = np.log(radius / NOMINAL_DISC.radius_mm) / PARAMS.usual_radius_log
    weight *= np.maximum(np.exp(-0.5 * unusual**2), PARAMS.unusual_weight)
    density = np.exp(-0.5 * ((tried[:, None] - radius) / PARAMS.radius_scatter_mm) ** 2) @ weight
    left, here, right = density[:-2], density[1:-1], density[2:]
    top = np.flatnonzero((here >= left) & (here > right))
    top = top[here[top] >= PARAMS.rival_share * here[top].max()]
    top = top[np.argsort(-here[top], kind="stable")]
    bend = 2 * here[top] - left[top] - right[top]
    mode = tried[1 + top] + 0.5 * PARAMS.radius_step_mm * (right[top] - left[top]) / bend
    apart = np.abs(mode - mode[0]) > PARAMS.rival_apart_mm
    rivals = mode[apart][: PARAMS.max_rivals]
    return (float(mode[0]), *(float(rival) for rival in rivals))
