"""Questions about a picture's total: the possible error, its chance, and the order of checking.

A question is about a disc with an uncertain zone, team or existence, or about a place where a disc
may have been missed. Its chance is the probability that it makes the total wrong. The chance comes
from the margin's tail for a line call, from the expected discs for a hidden part of the surface,
and from the kind (``WRONG_RATES``) for all other questions. Questions are treated as independent,
so the total is right with the product of their complements. An object that cannot change a total,
such as a hand beyond the 5-line, is not a question.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np

from calibration.board import FloatArray
from calibration.fit import BoardFit
from calibration.parameters import StageParameters, parameter
from calibration.phrase import Phrase, finish, join, term
from calibration.placed_disc import DiscState
from scorer.photo.called_disc import CalledDisc
from scorer.photo.place_labels import describe_place
from scorer.zone_values import TWENTY
from scorer.zones import CallCertainty
from vision.board.find_board import compute_visible_share
from vision.reading import Reading, UnexplainedCode, UnexplainedObject, UnexplainedReason


class QuestionParameters(StageParameters):
    """Parameters of the decision whether a person is asked."""

    stage: ClassVar[str] = "questions"

    #: Nobody is asked if the total is right with at least this probability.
    settled: float = parameter(
        0.96, unit="probability", source="chosen: at worst, one settled total in 25 may be wrong"
    )


PARAMS = QuestionParameters()


class QuestionCode(StrEnum):
    """The reason why the total may be wrong.

    LINE_CALL   a disc may be on the other side of a line
    DISC        a disc that was read may not exist, or may lean on a post
    TEAM        a disc may belong to another side
    OUTSIDE     discs may be on the part of the board outside the picture
    NOTE        something is wrong with the picture as a whole
    The other codes are those of ``UnexplainedCode``.
    """

    LINE_CALL = "line_call"
    DISC = "disc"
    TEAM = "team"
    OUTSIDE = "outside"
    NOTE = "note"
    OBJECT = "object"
    MAYBE_DISC = "maybe_disc"
    HOLE = "hole"
    PLACE = "place"
    NOT_SEEN = "not_seen"


#: How often a question of each kind meant a wrong total, besides line calls and hidden parts:
#: maximum-likelihood rates for 522 given, altered and rendered pictures of two thirds of the
#: boards. With them, 197 pictures of the other boards have a log loss of 81; with the shares of
#: wrong pictures it was 85.
WRONG_RATES: Mapping[QuestionCode, float] = {
    QuestionCode.DISC: 0.03,  # measured: one of 46 such discs was wrong
    QuestionCode.TEAM: 0.30,
    QuestionCode.NOTE: 0.05,  # 0 is likelier, but makes one more picture silently wrong
    QuestionCode.OBJECT: 0.08,
    QuestionCode.MAYBE_DISC: 0.57,
    QuestionCode.HOLE: 0.38,
    QuestionCode.PLACE: 0.13,
    QuestionCode.NOT_SEEN: 0.12,
}
#: How often the total was wrong although only line calls were uncertain: 4 of 134 given pictures,
#: of which line calls explain 3.3.
UNSUSPECTED_RATE = 0.005


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Question:
    """One possible reason for a wrong total.

    chance     probability that the total is wrong because of it
    points     possible error of one team's total
    sentence   what a person should check
    place      place of an unexplained object; ``reason``: why it leads to a question
    centre_mm  the place (2,) to check; None for the picture as a whole
    disc       number of the score's disc, from 0
    """

    code: QuestionCode
    chance: float
    points: int
    sentence: str
    centre_mm: FloatArray | None = None
    disc: int | None = None
    place: str | None = None
    reason: UnexplainedReason | None = None


def compute_probability(questions: Sequence[Question]) -> float:
    """The probability that the total is right."""
    return (1.0 - UNSUSPECTED_RATE) * math.prod(1.0 - question.chance for question in questions)


def choose_asked(questions: Sequence[Question]) -> tuple[Question, ...]:
    """The first questions that a person must answer to settle the total; none if it is probably
    right.
    """
    for count in range(len(questions)):
        if compute_probability(questions[count:]) >= PARAMS.settled:
            return tuple(questions[:count])
    return tuple(questions)


def list_questions(
    reading: Reading,
    discs: Sequence[CalledDisc],
    notes: Sequence[str],
    shape: tuple[int, ...],
) -> tuple[Question, ...]:
    """The questions about a board that was read in a picture of ``shape`` (h, w, ...), ordered by
    chance times points.
    """
    assert reading.board is not None
    questions = [ask_note(note) for note in notes]
    questions += _ask_outside(reading.board, len(discs), shape)
    for number, disc in enumerate(discs):
        questions += _ask_disc(number, disc, reading.board)
    questions += _ask_unexplained(reading, discs)
    return tuple(sorted(questions, key=lambda question: -question.chance * question.points))


def describe_questions(questions: Sequence[Question]) -> tuple[str, ...]:
    """The questions as sentences; several unexplained places with the same reason form one
    sentence.
    """
    places: dict[UnexplainedReason, list[str]] = {}
    for question in questions:
        if question.place is not None and question.reason is not None:
            places.setdefault(question.reason, []).append(question.place)
    count = sum(len(same) for same in places.values())
    if count < 2:
        return tuple(dict.fromkeys(question.sentence for question in questions))
    listed = join(
        "; ",
        (
            Phrase("%(same)s (%(reason)s)", same=join(", ", same), reason=reason)
            for reason, same in places.items()
        ),
    )
    joint = finish(Phrase("check %(count)s places: %(listed)s", count=count, listed=listed))
    sentences = (
        joint if question.place is not None else question.sentence for question in questions
    )
    return tuple(dict.fromkeys(sentences))


def ask_note(sentence: str) -> Question:
    """The question from a note on the picture as a whole."""
    chance = WRONG_RATES[QuestionCode.NOTE]
    return Question(code=QuestionCode.NOTE, chance=chance, points=TWENTY, sentence=sentence)


def _ask_outside(board: BoardFit, discs: int, shape: tuple[int, ...]) -> Iterator[Question]:
    """The question that part of the board, with possible discs, is outside the picture."""
    outside = 1 - compute_visible_share(board.view, board.spec.line_radii_mm[2], shape)
    chance = _expect_discs(outside, discs)
    if chance > 0:
        yield Question(
            code=QuestionCode.OUTSIDE,
            chance=chance,
            points=TWENTY,
            sentence=(
                Phrase(
                    "%(outside).0f%% of the scoring area is outside the photo, so "
                    "discs there are not counted.",
                    outside=100 * max(outside, 0.01),
                )
            ),
        )


def _expect_discs(share: float, discs: int) -> float:
    """The chance that a disc is on an unseen ``share`` of the board, given the number of other
    discs.

    The whole board is assumed to have two more discs than were seen, so even an empty board has a
    small chance of a disc.
    """
    return -math.expm1(-(discs + 2) * max(share, 0.0))


def _ask_disc(number: int, called: CalledDisc, board: BoardFit) -> Iterator[Question]:
    """Possible errors of a disc that was read."""
    call, place = called.call, describe_place(called.disc.centre_mm, board)
    if not called.disc.has_clear_team and call.zone > 0:
        yield Question(
            code=QuestionCode.TEAM,
            chance=WRONG_RATES[QuestionCode.TEAM],
            points=call.zone,
            sentence=finish(
                Phrase(
                    "check whose disc is %(place)s: it looks %(colour_name)s",
                    place=place,
                    colour_name=term(called.team.colour_name),
                )
            ),
            centre_mm=called.disc.centre_mm,
            disc=number,
        )
        return
    if call.call is CallCertainty.CERTAIN:
        return
    other = call.alternative
    if TWENTY in (call.zone, other):
        code, chance = QuestionCode.HOLE, WRONG_RATES[QuestionCode.HOLE]
    elif other is None or called.disc.state is DiscState.LEANING:
        code, chance = QuestionCode.DISC, WRONG_RATES[QuestionCode.DISC]
    else:
        code, chance = QuestionCode.LINE_CALL, 1.0 - call.probability
    points = call.zone if other is None else abs(call.zone - other)
    if points:
        what = (
            Phrase("%(zone)s, hard to see", zone=call.zone)
            if other is None
            else Phrase("%(zone)s or %(other_zone)s", zone=call.zone, other_zone=other)
        )
        yield Question(
            code=code,
            chance=chance,
            points=points,
            sentence=finish(Phrase("close call %(place)s: %(choice)s", place=place, choice=what)),
            centre_mm=called.disc.centre_mm,
            disc=number,
        )


def _ask_unexplained(reading: Reading, discs: Sequence[CalledDisc]) -> Iterator[Question]:
    """A question for every unexplained object that may change the total; one question for several
    with the same place and reason.
    """
    assert reading.board is not None
    asked: set[tuple[str, UnexplainedReason]] = set()
    for item in reading.unexplained:
        place = describe_place(item.centre_mm, reading.board)
        chance = _weigh_unexplained(item, reading, len(discs))
        if chance > 0 and (place, item.reason) not in asked:
            asked.add((place, item.reason))
            yield Question(
                code=_find_code(item),
                chance=chance,
                points=TWENTY,
                sentence=_describe_unexplained(item, place),
                centre_mm=item.centre_mm,
                place=place,
                reason=item.reason,
            )


def _describe_unexplained(item: UnexplainedObject, place: str) -> str:
    if item.code is UnexplainedCode.NOT_SEEN:
        return finish(Phrase("hard to see %(place)s: %(reason)s", place=place, reason=item.reason))
    return finish(Phrase("check %(place)s: %(reason)s", place=place, reason=item.reason))


def _find_code(item: UnexplainedObject) -> QuestionCode:
    return QuestionCode.OBJECT if item.code is None else QuestionCode(item.code.value)


def _weigh_unexplained(item: UnexplainedObject, reading: Reading, discs: int) -> float:
    """The chance that an unexplained object makes the total wrong."""
    assert reading.board is not None
    spec = reading.board.spec
    counting_mm = spec.line_radii_mm[2] - spec.line_width_mm / 2 - reading.disc.contact_radius_mm
    if float(np.linalg.norm(item.centre_mm)) - item.reach_mm > counting_mm:
        return 0.0
    if item.hides_mm2 is not None:
        return _expect_discs(item.hides_mm2 / (math.pi * counting_mm**2), discs)
    return WRONG_RATES[_find_code(item)]
