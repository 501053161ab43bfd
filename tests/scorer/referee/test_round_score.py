"""Rounds that a person must check."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from json_referee import JsonReferee
from rest_boards import BLACK, FIT, disc, rested, track

from calibration.placed_disc import PlacedDisc
from scorer.referee.event_sentences import describe_event
from scorer.referee.events import from_json
from scorer.rules.sets import rule_set
from vision.track.events import BoardFound, OutcomeUnseen, TrackerEvent


def test_a_round_with_an_undecided_shot_says_that_its_score_must_be_checked() -> None:
    referee = JsonReferee(rule_set("nca"))
    for rest in (rested([], []), rested([], [disc(30, 80)])):
        list(referee.handle_event(rest))
    ended = next(event for event in referee.end(4.0) if event["type"] == "round")
    assert ended["needs_review"]
    assert "shot 1" in ended["doubts"][0]
    settled = from_json({**ended, "needs_review": False})
    assert describe_event(from_json(ended)) != describe_event(settled)


def test_a_round_whose_shots_were_all_decided_stands() -> None:
    waiting = disc(0, -304)
    mine = track([(0.0, -304.0 + 33.0 * i) for i in range(9)], name="0")
    referee = JsonReferee(rule_set("nca"))
    for rest in (rested([], [waiting]), rested([waiting], [disc(0, -40)], [mine])):
        list(referee.handle_event(rest))
    ended = next(event for event in referee.end(4.0) if event["type"] == "round")
    assert (ended["needs_review"], ended["doubts"]) == (False, [])


def test_a_round_in_which_a_disc_was_taken_off_unasked_says_so() -> None:
    """The players did what the rules require; they saw something that the referee did not."""
    mine, other = disc(0, -40), disc(80, 60, BLACK)
    shots = [track([(0.0, -304.0 + 33.0 * i) for i in range(9)], name=name) for name in ("1", "0")]
    referee = JsonReferee(rule_set("nca"))
    for rest in (
        rested([], [other]),
        rested([other], [other, disc(0, -304)]),
        rested([other, disc(0, -304)], [other, mine], [shots[0]]),
        rested([other, mine], [mine]),
        rested([mine], [disc(0, -304), mine]),
        rested([disc(0, -304), mine], [disc(0, -70), mine], [shots[1]]),
    ):
        list(referee.handle_event(rest))
    ended = next(event for event in referee.end(9.0) if event["type"] == "round")
    assert any("shot 2" in doubt.arguments.values() for doubt in ended["doubts"])


def _end(*events: TrackerEvent) -> dict:
    """The round's event if the source ends after these boards."""
    referee = JsonReferee(rule_set("nca"))
    for event in events:
        list(referee.handle_event(event))
    return next(event for event in referee.end(4.0) if event["type"] == "round")


def test_a_round_whose_film_ends_in_mid_shot_is_doubtful() -> None:
    lying = rested([], [disc(0, 100, BLACK), disc(0, -304)])
    ended = _end(lying, OutcomeUnseen(t_s=3.4, t_from_s=3.1))
    assert ended["needs_review"]
    assert 3.1 in ended["doubts"][0].arguments.values()


def test_a_round_is_in_no_doubt_once_the_shots_end_was_seen_after_a_cut() -> None:
    waiting = disc(0, -304)
    mine = track([(0.0, -304.0 + 33.0 * i) for i in range(9)], name="0")
    ended = _end(
        rested([], [waiting]),
        OutcomeUnseen(t_s=3.4, t_from_s=3.1),
        rested([waiting], [disc(0, -40)], [mine]),
    )
    assert ended["doubts"] == []


def test_a_round_whose_board_changed_in_a_cut_is_doubtful() -> None:
    lying, other = disc(0, 100, BLACK), disc(80, 60)
    cut = replace(rested([lying], [other]), was_interrupted=True)
    ended = _end(rested([], [lying]), cut)
    assert ended["needs_review"]
    assert len(ended["doubts"]) == 2


def test_a_round_whose_film_ends_after_a_disc_went_unasked_is_doubtful() -> None:
    own, waiting, shot = disc(80, 60), disc(0, -304), disc(0, -40)
    mine = track([(0.0, -304.0 + 33.0 * i) for i in range(9)], name="1")
    ended = _end(
        rested([], [own, waiting]),
        rested([own, waiting], [own, shot], [mine]),
        rested([own, shot], [shot]),
    )
    assert ended["needs_review"]


def _see_first_board_after(seconds: float) -> dict:
    """The round's event of a film whose board was first at rest some time after it came into
    view.
    """
    found = BoardFound(t_s=0.0, fit=FIT, residual_mm=0.2, is_refound=False)
    return _end(found, replace(rested([], [disc(0, 100, BLACK)]), t_s=seconds))


def test_a_round_whose_board_never_lay_still_for_long_at_first_is_doubtful() -> None:
    assert _see_first_board_after(3.0)["doubts"] == []
    (doubt,) = _see_first_board_after(6.0)["doubts"]
    assert doubt.arguments == {"t_s": 6.0}


def test_a_film_whose_board_never_lay_still_says_so_at_its_end() -> None:
    referee = JsonReferee(rule_set("nca"))
    found = BoardFound(t_s=0.0, fit=FIT, residual_mm=0.2, is_refound=False)
    list(referee.handle_event(found))
    (told,) = referee.end(12.0)
    assert (told["type"], "never seen at rest" in told["reason"]) == ("not_refereeing", True)


@pytest.mark.parametrize(
    ("later", "doubt"),
    [
        ([disc(0, -40), disc(80, 60, BLACK)], None),
        ([disc(0, -40), disc(84, 67, BLACK)], "black 1 moved 8 mm before the video ended"),
        ([disc(0, -40), disc(80, 60, BLACK), disc(0, 304, BLACK)], None),
        (
            [disc(0, -40), disc(80, 60, BLACK), disc(-80, 60, BLACK)],
            "black 2 appeared before the video ended",
        ),
    ],
    ids=["as played", "moved", "ready", "came"],
)
def test_a_round_in_which_discs_lie_where_no_shot_left_them_is_doubtful(
    later: list[PlacedDisc], doubt: str | None
) -> None:
    lying, nudged = [disc(80, 60, BLACK)], track([(80.0, 60.0), (84.0, 67.0)], name="1")
    brought = track([(-80.0, 200.0), (-80.0, 60.0)], held=True)
    mine = track([(0.0, -304.0 + 33.0 * i) for i in range(9)])
    shot = [disc(0, -40), *lying]
    hands = rested(shot, later, [brought, nudged])
    rests = rested([], lying), rested(lying, shot, [mine]), hands
    doubts = _end(*rests)["doubts"]
    assert [doubt.split(",")[0] for doubt in doubts] == ([] if doubt is None else [doubt])


@pytest.mark.parametrize("held", [False, True])
def test_a_round_in_which_a_disc_slid_and_no_shot_was_found_is_doubtful(held: bool) -> None:
    slides = track([(40.0 * i, 20.0) for i in range(7)], held=held)
    lying = [disc(80, 160, BLACK)]
    doubts = _end(rested([], lying), rested(lying, lying, [track([(0.0, 90.0)]), slides]))["doubts"]
    assert doubts == (
        [] if held else ["a disc slid across the board after 1.0 s, but no shot was found"]
    )


@pytest.mark.parametrize("left_mm", [(-170.0, 60.0), (-330.0, 60.0)])
def test_a_round_in_which_a_disc_vanished_from_the_board_is_doubtful(
    left_mm: tuple[float, float],
) -> None:
    """The shot clearly struck another disc; this one is neither on the board nor was it seen
    leaving.
    """
    struck, other, mine = disc(-40, 60, BLACK), disc(10, 60, BLACK), disc(-20, 40)
    moved = disc(90, 130, BLACK)
    shot = track([(-20.0, -304.0 + 43.0 * i) for i in range(9)])
    way = np.linspace((-40.0, 60.0), left_mm, 9)
    still = [tuple(way[0])] * 8
    gone = track([*still, *map(tuple, way), *[tuple(way[-1])] * 4], name="0")
    off = track(
        [(10.0, 60.0)] * 8 + [(10.0 + 10.0 * i, 60.0 + 8.75 * i) for i in range(9)], name="1"
    )
    lying = [struck, other]
    doubts = _end(rested([], lying), rested(lying, [moved, mine], [shot, gone, off]))["doubts"]
    vanished = {"name": "black 1", "shots": 1}
    assert (vanished in [doubt.arguments for doubt in doubts]) is (left_mm[0] > -300.0)
