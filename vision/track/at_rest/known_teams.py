"""Match the teams of a reading with the known teams, whose colours look different in new light.

Discs are distinguished by colour (``vision.discs.teams.team_colours``) in every frame separately. A
disc that slid to its place gets the known team that it looks most like. One team learned from a
first disc of both sides is split in two once more discs are seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import DiscState, PlacedDisc, Team
from vision.discs.find_discs import DiscReading
from vision.discs.teams.colour_names import name_teams
from vision.discs.teams.team_colours import PARAMS as TEAM_COLOURS
from vision.discs.teams.team_colours import (
    bgr_to_weighted_lab,
    find_nearest_team,
    get_team_colours_lab,
)
from vision.rectify.frame_rectifier import FrameRectifier
from vision.track.at_rest.still_frame import mask_core
from vision.track.motion.blob_appearance import PARAMS as APPEARANCE


class KnownTeamsParameters(StageParameters):
    """Parameters of ``known_teams``."""

    stage: ClassVar[str] = "track.at_rest.known_teams"

    #: A disc that slid to its place was last seen in motion, or lay, within this of it.
    end_mm: float = parameter(
        16.0, unit="mm", source="a disc's radius: no other disc lies so near to that place"
    )
    #: Around a disc its light is measured in this ring, radii: past its own shadow.
    beside_radii: tuple[float, float] = parameter(
        (1.3, 2.2), unit="radii", source="chosen: past its own shadow, and 14 mm of wood"
    )
    #: So many discs tell two sides that were taken for one, if none is farther from the middle of
    #: its side's colours than this share of how far those are apart.
    fewest_to_split: int = parameter(3, unit="", source="chosen: one side's two are alike")
    tight: float = parameter(0.2, unit="share", source="chosen: two heaps, far clear of each other")
    #: A side that was seen on the board so few times was seen wrongly where a third one comes.
    few_sights: int = parameter(
        2, unit="", source="chosen: a disc's side is seen on the line, after its shot and later on"
    )


PARAMS = KnownTeamsParameters()
#: Two sides play, by the rules.
_SIDES = 2


def split_one_team(
    reading: DiscReading, known: tuple[Team, ...], rectifier: FrameRectifier, image: np.ndarray
) -> DiscReading:
    """The reading, with the only ``known`` team split if its discs have two colours in any light
    (rectified ``image``). Lighter and darker discs without colour may seem to be one side's while
    only one of either is seen. The half that is more like the known team keeps its number.
    """
    discs, radius_mm = reading.discs, reading.disc.radius_mm
    if len(known) != 1 or len(reading.teams) != 1 or len(discs) < PARAMS.fewest_to_split:
        return reading
    faces = [np.median(image[mask_core(rectifier, disc.centre_mm, radius_mm)], 0) for disc in discs]
    light = [_measure_light_around(disc, radius_mm, rectifier, image) for disc in discs]
    lab = bgr_to_weighted_lab(np.array(faces) / np.array(light))
    centres = _find_halves(lab)
    if np.linalg.norm(np.subtract(*centres)) < TEAM_COLOURS.teams_apart_lab:
        return reading
    member, away = find_nearest_team(lab, centres)
    if away.max() > PARAMS.tight * np.linalg.norm(np.subtract(*centres)):
        return reading
    own = int(find_nearest_team(get_team_colours_lab(known), centres)[0][0])
    rgb = [np.median(np.array(faces)[member == k], axis=0)[::-1] for k in (own, 1 - own)]
    red, green, blue = (int(each) for each in rgb[0])
    first = replace(known[0], colour_rgb=(red, green, blue))
    teams = name_teams(rgb[1:], (first,))
    numbers = [teams[int(k != own)].number for k in member]
    told = [replace(disc, team=number) for disc, number in zip(discs, numbers, strict=True)]
    return replace(reading, discs=tuple(told), teams=teams)


def _find_halves(lab: FloatArray) -> FloatArray:
    """Median colours (2, 3) of those, of (n, 3), nearest to the two that are farthest apart."""
    apart = np.linalg.norm(lab[:, None] - lab, axis=-1)
    one, other = np.unravel_index(int(apart.argmax()), apart.shape)
    halves = (lab[apart[one] <= apart[other]], lab[apart[other] <= apart[one]])
    return np.array([np.median(half, axis=0) for half in halves])


def match_moved(
    discs: Sequence[PlacedDisc],
    teams: Sequence[Team],
    known: tuple[Team, ...],
    places_mm: Sequence[FloatArray],
) -> tuple[PlacedDisc, ...]:
    """The discs of a reading; discs that slid to their places get a ``known`` team.

    In an oblique view, or near a window, a disc at its new place may look like no known team. With
    two or more teams it gets the one that it clearly looks most like. ``places_mm`` are the last
    places of discs in motion, and the earlier places of discs, (2,) each.
    """
    numbers = {team.number for team in known}
    if len(known) < 2:
        return tuple(discs)
    colour_bgr = {team.number: np.array(team.colour_rgb[::-1], np.float64) for team in teams}
    matched = []
    for disc in discs:
        has_moved = any(np.linalg.norm(disc.centre_mm - end) < PARAMS.end_mm for end in places_mm)
        if disc.team not in numbers and has_moved:
            number, away = match_team(colour_bgr[disc.team], known)
            others = tuple(team for team in known if team.number != number)
            is_clear = away < match_team(colour_bgr[disc.team], others)[1] / 2
            disc = replace(disc, team=number) if is_clear else disc
        matched.append(disc)
    return tuple(matched)


def replace_mistaken_team(
    discs: Sequence[PlacedDisc],
    teams: tuple[Team, ...],
    known: tuple[Team, ...],
    sights: Mapping[int, int],
) -> tuple[tuple[PlacedDisc, ...], tuple[Team, ...]]:
    """The discs and teams of a reading in which a third team replaces a team that was misread
    before.

    Two sides play. If a team's discs were seen only a few times, perhaps under fingers, and none is
    there now, the new team takes its place. ``sights`` counts how often discs of a team, by its
    number, were on the board.
    """
    shown = {disc.team for disc in discs if disc.state is not DiscState.IN_HOLE}
    new = [team for team in teams[len(known) :] if team.number in shown]
    present = {disc.team for disc in discs}
    mistaken = [
        team
        for team in known
        if team.number not in present and sights.get(team.number, 0) <= PARAMS.few_sights
    ]
    if len(known) < _SIDES or len(new) != 1 or len(mistaken) != 1:
        return tuple(discs), teams
    number = mistaken[0].number
    corrected = replace(new[0], number=number)
    kept = [corrected if team is mistaken[0] else team for team in teams if team is not new[0]]
    moved = (replace(disc, team=number) if disc.team == new[0].number else disc for disc in discs)
    return tuple(moved), tuple(kept)


def match_team(colour_bgr: FloatArray, teams: tuple[Team, ...]) -> tuple[int, float]:
    """The team whose colour is nearest to a colour (3,), and its distance, weighted Lab."""
    nearest, away = find_nearest_team(
        bgr_to_weighted_lab(colour_bgr[None]), get_team_colours_lab(teams)
    )
    return teams[int(nearest[0])].number, float(away[0])


def _measure_light_around(
    each: PlacedDisc, radius_mm: float, rectifier: FrameRectifier, image: np.ndarray
) -> FloatArray:
    """How much lighter (3,) the board is around a disc than on average."""
    ring = rectifier.disc_mask(each.centre_mm, PARAMS.beside_radii[1] * radius_mm)
    ring &= 1 - rectifier.disc_mask(each.centre_mm, PARAMS.beside_radii[0] * radius_mm)
    beside, usual = (np.median(image[where], axis=0) for where in (ring > 0, rectifier.surface))
    return np.asarray((beside + 1.0) / (usual + 1.0))


def has_team_colour(
    each: PlacedDisc, teams: Sequence[Team], image: np.ndarray, where: np.ndarray
) -> bool:
    """Whether the part ``where`` (side, side bool) of an image (side, side, 3) has the colour of
    the disc's team.
    """
    own = [team for team in teams if team.number == each.team]
    if not own:
        return False
    face_lab = bgr_to_weighted_lab(np.median(image[where], axis=0)[None])
    distance_lab = find_nearest_team(face_lab, get_team_colours_lab(own))[1][0]
    return bool(distance_lab < APPEARANCE.same_colour_lab)


def has_same_colour(image: np.ndarray, before: np.ndarray, where: np.ndarray) -> bool:
    """Whether the part ``where`` (side, side bool) of two images (side, side, 3) may show the same
    thing in different light.
    """
    colours_bgr = np.array([np.median(each[where], axis=0) for each in (image, before)])
    now_lab, then_lab = bgr_to_weighted_lab(colours_bgr)
    return bool(np.linalg.norm(now_lab - then_lab) < APPEARANCE.same_colour_lab)
