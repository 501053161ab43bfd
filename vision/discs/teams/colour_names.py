"""The name that a person would give a team's colour, whatever light it is seen in.

A face shows its own colour, brighter or darker with the light, and on top of it some of the room's,
which its polish mirrors: from the side a red disc is as pale as a brown one from above. A name's
typical colour is compared under both.
"""

from __future__ import annotations

from functools import cache
from typing import ClassVar

import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import Team
from vision.discs.teams.team_colours import bgr_to_weighted_lab
from vision.rectify.luminance import decode_gamma, encode_gamma


class ColourNamesParameters(StageParameters):
    """What ``colour_names`` takes for granted."""

    stage: ClassVar[str] = "discs.colour_names"

    #: So many times a typical colour's light, as powers of two.
    light_stops: tuple[float, ...] = parameter(
        tuple(np.arange(-2.0, 1.51, 0.25).tolist()), unit="stops", source="photographs: -2 to 1.5"
    )
    #: So much of white's light is mirrored on top of it.
    mirrored: tuple[float, ...] = parameter(
        (0.0, 0.01, 0.02, 0.04, 0.07, 0.1, 0.14), unit="share", source="stills from the side: 0.1"
    )
    #: What each of these costs against a distance of colours: a stop, all of white's light, ...
    per_stop_lab: float = parameter(
        8.0, unit="weighted Lab", source="299 teams in photographs and renders: 7 to 10 name best"
    )
    per_mirrored_lab: float = parameter(
        45.0, unit="weighted Lab", source="299 teams in photographs and renders: 15 to 60 name best"
    )
    #: ... and grey, which hardly any disc is, but which every colour tends to.
    grey_lab: float = parameter(6.0, unit="weighted Lab", source="as those teams: 6 to 10")


PARAMS = ColourNamesParameters.active()
#: Names a person would say, by typical sRGB under room light: a camera that exposes a board's wood
#: to a middle tone shows white discs at three quarters of its range, and seldom at all of it.
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
    """``known`` teams, then those of the colours ``rgb``, (3,) each, in the order given.

    Each gets the name of the colour that it is likeliest to have and that no team before it has.
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
    """That of ``names`` which a colour (3,) is likeliest to be called."""
    lab = bgr_to_weighted_lab(np.asarray(rgb, dtype=np.float32)[None, ::-1])[0]
    seen_lab, cost = _list_appearances()
    total = np.linalg.norm(seen_lab - lab, axis=-1) + cost
    least = dict(zip(_TYPICAL_RGB, total.min(axis=(0, 1)), strict=True))
    return min(names, key=lambda name: least[name])


@cache
def _list_appearances() -> tuple[FloatArray, FloatArray]:
    """What every name's colour looks like in each light, under each reflection, weighted Lab
    (l, m, n, 3), and what to add to a distance from it (l, m, n)."""
    stops, mirrored = np.array(PARAMS.light_stops), np.array(PARAMS.mirrored)
    light = decode_gamma(np.array(list(_TYPICAL_RGB.values()), dtype=np.float64)[:, ::-1])
    seen = 2.0 ** stops[:, None, None, None] * light + mirrored[:, None, None]
    seen_lab = bgr_to_weighted_lab(encode_gamma(np.clip(seen, 0.0, 1.0)).astype(np.float32))
    cost = PARAMS.per_stop_lab * np.abs(stops)[:, None] + PARAMS.per_mirrored_lab * mirrored
    is_grey = np.array([name == "grey" for name in _TYPICAL_RGB])
    return seen_lab, cost[..., None] + PARAMS.grey_lab * is_grey
