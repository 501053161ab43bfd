"""The unread disc on the hole's edge, half on the wood and half over the hole.

The hole interrupts its outline, so the frame alone hardly shows it. Compared with the empty board,
it is a round difference. It covers wood that a disc in the hole leaves free, and leaves a part of
the hole free that such a disc fills.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import DiscState, PlacedDisc, Team
from vision.track.at_rest.known_teams import match_team
from vision.track.at_rest.missed_discs import PARAMS as MISSED
from vision.track.at_rest.missed_discs import ROUGH_SIGMA_MM, add_new_teams, split_outliers
from vision.track.at_rest.still_frame import StillFrame, measure_share
from vision.track.motion.disc_blobs import DiscBlobs


class MissedLeanerParameters(StageParameters):
    """Parameters of ``missed_leaner``."""

    stage: ClassVar[str] = "track.at_rest.missed_leaner"

    #: A difference over the hole's edge is a disc where it is at least this round.
    roundness: float = parameter(
        0.8, unit="share", source="discs over the edge in films: 0.9; pieces of hands, 0.5"
    )
    #: Its middle is at least this share of the hole's radius off the hole's, ...
    off_share: float = parameter(
        0.5, unit="share", source="a disc in the hole has a tenth of its radius to play"
    )
    #: ... it covers the wood under it to this share, ...
    covered_share: float = parameter(0.8, unit="share", source="chosen: all but a rim's blur")
    #: ... and of the hole beside it no more than this differs from the empty one.
    filled_share: float = parameter(0.3, unit="share", source="chosen: its shade alone")
    #: In steeper views a disc in the hole, which stands out of it, is seen beside its middle.
    most_tilt_deg: float = parameter(
        50.0, unit="°", source="3.5 mm high it is seen 4 mm off there; at 70° rounds lost their 20s"
    )
    #: The edges of hole and disc are blurred so far.
    blur_mm: float = parameter(3.0, unit="mm", source="two pixels, and the edge's own place")


PARAMS = MissedLeanerParameters()


def find_missed_leaner(
    still: StillFrame,
    discs: Sequence[PlacedDisc],
    blobs: DiscBlobs,
    teams: tuple[Team, ...],
    radius_mm: float,
) -> tuple[list[PlacedDisc], tuple[Team, ...]]:
    """The unread disc on the hole's edge, if any, and the teams, with its own if it is new. None if
    both sides are known and its colour is neither side's, or in an oblique view.
    """
    if still.fit.view.cam_from_board.tilt_deg > PARAMS.most_tilt_deg:
        return [], teams
    spec = still.fit.spec
    hole_mm = np.array(spec.hole_centre_mm)
    room_mm = 2 * radius_mm - MISSED.hole_clearance_mm
    off_mm = np.linalg.norm(blobs.centre_mm - hole_mm, axis=1)
    chosen = (
        (blobs.roundness > PARAMS.roundness)
        & (off_mm > PARAMS.off_share * spec.hole_radius_mm)
        & (off_mm <= spec.hole_radius_mm)
    )
    for disc in discs:
        chosen &= np.linalg.norm(blobs.centre_mm - disc.centre_mm, axis=1) > room_mm
    found = [
        i for i in np.flatnonzero(chosen).tolist() if _lies_over_edge(still, blobs, i, radius_mm)
    ]
    plain, _ = split_outliers(blobs, np.array(found, np.intp), teams)
    if len(plain) == 0:
        return [], teams
    teams = add_new_teams(blobs.colour_bgr[plain[:1]], teams)
    leaner = PlacedDisc(
        centre_mm=blobs.centre_mm[plain[0]],
        covariance_mm2=ROUGH_SIGMA_MM**2 * np.eye(2),
        team=match_team(blobs.colour_bgr[plain[0]], teams)[0],
        state=DiscState.LEANING,
        confidence=MISSED.confidence,
    )
    return [leaner], teams


def _lies_over_edge(still: StillFrame, blobs: DiscBlobs, index: int, radius_mm: float) -> bool:
    """Whether the difference covers the wood under a disc there, but not the hole beside it."""
    spec, rectifier = still.fit.spec, still.rectifier
    hole_mm, place_mm = spec.hole_centre_mm, blobs.centre_mm[index]
    wood = (rectifier.disc_mask(place_mm, radius_mm - PARAMS.blur_mm) > 0) & (
        rectifier.disc_mask(hole_mm, spec.hole_radius_mm + PARAMS.blur_mm) == 0
    )
    beside = (rectifier.disc_mask(hole_mm, spec.hole_radius_mm - PARAMS.blur_mm) > 0) & (
        rectifier.disc_mask(place_mm, radius_mm + PARAMS.blur_mm) == 0
    )
    is_known = still.background.valid_mask[wood | beside].all()
    return bool(
        is_known
        and wood.any()
        and beside.any()
        and measure_share(still.difference, wood) > PARAMS.covered_share
        and measure_share(still.difference, beside) < PARAMS.filled_share
    )
