"""A disc's colour in other light: the distance of two colours that shade and gloss cannot explain.

A face shows its own colour, brighter or darker with the light, and also some of the room's colour,
reflected in its polish. So a colour is compared in every light and under every reflection, and both
have a cost. The distance of two colours is the least sum of cost and distance in weighted Lab. A
black disc that reflects a window is then close to black, and brown wood stays far from natural.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from vision.discs.teams.team_colours import bgr_to_weighted_lab, weighted_lab_to_bgr
from vision.rectify.luminance import decode_gamma, encode_gamma


class AppearancesParameters(StageParameters):
    """Parameters of ``appearances``."""

    stage: ClassVar[str] = "discs.appearances"

    #: Costs of light and reflection, added to a distance of colours: for a stop, and for all of
    #: white's light.
    per_stop_lab: float = parameter(
        8.0,
        unit="weighted Lab",
        source="measured on 299 teams in photographs and renders: 7 to 10 give the best names",
    )
    per_mirrored_lab: float = parameter(
        45.0,
        unit="weighted Lab",
        source="measured on 299 teams in photographs and renders: 15 to 60 give the best names",
    )


PARAMS = AppearancesParameters()
#: Light levels tried, as multiples of a typical colour's light, in powers of two, as on
#: photographs.
_LIGHT_STOPS = tuple(np.arange(-2.0, 1.51, 0.25).tolist())
#: Shares of white light reflected in addition; stills from the side show up to a tenth.
_MIRRORED = (0.0, 0.01, 0.02, 0.04, 0.07, 0.1, 0.14)


def list_appearances(bgr: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The appearances of colours (n, 3), blue first, 0 to 255, in all lights and under all
    reflections, weighted Lab (l, m, n, 3), and their costs to add to a distance (l, m).
    """
    stops, mirrored = np.array(_LIGHT_STOPS), np.array(_MIRRORED)
    light = decode_gamma(np.asarray(bgr, dtype=np.float64))
    seen = 2.0 ** stops[:, None, None, None] * light + mirrored[:, None, None]
    seen_lab = bgr_to_weighted_lab(encode_gamma(np.clip(seen, 0.0, 1.0)).astype(np.float32))
    cost = PARAMS.per_stop_lab * np.abs(stops)[:, None] + PARAMS.per_mirrored_lab * mirrored
    return seen_lab, cost


def measure_apart_in_any_light(lab: FloatArray, other_lab: FloatArray) -> FloatArray:
    """Distances of colours (n, 3) from others (m, 3) in the light that explains most, weighted Lab:
    (n, m). It does not matter which of the two is in other light.
    """
    one = _measure_from_appearances(lab, other_lab)
    return np.minimum(one, _measure_from_appearances(other_lab, lab).T)


def _measure_from_appearances(lab: FloatArray, other_lab: FloatArray) -> FloatArray:
    """The least distance of the appearances of colours (n, 3) from others (m, 3): (n, m)."""
    seen_lab, cost = list_appearances(weighted_lab_to_bgr(lab))
    apart = np.linalg.norm(seen_lab[:, :, :, None] - other_lab, axis=-1)
    return np.asarray((apart + cost[:, :, None, None]).min(axis=(0, 1)))
