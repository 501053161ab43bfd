"""Read the discs of a still board, with or without its background model.

The frame is read first on its own (``find_discs``). Then it is compared with the empty board. A
round difference is a missed disc (``missed_discs``), and without a difference there was no disc. A
person is asked about differences that no disc explains.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.disc import DiscSpec
from calibration.fit import BoardFit
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import DiscState, PlacedDisc, Team
from vision.discs.detector_input import OtherPictures
from vision.discs.find_discs import DiscReading, find_discs
from vision.discs.hole.hole_classifier import PARAMS as HOLE
from vision.discs.radius_estimate import NOMINAL_DISC
from vision.reading import UnexplainedObject, UnexplainedReason
from vision.rectify.frame_rectifier import FrameRectifier
from vision.track.at_rest.confirmed_discs import confirm_by_detector, confirm_discs
from vision.track.at_rest.hole_outline import Outline, measure_hole_outline
from vision.track.at_rest.missed_discs import PARAMS as MISSED
from vision.track.at_rest.missed_discs import (
    ROUGH_SIGMA_MM,
    add_new_teams,
    find_missed,
    find_missed_twenty,
    fit_missed,
)
from vision.track.at_rest.still_frame import StillFrame, mask_core, measure_share
from vision.track.background.background_model import PARAMS as BACKGROUND
from vision.track.motion.disc_blobs import find_disc_blobs
from vision.track.motion.hands_and_occluders import find_hands_and_occluders, widen
from vision.track.motion.occlusion import PARAMS as OCCLUSION
from vision.track.tracks.same_disc import is_of_disc


class StillBoardParameters(StageParameters):
    """Parameters of ``still_board``."""

    #: A disc stands on the empty board only where this share of its face differs from it.
    least_different: float = parameter(
        0.35, unit="share", source="chosen: a disc of nearly the wood's colour differs in part"
    )

    #: Where a disc was seen to stop one lies within this.
    stopped_mm: float = parameter(
        20.0, unit="mm", source="chosen: nearer than two radii, so that it is no other disc"
    )


PARAMS = StillBoardParameters()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StillBoard:
    """The discs on a still board.

    teams  all teams seen so far, those known before first
    disc   the discs' sizes
    measured_discs  number of discs that the sizes were measured from (see ``DiscReading``)
    occluder  (side, side) uint8: covered parts that were not known to be covered
    """

    discs: tuple[PlacedDisc, ...]
    teams: tuple[Team, ...]
    disc: DiscSpec
    measured_discs: int = 0
    unexplained: tuple[UnexplainedObject, ...] = ()
    occluder: np.ndarray | None = None


def read_without_background(
    image: np.ndarray,
    fit: BoardFit,
    disc: DiscSpec | None,
    known: tuple[Team, ...],
) -> StillBoard:
    """The board of a frame (h, w, 3 uint8 BGR) without a background model.

    A hole as dark as a team's discs needs no question here, because in a game every disc that goes
    in is seen.
    """
    reading = find_discs(image, fit, disc, known)
    return StillBoard(
        discs=reading.discs,
        teams=reading.teams or known,
        disc=reading.disc,
        measured_discs=reading.measured_discs,
        unexplained=tuple(
            item for item in reading.unexplained if item.reason is not UnexplainedReason.DARK_HOLE
        ),
    )


def read_with_background(
    still: StillFrame,
    disc: DiscSpec | None,
    known: tuple[Team, ...],
    before: Sequence[PlacedDisc] = (),
    expected_mm: Sequence[FloatArray] = (),
) -> StillBoard:
    """The board of a still frame, compared with its background. ``before`` are the discs of the
    last reading.

    ``expected_mm`` are places (2,) where a disc was or stopped and has not left since. Covered
    discs are not read but remembered: discs of ``before`` stay at their places.
    """
    reading = _read_frame(still, disc, known, expected_mm)
    radius_mm = reading.disc.radius_mm
    kept = [
        placed_disc
        for placed_disc in reading.discs
        if _differs_from_background(still, placed_disc, radius_mm)
        and not still.is_hidden(placed_disc.centre_mm, radius_mm)
    ]
    blobs = find_disc_blobs(still.rectifier, still.background, still.normalised, radius_mm)
    shown = find_missed(still, kept, blobs, reading.disc)
    shown = shown[[not still.is_hidden(blobs.centre_mm[i], radius_mm) for i in shown]]
    missed, unexpected = _split_unexpected(blobs.centre_mm, shown, expected_mm)
    kept, confirmed = confirm_discs(still, reading, kept, blobs, known)
    missed = np.union1d(missed, confirmed)
    read_mm = [*(disc.centre_mm for disc in kept), *blobs.centre_mm[missed]]
    blobs, detected = confirm_by_detector(still, read_mm, blobs, radius_mm)
    missed = np.union1d(missed, detected)
    unexpected = np.setdiff1d(unexpected, missed)
    teams = add_new_teams(blobs.colour_bgr[missed], reading.teams or known)
    discs = [*kept, *fit_missed(still, disc, blobs, missed, teams)]
    discs += _remember_hidden(still, before, radius_mm)
    twenty, teams = find_missed_twenty(still, discs, teams, radius_mm, expected_mm)
    discs += twenty
    outline = _measure_outline(still, discs)
    may_lean = [_is_leaner_in_doubt(placed_disc, still.fit) for placed_disc in discs]
    discs = [apply_outline(placed_disc, still.fit, outline) for placed_disc in discs]
    seen, occluder = _find_hands(still, discs, radius_mm)
    is_doubtful = any(may_lean) or any(disc.confidence <= MISSED.doubtful for disc in twenty)
    unexplained = (
        *_find_leaning_doubts(discs, outline, is_doubtful=is_doubtful),
        *find_unexplained(seen, reading, discs, radius_mm),
    )
    board = StillBoard(
        discs=tuple(discs),
        teams=teams,
        disc=reading.disc,
        measured_discs=reading.measured_discs,
        unexplained=unexplained,
        occluder=occluder,
    )
    return doubt_unread(board, blobs.centre_mm[unexpected])


def _split_unexpected(
    places_mm: FloatArray, missed: np.ndarray, expected_mm: Sequence[FloatArray]
) -> tuple[np.ndarray, np.ndarray]:
    """The ``missed`` blobs, indices (k,) of places (n, 2), where a disc is expected, and the
    others, such as a corner of a graphic over the picture.
    """
    to_expected_mm = np.linalg.norm(
        places_mm[missed][:, None] - np.reshape(expected_mm, (-1, 2)), axis=-1
    )
    is_expected = (to_expected_mm < PARAMS.stopped_mm).any(axis=1)
    return missed[is_expected], missed[~is_expected]


def _read_frame(
    still: StillFrame,
    disc: DiscSpec | None,
    known: tuple[Team, ...],
    expected_mm: Sequence[FloatArray],
) -> DiscReading:
    """The reading of the frame alone, given known teams and places.

    Little evidence is enough for an expected disc if the empty board there is known, because the
    empty board shows when the disc has left after all.
    """
    seen_empty_mm = [
        each
        for each in expected_mm
        if still.background.valid_mask[
            mask_core(still.rectifier, each, NOMINAL_DISC.radius_mm)
        ].all()
    ]
    radius_mm = (disc or NOMINAL_DISC).radius_mm
    return find_discs(
        still.image,
        still.fit,
        disc,
        known,
        expected_mm=seen_empty_mm,
        others=OtherPictures(
            show_empty_hole=_shows_empty_hole(still, radius_mm),
            part=still.changed,
            may_cover=partial(_may_cover, still, radius_mm),
        ),
    )


def _may_cover(still: StillFrame, radius_mm: float, places_mm: FloatArray) -> bool:
    """Whether so much of the surface differs from the bare surface, apart from objects at places
    (n, 2) and hidden parts, that a disc may be there.
    """
    discs = still.rectifier.disc_mask(places_mm, radius_mm + BACKGROUND.around_disc_mm)
    left = still.difference & still.rectifier.surface & (discs == 0)
    if still.hidden is not None:
        left &= still.hidden == 0
    return bool(_find_differing_cores(still, left, radius_mm).any())


def _shows_empty_hole(still: StillFrame, radius_mm: float) -> bool:
    """Whether so little around the hole differs from the empty hole that no disc is over it."""
    hole_mm, reach_mm = still.fit.spec.hole_centre_mm, still.fit.spec.hole_radius_mm
    over, around = (still.rectifier.disc_mask(hole_mm, k * reach_mm) > 0 for k in (1, 2))
    cores = _find_differing_cores(still, still.difference, min(radius_mm, reach_mm))
    return bool(still.background.valid_mask[around].all()) and not cores[over].any()


def _find_differing_cores(still: StillFrame, differs: np.ndarray, radius_mm: float) -> np.ndarray:
    """Centres (side, side bool) where the core of a disc of that radius may differ (side, side
    bool) as much as a real disc's does; no core differs in more pixels than the square around it.
    """
    core = mask_core(still.rectifier, np.zeros(2), radius_mm)
    side = int(core.any(axis=0).sum())
    around = cv2.boxFilter(differs.view(np.uint8), cv2.CV_32F, (side, side), normalize=False)
    return np.asarray(around > PARAMS.least_different * np.count_nonzero(core))


def doubt_unread(board: StillBoard, stopped_mm: Sequence[FloatArray]) -> StillBoard:
    """The board, with a question at every place (2,) where a disc was seen to stop and none was
    read.

    Discs that lean on the hole's edge are seldom read.
    """
    read_mm = [disc.centre_mm for disc in board.discs]
    unread_mm = [
        place_mm
        for place_mm in stopped_mm
        if all(np.linalg.norm(place_mm - each) > PARAMS.stopped_mm for each in read_mm)
    ]
    return doubt_places(board, unread_mm)


def doubt_places(board: StillBoard, places_mm: Sequence[FloatArray]) -> StillBoard:
    """The board, with a question whether a disc is there at every place (2,) that has none yet."""
    known_mm = [item.centre_mm for item in board.unexplained]
    maybe = [
        UnexplainedObject(centre_mm=place_mm, reason=UnexplainedReason.MAYBE_DISC)
        for place_mm in places_mm
        if all(np.linalg.norm(place_mm - each) > PARAMS.stopped_mm for each in known_mm)
    ]
    return replace(board, unexplained=(*board.unexplained, *maybe)) if maybe else board


def doubt_covered(board: StillBoard, rectifier: FrameRectifier) -> StillBoard:
    """The board, with the unexpected object over it as a doubt at its point nearest the centre."""
    if board.occluder is None:
        return board
    away_mm = np.where(board.occluder > 0, rectifier.radius_mm, np.inf)
    row, column = np.unravel_index(int(away_mm.argmin()), away_mm.shape)
    place_mm = rectifier.to_mm(np.array([column, row]))
    covered = UnexplainedObject(centre_mm=place_mm, reason=UnexplainedReason.COVERED)
    return replace(board, unexplained=(*board.unexplained, covered))


def drop_discless_teams(board: StillBoard, known: Sequence[Team]) -> StillBoard:
    """The board without new teams that have no disc left, because they came from other objects."""
    shown = {disc.team for disc in board.discs} | {team.number for team in known}
    if all(team.number in shown for team in board.teams):
        return board
    return replace(board, teams=tuple(team for team in board.teams if team.number in shown))


def drop_doubtful_twenty(board: StillBoard) -> StillBoard:
    """The first board, without an uncertain disc in the hole. Players take discs off there, and a
    hole painted in a side's colour looks like a disc if it is seen too small for its gap.
    """
    kept = tuple(
        disc
        for disc in board.discs
        if disc.state is not DiscState.IN_HOLE or disc.confidence > HOLE.doubtful
    )
    return board if len(kept) == len(board.discs) else replace(board, discs=kept)


def _find_hands(
    still: StillFrame, discs: Sequence[PlacedDisc], radius_mm: float
) -> tuple[StillFrame, np.ndarray | None]:
    """The frame with hands over the edge hidden, and the other covered parts of the board (side,
    side uint8).

    Objects over the board are found in the frame; the discs that they cover are remembered.
    """
    if still.hidden is not None:
        return still, None
    bases = np.array([disc.centre_mm for disc in discs]).reshape(-1, 2)
    hands, occluder = find_hands_and_occluders(
        still.rectifier, still.background, still.normalised, bases, radius_mm
    )
    if hands is None:
        return still, None
    return replace(still, hidden=widen(hands, OCCLUSION.hidden_mm)), occluder


def _remember_hidden(
    still: StillFrame, before: Sequence[PlacedDisc], radius_mm: float
) -> list[PlacedDisc]:
    """The remembered discs at places that are covered now."""
    return [disc for disc in before if still.is_hidden(disc.centre_mm, radius_mm)]


def _differs_from_background(still: StillFrame, each: PlacedDisc, radius_mm: float) -> bool:
    """Whether the frame differs from the background at a disc's place."""
    reach_mm = radius_mm if each.state is not DiscState.IN_HOLE else still.fit.spec.hole_radius_mm
    under = mask_core(still.rectifier, each.centre_mm, reach_mm)
    if not still.background.valid_mask[under].all():
        return True
    share = measure_share(still.difference, under)
    return share > PARAMS.least_different and not still.shows_empty_board(under)


def _measure_outline(still: StillFrame, discs: list[PlacedDisc]) -> Outline | None:
    """The outline of the disc over the hole that may be flat in it; None without one, or if it does
    not stand out.
    """
    if not any(
        disc.state is DiscState.IN_HOLE or _is_leaner_in_doubt(disc, still.fit) for disc in discs
    ):
        return None
    return measure_hole_outline(
        still.image, still.fit, still.rectifier, still.background, still.normalised
    )


def apply_outline(disc: PlacedDisc, fit: BoardFit, outline: Outline | None) -> PlacedDisc:
    """The disc, as leaning on the hole's edge if its outline agrees, and as in the hole if the
    outline does not lean. A leaner that only the frame shows becomes a question.
    """
    was_in_doubt = _is_leaner_in_doubt(disc, fit)
    if outline is None or not (disc.state is DiscState.IN_HOLE or was_in_doubt):
        return disc
    hole_mm = np.array(fit.spec.hole_centre_mm)
    if not outline.is_leaning:
        return replace(disc, state=DiscState.IN_HOLE, centre_mm=hole_mm) if was_in_doubt else disc
    return replace(
        disc,
        state=DiscState.LEANING,
        centre_mm=hole_mm + outline.offset_mm,
        covariance_mm2=ROUGH_SIGMA_MM**2 * np.eye(2),
        confidence=max(disc.confidence, MISSED.confidence) if was_in_doubt else disc.confidence,
    )


def _is_leaner_in_doubt(disc: PlacedDisc, fit: BoardFit) -> bool:
    """Whether a disc was read as leaning on the hole's edge by the frame alone, and not surely."""
    off_mm = float(np.linalg.norm(disc.centre_mm - np.array(fit.spec.hole_centre_mm)))
    is_over_hole = off_mm < fit.spec.hole_radius_mm
    return disc.state is DiscState.LEANING and is_over_hole and disc.confidence <= HOLE.doubtful


def _find_leaning_doubts(
    discs: list[PlacedDisc], outline: Outline | None, *, is_doubtful: bool
) -> Iterator[UnexplainedObject]:
    """The disc in the hole, if it may lean by its outline or by other signs beside it."""
    is_doubtful |= outline is not None and outline.is_doubtful
    for disc in discs:
        if disc.state is DiscState.IN_HOLE and is_doubtful:
            yield UnexplainedObject(centre_mm=disc.centre_mm, reason=UnexplainedReason.LEANING)


def find_unexplained(
    still: StillFrame, reading: DiscReading, discs: Sequence[PlacedDisc], radius_mm: float
) -> Iterator[UnexplainedObject]:
    """Places for a person to check: uncertain ones that differ from the empty board, away from the
    discs and their shadows.
    """
    bases = np.array([disc.centre_mm for disc in discs]).reshape(-1, 2)
    reach_mm = radius_mm + BACKGROUND.around_disc_mm
    left = still.difference & (still.rectifier.disc_mask(bases, reach_mm) == 0)
    for item in reading.unexplained:
        if still.is_hidden(item.centre_mm, radius_mm):
            continue
        under = mask_core(still.rectifier, item.centre_mm, radius_mm)
        is_explained = is_of_disc(item.centre_mm, discs)
        if not is_explained and measure_share(left, under) > PARAMS.least_different:
            yield item
