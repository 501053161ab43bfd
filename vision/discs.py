"""The discs on the playing surface: found, told from everything else, given a team and a place.

1. The plane through the discs' top faces is seen from above (``topdown``); edges there, measured
   against the wood's own grain, vote for rims of the radius that this board's discs have
   (``rim_votes``).
2. Every candidate's outline is fitted on the picture itself (``lift``).
3. Discs that nobody would doubt, in the ditch too, teach the team colours (``colour``); then every
   candidate is judged by its rim and by its colour.
4. The hole is looked into (``hole``), and the discs that stay are fitted together.

Knows what makes a disc. Refuses to know what it scores.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.board import BoardSpec, DiscSpec
from calibration.camera import FloatArray
from calibration.fit import BoardFit
from calibration.state import DiscState, PlacedDisc, Team
from vision.colour import Faces, learn_teams, look_at_faces, name_teams, nearest_team, team_of
from vision.evidence import RimEvidence, weigh_rims
from vision.hole import HoleLook, look_into_hole
from vision.lift import JointFit, Picture, RimFit, fit_rims, fit_together, lasting_share
from vision.reading import Unexplained
from vision.rim_votes import Edges, RimShares, find_edges, grain_whitening, peaks, rim_shares
from vision.silhouette import DiscShape
from vision.topdown import TopDown, top_down

#: Detection works at this resolution: a disc is 32 px across.
_PLAN_MM_PER_PX = 1.0
#: The search for the radius works coarser, on the strongest edges.
_COARSE_MM_PER_PX = 2.0
_COARSE_EDGES = 20_000
#: Ditch that is searched for discs that teach colours, beyond the surface's edge.
_DITCH_MM = 45.0
#: Discs' radii tried, in units of the 10-line's 203.2 mm: home boards and discs vary this much.
_RADII_MM = (13.2, 14.3, 15.4, 16.6, 17.9, 19.4, 21.0)
#: A board without a clear disc is taken to have nominal ones, and radii near it need less evidence.
_NOMINAL = DiscSpec()
#: Height of a disc as a share of its radius, when nothing says more: 9.5 / 15.875.
_HEIGHT_PER_RADIUS = 0.595
#: Disc sets differ from that by this (renders: 0.54 to 0.65); a radius found is good to 0.3 mm.
_HEIGHT_SIGMA_PER_RADIUS = 0.025
_RADIUS_SIGMA_MM = 0.3
#: Least share of a rim that edges must support for a candidate (noise reaches 0.2).
_LEAST_SHARE = 0.18
#: Near a hard shadow the votes have several peaks; the fits decide between them.
_CANDIDATES_APART_MM = 4.0
_SAME_PLACE_MM = 2.5
_MOST_CANDIDATES = 120
#: Every such pixel of the surface is enough for its usual colour.
_WOOD_EVERY = 37
#: Discs beside wood lighter than usual by this, weighted L, lie in glare and teach no colour.
_GLARE_LAB = 8.0
#: Discs cannot overlap: centres nearer than this share of two radii are one disc.
_EXCLUSION = 0.85


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DiscReading:
    """What lies on one board: teams light to dark, discs, sizes and what stayed unexplained."""

    teams: tuple[Team, ...]
    discs: tuple[PlacedDisc, ...]
    disc: DiscSpec
    unexplained: tuple[Unexplained, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Candidates:
    """Circles that may be discs, and what was measured of them; n of each.

    evidence  by rim and face alone, before any team is known
    """

    rims: RimFit
    faces: Faces
    evidence: RimEvidence


def find_discs(image: np.ndarray, fit: BoardFit, disc: DiscSpec | None = None) -> DiscReading:
    """The discs on the playing surface of a board that was found in ``image`` (BGR, uint8).

    ``disc`` holds the discs' sizes where a profile knows them; otherwise they are measured.
    """
    scene = _look(image, fit, disc)
    found = _candidates(scene)
    sure = _surely_discs(found, scene)
    clear = _out_of_glare(found.faces, sure)
    teams_lab = learn_teams(found.faces.lab[clear], found.evidence.probability[clear])
    hole = look_into_hole(scene.picture, scene.spec, scene.shape.radius_mm, teams_lab)
    chosen, team, confidence = _judge(found, scene, teams_lab, hole)
    foot = found.rims.foot_mm[chosen]
    state = _states(foot, scene)
    joint = _fit_flat(scene, foot, state)
    discs = _placed(foot, state, joint, found.rims.covariance_mm2[chosen], team, confidence)
    discs += _disc_in_hole(scene, discs, hole)
    return DiscReading(
        teams=_name(found, clear, teams_lab),
        discs=tuple(discs),
        disc=_measured_spec(scene, joint),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Scene:
    """One picture made ready: top-down plan, edges, and the shape its discs have."""

    picture: Picture
    spec: BoardSpec
    plan: TopDown
    edges: Edges
    shape: DiscShape
    shape_sigma_mm: tuple[float, float]
    given: DiscSpec | None

    @property
    def wood_bgr(self) -> FloatArray:
        """The usual colour of the playing surface (3,)."""
        bare = self.plan.seen & (self.plan.radius_mm() < self.spec.line_radii_mm[2])
        return np.median(self.plan.image[bare][::_WOOD_EVERY], axis=0)

    @property
    def hole_mm(self) -> FloatArray:
        return np.asarray(self.spec.hole_centre_mm, dtype=np.float64)


def _look(image: np.ndarray, fit: BoardFit, disc: DiscSpec | None) -> _Scene:
    spec, view = fit.spec, fit.view
    top_mm = disc.height_mm if disc else _NOMINAL.height_mm
    outer_mm = spec.surface_radius_mm + _DITCH_MM + 5
    plan = top_down(image, view, z_mm=top_mm, half_side_mm=outer_mm + 5, mm_per_px=_PLAN_MM_PER_PX)
    picture = Picture(image=image, view=view, whitening=grain_whitening(plan, spec))
    edges = find_edges(plan, picture.whitening, outer_mm)
    if disc is not None:
        shape = DiscShape(radius_mm=disc.radius_mm, height_mm=disc.height_mm)
        sigma = (disc.radius_sigma_mm, disc.height_sigma_mm)
    else:
        radius = _measure_radius(picture, plan, edges, spec)
        shape = DiscShape(radius_mm=radius, height_mm=_HEIGHT_PER_RADIUS * radius)
        sigma = (_RADIUS_SIGMA_MM, _HEIGHT_SIGMA_PER_RADIUS * radius)
    return _Scene(
        picture=picture,
        spec=spec,
        plan=plan,
        edges=edges,
        shape=shape,
        shape_sigma_mm=sigma,
        given=disc,
    )


def _measure_radius(picture: Picture, plan: TopDown, edges: Edges, spec: BoardSpec) -> float:
    """The radius that most circles on this board share, or the nominal one when none is clear."""
    coarse = TopDown(
        image=plan.image[::2, ::2],
        seen=plan.seen[::2, ::2],
        mm_per_px=_COARSE_MM_PER_PX,
        z_mm=plan.z_mm,
    )
    least = (
        np.partition(edges.weight, -_COARSE_EDGES)[-_COARSE_EDGES]
        if (len(edges.weight) > _COARSE_EDGES)
        else 0.0
    )
    strong = edges.weight >= least
    thin = Edges(
        place_px=coarse.to_px(plan.to_mm(edges.place_px[strong])),
        normal=edges.normal[strong],
        weight=edges.weight[strong],
    )
    rough = _rough_circles(picture, coarse, thin, spec)
    radius, quality = [], []
    for start in np.unique(rough[:, 3]):
        shape = DiscShape(radius_mm=start, height_mm=_HEIGHT_PER_RADIUS * start)
        same = rough[:, 3] == start
        rims = fit_rims(picture, rough[same, :2], shape, radius_sigma_mm=1.0)
        radius += list(rims.radius_mm)
        quality += list(_rim_quality(rims))
    return _likeliest_radius(np.array(radius), np.array(quality))


def _rough_circles(picture: Picture, coarse: TopDown, edges: Edges, spec: BoardSpec) -> FloatArray:
    """The 24 strongest circles (n, 4) of any radius, as (x, y, share, radius), none on the hole."""
    found = []
    for radius in _RADII_MM:
        share = rim_shares(coarse, edges, picture.eye_mm, radius).total
        place = peaks(share, coarse, apart_mm=10, least=0.2)
        near_hole = np.hypot(*(place[:, :2] - spec.hole_centre_mm).T) < 10
        far_out = np.hypot(*place[:, :2].T) > spec.surface_radius_mm + _DITCH_MM
        place = place[~near_hole & ~far_out][:16]
        found.append(np.column_stack([place, np.full(len(place), radius)]))
    circles = np.concatenate(found)
    circles = circles[np.argsort(-circles[:, 2], kind="stable")]
    return circles[_apart(circles[:, :2], 12.0)[:24]]


def _apart(place_mm: FloatArray, least_mm: float) -> np.ndarray:
    """Indices of places (n, 2), in order, that keep ``least_mm`` from all kept before."""
    kept: list[int] = []
    for i, place in enumerate(place_mm):
        if all(np.hypot(*(place - place_mm[k])) >= least_mm for k in kept):
            kept.append(i)
    return np.array(kept, dtype=np.intp)


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
    """0 to 1 (n,): share of the rim that the fit believes, times how sharply it lies there."""
    sharp = np.minimum(1.0, (_SHARP_RIM_MM / rims.sigma_mm) ** 2)
    return np.mean(rims.weight > 0.2, axis=1) * sharp


def _likeliest_radius(radius_mm: FloatArray, quality: FloatArray) -> float:
    """Mode of radii (n,) weighted by quality, with a little weight on the nominal radius."""
    tried = np.arange(12.5, 22.5, 0.1)
    radius = np.append(radius_mm, _NOMINAL.radius_mm - 0.4)
    weight = np.append(np.maximum(quality - _POOR_RIM, 0.0), _NOMINAL_EVIDENCE)
    unusual = np.log(radius / _NOMINAL.radius_mm) / _USUAL_RADIUS_LOG
    weight *= np.maximum(np.exp(-0.5 * unusual**2), _UNUSUAL_WEIGHT)
    density = np.exp(-0.5 * ((tried[:, None] - radius) / _RADIUS_SCATTER_MM) ** 2) @ weight
    return float(tried[np.argmax(density)])


def _places(share: RimShares, scene: _Scene) -> FloatArray:
    """Where discs may be (n, 3), as (x, y, share): peaks of the votes, of either kind alone too."""
    total = share.total
    found = [
        peaks(votes, scene.plan, apart_mm=_CANDIDATES_APART_MM, least=_LEAST_SHARE)
        for votes in (total, share.bright, share.dark)
    ]
    place = np.concatenate(found)
    reach = np.hypot(*place[:, :2].T)
    place = place[reach < scene.spec.surface_radius_mm + _DITCH_MM]
    place = place[_apart(place[:, :2], _SAME_PLACE_MM)][:_MOST_CANDIDATES]
    column, row = np.rint(scene.plan.to_px(place[:, :2])).astype(np.intp).T
    return np.column_stack([place[:, :2], total[row, column]])


def _candidates(scene: _Scene) -> Candidates:
    """Circles of the discs' radius, fitted and looked at."""
    share = rim_shares(scene.plan, scene.edges, scene.picture.eye_mm, scene.shape.radius_mm)
    place = _places(share, scene)
    rims = fit_rims(scene.picture, place[:, :2], scene.shape, radius_sigma_mm=0.4)
    faces = look_at_faces(scene.picture, rims.foot_mm, scene.shape, scene.wood_bgr)
    lasting = lasting_share(scene.picture, rims, faces.rgb[:, ::-1])
    evidence = weigh_rims(rims, place[:, 2], lasting, faces.scatter)
    return Candidates(rims=rims, faces=faces, evidence=evidence)


#: Log odds from which on nobody would doubt a disc: 9 to 1.
_SURE = 2.2


def _surely_discs(found: Candidates, scene: _Scene) -> np.ndarray:
    """Indices of candidates that nobody would doubt, on the surface or in the ditch."""
    off_hole = np.hypot(*(found.rims.foot_mm - scene.hole_mm).T) > 20
    sure = np.flatnonzero((found.evidence.log_odds > _SURE) & off_hole)
    order = sure[np.argsort(-found.evidence.log_odds[sure], kind="stable")]
    return order[_apart(found.rims.foot_mm[order], 2 * _EXCLUSION * scene.shape.radius_mm)]


def _out_of_glare(faces: Faces, sure: np.ndarray) -> np.ndarray:
    """Those of the discs ``sure`` that show their own colour; all of them, if none does."""
    clear = sure[faces.glare[sure] < _GLARE_LAB]
    return clear if len(clear) > 0 else sure


#: What a face's distance from its team's colour adds to the log odds: this much a weighted Lab
#: unit beyond the usual, within bounds.
_PER_COLOUR_LAB = -0.12
_USUAL_COLOUR_LAB = 10.0
_COLOUR_BOUNDS = (-4.0, 1.2)
#: Wood this far from a team's colour is never taken for it, weighted Lab.
_WOOD_DIFFERS_LAB = 20.0


def _colour_evidence(faces: Faces, distance: FloatArray, team_lab: FloatArray) -> FloatArray:
    """What the colours add to the log odds (n,); nothing for a team of the wood's own colour."""
    by_colour = np.clip(_PER_COLOUR_LAB * (distance - _USUAL_COLOUR_LAB), *_COLOUR_BOUNDS)
    wood_differs = np.linalg.norm(faces.around_lab - team_lab, axis=-1) / _WOOD_DIFFERS_LAB
    return np.where(by_colour > 0, by_colour * np.minimum(wood_differs, 1.0) ** 2, by_colour)


def _judge(
    found: Candidates, scene: _Scene, teams_lab: FloatArray, hole: HoleLook
) -> tuple[np.ndarray, np.ndarray, FloatArray]:
    """Which candidates are discs on the surface: indices, teams and confidences."""
    foot = found.rims.foot_mm
    if len(teams_lab) == 0 or len(foot) == 0:
        return np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0)
    team, distance = team_of(found.faces, teams_lab)
    evidence = found.evidence.log_odds + _colour_evidence(found.faces, distance, teams_lab[team])
    only_hole = _is_only_the_hole(foot, teams_lab[team], scene, hole)
    order = np.argsort(-evidence, kind="stable")
    on_surface = np.hypot(*foot.T) < scene.spec.surface_radius_mm
    order = order[(evidence > 0)[order] & ~only_hole[order]]
    kept = order[_apart(foot[order], 2 * _EXCLUSION * scene.shape.radius_mm)]
    kept = kept[on_surface[kept]]
    return kept, team[kept], 1 / (1 + np.exp(-evidence[kept]))


def _is_only_the_hole(
    foot_mm: FloatArray, team_lab: FloatArray, scene: _Scene, hole: HoleLook
) -> np.ndarray:
    """Which circles (n,) over the hole are its own edge, wall or floor, not a leaning disc."""
    off_hole = foot_mm - scene.hole_mm
    over = np.linalg.norm(off_hole, axis=-1) < scene.spec.hole_radius_mm
    return over & ~hole.shows_leaning(off_hole, team_lab)


def _states(foot_mm: FloatArray, scene: _Scene) -> list[DiscState]:
    """How each disc lies, by where its centre is."""
    states = []
    for foot in foot_mm:
        if np.hypot(*(foot - scene.hole_mm)) < scene.spec.hole_radius_mm:
            states.append(DiscState.LEANING)
        elif np.hypot(*foot) + scene.shape.radius_mm > scene.spec.surface_radius_mm:
            states.append(DiscState.OVERHANGING)
        else:
            states.append(DiscState.FLAT)
    return states


def _fit_flat(scene: _Scene, foot_mm: FloatArray, state: list[DiscState]) -> JointFit | None:
    """The discs that are not leaning, fitted together; None without any."""
    flat = np.array([s is not DiscState.LEANING for s in state], dtype=bool)
    if not flat.any():
        return None
    return fit_together(scene.picture, foot_mm[flat], scene.shape, scene.shape_sigma_mm)


def _placed(
    foot_mm: FloatArray,
    state: list[DiscState],
    joint: JointFit | None,
    rough_covariance: FloatArray,
    team: np.ndarray,
    confidence: FloatArray,
) -> list[PlacedDisc]:
    """The judged discs in mm; leaning ones keep their rough place and two millimetres of doubt."""
    out, flat = [], 0
    for i, kind in enumerate(state):
        place, covariance = foot_mm[i], rough_covariance[i] + 4.0 * np.eye(2)
        if kind is not DiscState.LEANING and joint is not None:
            place, covariance = joint.foot_mm[flat], joint.covariance_mm2[flat]
            flat += 1
        out.append(
            PlacedDisc(
                centre_mm=place,
                covariance_mm2=covariance,
                team=int(team[i]),
                state=kind,
                confidence=float(confidence[i]),
            )
        )
    return out


def _disc_in_hole(scene: _Scene, discs: list[PlacedDisc], hole: HoleLook) -> list[PlacedDisc]:
    """The disc that lies flat in the hole, if there is one and nothing leans over it."""
    over = [np.hypot(*(d.centre_mm - scene.hole_mm)) < scene.shape.radius_mm for d in discs]
    if any(over) or not hole.holds_disc:
        return []
    return [
        PlacedDisc(
            centre_mm=scene.hole_mm,
            covariance_mm2=np.eye(2),
            team=hole.team,
            state=DiscState.IN_HOLE,
        )
    ]


#: How far the edge that touches the board lies inside the radius that was measured on the picture:
#: the bevel, less what of it is taken for the background (renders: 0.2 and 0.65 +- 0.3).
_CONTACT_INSET_MM = 0.35
_CONTACT_INSET_SIGMA_MM = 0.3


def _measured_spec(scene: _Scene, joint: JointFit | None) -> DiscSpec:
    """The discs' sizes: given, measured, or nominal."""
    if scene.given is not None:
        return scene.given
    if joint is None:
        return DiscSpec(radius_mm=scene.shape.radius_mm, height_mm=scene.shape.height_mm)
    return DiscSpec(
        radius_mm=joint.shape.radius_mm,
        radius_sigma_mm=float(joint.size_sigma_mm[0]),
        contact_inset_mm=_CONTACT_INSET_MM,
        contact_inset_sigma_mm=_CONTACT_INSET_SIGMA_MM,
        height_mm=joint.shape.height_mm,
        height_sigma_mm=float(joint.size_sigma_mm[1]),
    )


def _name(found: Candidates, sure: np.ndarray, teams_lab: FloatArray) -> tuple[Team, ...]:
    """Teams with the median colour of their sure discs."""
    if len(teams_lab) == 0:
        return ()
    member = nearest_team(found.faces.lab[sure], teams_lab)[0]
    return name_teams(
        [np.median(found.faces.rgb[sure][member == k], axis=0) for k in range(len(teams_lab))]
    )
