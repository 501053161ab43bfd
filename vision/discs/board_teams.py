"""The teams whose discs lie on one board: their colours, learned from the discs beyond doubt.

Discs in the ditch tell a team's colour as well as those on the surface, but for those of another
set, and in a steep view so does one that stands in the hole. Where none is beyond doubt in a single
picture, a likely one does whose colour no shade gives the surface.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.camera import FloatArray
from calibration.placed_disc import Team
from vision.discs.classification import PARAMS as CLASSIFICATION
from vision.discs.classification import select_likely_discs
from vision.discs.detector_input import DetectorInput
from vision.discs.disc_hypotheses import DiscHypotheses, drop_glare, select_sure_discs
from vision.discs.hole.hole_classifier import measure_standing_disc
from vision.discs.teams.colour_names import name_teams
from vision.discs.teams.team_colours import (
    find_nearest_team,
    find_new_colours,
    learn_teams,
    measure_beyond_shade,
    merge_known_teams,
)

#: Two sides play, by the rules.
_SIDES = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardTeams:
    """The t teams of one board: those known before, then others, light to dark.

    named     with names and numbers: t of them
    lab       their colours, weighted Lab: (t, 3)
    seen_lab  those of teams with a disc elsewhere than in the hole, or known before: (s, 3)
    is_sure   whether they were learned otherwise than from a likely disc
    """

    named: tuple[Team, ...]
    lab: FloatArray
    seen_lab: FloatArray
    is_sure: bool


def learn_board_teams(
    hypotheses: DiscHypotheses, inputs: DetectorInput, known: tuple[Team, ...]
) -> BoardTeams:
    """The ``known`` teams and those that the sure discs among the hypotheses show besides."""
    sure = drop_glare(hypotheses, select_sure_discs(hypotheses, inputs), inputs)
    is_open = len(sure) == 0 and len(known) == 0 and inputs.is_single and not inputs.is_steep
    if is_open:
        off_hole_mm = np.linalg.norm(hypotheses.outlines.foot_mm - inputs.hole_mm, axis=-1)
        beyond_shade = measure_beyond_shade(hypotheses.face_colours.lab, inputs.wood_bgr)
        is_foreign = beyond_shade > CLASSIFICATION.wood_differs_lab
        among = is_foreign & (off_hole_mm > inputs.min_hole_distance_mm)
        sure = select_likely_discs(hypotheses, inputs, among)
    told = _collect_colours(hypotheses, sure, inputs)
    colours = _select_played(told)
    seen_lab = merge_known_teams(_learn_teams(colours), known, colours.lab)
    sure_mm = hypotheses.outlines.foot_mm[sure][told.on_surface]
    colours = _add_colour_in_hole(colours, seen_lab, sure_mm, inputs)
    lab = merge_known_teams(_learn_teams(colours), known, colours.lab)
    return BoardTeams(
        named=_name_teams(colours, lab, known), lab=lab, seen_lab=seen_lab, is_sure=not is_open
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _SureColours:
    """Faces of n sure discs: weighted Lab (n, 3), RGB (n, 3), how sure each is (n,), and whether it
    lies on the surface (n,)."""

    lab: FloatArray
    rgb: FloatArray
    probability: FloatArray
    on_surface: np.ndarray


def _collect_colours(
    hypotheses: DiscHypotheses, sure: np.ndarray, inputs: DetectorInput
) -> _SureColours:
    """The colours of the discs ``sure``."""
    away_mm = np.linalg.norm(hypotheses.outlines.foot_mm[sure], axis=-1)
    return _SureColours(
        lab=hypotheses.face_colours.lab[sure],
        rgb=hypotheses.face_colours.rgb[sure],
        probability=hypotheses.rim_scores.probability[sure],
        on_surface=away_mm < inputs.spec.surface_radius_mm,
    )


def _select_played(colours: _SureColours) -> _SureColours:
    """The colours of the discs that are played with: of those on the surface alone, where they are
    of two teams, and discs of another set lie in the ditch: a third team comes from there, or one
    of the two is none of those that all together seem to be of."""
    surface = _SureColours(
        lab=colours.lab[colours.on_surface],
        rgb=colours.rgb[colours.on_surface],
        probability=colours.probability[colours.on_surface],
        on_surface=colours.on_surface[colours.on_surface],
    )
    of_all, of_surface = (learn_teams(each.lab, each.probability) for each in (colours, surface))
    if len(of_surface) != _SIDES or len(of_all) < _SIDES:
        return colours
    is_other = len(of_all) > _SIDES or find_new_colours(of_surface, of_all).any()
    return surface if is_other else colours


def _add_colour_in_hole(
    colours: _SureColours, seen_lab: FloatArray, sure_mm: FloatArray, inputs: DetectorInput
) -> _SureColours:
    """The colours, with that of what stands out of the hole as a disc does in a steep view, where
    fewer than two teams (t, 3) were seen elsewhere and it is none of theirs.

    Sure discs lie on the surface at ``sure_mm`` (n, 2).
    """
    if not inputs.is_steep or len(seen_lab) > 1:
        return colours
    in_hole = measure_standing_disc(inputs, sure_mm)
    if in_hole is None or not in_hole.is_standing or in_hole.is_doubtful:
        return colours
    if len(seen_lab) > 0 and not find_new_colours(in_hole.face.lab, seen_lab).all():
        return colours
    return _SureColours(
        lab=np.concatenate([colours.lab, in_hole.face.lab]),
        rgb=np.concatenate([colours.rgb, in_hole.face.rgb]),
        probability=np.append(colours.probability, 1.0),
        on_surface=np.append(colours.on_surface, True),
    )


def _learn_teams(colours: _SureColours) -> FloatArray:
    """Team colours (t, 3) of all the discs; of those on the surface, if all together blur.

    Discs in the ditch lie in its shade, which can fill the gap between two teams' colours.
    """
    every = np.ones(len(colours.lab), dtype=bool)
    learned = [
        learn_teams(colours.lab[discs], colours.probability[discs])
        for discs in (every, colours.on_surface)
    ]
    return max(learned, key=len)


def _name_teams(
    colours: _SureColours, teams_lab: FloatArray, known: tuple[Team, ...]
) -> tuple[Team, ...]:
    """Teams with the median colour of their sure discs; known ones as they are."""
    if len(teams_lab) == 0:
        return ()
    member = find_nearest_team(colours.lab, teams_lab)[0]
    fresh = range(len(known), len(teams_lab))
    return name_teams([np.median(colours.rgb[member == k], axis=0) for k in fresh], known)
