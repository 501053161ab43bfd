"""The teams on one board: their colours, learned from the discs that are certain.

Discs in the ditch show a team's colour as well as those on the surface, unless they are of another
set. In an oblique view, a disc that stands in the hole shows it too. In a single picture without a
certain disc, a likely one is used if its colour cannot be the surface in shade.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from calibration.camera import FloatArray
from calibration.placed_disc import Team
from vision.discs.classification import PARAMS as CLASSIFICATION
from vision.discs.classification import select_likely_discs
from vision.discs.detector_input import DetectorInput
from vision.discs.disc_hypotheses import DiscHypotheses, drop_glare, select_sure_discs
from vision.discs.hole.hole_classifier import measure_standing_disc
from vision.discs.teams.colour_names import name_teams
from vision.discs.teams.grouping import PARAMS as GROUPING
from vision.discs.teams.grouping import group_colours
from vision.discs.teams.team_colours import PARAMS as TEAM_COLOURS
from vision.discs.teams.team_colours import (
    find_nearest_team,
    find_new_colours,
    get_team_colours_lab,
    measure_beyond_shade,
    merge_known_teams,
)

#: Usually two sides play.
_SIDES = 2
#: Fewest discs of a further team when other pictures also show the board: a hand's fingertips may
#: look like discs for a moment.
_FEWEST_OF_THIRD = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardTeams:
    """The t teams of one board: those known before, then others, light to dark.

    named     with names and numbers: t of them
    lab       their colours, weighted Lab: (t, 3)
    seen_lab  colours of the teams known before, or with a disc outside the hole: (s, 3)
    is_sure   whether they were learned from certain discs, not from a likely one
    is_single whether a team was seen in one disc and is not one of the two largest: (t,)
    is_open   whether the discs may equally be of fewer or more teams
    lead_lab  a disc clearly belongs to a team if its colour is nearer to it than to the next by
              this, weighted Lab
    """

    named: tuple[Team, ...]
    lab: FloatArray
    seen_lab: FloatArray
    is_sure: bool
    is_single: np.ndarray
    is_open: bool
    lead_lab: float


def learn_board_teams(
    hypotheses: DiscHypotheses,
    inputs: DetectorInput,
    known: tuple[Team, ...],
    earlier: tuple[Team, ...] = (),
) -> BoardTeams:
    """The ``known`` teams and the further teams of the certain discs among the hypotheses.

    ``earlier`` are the teams of another picture of the same match. If this picture has as many
    teams and they differ as much, they are taken to be the same teams, however close their colours
    are.
    """
    sure = drop_glare(hypotheses, select_sure_discs(hypotheses, inputs), inputs)
    is_open = len(sure) == 0 and len(known) == 0 and inputs.is_single and not inputs.is_oblique
    if is_open:
        off_hole_mm = np.linalg.norm(hypotheses.outlines.base_mm - inputs.hole_mm, axis=-1)
        beyond_shade = measure_beyond_shade(hypotheses.face_colours.lab, inputs.wood_bgr)
        is_foreign = beyond_shade > TEAM_COLOURS.wood_differs_lab
        among = is_foreign & (off_hole_mm > inputs.min_hole_distance_mm)
        sure = select_likely_discs(hypotheses, inputs, among)
    seen = _collect_colours(hypotheses, sure, inputs)
    colours = _select_played(seen)
    least = 1 if inputs.is_single else _FEWEST_OF_THIRD
    learned = _select_teams(colours, least)[0]
    seen_lab = merge_known_teams(learned, known, colours.lab)
    sure_mm = hypotheses.outlines.base_mm[sure][seen.on_surface]
    colours = _add_colour_in_hole(colours, seen_lab, sure_mm, inputs)
    learned, is_uncertain = _select_teams(colours, least)
    lab = merge_known_teams(learned, known, colours.lab)
    named, lead_lab = _name_teams(colours, lab, known), CLASSIFICATION.team_lead_lab
    if _differ_as_before(lab, earlier):
        named, is_uncertain = _keep_names(named, lab, earlier), False
        gaps_lab = np.linalg.norm(np.diff(lab[np.argsort(-lab[:, 0])], axis=0), axis=1)
        lead_lab = min(lead_lab, float(gaps_lab.min()) / 2)
    return BoardTeams(
        named=named,
        lab=lab,
        seen_lab=seen_lab,
        is_sure=not is_open,
        is_single=_find_single(colours, lab, known),
        is_open=is_uncertain,
        lead_lab=lead_lab,
    )


def _differ_as_before(lab: FloatArray, earlier: tuple[Team, ...]) -> bool:
    """Whether teams (t, 3) differ from light to dark as those of an earlier picture did."""
    if len(earlier) < _SIDES or len(lab) != len(earlier):
        return False
    before = get_team_colours_lab(earlier)
    now, before = (colours[np.argsort(-colours[:, 0])] for colours in (lab, before))
    changed = np.linalg.norm(np.diff(now, axis=0) - np.diff(before, axis=0), axis=1)
    return bool(changed.max() < GROUPING.open_lab)


def _keep_names(
    named: tuple[Team, ...], lab: FloatArray, earlier: tuple[Team, ...]
) -> tuple[Team, ...]:
    """The teams (t, 3), from light to dark, with the names that they had in an earlier picture."""
    before = np.argsort(-get_team_colours_lab(earlier)[:, 0])
    names = dict(zip(np.argsort(-lab[:, 0]).tolist(), before.tolist(), strict=True))
    return tuple(
        replace(team, colour_name=earlier[names[k]].colour_name) for k, team in enumerate(named)
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _SureColours:
    """Faces of n certain discs: weighted Lab (n, 3), RGB (n, 3), and whether a disc is on the
    surface (n,).
    """

    lab: FloatArray
    rgb: FloatArray
    on_surface: np.ndarray


def _collect_colours(
    hypotheses: DiscHypotheses, sure: np.ndarray, inputs: DetectorInput
) -> _SureColours:
    """The colours of the discs ``sure``."""
    away_mm = np.linalg.norm(hypotheses.outlines.base_mm[sure], axis=-1)
    return _SureColours(
        lab=hypotheses.face_colours.lab[sure],
        rgb=hypotheses.face_colours.rgb[sure],
        on_surface=away_mm < inputs.spec.surface_radius_mm,
    )


def _select_played(colours: _SureColours) -> _SureColours:
    """Only the colours of the discs on the surface, if these show two teams or more.

    Discs in the ditch are in its shade, which can fill the gap between two teams' colours, and may
    be of another set. They count only if the surface shows one team or none.
    """
    surface = _SureColours(
        lab=colours.lab[colours.on_surface],
        rgb=colours.rgb[colours.on_surface],
        on_surface=colours.on_surface[colours.on_surface],
    )
    return surface if len(group_colours(surface.lab).centres) >= _SIDES else colours


def _add_colour_in_hole(
    colours: _SureColours, seen_lab: FloatArray, sure_mm: FloatArray, inputs: DetectorInput
) -> _SureColours:
    """The colours, with that of a disc standing out of the hole in an oblique view, if fewer than
    two teams (t, 3) were seen elsewhere and it belongs to none of them.

    Certain discs on the surface are at ``sure_mm`` (n, 2).
    """
    if not inputs.is_oblique or len(seen_lab) > 1:
        return colours
    in_hole = measure_standing_disc(inputs, sure_mm)
    if in_hole is None or not in_hole.is_standing or in_hole.is_uncertain:
        return colours
    if len(seen_lab) > 0 and not find_new_colours(in_hole.face.lab, seen_lab).all():
        return colours
    return _SureColours(
        lab=np.concatenate([colours.lab, in_hole.face.lab]),
        rgb=np.concatenate([colours.rgb, in_hole.face.rgb]),
        on_surface=np.append(colours.on_surface, True),
    )


def _select_teams(colours: _SureColours, least_of_third: int) -> tuple[FloatArray, bool]:
    """Team colours (t, 3), light to dark, and whether another grouping is nearly as likely.

    Two groups of discs always count as teams. A third counts if at least ``least_of_third`` of its
    discs are on the surface.
    """
    groups = group_colours(colours.lab)
    count = np.bincount(groups.member, minlength=len(groups.centres))
    lying = np.bincount(groups.member[colours.on_surface], minlength=len(groups.centres))
    rank = np.lexsort((-count, lying == 0))
    is_team = (np.argsort(rank) < _SIDES) | (lying >= least_of_third)
    return groups.centres[is_team], groups.is_open


def _find_single(
    colours: _SureColours, teams_lab: FloatArray, known: tuple[Team, ...]
) -> np.ndarray:
    """Teams (t,) with a single disc that were not known before and are not the two with most
    discs.
    """
    count = np.zeros(len(teams_lab), dtype=int)
    if len(teams_lab) > 0 and len(colours.lab) > 0:
        nearest = find_nearest_team(colours.lab, teams_lab)[0]
        count = np.bincount(nearest, minlength=len(teams_lab))
    rank = np.argsort(np.argsort(-count, kind="stable"))
    return (rank >= _SIDES) & (count <= 1) & (np.arange(len(teams_lab)) >= len(known))


def _name_teams(
    colours: _SureColours, teams_lab: FloatArray, known: tuple[Team, ...]
) -> tuple[Team, ...]:
    """Teams with the median colour of their certain discs; known ones unchanged."""
    if len(teams_lab) == 0:
        return ()
    member = find_nearest_team(colours.lab, teams_lab)[0]
    fresh = range(len(known), len(teams_lab))
    return name_teams([np.median(colours.rgb[member == k], axis=0) for k in fresh], known)
