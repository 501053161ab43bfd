"""Uncertain discs of a single frame, confirmed by the frame's difference from the empty board.

A disc of nearly the board's colour has a faint rim, and a reading of the frame may miss it.
Compared with the empty board, it stands out as a round patch of its side's colour. The bare board
need not have been seen there. If the frame itself suggests a disc, an estimate from the rest of the
board (``inpaint_by_symmetry``) is enough. A graphic's round corner in a side's colour, with a
disc's rim, is taken for a disc.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import DiscState, PlacedDisc, Team
from vision.detector.arbitrate import PARAMS as ARBITRATE
from vision.detector.arbitrate import propose_discs
from vision.detector.detect_board import look_at_board
from vision.discs.find_discs import DiscReading
from vision.discs.teams.team_colours import bgr_to_weighted_lab, get_team_colours_lab
from vision.reading import UnexplainedReason
from vision.track.at_rest.missed_discs import PARAMS as MISSED
from vision.track.at_rest.missed_discs import mask_around, median_colours
from vision.track.at_rest.still_frame import StillFrame, mask_core
from vision.track.motion.blob_appearance import ROUND_ROUNDNESS
from vision.track.motion.disc_blobs import DiscBlobs
from vision.track.tracks.same_disc import is_at, is_of_disc


class ConfirmedDiscsParameters(StageParameters):
    """Parameters of ``confirmed_discs``."""

    #: Its face is so near to a side's colour, and nearer than this share of how far it is from the
    #: board's around it.
    team_lab: float = parameter(
        6.0, unit="weighted Lab", source="pink discs on maple, hard compression: up to 5.0"
    )
    board_share: float = parameter(
        0.5, unit="share", source="the same: up to 0.4; of the bare board it is 1 and more"
    )


PARAMS = ConfirmedDiscsParameters()


def confirm_discs(
    still: StillFrame,
    reading: DiscReading,
    kept: Sequence[PlacedDisc],
    blobs: DiscBlobs,
    teams: tuple[Team, ...],
) -> tuple[list[PlacedDisc], np.ndarray]:
    """The discs ``kept`` of a reading, as sure as a missed disc if the empty board confirms them;
    and the blobs (k,) that show discs of ``teams`` where the reading was uncertain.

    Colour does not confirm that a disc leans.
    """
    unsure_mm = [disc.centre_mm for disc in kept if disc.confidence < MISSED.confidence]
    maybe_mm = [
        item.centre_mm
        for item in reading.unexplained
        if item.reason is UnexplainedReason.MAYBE_DISC and not is_of_disc(item.centre_mm, kept)
    ]
    radius_mm = reading.disc.radius_mm
    shown = [
        i
        for i in np.flatnonzero(blobs.roundness > ROUND_ROUNDNESS).tolist()
        if is_at(blobs.centre_mm[i], [*unsure_mm, *maybe_mm])
        and not still.is_hidden(blobs.centre_mm[i], radius_mm)
        and _has_team_colour(still, blobs.centre_mm[i], teams, radius_mm)
    ]
    shown_mm = [blobs.centre_mm[i] for i in shown]
    sure = [
        replace(disc, confidence=max(disc.confidence, MISSED.confidence))
        if disc.state is not DiscState.LEANING and is_at(disc.centre_mm, shown_mm)
        else disc
        for disc in kept
    ]
    new = [i for i in shown if not is_of_disc(blobs.centre_mm[i], kept)]
    return sure, np.array(new, np.intp)


def _has_team_colour(
    still: StillFrame, centre_mm: FloatArray, teams: tuple[Team, ...], radius_mm: float
) -> bool:
    """Whether a face has the colour of one of the teams and not that of the board around it."""
    face = mask_core(still.rectifier, centre_mm, radius_mm)
    around = mask_around(still, centre_mm, radius_mm)
    own, board = bgr_to_weighted_lab(median_colours(still.normalised.image, face, around))
    if not teams:
        return False
    off_team_lab = np.linalg.norm(get_team_colours_lab(teams) - own, axis=1).min()
    off_board_lab = np.linalg.norm(board - own)
    return bool(off_team_lab < min(PARAMS.team_lab, PARAMS.board_share * off_board_lab))


def confirm_by_detector(
    still: StillFrame, read_mm: Sequence[FloatArray], blobs: DiscBlobs, radius_mm: float
) -> tuple[DiscBlobs, np.ndarray]:
    """The blobs, and indices (k,) of those that a learned detector sees as discs, too, away from
    the places ``read_mm`` (2,) of other discs; these get the detector's place and the colour there.

    The detector looks only if there is such a blob. A disc of nearly the board's colour differs
    from the empty board in part.
    """
    gap_mm = np.linalg.norm(blobs.centre_mm[:, None] - np.reshape(read_mm, (-1, 2)), axis=-1)
    is_lone = gap_mm.min(axis=1, initial=np.inf) > ARBITRATE.same_disc_mm
    is_lone &= np.linalg.norm(blobs.centre_mm, axis=1) < still.fit.spec.surface_radius_mm
    lone = [
        i
        for i in np.flatnonzero(is_lone).tolist()
        if not still.is_hidden(blobs.centre_mm[i], radius_mm)
    ]
    if not lone:
        return blobs, np.array([], np.intp)
    proposals = propose_discs(look_at_board(still.image, still.fit.view, still.fit.spec))
    sure_mm = proposals.base_mm[proposals.log_odds > 0]
    centre_mm, colour_bgr = blobs.centre_mm.copy(), blobs.colour_bgr.copy()
    found: list[int] = []
    for i in lone:
        away_mm = np.linalg.norm(sure_mm - blobs.centre_mm[i], axis=1)
        if away_mm.min(initial=np.inf) > ARBITRATE.same_disc_mm:
            continue
        place_mm = sure_mm[int(away_mm.argmin())]
        if not is_at(place_mm, [*read_mm, *centre_mm[found]]):
            centre_mm[i] = place_mm
            face = mask_core(still.rectifier, place_mm, radius_mm)
            (colour_bgr[i],) = median_colours(still.normalised.image, face)
            found.append(i)
    return replace(blobs, centre_mm=centre_mm, colour_bgr=colour_bgr), np.array(found, np.intp)
