"""The discs on the playing surface: found, told from everything else, given a team and a place.

1. The plane through the discs' top faces is seen from above (``topdown``); edges there, measured
   against the wood's own grain, vote for rims of the radius that this board's discs have
   (``rim_votes``).
2. Every candidate's outline is fitted on the picture itself (``lift``).
3. Discs that nobody would doubt, in the ditch too, teach the team colours (``colour``); then every
   candidate is judged by its rim and by its colour.
4. The discs are fitted together, and what lies over the hole is looked at (``over_hole``).
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
from calibration.state import PlacedDisc, Team
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
from vision.joint_fit import JointFit, fit_together
from vision.judge import Judgement, judge, states_of
from vision.line_gaps import line_gaps
from vision.over_hole import look_over_hole
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
    judged = judge(found, scene, teams_lab)
    discs, size = _placed(found, judged, scene)
    over_hole = look_over_hole(scene, teams_lab, found.rims.foot_mm[judged.chosen])
    discs = _one_over_hole(discs, over_hole.discs, scene)
    doubts = (
        *(
            Unexplained(centre_mm=place, reason="this may or may not be a disc")
            for place in judged.doubtful_mm
        ),
        *over_hole.unexplained,
    )
    return DiscReading(
        teams=_name(found, sure, teams_lab, known),
        discs=tuple(discs),
        disc=size,
        unexplained=(*doubts, *_covers(scene, discs, doubts)),
    )


def _one_over_hole(
    flat: list[PlacedDisc], over_hole: tuple[PlacedDisc, ...], scene: Scene
) -> list[PlacedDisc]:
    """All discs, but one alone where one was read twice: as flat, and as lying over the hole.

    No disc lies flat with its middle over the hole: it tips. None is judged to (``judge``), but the
    joint fit may move one there.
    """
    kept, added = list(flat), []
    for each in over_hole:
        same = [
            other
            for other in kept
            if np.linalg.norm(other.centre_mm - each.centre_mm) < scene.shape.radius_mm
        ]
        off_hole_mm = [np.linalg.norm(other.centre_mm - scene.hole_mm) for other in same]
        if all(away < scene.spec.hole_radius_mm for away in off_hole_mm):
            kept = [other for other in kept if not any(other is one for one in same)]
            added.append(each)
    return kept + added


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


def _placed(
    found: Candidates, judged: Judgement, scene: Scene
) -> tuple[list[PlacedDisc], DiscSpec]:
    """The judged discs in mm, fitted together, and their sizes."""
    foot_mm = found.rims.foot_mm[judged.chosen]
    if len(foot_mm) == 0:
        return [], _measured_spec(scene, None)
    joint = fit_together(scene.picture, foot_mm, scene.shape, scene.shape_sigma_mm)
    state = states_of(foot_mm, scene)
    discs = [
        PlacedDisc(
            centre_mm=joint.foot_mm[i],
            covariance_mm2=joint.covariance_mm2[i],
            team=int(judged.team[i]),
            state=state[i],
            confidence=float(judged.confidence[i]),
        )
        for i in range(len(foot_mm))
    ]
    return discs, _measured_spec(scene, joint)


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
