"""The discs on the playing surface: found, told from everything else, given a team and a place.

1. The plane through the discs' top faces is seen from above (``topdown``); edges there, measured
   against the wood's own grain, vote for rims of the radius that this board's discs have
   (``rim_votes``).
2. Every candidate's outline is fitted on the picture itself (``lift``).
3. Discs that nobody would doubt, in the ditch too, teach the team colours (``colour``); then every
   candidate is judged by its rim and by its colour.
4. The hole is looked into (``hole``), and the discs that stay are fitted together.
5. What else lies on the board is looked for, by its colour (``foreign``) and by the lines that it
   hides (``line_gaps``), and left to a person.

Knows what makes a disc. Refuses to know what it scores.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.board import DiscSpec
from calibration.camera import FloatArray
from calibration.fit import BoardFit
from calibration.state import DiscState, PlacedDisc, Team
from vision.bare import bare_map
from vision.candidates import (
    Candidates,
    best_sized,
    other_circles,
    out_of_glare,
    surely_discs,
)
from vision.colour import learn_teams, name_teams, nearest_team, with_known
from vision.foreign import foreign_regions
from vision.hole import HoleLook, look_into_hole
from vision.joint_fit import JointFit, fit_together
from vision.judge import Judgement, judge, states_of
from vision.line_gaps import line_gaps
from vision.reading import Unexplained
from vision.rim_votes import apart
from vision.scene import Scene, look_at_board


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DiscReading:
    """What lies on one board: teams light to dark, discs, sizes and what stayed unexplained."""

    teams: tuple[Team, ...]
    discs: tuple[PlacedDisc, ...]
    disc: DiscSpec
    unexplained: tuple[Unexplained, ...] = ()


def find_discs(
    image: np.ndarray,
    fit: BoardFit,
    disc: DiscSpec | None = None,
    known: tuple[Team, ...] = (),
) -> DiscReading:
    """The discs on the playing surface of a board that was found in ``image`` (BGR, uint8).

    ``disc`` holds the discs' sizes where a profile knows them; otherwise they are measured.
    ``known`` are teams that were seen before on this board; they come first, others after them.
    """
    scene, found = best_sized(look_at_board(image, fit, disc))
    sure = out_of_glare(found, surely_discs(found, scene), scene)
    teams_lab = with_known(_learn_teams(found, sure, scene), known)
    hole = look_into_hole(scene.picture, scene.spec, scene.shape.radius_mm, teams_lab)
    judged = judge(found, scene, teams_lab, hole)
    state = states_of(found.rims.foot_mm[judged.chosen], scene)
    joint = _fit_flat(scene, found.rims.foot_mm[judged.chosen], state)
    discs = _placed(found, judged, state, joint)
    discs += _disc_in_hole(scene, discs, hole)
    doubts = _unexplained(scene, judged, hole, discs)
    return DiscReading(
        teams=_name(found, sure, teams_lab, known),
        discs=tuple(discs),
        disc=_measured_spec(scene, joint),
        unexplained=(*doubts, *_covers(scene, discs, doubts)),
    )


def measure_size(image: np.ndarray, fit: BoardFit, foot_mm: FloatArray) -> DiscSpec:
    """The size that flat discs about ``foot_mm`` (n, 2) share, by their outlines alone."""
    scene, _ = best_sized(look_at_board(image, fit, None))
    joint = fit_together(scene.picture, foot_mm, scene.shape, scene.shape_sigma_mm)
    return _measured_spec(scene, joint)


def _learn_teams(found: Candidates, sure: np.ndarray, scene: Scene) -> FloatArray:
    """Team colours (t, 3) of the discs ``sure``; of those on the surface, if all together blur.

    Discs in the ditch lie in its shade, which can fill the gap between two teams' colours.
    """
    away_mm = np.linalg.norm(found.rims.foot_mm[sure], axis=-1)
    above = sure[away_mm < scene.spec.surface_radius_mm]
    learned = [
        learn_teams(found.faces.lab[discs], found.evidence.probability[discs])
        for discs in (sure, above)
    ]
    return max(learned, key=len)


def _unexplained(
    scene: Scene, judged: Judgement, hole: HoleLook, discs: list[PlacedDisc]
) -> tuple[Unexplained, ...]:
    """What a person should look at."""
    out = [
        Unexplained(centre_mm=place, reason="this may or may not be a disc")
        for place in judged.doubtful_mm
    ]
    leaning = any(d.state is DiscState.LEANING for d in discs)
    if hole.is_doubtful and not leaning:
        reason = "a disc may lie in the hole, or lean on its edge"
        out.append(Unexplained(centre_mm=scene.hole_mm, reason=reason))
    return tuple(out)


#: Signs of one thing on the board lie within this of each other, mm: a hand's breadth.
_ONE_COVER_MM = 90.0


def _covers(
    scene: Scene, discs: list[PlacedDisc], doubts: tuple[Unexplained, ...]
) -> tuple[Unexplained, ...]:
    """What lies on the board and is no disc: hands, cups, boxes."""
    known = [disc.centre_mm for disc in discs] + [doubt.centre_mm for doubt in doubts]
    eye_mm = scene.picture.eye_mm
    surface = bare_map(scene.spec, eye_mm, np.reshape(known, (-1, 2)), scene.shape)
    regions = foreign_regions(scene.plan, eye_mm, surface)
    gaps = line_gaps(scene.picture, surface)
    circles = other_circles(scene, np.reshape(known, (-1, 2)))
    place = np.concatenate([regions, gaps, circles])
    reason = ["a colour lies here that the board shows nowhere else"] * len(regions)
    reason += ["something hides a ring line here"] * len(gaps)
    reason += ["a circle lies here that was not taken for a disc"] * len(circles)
    return tuple(
        Unexplained(centre_mm=place[i], reason=reason[i]) for i in apart(place, _ONE_COVER_MM)
    )


def _fit_flat(scene: Scene, foot_mm: FloatArray, state: list[DiscState]) -> JointFit | None:
    """The discs that are not leaning, fitted together; None without any."""
    flat = np.array([s is not DiscState.LEANING for s in state], dtype=bool)
    if not flat.any():
        return None
    return fit_together(scene.picture, foot_mm[flat], scene.shape, scene.shape_sigma_mm)


#: A leaning disc is not a cylinder on its foot; its place is this rough, mm.
_LEANING_SIGMA_MM = 2.0


def _placed(
    found: Candidates, judged: Judgement, state: list[DiscState], joint: JointFit | None
) -> list[PlacedDisc]:
    """The judged discs in mm; leaning ones keep their rough place."""
    out, flat = [], 0
    for i, (candidate, kind) in enumerate(zip(judged.chosen, state, strict=True)):
        place = found.rims.foot_mm[candidate]
        covariance = _LEANING_SIGMA_MM**2 * np.eye(2)
        if kind is not DiscState.LEANING and joint is not None:
            place, covariance = joint.foot_mm[flat], joint.covariance_mm2[flat]
            flat += 1
        out.append(
            PlacedDisc(
                centre_mm=place,
                covariance_mm2=covariance,
                team=int(judged.team[i]),
                state=kind,
                confidence=float(judged.confidence[i]),
            )
        )
    return out


def _disc_in_hole(scene: Scene, discs: list[PlacedDisc], hole: HoleLook) -> list[PlacedDisc]:
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
            confidence=_DOUBTFUL_TWENTY if hole.is_doubtful else 1.0,
        )
    ]


#: Confidence in a twenty whose gap is not seen all round: of two in our renders one was a leaner.
_DOUBTFUL_TWENTY = 0.6
#: How far the edge that touches the board lies inside the radius that was measured on the picture,
#: mm: the bottom edge's rounding (renders: 0.2 to 0.8).
_CONTACT_INSET_MM = 0.4
_CONTACT_INSET_SIGMA_MM = 0.25


def _measured_spec(scene: Scene, joint: JointFit | None) -> DiscSpec:
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


def _name(
    found: Candidates, sure: np.ndarray, teams_lab: FloatArray, known: tuple[Team, ...]
) -> tuple[Team, ...]:
    """Teams with the median colour of their sure discs; known ones as they are."""
    if len(teams_lab) == 0:
        return ()
    member = nearest_team(found.faces.lab[sure], teams_lab)[0]
    fresh = range(len(known), len(teams_lab))
    return name_teams([np.median(found.faces.rgb[sure][member == k], axis=0) for k in fresh], known)
