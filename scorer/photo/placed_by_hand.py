"""The value of a disc that a person adds to a photographed board, by the board's own lines.

A finger is accurate to a few millimetres, so a disc near a line may also be in the next zone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import DiscState, PlacedDisc
from scorer.photo.score import Score
from scorer.zones import call_zone


class PlacedByHandParameters(StageParameters):
    """Parameters for a point that a person taps."""

    #: One sigma of a tap on the magnified board, along each axis.
    tap_sigma_mm: float = parameter(
        1.5,
        unit="mm",
        source="chosen: a tap is accurate to about 8 px of 0.35 mm, and the sigma is half of that",
    )


PARAMS = PlacedByHandParameters()


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneProposal:
    """A zone, and the disc's other possible zone; None if the position is certain."""

    zone: int
    other: int | None


def propose_zone(score: Score, at_mm: tuple[float, float]) -> ZoneProposal:
    """The zone of a disc at a place of the board frame; a disc completely over the hole is in the
    hole.

    ``score`` is that of a photo with a board.
    """
    reading = score.reading
    assert reading is not None
    assert reading.board is not None
    spec, base = reading.board.spec, reading.disc.contact_edge
    to_hole_mm = float(np.hypot(*np.subtract(at_mm, spec.hole_centre_mm)))
    is_in_hole = to_hole_mm < spec.hole_radius_mm
    disc = PlacedDisc(
        centre_mm=np.array(at_mm),
        covariance_mm2=PARAMS.tap_sigma_mm**2 * np.eye(2),
        state=DiscState.IN_HOLE if is_in_hole else DiscState.FLAT,
        team=0,
    )
    call = call_zone(disc, spec, base)
    return ZoneProposal(zone=call.zone, other=call.alternative)
