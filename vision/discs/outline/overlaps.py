"""Discs that were fitted together, and of which some overlap: no two may lie on one place.

What seems to be two there is one and its shadow, or one and its reflection in a polished surface.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from calibration.camera import FloatArray
from calibration.disc import DiscSpec
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import DiscState, PlacedDisc


class OverlapParameters(StageParameters):
    """What ``overlaps`` takes for granted."""

    stage: ClassVar[str] = "discs.overlaps"

    #: However far two overlap, no more than this counts against the less sure one.
    most_misfit: float = parameter(2.2, unit="log odds", source="9 to 1, as a sure disc has")


PARAMS = OverlapParameters.active()
#: No disc is surer than this.
_LEAST_DOUBT = 1e-9


def doubt_overlaps(
    discs: list[PlacedDisc], size: DiscSpec
) -> tuple[list[PlacedDisc], list[FloatArray]]:
    """The discs that may all lie on one board, surest first, and the places (2,) of the others.

    Flat discs touch at the most. Where two overlap, how unlikely that is, given how well both
    places and the radius are known, counts against the less sure one; a disc at less than evens
    is left to a person. One that nobody would doubt stays, for the size may be of other discs, and
    what leans may lie over another.
    """
    kept: list[PlacedDisc] = []
    doubtful_mm: list[FloatArray] = []
    for disc in sorted(discs, key=lambda each: -each.confidence):
        misfit = sum(_measure_overlap_sigmas(disc, each, size) ** 2 for each in kept) / 2
        misfit = min(misfit, PARAMS.most_misfit)
        if misfit == 0:
            kept.append(disc)
            continue
        odds = disc.confidence / max(1.0 - disc.confidence, _LEAST_DOUBT) * np.exp(-misfit)
        if odds > 1:
            kept.append(replace(disc, confidence=float(odds / (1 + odds))))
        else:
            doubtful_mm.append(disc.centre_mm)
    return kept, doubtful_mm


def _measure_overlap_sigmas(one: PlacedDisc, other: PlacedDisc, size: DiscSpec) -> float:
    """By how much two flat discs overlap, in standard deviations of that; 0 where they do not."""
    if DiscState.LEANING in (one.state, other.state):
        return 0.0
    apart_mm = one.centre_mm - other.centre_mm
    distance_mm = float(np.linalg.norm(apart_mm))
    overlap_mm = 2 * size.radius_mm - distance_mm
    if overlap_mm <= 0:
        return 0.0
    along = apart_mm / max(distance_mm, 1e-9)
    variance = along @ (one.covariance_mm2 + other.covariance_mm2) @ along
    return overlap_mm / float(np.sqrt(variance + (2 * size.radius_sigma_mm) ** 2))
