"""The name that a person would give a team's colour, in any light.

From the side a red disc is as pale as a brown one from above. So a name's typical colour is
compared in any light and under any reflection (``appearances``).
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, cached_by_settings, parameter
from calibration.placed_disc import Team
from vision.discs.teams.appearances import list_appearances
from vision.discs.teams.team_colours import bgr_to_weighted_lab


class ColourNamesParameters(StageParameters):
    """Parameters of ``colour_names``."""

    stage: ClassVar[str] = "discs.colour_names"

    #: Cost of grey, a rare colour of discs towards which every colour tends.
    grey_lab: float = parameter(
        6.0,
        unit="weighted Lab",
        source="measured on 299 teams in photographs and renders: 6 to 10 give the best names",
    )


PARAMS = ColourNamesParameters()
#: Colour names that people use, by typical sRGB under room light. A camera that exposes a board's
#: wood to a middle tone shows white discs at three quarters of its range, and seldom at all of it.
_TYPICAL_RGB = {
    "white": (200, 198, 190),
    "cream": (215, 198, 162),
    "natural": (196, 152, 104),
    "brown": (105, 75, 55),
    "black": (38, 36, 36),
    "grey": (128, 128, 128),
    "red": (165, 38, 40),
    "pink": (225, 160, 180),
    "orange": (235, 125, 50),
    "yellow": (225, 195, 60),
    "green": (50, 105, 65),
    "blue": (45, 80, 165),
    "navy": (30, 35, 70),
    "purple": (95, 55, 130),
}


def name_teams(rgb: list[FloatArray], known: tuple[Team, ...] = ()) -> tuple[Team, ...]:
    """The ``known`` teams, then new teams of the colours ``rgb`` (a list of (3,)), in the given
    order.

    A team gets the likeliest name for its colour that no earlier team has.
    """
    named: list[Team] = list(known)
    taken = {team.colour_name for team in known}
    names = [name for name in _TYPICAL_RGB if name not in taken]
    first = 1 + max((team.number for team in known), default=-1)
    for number, colour in enumerate(rgb, start=first):
        name = _find_nearest_name(colour, names)
        names.remove(name)
        named.append(
            Team(
                number=number,
                colour_rgb=(int(colour[0]), int(colour[1]), int(colour[2])),
                colour_name=name,
            )
        )
    return tuple(named)


def _find_nearest_name(rgb: FloatArray, names: list[str]) -> str:
    """The likeliest of ``names`` for a colour (3,)."""
    lab = bgr_to_weighted_lab(np.asarray(rgb, dtype=np.float32)[None, ::-1])[0]
    seen_lab, cost = _list_typical()
    total = np.linalg.norm(seen_lab - lab, axis=-1) + cost
    least = dict(zip(_TYPICAL_RGB, total.min(axis=(0, 1)), strict=True))
    return min(names, key=lambda name: least[name])


@cached_by_settings()
def _list_typical() -> tuple[FloatArray, FloatArray]:
    """The appearance of all names' colours in all lights and under all reflections, weighted Lab
    (l, m, n, 3), and their costs (l, m, n).
    """
    seen_lab, cost = list_appearances(np.array(list(_TYPICAL_RGB.values()))[:, ::-1])
    is_grey = np.array([name == "grey" for name in _TYPICAL_RGB])
    return seen_lab, cost[..., None] + PARAMS.grey_lab * is_grey
