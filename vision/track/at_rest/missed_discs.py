"""Differences from the empty board that may be discs: round ones, and a filled hole.

The reading of the frame looks for discs at round differences, unless they show the board's own
texture (a patch of light). In the hole, where a disc has no visible outline, the whole core must
differ.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import DiscState, PlacedDisc, Team
from vision.discs.hole.appearance import PARAMS as APPEARANCE
from vision.discs.teams.colour_names import name_teams
from vision.discs.teams.team_colours import (
    bgr_to_weighted_lab,
    find_new_colours,
    get_team_colours_lab,
)
from vision.track.at_rest.known_teams import match_team
from vision.track.at_rest.still_frame import PARAMS as FRAME
from vision.track.at_rest.still_frame import StillFrame, mask_core, mask_hole, measure_share
from vision.track.motion.blob_appearance import ROUND_ROUNDNESS
from vision.track.motion.disc_blobs import DiscBlobs

#: One sigma of a position that is not measured by an outline, mm.
ROUGH_SIGMA_MM = 2.0


class MissedDiscsParameters(StageParameters):
    """Parameters of ``missed_discs``."""

    #: Discs are put on the starting line; the middle of a disc is at most this far outside it.
    over_line_mm: float = parameter(8.0, unit="mm", source="chosen: half a disc's radius")
    #: A disc in the hole protrudes if this share of the wood around it differs, too.
    hole_overflows: float = parameter(
        0.3, unit="share", source="chosen: a shadow beside the hole covers less"
    )
    #: Up to this share, an object in a side's colour that fills the whole hole may still be inside
    #: it, because compression leaves traces of discs beside the hole.
    hole_overflows_much: float = parameter(
        0.6, unit="share", source="chosen: a hand over the hole covers more"
    )
    #: It then fills at least this share of the hole, and its colour is within this of the side's.
    hole_full: float = parameter(
        0.9, unit="share", source="chosen: all of the hole except for specks"
    )
    #: A difference from the empty hole counts only if at least this share of the hole was seen
    #: empty.
    least_seen_hole: float = parameter(
        0.4,
        unit="share",
        source="chosen: a disc that leans on the edge leaves about half of the hole free",
    )
    #: The wood around the hole, beyond its edge.
    around_hole_mm: tuple[float, float] = parameter(
        (3.0, 9.0), unit="mm", source="chosen: from beyond the edge's blur to half a disc's width"
    )
    #: A disc in the hole keeps other discs away: none is nearer than touching it, less its play and
    #: the errors of two positions.
    hole_clearance_mm: float = parameter(
        5.0, unit="mm", source="chosen: the play, 1.6 mm all round, and the errors of two positions"
    )
    #: Confidence in a disc found here.
    confidence: float = parameter(
        0.95, unit="probability", source="chosen: certain, but less so than a disc that was read"
    )
    #: The same for a disc in the hole that may lean on its edge.
    uncertain_confidence: float = parameter(
        0.5, unit="probability", source="chosen: a flat and a leaning disc are equally likely"
    )


PARAMS = MissedDiscsParameters()
#: Number of sides whose discs have known colours; the discs of a third side are read, not only
#: detected as missing. By the rules, two sides play, each with one colour.
_SIDES = 2


def find_shown(still: StillFrame, blobs: DiscBlobs, radius_mm: float) -> list[FloatArray]:
    """Places (2,) of round differences from the empty board that may be discs, outside the hole.

    A dark spot between patches of sun may be round too, but it shows the board's grain. An object
    beyond the starting line is a finger, because a disc there is rare and is read by its outline.
    """
    spec = still.fit.spec
    away = np.linalg.norm(blobs.centre_mm, axis=1)
    off_hole = np.linalg.norm(blobs.centre_mm - np.array(spec.hole_centre_mm), axis=1)
    chosen = (
        (blobs.roundness > ROUND_ROUNDNESS)
        & (away < min(spec.line_radii_mm[2] + PARAMS.over_line_mm, spec.surface_radius_mm))
        & (off_hole > spec.hole_radius_mm)
    )
    column, row = np.rint(still.rectifier.to_px(blobs.centre_mm)).astype(int).reshape(-1, 2).T
    chosen &= still.background.valid_mask[row, column]
    return [
        place_mm
        for place_mm in blobs.centre_mm[chosen]
        if not still.is_hidden(place_mm, radius_mm)
        and not still.shows_empty_board(mask_core(still.rectifier, place_mm, radius_mm))
    ]


def add_new_teams(colours_bgr: FloatArray, teams: tuple[Team, ...]) -> tuple[Team, ...]:
    """The teams, and a new one for every missed disc's colour, (k, 3), that none of them has."""
    for colour in colours_bgr:
        if (
            not teams
            or find_new_colours(bgr_to_weighted_lab(colour[None]), get_team_colours_lab(teams))[0]
        ):
            teams = name_teams([colour[::-1]], teams)
    return teams


def find_missed_twenty(
    still: StillFrame,
    discs: list[PlacedDisc],
    teams: tuple[Team, ...],
    radius_mm: float,
    expected_mm: Sequence[FloatArray] = (),
) -> tuple[list[PlacedDisc], tuple[Team, ...]]:
    """The unread disc in the hole, if any: the whole hole differs from the empty hole, and the wood
    around it does not. Also returns the teams, with the disc's own team if it is new.

    There is no result if the empty hole was never seen. There is none either before any disc was
    read, unless one of ``expected_mm``, places (2,) where discs stopped, is in the hole. If the
    wood around differs too, a disc of a side's colour, or an expected disc, is uncertain, because
    it may lean on the hole's edge.
    """
    spec, rectifier = still.fit.spec, still.rectifier
    hole_mm = np.array(spec.hole_centre_mm)
    near = 2 * radius_mm - PARAMS.hole_clearance_mm
    if any(np.linalg.norm(disc.centre_mm - hole_mm) < near for disc in discs):
        return [], teams
    is_expected = any(
        np.linalg.norm(place_mm - hole_mm) < spec.hole_radius_mm for place_mm in expected_mm
    )
    if not (teams or is_expected):
        return [], teams
    core = mask_hole(rectifier, still.fit)
    seen_empty = core & still.background.valid_mask
    if measure_share(seen_empty, core) < PARAMS.least_seen_hole:
        return [], teams
    inner, outer = (spec.hole_radius_mm + margin_mm for margin_mm in PARAMS.around_hole_mm)
    beside = np.array([disc.centre_mm for disc in discs]).reshape(-1, 2)
    around = (rectifier.disc_mask(hole_mm, outer) > 0) & (rectifier.disc_mask(hole_mm, inner) == 0)
    around &= rectifier.disc_mask(beside, radius_mm + PARAMS.around_hole_mm[0]) == 0
    filled = measure_share(still.difference, seen_empty)
    overflowing = measure_share(still.difference, around)
    colour_bgr = np.median(still.normalised.image[core], axis=0)
    is_clear = filled >= FRAME.hole_filled and overflowing <= PARAMS.hole_overflows
    is_full = filled >= PARAMS.hole_full and overflowing < PARAMS.hole_overflows_much
    is_other = is_full and is_expected and bool(teams)
    if (is_clear or is_other) and len(teams) < _SIDES:
        teams = add_new_teams(colour_bgr[None], teams)
    if not teams:
        return [], teams
    team, away_lab = match_team(colour_bgr, teams)
    is_likely = is_full and (is_expected or away_lab < APPEARANCE.likely_colour_lab)
    if not (is_clear or is_likely):
        return [], teams
    twenty = PlacedDisc(
        centre_mm=hole_mm,
        covariance_mm2=np.eye(2),
        team=team,
        state=DiscState.IN_HOLE,
        confidence=PARAMS.confidence if is_clear else PARAMS.uncertain_confidence,
    )
    return [twenty], teams
