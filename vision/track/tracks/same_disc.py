"""Whether a position is that of a known disc: the single definition of how close that means."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from calibration.board import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import PlacedDisc


class SameDiscParameters(StageParameters):
    """Parameters of ``same_disc``."""

    #: An object found within this of a disc is that disc.
    same_mm: float = parameter(
        12.0, unit="mm", source="chosen: well inside a disc of radius 15.9 mm"
    )
    #: A disc that nothing moved is found within this distance of its position; no other disc can
    #: stop there.
    unmoved_mm: float = parameter(
        3.0,
        unit="mm",
        source="chosen: several times the shift of a disc's measured position when the light "
        "changes",
    )


PARAMS = SameDiscParameters()


def is_at(
    place_mm: FloatArray, others_mm: Iterable[FloatArray], within_mm: float | None = None
) -> bool:
    """Whether a place (2,) is one of these (a list of (2,)): within the given distance, or as near
    as two places of one disc are.
    """
    reach_mm = PARAMS.same_mm if within_mm is None else within_mm
    return any(np.linalg.norm(place_mm - other_mm) < reach_mm for other_mm in others_mm)


def is_of_disc(
    place_mm: FloatArray, discs: Iterable[PlacedDisc], within_mm: float | None = None
) -> bool:
    """Whether a place (2,) is that of one of the discs, as ``is_at`` says."""
    return is_at(place_mm, (disc.centre_mm for disc in discs), within_mm)
