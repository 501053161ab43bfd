"""The radius of one board's discs, measured before any disc is known.

Knows that most sharp circles of about a disc's size on a board, in its ditch too, are its discs.
Refuses to know which of them are: where several radii are likely, it names them all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.board import BoardSpec, DiscSpec
from calibration.camera import FloatArray
from vision.evidence import EDGE_SIGMA
from vision.lift import Picture, RimFit, fit_rims
from vision.rim_votes import Edges, Voters, apart, peaks, rim_shares, turned_to_eye
from vision.silhouette import DiscShape
from vision.topdown import TopDown

#: A board without a clear disc is taken to have nominal ones.
NOMINAL = DiscSpec()
#: Height of a disc as a share of its radius, when nothing says more (renders: 0.54 to 0.65).
HEIGHT_PER_RADIUS = 0.595
#: Ditch that is searched for discs, beyond the surface's edge, mm.
DITCH_MM = 45.0
#: The search works at this resolution, on the strongest edges.
_COARSE_MM_PER_PX = 3.0
_COARSE_EDGES = 8_000
#: Radii tried, in units of the 10-line's 203.2 mm: home boards and discs vary this much.
_RADII_MM = (13.2, 14.3, 15.4, 16.6, 17.9, 19.4, 21.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SharpCircles:
    """Circles of about a disc's size, whatever they are; n of each.

    foot_mm  (n, 2); radius_mm (n,)
    quality  0 to 1 (n,): share of the rim that is seen, times how sharply
    """

    foot_mm: FloatArray
    radius_mm: FloatArray
    quality: FloatArray


def sharp_circles(picture: Picture, plan: TopDown, edges: Edges, spec: BoardSpec) -> SharpCircles:
    """The clearest circles of any disc's size on the board and in its ditch, none on the hole."""
    step = round(_COARSE_MM_PER_PX / plan.mm_per_px)
    coarse = TopDown(
        image=plan.image[::step, ::step],
        seen=plan.seen[::step, ::step],
        mm_per_px=step * plan.mm_per_px,
        z_mm=plan.z_mm,
    )
    strong = _strongest(edges.weight, _COARSE_EDGES)
    thin = Edges(
        place_px=coarse.to_px(plan.to_mm(edges.place_px[strong])).astype(np.float32),
        normal=edges.normal[strong],
        weight=edges.weight[strong],
    )
    rough = _rough_circles(coarse, turned_to_eye(coarse, thin, picture.eye_mm), spec)
    rims = fit_rims(
        picture,
        rough[:, :2],
        DiscShape(radius_mm=NOMINAL.radius_mm, height_mm=NOMINAL.height_mm),
        radius_mm=rough[:, 3],
        height_mm=HEIGHT_PER_RADIUS * rough[:, 3],
        radius_sigma_mm=1.0,
    )
    return SharpCircles(foot_mm=rims.foot_mm, radius_mm=rims.radius_mm, quality=_rim_quality(rims))


def _strongest(weight: FloatArray, most: int) -> np.ndarray:
    """Indices of the ``most`` largest of weights (n,), in no order."""
    if len(weight) <= most:
        return np.arange(len(weight))
    return np.argpartition(weight, len(weight) - most)[-most:]


def _rough_circles(coarse: TopDown, voters: Voters, spec: BoardSpec) -> FloatArray:
    """The 24 strongest circles (n, 4) of any radius, as (x, y, share, radius), none on the hole."""
    found = []
    for radius in _RADII_MM:
        share = rim_shares(coarse, voters, radius).total
        place = peaks(share, coarse, apart_mm=10, least=0.2)
        near_hole = np.hypot(*(place[:, :2] - spec.hole_centre_mm).T) < 10
        far_out = np.hypot(*place[:, :2].T) > spec.surface_radius_mm + DITCH_MM
        place = place[~near_hole & ~far_out][:16]
        found.append(np.column_stack([place, np.full(len(place), radius)]))
    circles = np.concatenate(found)
    circles = circles[np.argsort(-circles[:, 2], kind="stable")]
    return circles[apart(circles[:, :2], 12.0)[:24]]


#: Scatter of a rim's edges at which its quality begins to fall, mm.
_SHARP_RIM_MM = 0.3
#: Radii of one board's discs scatter by this when each is measured alone, mm.
_RADIUS_SCATTER_MM = 0.35
#: Evidence, in sharp rims, for the nominal radius when nothing else speaks.
_NOMINAL_EVIDENCE = 0.3
#: Radii this far from nominal, as a logarithm, need more rims to be believed (a lamp mirrored in
#: the varnish is round too), but no more than this many times as many.
_USUAL_RADIUS_LOG = 0.1
_UNUSUAL_WEIGHT = 0.25
#: Rims of less quality, letters and knots, have no say in the radius.
_POOR_RIM = 0.3


def _rim_quality(rims: RimFit) -> FloatArray:
    """0 to 1 (n,): share of the rim that the fit believes, times how sharply it lies there.

    Bare wood has an edge of a kind everywhere, and on smooth wood those nearest to a guess fit it.
    """
    sharp = np.minimum(1.0, (_SHARP_RIM_MM / rims.sigma_mm) ** 2)
    is_edge = np.linalg.norm(rims.step, axis=-1) > EDGE_SIGMA
    return np.mean(is_edge & (rims.weight > 0.2), axis=1) * sharp


#: A radius that circles speak for this much as loudly as for the likeliest is looked into, ...
_RIVAL_SHARE = 0.15
#: ... where it differs by more than the discs of one board do, mm, and no more than so many.
_RIVAL_APART_MM, _MOST_RIVALS = 0.7, 2
_TRIED_STEP_MM = 0.1


def likely_radii(circles: SharpCircles) -> tuple[float, ...]:
    """Radii that the circles share, mm, likeliest first; the nominal one has a little weight."""
    tried = np.arange(12.5, 22.5, _TRIED_STEP_MM)
    radius = np.append(circles.radius_mm, NOMINAL.radius_mm - 0.4)
    weight = np.append(np.maximum(circles.quality - _POOR_RIM, 0.0), _NOMINAL_EVIDENCE)
    unusual = np.log(radius / NOMINAL.radius_mm) / _USUAL_RADIUS_LOG
    weight *= np.maximum(np.exp(-0.5 * unusual**2), _UNUSUAL_WEIGHT)
    density = np.exp(-0.5 * ((tried[:, None] - radius) / _RADIUS_SCATTER_MM) ** 2) @ weight
    left, here, right = density[:-2], density[1:-1], density[2:]
    top = np.flatnonzero((here >= left) & (here > right))
    top = top[here[top] >= _RIVAL_SHARE * here[top].max()]
    top = top[np.argsort(-here[top], kind="stable")]
    bend = 2 * here[top] - left[top] - right[top]
    mode = tried[1 + top] + 0.5 * _TRIED_STEP_MM * (right[top] - left[top]) / bend
    apart = np.abs(mode - mode[0]) > _RIVAL_APART_MM
    rivals = mode[apart][:_MOST_RIVALS]
    return (float(mode[0]), *(float(rival) for rival in rivals))
