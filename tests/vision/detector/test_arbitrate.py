"""Questions that the detector's opinion settles, adds, or leaves unchanged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from drawn_discs import BLACK_BGR, DISC, RED_BGR, Drawn, draw, view_at

from calibration.board import BoardSpec
from calibration.placed_disc import DiscState, PlacedDisc
from calibration.pose import View
from vision.detector.arbitrate import (
    PARAMS,
    Opinion,
    arbitrate,
    form_opinion,
    propose_discs,
    settle_hole,
    weigh_questions,
)
from vision.detector.board_crops import FacingFrame
from vision.detector.detect_board import (
    BoardDetections,
    BoardLooks,
    crop_board,
    look_at_board,
)
from vision.reading import UnexplainedCode, UnexplainedObject, UnexplainedReason

SPEC = BoardSpec()
NOTHING = np.zeros((0, 2))
EMPTY, FULL = np.array([0.97, 0.01, 0.01, 0.01]), np.array([0.01, 0.97, 0.01, 0.01])
LEANS, UNSURE = np.array([0.01, 0.01, 0.97, 0.01]), np.array([0.4, 0.3, 0.2, 0.1])
AGREES = Opinion(
    lacking_mm=NOTHING,
    lacking_score=np.zeros(0),
    unsteady_mm=NOTHING,
    apart_mm=np.zeros(0),
    hole=UNSURE,
    hidden_discs=0.0,
    covered_mm=np.zeros(2),
)


def disc_at(x: float, y: float, state: DiscState = DiscState.FLAT) -> PlacedDisc:
    return PlacedDisc(
        centre_mm=np.array([x, y]), covariance_mm2=0.01 * np.eye(2), team=0, state=state
    )


def question(x: float, y: float, reason: UnexplainedReason) -> UnexplainedObject:
    return UnexplainedObject(centre_mm=np.array([x, y]), reason=reason)


def seeing(discs: list[tuple[float, float, float]], hole: np.ndarray = UNSURE) -> BoardDetections:
    found = np.reshape(discs, (-1, 3))
    return BoardDetections(
        base_mm=found[:, :2],
        score=found[:, 2],
        response_mm=found[:, :2],
        response=found[:, 2],
        object_share=np.zeros(len(found)),
        hole=hole,
        covered_mm2=0.0,
        covered_mm=np.zeros(2),
    )


def codes(items: tuple[UnexplainedObject, ...]) -> list[UnexplainedCode | None]:
    return [item.code for item in items]


@pytest.mark.parametrize("reason", [UnexplainedReason.REGION, UnexplainedReason.MAYBE_DISC])
def test_an_object_is_settled_where_no_disc_is_lacking(reason: UnexplainedReason) -> None:
    assert weigh_questions(AGREES, SPEC, [], [question(300, 0, reason)]) == ()


@pytest.mark.parametrize("reason", [UnexplainedReason.COVERED, UnexplainedReason.PLACE])
def test_a_question_of_another_kind_stays(reason: UnexplainedReason) -> None:
    asked = question(300, 0, reason)
    assert weigh_questions(AGREES, SPEC, [], [asked]) == (asked,)


@pytest.mark.parametrize(
    ("place", "score", "stays"),
    [((280.0, 20.0), 0.35, True), ((280.0, 20.0), 0.2, False), ((-200.0, 0.0), 0.35, False)],
)
def test_an_object_stays_a_question_near_a_possible_disc_alone(
    place: tuple[float, float], score: float, stays: bool
) -> None:
    opinion = replace(AGREES, lacking_mm=np.array([place]), lacking_score=np.array([score]))
    left = weigh_questions(opinion, SPEC, [], [question(300, 0, UnexplainedReason.REGION)])
    assert codes(left) == [UnexplainedCode.OBJECT] * stays


def test_an_object_stays_a_question_where_discs_may_be_under_it() -> None:
    asked = question(100, 0, UnexplainedReason.REGION)
    opinion = replace(AGREES, hidden_discs=PARAMS.hidden_discs, covered_mm=asked.centre_mm)
    assert weigh_questions(opinion, SPEC, [], [asked]) == (asked,)


@pytest.mark.parametrize(("discs", "is_asked"), [(0.25, False), (0.3, True)])
def test_an_object_that_only_the_networks_see_is_a_question_where_it_likely_hides_a_disc(
    discs: float, is_asked: bool
) -> None:
    opinion = replace(AGREES, hidden_discs=discs, covered_mm=np.array([120.0, -40.0]))
    asked = weigh_questions(opinion, SPEC, [], [])
    assert [item.reason for item in asked] == [UnexplainedReason.COVERED] * is_asked
    assert all(item.centre_mm.tolist() == [120.0, -40.0] for item in asked)


@pytest.mark.parametrize(
    ("hole", "discs", "stays"),
    [
        (EMPTY, [], False),
        (UNSURE, [], True),
        (FULL, [], True),
        (EMPTY, [disc_at(5, 15, DiscState.LEANING)], True),
    ],
)
def test_a_hole_is_settled_where_it_is_empty_and_nothing_lies_over_it(
    hole: np.ndarray, discs: list[PlacedDisc], stays: bool
) -> None:
    asked = question(0, 0, UnexplainedReason.HOLE)
    left = weigh_questions(replace(AGREES, hole=hole), SPEC, discs, [asked])
    assert left == ((asked,) if stays else ())


@pytest.mark.parametrize(
    ("hole", "discs", "asks"),
    [
        (FULL, [], True),
        (UNSURE, [], False),
        (EMPTY, [disc_at(0, 0, DiscState.IN_HOLE)], True),
        (UNSURE, [disc_at(0, 0, DiscState.IN_HOLE)], True),
        (FULL, [disc_at(0, 0, DiscState.IN_HOLE)], False),
        (EMPTY, [disc_at(5, 15, DiscState.LEANING)], True),
        (UNSURE, [disc_at(5, 15, DiscState.LEANING)], False),
        (EMPTY, [], False),
    ],
)
def test_a_hole_is_asked_about_where_both_say_the_opposite(
    hole: np.ndarray, discs: list[PlacedDisc], asks: bool
) -> None:
    left = weigh_questions(replace(AGREES, hole=hole), SPEC, discs, [])
    assert codes(left) == [UnexplainedCode.HOLE] * asks


@pytest.mark.parametrize("state", [DiscState.OVERHANGING, DiscState.LEANING, DiscState.FLAT])
def test_a_disc_far_from_the_hole_does_not_fill_it(state: DiscState) -> None:
    far = [disc_at(304, 84, state)]
    left = weigh_questions(replace(AGREES, hole=FULL), SPEC, far, [])
    assert codes(left) == [UnexplainedCode.HOLE]
    asked = question(0, 0, UnexplainedReason.HOLE)
    assert weigh_questions(replace(AGREES, hole=EMPTY), SPEC, far, [asked]) == ()


@pytest.mark.parametrize(
    ("hole", "asks"),
    [
        ([0.0, 0.35, 0.6, 0.05], True),
        ([0.1, 0.9, 0.0, 0.0], True),
        ([0.2, 0.2, 0.6, 0.0], False),
        ([0.1, 0.0, 0.1, 0.8], True),
        ([0.3, 0.0, 0.2, 0.5], False),
    ],
    ids=["held", "a disc", "unsure", "hidden", "half hidden"],
)
def test_a_hole_that_is_hidden_or_surely_not_empty_is_asked_about(
    hole: list[float], asks: bool
) -> None:
    opinion = replace(AGREES, hole=np.array(hole))
    assert codes(weigh_questions(opinion, SPEC, [], [])) == [UnexplainedCode.HOLE] * asks


@pytest.mark.parametrize(
    ("hole", "state", "confidence"),
    [
        (FULL, DiscState.IN_HOLE, 1.0),
        (UNSURE, DiscState.IN_HOLE, 0.7),
        (EMPTY, DiscState.IN_HOLE, 0.7),
        (FULL, DiscState.LEANING, 0.7),
        (LEANS, DiscState.LEANING, 1.0),
        (LEANS, DiscState.IN_HOLE, 0.7),
    ],
)
def test_a_doubtful_20_or_leaner_is_certain_where_the_networks_surely_see_it(
    hole: np.ndarray, state: DiscState, confidence: float
) -> None:
    over_hole, other = replace(disc_at(0, 0, state), confidence=0.7), disc_at(90, 40)
    discs = settle_hole(replace(AGREES, hole=hole), [over_hole, other])
    assert [disc.confidence for disc in discs] == [confidence, other.confidence]


@pytest.mark.parametrize(
    ("hole", "confidence", "stays"),
    [(EMPTY, 0.6, False), (EMPTY, 1.0, True), (UNSURE, 0.6, True), (FULL, 0.6, True)],
)
def test_a_doubtful_leaner_is_none_where_the_networks_surely_see_an_empty_hole(
    hole: np.ndarray, confidence: float, stays: bool
) -> None:
    leaner = replace(disc_at(5, 15, DiscState.LEANING), confidence=confidence)
    other = disc_at(90, 40)
    left = settle_hole(replace(AGREES, hole=hole), [leaner, other])
    assert list(left) == ([leaner, other] if stays else [other])


@pytest.mark.parametrize("share", [0.7, 0.99])
def test_a_hole_as_dark_as_a_side_stays_a_question(share: float) -> None:
    hole = np.array([share, 1 - share, 0.0, 0.0])
    asked = question(0, 0, UnexplainedReason.DARK_HOLE)
    assert weigh_questions(replace(AGREES, hole=hole), SPEC, [], [asked]) == (asked,)


@pytest.mark.parametrize(("score", "asks"), [(0.5, False), (0.6, True)])
def test_a_lacking_disc_at_the_outer_line_is_asked_about_with_its_places_error(
    score: float, asks: bool
) -> None:
    seen = np.array([[-66.0, 281.0]])
    opinion = replace(AGREES, lacking_mm=seen, lacking_score=np.array([score]))
    left = weigh_questions(opinion, SPEC, [], [])
    assert codes(left) == [UnexplainedCode.MAYBE_DISC] * asks
    assert all(item.reach_mm == PARAMS.between_rows_mm for item in left)


def test_a_disc_at_another_place_in_odd_rows_becomes_a_question_at_its_place() -> None:
    place = np.array([[120.0, -40.0]])
    opinion = replace(AGREES, unsteady_mm=place, apart_mm=np.array([4.0]))
    (left,) = weigh_questions(opinion, SPEC, [disc_at(120, -40)], [])
    assert (left.code, left.centre_mm.tolist()) == (UnexplainedCode.PLACE, [120.0, -40.0])
    assert left.reach_mm == 4.0


def test_a_place_that_is_asked_about_is_not_asked_about_twice() -> None:
    asked = question(121, -40, UnexplainedReason.COVERED)
    seen = np.array([[120.0, -40.0]])
    opinion = replace(AGREES, lacking_mm=seen, lacking_score=np.array([0.9]))
    assert weigh_questions(opinion, SPEC, [], [asked]) == (asked,)


def test_a_disc_on_the_outer_line_is_asked_about_beside_a_question_that_cannot_count() -> None:
    outside = question(0, 292, UnexplainedReason.COVERED)
    seen = np.array([[0.0, 287.0]])
    opinion = replace(AGREES, lacking_mm=seen, lacking_score=np.array([0.9]))
    left = weigh_questions(opinion, SPEC, [], [outside])
    assert left[0] is outside
    assert codes(left[1:]) == [UnexplainedCode.MAYBE_DISC]


def test_a_disc_seen_under_a_reflection_is_asked_about_beside_what_else_it_may_hide() -> None:
    hidden = replace(question(121, -40, UnexplainedReason.REFLECTION), hides_mm2=900.0)
    seen = np.array([[120.0, -40.0]])
    opinion = replace(AGREES, lacking_mm=seen, lacking_score=np.array([0.9]))
    left = weigh_questions(opinion, SPEC, [], [hidden])
    assert codes(left) == [UnexplainedCode.NOT_SEEN, UnexplainedCode.MAYBE_DISC]


def test_a_lacking_disc_is_as_sure_as_the_least_sure_look() -> None:
    looks = seeing([(100, 50, 0.9)]), seeing([(101, 50, 0.8)]), seeing([(103, 52, 0.5)])
    opinion = form_opinion(looks[0], looks[1:], SPEC, DISC, [])
    assert opinion.lacking_score.tolist() == [0.5]
    assert weigh_questions(opinion, SPEC, [], []) == ()


def test_a_disc_beyond_the_lines_is_not_lacking() -> None:
    opinion = form_opinion(seeing([(0, 335, 0.9)]), (), SPEC, DISC, [])
    assert len(opinion.lacking_mm) == 0


@pytest.mark.parametrize(("apart_mm", "is_unsteady"), [(1.0, False), (4.0, True)])
def test_a_disc_is_unsteady_where_odd_rows_show_it_elsewhere(
    apart_mm: float, is_unsteady: bool
) -> None:
    even, odd = seeing([(100, 50, 0.9)]), seeing([(100 + apart_mm, 50, 0.9)])
    opinion = form_opinion(even, (odd, odd), SPEC, DISC, [disc_at(101, 50)])
    assert len(opinion.unsteady_mm) == is_unsteady


def looking(even: BoardDetections, mirrored: BoardDetections) -> BoardLooks:
    crops = crop_board(np.zeros((40, 40, 3), np.uint8), view_at(20.0, 1300.0), SPEC, 1)
    return BoardLooks(even=even, mirrored=mirrored, odd_crops=crops)


def test_a_disc_is_proposed_where_both_looks_see_it() -> None:
    even = seeing([(100, 50, 0.9), (-60, 80, 0.4), (0, 200, 0.1)])
    mirrored = seeing([(101, 50, 0.8), (0, 201, 0.2)])
    proposals = propose_discs(looking(even, mirrored), SPEC)
    assert np.linalg.norm(proposals.base_mm - (100, 50), axis=1).max() < 2.0


def test_places_that_no_look_sees_are_less_likely_discs() -> None:
    seen = seeing([(100, 50, 0.9), (-60, 80, 0.5), (0, 200, 0.2)])
    weigh = propose_discs(looking(seen, seen), SPEC).weigh
    sure, neutral, faint, unseen = weigh(np.array([(101.0, 52), (-60, 80), (0, 200), (150, -80)]))
    assert PARAMS.most_log_odds >= sure > neutral > faint > unseen == -PARAMS.most_log_odds
    assert neutral == pytest.approx(0.0)


def test_looks_know_nothing_of_the_hole_and_beyond_the_lines() -> None:
    weigh = propose_discs(looking(seeing([]), seeing([])), SPEC).weigh
    assert weigh(np.array([(5.0, 0.0), (0.0, 335.0)])).tolist() == [0.0, 0.0]


def test_nothing_speaks_for_a_disc_beside_a_hand() -> None:
    held = replace(seeing([(100, 50, 0.9)]), object_share=np.array([0.3]))
    proposals = propose_discs(looking(held, held), SPEC)
    assert len(proposals.base_mm) == 0
    assert proposals.weigh(np.array([(100.0, 50.0)])) == 0.0


def arbitrate_picture(
    image: np.ndarray,
    view: View,
    discs: list[PlacedDisc],
    asked: list[UnexplainedObject],
) -> tuple[tuple[PlacedDisc, ...], tuple[UnexplainedObject, ...]]:
    return arbitrate(look_at_board(image, view, SPEC), view, SPEC, DISC, discs, asked)


DRAWN: list[Drawn] = [(150.0, 30.0, BLACK_BGR), (-120.0, 210.0, RED_BGR)]


@pytest.mark.parametrize("tilt_deg", [20.0, 62.0])
def test_a_drawn_board_that_was_read_right_keeps_no_question_about_an_object(
    tilt_deg: float,
) -> None:
    view = view_at(tilt_deg, 1300.0)
    image = draw(view, DRAWN, with_posts=True)
    discs = [disc_at(x, y) for x, y, _ in DRAWN]
    asked = [question(310, 0, UnexplainedReason.REGION)]
    assert arbitrate_picture(image, view, discs, asked)[1] == ()


@pytest.mark.parametrize("tilt_deg", [20.0, 62.0])
def test_a_drawn_disc_that_was_not_read_is_asked_about(tilt_deg: float) -> None:
    view = view_at(tilt_deg, 1300.0)
    image = draw(view, DRAWN, with_posts=True)
    _, (left,) = arbitrate_picture(image, view, [disc_at(150, 30)], [])
    assert left.code is UnexplainedCode.MAYBE_DISC
    assert np.linalg.norm(left.centre_mm - (-120.0, 210.0)) < 5.0


@pytest.mark.parametrize("asked", [[], [question(310, 0, UnexplainedReason.REGION)]])
def test_a_disc_that_interlaced_rows_show_in_two_places_is_asked_about(
    asked: list[UnexplainedObject],
) -> None:
    view = view_at(60.0, 1300.0)
    first = draw(view, [(150.0, 30.0, BLACK_BGR), (-120.0, 60.0, RED_BGR)])
    later = draw(view, [(150.0, 30.0, BLACK_BGR), (-112.0, 60.0, RED_BGR)])
    image = first.copy()
    image[1::2] = later[1::2]
    discs = [disc_at(150, 30), disc_at(-116, 60)]
    _, (left,) = arbitrate_picture(image, view, discs, asked)
    assert (left.code, left.centre_mm.tolist()) == (UnexplainedCode.PLACE, [-116.0, 60.0])


def test_the_facing_frame_is_the_board_frame_for_a_camera_below() -> None:
    facing = FacingFrame.of_view(view_at(50.0))
    np.testing.assert_allclose(np.abs(facing.board_from_facing), np.eye(2), atol=1e-9)
