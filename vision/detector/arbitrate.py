"""A reading's review reasons after two detectors: where both agree, no question remains.

The reading's own detectors measure outlines and colours. The networks of ``detect_board`` have
learned the appearance of discs, hands and holes. They err in different ways, so:

- an object, a circle or an uncertain disc needs no question if the networks see no unread disc near
  it and the area that hands hide is unlikely to hide a disc;
- a hole needs no question if the networks see it empty and the reading has nothing in it, unless it
  is as dark as a side's discs;
- an uncertain 20 or leaner becomes certain if they are certain of one;
- a place leads to a question if the networks see a disc there that the reading lacks; a hole, if
  they disagree with the reading about it; and an object, if it likely hides a disc.

Before that, the discs seen in two looks are proposed to the outline fit, and the looks' scores
count for or against every circle (``propose_discs``). Those looks use the picture's even rows, and
its odd rows in mirror image, because their errors mostly differ. If they differ about a disc's
place, or anything is in question, the odd rows are also looked at unmirrored. A strong
contradiction must show there too. If a disc is at another place there, it leads to a question: it
moved in an interlaced video, or it hardly shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.board import BoardSpec
from calibration.camera import FloatArray
from calibration.disc import DiscSpec
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import DiscState, PlacedDisc
from calibration.pose import View
from vision.detector.detect_board import BoardDetections, BoardLooks, HoleState, detect_board
from vision.discs.detector_input import Proposals
from vision.discs.hole.hole_classifier import PARAMS as HOLE_CLASSIFIER
from vision.reading import UnexplainedCode, UnexplainedObject, UnexplainedReason


class ArbitrateParameters(StageParameters):
    """Parameters of ``arbitrate``."""

    #: An object near a missing disc of at least this score stays a question.
    possible_disc: float = parameter(
        0.3, unit="probability", source="chosen on 84 pictures that were not used for training"
    )
    #: A disc of this score that the reading lacks is a question.
    asked_disc: float = parameter(
        0.55,
        unit="probability",
        source="measured on 540 pictures: a third of places with 0.5 to 0.65 were discs, and "
        "less than a tenth of those below",
    )
    #: Two detections within this distance are the same disc.
    same_disc_mm: float = parameter(
        22.0,
        unit="mm",
        source="chosen: clearly less than 31 mm, the smallest distance between the centres of "
        "two discs",
    )
    #: A disc is a question if odd and even rows show it this far apart ...
    between_rows_mm: float = parameter(
        2.5,
        unit="mm",
        source="measured: half of 258 discs differ by 0.1 mm, 95% by less than 2.4 mm",
    )
    #: ... unless a pixel at the board's middle is larger than this.
    largest_px_mm: float = parameter(
        3.0,
        unit="mm",
        source="chosen: with larger pixels, half of the rows show too little of a disc",
    )
    #: The log odds of both looks' scores on average are multiplied by this for the log odds of a
    #: disc, up to this limit in both directions.
    per_log_odds: float = parameter(
        2.0,
        unit="",
        source="measured: regression on 665 circles of 126 pictures, relative to the rim's",
    )
    most_log_odds: float = parameter(
        4.0, unit="log odds", source="chosen: the log odds of a certain rim, doubled"
    )
    #: A look sees a disc at a place if a cell sees its base centre within this of it.
    response_mm: float = parameter(12.0, unit="mm", source="chosen: well inside a disc's radius")
    #: A disc may be in a hand if an object hides this share of its surroundings.
    held_share: float = parameter(
        0.05, unit="share", source="chosen: stills of discs in hands have 0.1 and more"
    )
    #: A question about an object covers this much of the board around it.
    object_mm: float = parameter(80.0, unit="mm", source="chosen: the width of a hand")
    #: From this many expected discs under hands on, a person is asked.
    hidden_discs: float = parameter(
        0.3,
        unit="discs",
        source="measured: 182 pictures read right without a question have 0.25 at most",
    )
    #: From this probability on, the hole is hidden, or empty if the reading sees nothing in it.
    empty_hole: float = parameter(
        0.6, unit="probability", source="chosen on 84 pictures that were not used for training"
    )


PARAMS = ArbitrateParameters()
_OBJECTS = (UnexplainedCode.OBJECT, UnexplainedCode.MAYBE_DISC)
#: A disc whose base centre is this far beyond the hole's edge is not in the hole.
_HOLE_EDGE_MM = 8.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Opinion:
    """The networks' opinion about a reading, from all looks.

    lacking_mm     places (n, 2) of discs that are missing from the reading
    lacking_score  confidence of both looks in these discs (n,)
    unsteady_mm    base centres (k, 2) of discs with different places in even and odd rows
    apart_mm       distances of those two places (k,)
    hole           probability (4,) of every ``HoleState``
    hidden_discs   expected number of discs under objects over the board
    covered_mm     middle (2,) of the objects over the board
    """

    lacking_mm: FloatArray
    lacking_score: FloatArray
    unsteady_mm: FloatArray
    apart_mm: FloatArray
    hole: FloatArray
    hidden_discs: float
    covered_mm: FloatArray


def propose_discs(looks: BoardLooks, spec: BoardSpec) -> Proposals:
    """The discs that the looks see, for the outline fit, and the looks' evidence at any place: for
    a disc where they see one, against it elsewhere.

    A disc partly hidden by a hand or another object may be in the hand, so nothing speaks for it.
    Nothing is known of discs over the hole and beyond the 5-line.
    """
    both, same_mm = (looks.even, looks.mirrored), PARAMS.same_disc_mm
    hole_mm, reach_mm = spec.hole_centre_mm, spec.line_radii_mm[2] + DiscSpec().radius_mm
    held_mm = np.concatenate(
        [look.base_mm[look.object_share >= PARAMS.held_share] for look in both]
    )

    def weigh(places_mm: FloatArray) -> FloatArray:
        response = [look.respond_near(places_mm, PARAMS.response_mm) for look in both]
        evidence = np.mean([_compute_log_odds(share) for share in response], axis=0)
        log_odds = PARAMS.per_log_odds * evidence
        log_odds = np.clip(log_odds, -PARAMS.most_log_odds, PARAMS.most_log_odds)
        away_mm = np.linalg.norm(places_mm[:, None] - held_mm, axis=-1).min(axis=1, initial=np.inf)
        log_odds = np.where(away_mm < same_mm, np.minimum(log_odds, 0.0), log_odds)
        is_known = np.linalg.norm(places_mm - hole_mm, axis=-1) > spec.hole_radius_mm
        is_known &= np.linalg.norm(places_mm, axis=-1) < reach_mm
        return np.where(is_known, log_odds, 0.0)

    base_mm = np.concatenate([look.base_mm for look in both])
    return Proposals(
        base_mm=base_mm[weigh(base_mm) > 0],
        weigh=weigh,
        in_hole=float(np.mean([look.hole[HoleState.DISC] for look in both])),
    )


def _compute_log_odds(probability: FloatArray) -> FloatArray:
    """Log odds (n,) of probabilities (n,) that are never quite certain."""
    share = np.clip(probability, 0.01, 0.99)
    return np.asarray(np.log(share) - np.log(1 - share))


def arbitrate(
    looks: BoardLooks,
    view: View,
    spec: BoardSpec,
    disc: DiscSpec,
    discs: Sequence[PlacedDisc],
    unexplained: Sequence[UnexplainedObject],
) -> tuple[tuple[PlacedDisc, ...], tuple[UnexplainedObject, ...]]:
    """The discs read on a board that the networks examined in ``looks``, and the questions for a
    person.
    """
    opinion = form_opinion(looks.even, (looks.mirrored,), spec, disc, discs)
    if unexplained or weigh_questions(opinion, spec, discs, unexplained):
        others = (detect_board(looks.odd_crops), looks.mirrored)
        opinion = form_opinion(looks.even, others, spec, disc, discs)
        if view.mm_per_px() > PARAMS.largest_px_mm:
            opinion = replace(
                opinion, unsteady_mm=opinion.unsteady_mm[:0], apart_mm=opinion.apart_mm[:0]
            )
    discs = settle_hole(opinion, discs)
    return discs, weigh_questions(opinion, spec, discs, unexplained)


def settle_hole(opinion: Opinion, discs: Sequence[PlacedDisc]) -> tuple[PlacedDisc, ...]:
    """The discs, with a 20 or a leaner made certain if the networks are certain of one, and without
    an uncertain leaner if they are certain of an empty hole.
    """
    states = (DiscState.IN_HOLE, HoleState.DISC), (DiscState.LEANING, HoleState.OTHER)
    is_certain = opinion.hole >= HOLE_CLASSIFIER.certain_state
    certain = [state for state, seen in states if is_certain[seen]]
    return tuple(
        replace(disc, confidence=1.0) if disc.state in certain else disc
        for disc in discs
        if not (is_certain[HoleState.EMPTY] and _is_uncertain_leaner(disc))
    )


def _is_uncertain_leaner(disc: PlacedDisc) -> bool:
    return disc.state is DiscState.LEANING and disc.confidence < 1.0


def form_opinion(
    even: BoardDetections,
    others: Sequence[BoardDetections],
    spec: BoardSpec,
    disc: DiscSpec,
    discs: Sequence[PlacedDisc],
) -> Opinion:
    """The combined result of the looks at even rows and at ``others`` (odd rows, and these in a
    mirror).

    The confidence in a missing disc is at most that of the mirrored look.
    """
    looks, same_mm = (even, *others), PARAMS.same_disc_mm
    read_mm = np.reshape([placed_disc.centre_mm for placed_disc in discs], (-1, 2))
    reach_mm = spec.line_radii_mm[2] + disc.radius_mm
    counts = np.linalg.norm(even.base_mm, axis=-1) < reach_mm
    gap_mm = np.linalg.norm(even.base_mm[:, None] - read_mm, axis=-1).min(axis=1, initial=np.inf)
    lacking_mm = even.base_mm[counts & (gap_mm > same_mm)]
    flat_mm = np.reshape([d.centre_mm for d in discs if not _is_over_hole(d, spec)], (-1, 2))
    flat_mm = flat_mm[np.linalg.norm(flat_mm, axis=-1) < reach_mm]
    apart_mm = np.zeros(len(flat_mm))
    if others:
        places = [look.nearest_mm(flat_mm, same_mm) for look in (even, others[0])]
        apart_mm = np.nan_to_num(np.linalg.norm(places[0] - places[1], axis=-1))
    is_unsteady = apart_mm > PARAMS.between_rows_mm
    share = even.covered_mm2 / (np.pi * spec.line_radii_mm[2] ** 2)
    return Opinion(
        lacking_mm=lacking_mm,
        lacking_score=np.min([look.score_near(lacking_mm, same_mm) for look in looks], axis=0),
        unsteady_mm=flat_mm[is_unsteady],
        apart_mm=apart_mm[is_unsteady],
        hole=np.mean([look.hole for look in looks], axis=0),
        hidden_discs=(len(discs) + 1) * share,
        covered_mm=even.covered_mm,
    )


def weigh_questions(
    opinion: Opinion,
    spec: BoardSpec,
    discs: Sequence[PlacedDisc],
    unexplained: Sequence[UnexplainedObject],
) -> tuple[UnexplainedObject, ...]:
    """The questions that remain, and those that the networks add."""
    kept = [item for item in unexplained if not _is_settled(item, opinion, discs, spec)]
    added = [
        UnexplainedObject(
            centre_mm=at, reason=UnexplainedReason.MAYBE_DISC, reach_mm=PARAMS.between_rows_mm
        )
        for at in opinion.lacking_mm[opinion.lacking_score >= PARAMS.asked_disc]
    ]
    added += [
        UnexplainedObject(centre_mm=at, reason=UnexplainedReason.PLACE, reach_mm=float(apart))
        for at, apart in zip(opinion.unsteady_mm, opinion.apart_mm, strict=True)
    ]
    if opinion.hidden_discs >= PARAMS.hidden_discs:
        added.append(
            UnexplainedObject(centre_mm=opinion.covered_mm, reason=UnexplainedReason.COVERED)
        )
    # a reflection is questioned because of the discs expected under it: a disc seen there is
    # additional, and a question about a place where no disc counts is useless
    counting_mm = spec.line_radii_mm[2] - DiscSpec().radius_mm
    counting = [item for item in kept if item.hides_mm2 is None and _reaches(item, counting_mm)]
    near_mm = np.reshape([item.centre_mm for item in counting], (-1, 2))
    for item in added:
        away_mm = np.linalg.norm(near_mm - item.centre_mm, axis=-1).min(initial=np.inf)
        if away_mm > PARAMS.same_disc_mm:
            kept.append(item)
    is_asked = any(item.code is UnexplainedCode.HOLE for item in kept)
    if not is_asked and _contradicts_hole(opinion, discs, spec):
        hole_mm = np.asarray(spec.hole_centre_mm)
        kept.append(UnexplainedObject(centre_mm=hole_mm, reason=UnexplainedReason.HOLE))
    return tuple(kept)


def _reaches(item: UnexplainedObject, radius_mm: float) -> bool:
    """Whether a question is about a place within a radius of the board's centre, or nearly."""
    return float(np.linalg.norm(item.centre_mm)) - item.reach_mm <= radius_mm


def _is_over_hole(disc: PlacedDisc, spec: BoardSpec) -> bool:
    off_mm = np.linalg.norm(disc.centre_mm - np.asarray(spec.hole_centre_mm))
    return bool(off_mm < spec.hole_radius_mm + _HOLE_EDGE_MM)


def _is_settled(
    item: UnexplainedObject, opinion: Opinion, discs: Sequence[PlacedDisc], spec: BoardSpec
) -> bool:
    """Whether the networks' detections answer a question."""
    if item.code is UnexplainedCode.HOLE:
        if item.reason is UnexplainedReason.DARK_HOLE or any(_is_over_hole(d, spec) for d in discs):
            return False
        return bool(opinion.hole[HoleState.EMPTY] >= PARAMS.empty_hole)
    if item.code not in _OBJECTS or opinion.hidden_discs >= PARAMS.hidden_discs:
        return False
    away_mm = np.linalg.norm(opinion.lacking_mm - item.centre_mm, axis=-1)
    near = away_mm < PARAMS.object_mm
    return bool((opinion.lacking_score[near] < PARAMS.possible_disc).all())


def _contradicts_hole(opinion: Opinion, discs: Sequence[PlacedDisc], spec: BoardSpec) -> bool:
    """Whether the hole contradicts the reading: it certainly has a disc that the reading lacks, is
    hidden, certainly lacks a leaner that was read, or more likely than not lacks the disc that was
    read in it.
    """
    states = {disc.state for disc in discs if _is_over_hole(disc, spec)}
    if DiscState.IN_HOLE in states:
        return bool(opinion.hole[HoleState.DISC] < 0.5)
    if DiscState.LEANING in states:
        return bool(opinion.hole[HoleState.EMPTY] >= HOLE_CLASSIFIER.certain_state)
    held = opinion.hole[[HoleState.DISC, HoleState.OTHER]].sum()
    is_held = held >= HOLE_CLASSIFIER.certain_state
    return not states and bool(is_held or opinion.hole[HoleState.HIDDEN] >= PARAMS.empty_hole)
