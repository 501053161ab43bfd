"""Finds the team of a colour: the known team that has this colour in some light.

Discs are distinguished by colour (``vision.discs.teams.team_colours``), separately in every frame.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.camera import FloatArray
from calibration.placed_disc import PlacedDisc, Team
from vision.discs.teams.team_colours import (
    bgr_to_weighted_lab,
    find_nearest_team,
    get_team_colours_lab,
)
from vision.track.motion.blob_appearance import PARAMS as APPEARANCE


def match_team(colour_bgr: FloatArray, teams: tuple[Team, ...]) -> tuple[int, float]:
    """The team whose colour is nearest to a colour (3,), and its distance, weighted Lab."""
    nearest, away = find_nearest_team(
        bgr_to_weighted_lab(colour_bgr[None]), get_team_colours_lab(teams)
    )
    return teams[int(nearest[0])].number, float(away[0])


def has_team_colour(
    disc: PlacedDisc, teams: Sequence[Team], image: np.ndarray, where: np.ndarray
) -> bool:
    """Whether the part ``where`` (side, side bool) of an image (side, side, 3) has the colour of
    the disc's team.
    """
    own = [team for team in teams if team.number == disc.team]
    if not own:
        return False
    face_lab = bgr_to_weighted_lab(np.median(image[where], axis=0)[None])
    distance_lab = find_nearest_team(face_lab, get_team_colours_lab(own))[1][0]
    return bool(distance_lab < APPEARANCE.same_colour_lab)


def has_same_colour(image: np.ndarray, before: np.ndarray, where: np.ndarray) -> bool:
    """Whether the part ``where`` (side, side bool) of two images (side, side, 3) may show the same
    object in different light.
    """
    colours_bgr = np.array([np.median(picture[where], axis=0) for picture in (image, before)])
    now_lab, then_lab = bgr_to_weighted_lab(colours_bgr)
    return bool(np.linalg.norm(now_lab - then_lab) < APPEARANCE.same_colour_lab)
