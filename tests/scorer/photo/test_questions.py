"""Questions to a person: whether to ask, by the probability of a right total, and the order, by the
effect on it.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from example_reading import BLACK, disc, frame, reading

from calibration.placed_disc import DiscState, PlacedDisc
from scorer.photo.questions import PARAMS, UNSUSPECTED_RATE, QuestionCode
from scorer.photo.score import Score, score_reading
from vision.reading import UnexplainedObject, UnexplainedReason
from webapp.formats.score import score_json

#: Place of a disc whose edge touches the 15-line's inner edge.
TOUCH_15 = 84.7


def thing(away_mm: float, reason: UnexplainedReason, **more: float) -> UnexplainedObject:
    return UnexplainedObject(centre_mm=np.array([0.0, away_mm]), reason=reason, **more)


def score(*things: UnexplainedObject, discs: tuple[PlacedDisc, ...] = ()) -> Score:
    picture = frame()
    return score_reading(picture, replace(reading(picture, discs), unexplained=things))


@pytest.mark.parametrize(
    ("away_mm", "reach_mm", "is_asked"),
    [(150.0, 0.0, True), (285.0, 0.0, True), (295.0, 0.0, False), (295.0, 10.0, True)],
    ids=["inside", "nearly at the 5-line", "where no disc counts", "unless it may be nearer"],
)
def test_what_can_change_no_total_is_not_asked_about(away_mm, reach_mm, is_asked) -> None:
    told = score(thing(away_mm, UnexplainedReason.MAYBE_DISC, reach_mm=reach_mm))
    assert told.needs_review == is_asked
    assert bool(told.questions) == is_asked


@pytest.mark.parametrize(("hides_mm2", "is_asked"), [(500.0, False), (20_000.0, True)])
def test_a_reflection_is_asked_about_when_a_disc_under_it_is_likely(hides_mm2, is_asked) -> None:
    told = score(thing(150.0, UnexplainedReason.REFLECTION, hides_mm2=hides_mm2))
    assert told.needs_review == is_asked
    (question,) = told.questions
    assert question.chance == pytest.approx(2 * hides_mm2 / (math.pi * 288.9**2), rel=0.1)


def test_on_a_fuller_board_a_disc_under_a_reflection_is_likelier() -> None:
    hidden = thing(150.0, UnexplainedReason.REFLECTION, hides_mm2=2500.0)
    full = tuple(disc(60.0 + 35.0 * k, 0.0) for k in range(3))
    assert not score(hidden).needs_review
    assert score(hidden, discs=full).needs_review


def test_the_total_is_right_where_no_question_makes_it_wrong() -> None:
    one = thing(150.0, UnexplainedReason.REFLECTION, hides_mm2=1000.0)
    told = score(one, discs=(disc(TOUCH_15 - 0.5, 0.0),))
    chances = [question.chance for question in told.questions]
    assert len(chances) == 2
    expected = (1 - UNSUSPECTED_RATE) * (1 - chances[0]) * (1 - chances[1])
    assert told.probability_right == pytest.approx(expected)
    assert score().probability_right == 1 - UNSUSPECTED_RATE


def test_what_changes_the_total_most_is_asked_first_and_named_with_its_place() -> None:
    close = disc(TOUCH_15, 0.0, BLACK)
    told = score(thing(150.0, UnexplainedReason.HOLE), discs=(disc(150.0, 0.0), close))
    first, second = told.asked
    assert (first.code, first.points) == (QuestionCode.HOLE, 20)
    assert (second.code, second.points) == (QuestionCode.LINE_CALL, 5)
    assert told.discs[second.disc].disc is close
    assert told.concerns[1] == "Close call 8 cm from the centre at 3 o'clock: 15 or 10."


def test_no_more_is_asked_than_settles_the_total() -> None:
    unlikely = thing(150.0, UnexplainedReason.REFLECTION, hides_mm2=500.0)
    told = score(unlikely, thing(0.0, UnexplainedReason.HOLE))
    assert len(told.questions) == 2
    assert [question.code for question in told.asked] == [QuestionCode.HOLE]


def test_a_close_call_that_is_likely_enough_right_settles_the_total_but_stays_close() -> None:
    told = score(discs=(disc(TOUCH_15 - 0.8, 0.0),))
    (called,) = told.discs
    assert 1 - called.call.probability < 1 - PARAMS.settled
    assert called.call.call == "close"
    assert not told.needs_review
    assert score_json(told)["reason"] is None


@pytest.mark.parametrize(
    ("state", "away_mm", "code"),
    [
        (DiscState.IN_HOLE, 0.0, QuestionCode.HOLE),
        (DiscState.LEANING, 10.0, QuestionCode.HOLE),
        (DiscState.FLAT, 150.0, QuestionCode.DISC),
        (DiscState.LEANING, 150.0, QuestionCode.DISC),
    ],
)
def test_a_disc_that_is_hard_to_see_is_a_question_of_its_kind(state, away_mm, code) -> None:
    told = score(discs=(disc(away_mm, 0.0, state=state, confidence=0.8),))
    (question,) = told.questions
    assert question.code is code


@pytest.mark.parametrize(
    ("reason", "at_most"),
    [
        (UnexplainedReason.REGION, 0.1),
        (UnexplainedReason.PLACE, 0.2),
        (UnexplainedReason.MAYBE_DISC, 0.6),
    ],
)
def test_a_question_makes_the_total_no_less_likely_than_pictures_were_right(
    reason: UnexplainedReason, at_most: float
) -> None:
    told = score(thing(150.0, reason))
    assert told.needs_review
    assert 1 - at_most < told.probability_right < PARAMS.settled


def test_a_disc_that_counts_for_nobody_is_not_asked_about() -> None:
    assert not score(discs=(disc(320.0, 0.0, confidence=0.5),)).questions


def test_json_lists_every_question_with_its_place_and_whether_it_is_asked() -> None:
    unlikely = thing(150.0, UnexplainedReason.REFLECTION, hides_mm2=500.0)
    entry = score_json(score(unlikely, discs=(disc(TOUCH_15, 0.0),)))
    close, hidden = entry["questions"]
    assert (close["code"], close["asked"], close["disc"]) == ("line_call", True, 0)
    assert (hidden["code"], hidden["asked"], hidden["y_mm"]) == ("not_seen", False, 150.0)
    assert entry["probability_right"] == pytest.approx(
        (1 - UNSUSPECTED_RATE) * (1 - close["chance"]) * (1 - hidden["chance"]), abs=1e-3
    )
