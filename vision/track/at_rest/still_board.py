"""Read the discs of a still board, with or without its background model.

The frame is read as a photo is (``find_discs``), with the tracker's memory as a prior: a disc is
likely where a disc was before or stopped, and likelier if a round object is on the empty board
there. Where the frame equals the empty board there is no disc. A person is asked about differences
that no disc explains.
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
from vision.detector.arbitrate import PARAMS as ARBITRATE
from vision.detector.arbitrate import propose_discs
from vision.detector.detect_board import HoleState, look_at_board, look_at_hole
from vision.discs.detector_input import OtherPictures, Proposals
from vision.discs.find_discs import DiscReading, find_discs
from vision.discs.hole.hole_classifier import PARAMS as HOLE
from vision.discs.radius_estimate import NOMINAL_DISC
from vision.reading import UnexplainedObject, UnexplainedReason
from vision.rectify.frame_rectifier import FrameRectifier
from vision.track.at_rest.missed_discs import PARAMS as MISSED
from vision.track.at_rest.missed_discs import ROUGH_SIGMA_MM, find_missed_twenty, find_shown
from vision.track.at_rest.still_frame import StillFrame, mask_core, measure_share
from vision.track.background.background_model import PARAMS as BACKGROUND
from vision.track.motion.disc_blobs import DiscBlobs, find_disc_blobs
from vision.track.motion.hands_and_occluders import find_hands_and_occluders, widen
from vision.track.motion.occlusion import PARAMS as OCCLUSION
from vision.track.tracks.same_disc import is_at, is_of_disc


class StillBoardParameters(StageParameters):
    """Parameters of ``still_board``."""

    #: A disc can be on the empty board only if this share of its face differs from it.
    least_different: float = parameter(
        0.35,
        unit="share",
        source="chosen: even a disc of nearly the wood's colour differs from it in this share "
        "of its area",
    )

    #: Log odds added if a round object is on the empty board where a disc was before or stopped, or
    #: where a learned detector sees a disc.
    shown_log_odds: float = parameter(
        5.0,
        unit="log odds",
        source="measured in 13 films: with 4, two faint discs of 215 have less than 0.9; with "
        "5, none of 394",
    )
    #: Where no disc went, a learned detector is believed only from these log odds on. A hand or its
    #: shadow also differs from the empty board.
    seen_log_odds: float = parameter(
        2.0,
        unit="log odds",
        source="computed: those of a score of 0.65 in both looks; a place without a disc had 0.57 "
        "in one of 15 films",
    )
    #: A disc in the hole may lean on its edge if a learned detector gives leaning at least this
    #: share of the probability that a disc is there.
    may_lean: float = parameter(
        0.1,
        unit="probability",
        source="measured on renders at up to 62°: 23 of 24 flat discs have 0.05 at most, 18 of 23 "
        "that lean by 11 to 35° more than 0.13",
    )
    #: A disc that was seen to stop is within this of that point.
    stopped_mm: float = parameter(
        20.0, unit="mm", source="chosen: nearer than two radii, so that it is no other disc"
    )


PARAMS = StillBoardParameters()
#: A frame is read at most this often: again if a learned detector sees discs that were not read.
_READINGS = 2
#: A point belongs to a part of the board if it is within this distance of it.
_WITHIN_MM = 0.1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StillBoard:
    """The discs on a still board.

    teams  all teams seen so far, first those known before
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

    Nothing moved yet, so a stain may look like a disc: a disc is only as certain as the networks
    are of it. A hole as dark as a team's discs needs no question here, because in a game every disc
    that goes in is seen.
    """
    reading = find_discs(image, fit, disc, known)
    proposals = propose_discs(look_at_board(image, fit.view, fit.spec), fit.spec)
    log_odds = proposals.weigh(np.reshape([found.centre_mm for found in reading.discs], (-1, 2)))
    certainty = np.where(log_odds == 0.0, 1.0, 1 / (1 + np.exp(-log_odds)))  # 0: nothing is known
    return StillBoard(
        discs=tuple(
            replace(found, confidence=min(found.confidence, float(share)))
            for found, share in zip(reading.discs, certainty, strict=True)
        ),
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

    ``expected_mm`` are places (2,) where a disc was or stopped and from which it has not left.
    Covered discs are not read but remembered: discs of ``before`` stay at their places.
    """
    radius_mm = (disc or NOMINAL_DISC).radius_mm
    blobs = find_disc_blobs(still.rectifier, still.background, still.normalised, radius_mm)
    shown_mm = find_shown(still, blobs, radius_mm)
    likely = [
        (place_mm, PARAMS.shown_log_odds)
        for place_mm in shown_mm
        if is_at(place_mm, expected_mm, PARAMS.stopped_mm)
    ]
    for _ in range(_READINGS):
        reading = _read_frame(still, disc, known, expected_mm, likely)
        discs = _keep_seen(still, reading.discs, radius_mm)
        detected = _detect_unread(still, [d.centre_mm for d in discs], blobs, radius_mm)
        if not detected:
            break
        likely += detected
    discs += _remember_hidden(still, before, radius_mm)
    teams = reading.teams or known
    sure = [disc for disc in discs if not _is_unsure_twenty(disc)]
    twenty, teams = find_missed_twenty(still, sure, teams, radius_mm, expected_mm)
    over_hole = [*filter(_is_unsure_twenty, discs), *twenty]
    over_hole = sorted(over_hole, key=lambda disc: disc.confidence)[-1:]
    discs = [*sure, *over_hole]
    discs, leaning = judge_leaning(still, discs)
    seen, occluder = _find_hands(still, discs, radius_mm)
    unexplained = (*leaning, *find_unexplained(seen, reading, discs, radius_mm))
    board = StillBoard(
        discs=tuple(discs),
        teams=teams,
        disc=reading.disc,
        measured_discs=reading.measured_discs,
        unexplained=unexplained,
        occluder=occluder,
    )
    return flag_unread(board, shown_mm)


def _is_unsure_twenty(disc: PlacedDisc) -> bool:
    """Whether the frame alone is not certain of a disc in the hole."""
    return disc.state is DiscState.IN_HOLE and disc.confidence < MISSED.confidence


def _keep_seen(
    still: StillFrame, discs: Sequence[PlacedDisc], radius_mm: float
) -> list[PlacedDisc]:
    """The discs at places that differ from the empty board and are not under a cover."""
    return [
        disc
        for disc in discs
        if _differs_from_background(still, disc, radius_mm)
        and not still.is_hidden(disc.centre_mm, radius_mm)
    ]


def _detect_unread(
    still: StillFrame, read_mm: Sequence[FloatArray], blobs: DiscBlobs, radius_mm: float
) -> list[tuple[FloatArray, float]]:
    """Places (2,) where a learned detector sees a disc, and something differs from the empty board,
    away from the places ``read_mm`` (2,) of other discs; and the log odds that both add to a disc.

    The detector looks only if there is such a difference. A disc of nearly the board's colour
    differs from the empty board in part.
    """
    same_mm = ARBITRATE.same_disc_mm
    alone_mm = [
        place_mm
        for place_mm in blobs.centre_mm
        if not is_at(place_mm, read_mm, same_mm)
        and np.linalg.norm(place_mm) < still.fit.spec.surface_radius_mm
        and not still.is_hidden(place_mm, radius_mm)
    ]
    if not alone_mm:
        return []
    proposals = propose_discs(
        look_at_board(still.image, still.fit.view, still.fit.spec), still.fit.spec
    )
    return [
        (place_mm, PARAMS.shown_log_odds + float(log_odds))
        for place_mm, log_odds in zip(
            proposals.base_mm, proposals.weigh(proposals.base_mm), strict=True
        )
        if log_odds > PARAMS.seen_log_odds
        and is_at(place_mm, alone_mm, same_mm)
        and not is_at(place_mm, read_mm, same_mm)
    ]


def _read_frame(
    still: StillFrame,
    disc: DiscSpec | None,
    known: tuple[Team, ...],
    expected_mm: Sequence[FloatArray],
    likely: Sequence[tuple[FloatArray, float]],
) -> DiscReading:
    """The reading of the frame, given known teams and places, and the places of objects on the
    empty board with the log odds that these add to a disc.

    Little evidence is enough for an expected disc if the empty board there is known, because the
    empty board shows when the disc has left after all.
    """
    seen_empty_mm = [
        place_mm
        for place_mm in expected_mm
        if still.background.valid_mask[
            mask_core(still.rectifier, place_mm, NOMINAL_DISC.radius_mm)
        ].all()
    ]
    radius_mm = (disc or NOMINAL_DISC).radius_mm
    searched = [
        (place_mm, log_odds)
        for place_mm, log_odds in likely
        if still.changed is None or still.changed.reaches(place_mm, _WITHIN_MM)
    ]
    return find_discs(
        still.image,
        still.fit,
        disc,
        known,
        expected_mm=seen_empty_mm,
        proposals=Proposals.of_likely(
            np.reshape([place_mm for place_mm, _ in searched], (-1, 2)),
            np.array([log_odds for _, log_odds in searched]),
        ),
        others=OtherPictures(
            show_empty_hole=_shows_empty_hole(still, radius_mm),
            part=still.changed,
            may_cover=partial(_may_cover, still, radius_mm),
        ),
    )


def _may_cover(still: StillFrame, radius_mm: float, places_mm: FloatArray) -> bool:
    """Whether so much of the surface differs from the empty surface, apart from objects at places
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


def flag_unread(board: StillBoard, stopped_mm: Sequence[FloatArray]) -> StillBoard:
    """The board, with a question for every place (2,) where a disc was seen to stop and none was
    read, unless it has a question already.

    Discs that lean on the hole's edge are seldom read.
    """
    known_mm = [disc.centre_mm for disc in board.discs]
    known_mm += [item.centre_mm for item in board.unexplained]
    maybe = [
        UnexplainedObject(centre_mm=place_mm, reason=UnexplainedReason.MAYBE_DISC)
        for place_mm in stopped_mm
        if not is_at(place_mm, known_mm, PARAMS.stopped_mm)
    ]
    return replace(board, unexplained=(*board.unexplained, *maybe)) if maybe else board


def flag_covered(board: StillBoard, rectifier: FrameRectifier) -> StillBoard:
    """The board, with a question about the unexpected object over it, at the object's point nearest
    the centre.
    """
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


def drop_uncertain_twenty(board: StillBoard) -> StillBoard:
    """The first board, without an uncertain disc in the hole. Players take discs off there, and a
    hole painted in a side's colour looks like a disc if it is too small in the picture to show a
    gap.
    """
    kept = tuple(
        disc
        for disc in board.discs
        if disc.state is not DiscState.IN_HOLE or disc.confidence > HOLE.uncertain_confidence
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


def judge_leaning(
    still: StillFrame, discs: Sequence[PlacedDisc]
) -> tuple[list[PlacedDisc], tuple[UnexplainedObject, ...]]:
    """The discs, of which the one over the hole is in it or leans on its edge according to a
    learned detector, and a question if that is uncertain.

    Without the detector's certainty a disc that the frame alone is not sure of is taken to be in
    the hole.
    """
    over = next((disc for disc in discs if _may_be_in_hole(disc, still.fit)), None)
    if over is None:
        return list(discs), ()
    hole = look_at_hole(still.image, still.fit.view, still.fit.spec)
    leaning = hole[HoleState.OTHER] / (hole[HoleState.DISC] + hole[HoleState.OTHER])
    hole_mm = np.array(still.fit.spec.hole_centre_mm)
    if leaning >= HOLE.certain_state:
        judged = replace(
            over,
            state=DiscState.LEANING,
            covariance_mm2=ROUGH_SIGMA_MM**2 * np.eye(2),
            confidence=max(over.confidence, MISSED.confidence),
        )
    elif over.state is DiscState.LEANING:
        judged = replace(over, state=DiscState.IN_HOLE, centre_mm=hole_mm)
    else:
        judged = over
    is_uncertain = judged.state is DiscState.IN_HOLE and (
        leaning >= PARAMS.may_lean
        or over.state is DiscState.LEANING
        or over.confidence <= MISSED.uncertain_confidence
    )
    flagged = UnexplainedObject(centre_mm=hole_mm, reason=UnexplainedReason.LEANING)
    others = [disc for disc in discs if disc is not over]
    return [*others, judged], (flagged,) if is_uncertain else ()


def _may_be_in_hole(disc: PlacedDisc, fit: BoardFit) -> bool:
    """Whether a disc was read in the hole, or as leaning on its edge without certainty."""
    if disc.state is not DiscState.LEANING:
        return disc.state is DiscState.IN_HOLE
    off_mm = float(np.linalg.norm(disc.centre_mm - np.array(fit.spec.hole_centre_mm)))
    return off_mm < fit.spec.hole_radius_mm and disc.confidence <= HOLE.uncertain_confidence


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
