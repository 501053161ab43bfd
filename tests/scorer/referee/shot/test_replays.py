"""Shots that a film shows again after a cut."""

from __future__ import annotations

from dataclasses import replace

import pytest
from json_referee import JsonReferee
from rest_boards import BLACK, disc, rested, track

from calibration.placed_disc import DiscState, PlacedDisc
from scorer.rules.sets import rule_set
from vision.track.events import BoardAtRest

WAITING, STRUCK, ENDED = disc(0, -304), disc(0, 60, BLACK), disc(40, 150, BLACK)
STAYED = disc(0, 30)
FLIGHT = [(0.0, -304.0 + 33.0 * i) for i in range(10)]


def _cut(at_rest: BoardAtRest) -> BoardAtRest:
    return replace(at_rest, was_interrupted=True)


def _tell(*rests: BoardAtRest) -> list[dict]:
    referee = JsonReferee(rule_set("nca"))
    told = [event for rest in rests for event in referee.handle_event(rest)]
    return [*told, *referee.end(9.0)]


def _shoot(before: list[PlacedDisc], after: list[PlacedDisc]) -> BoardAtRest:
    return rested(before, after, [track(FLIGHT, name="0")])


def test_a_shot_that_is_shown_again_counts_once() -> None:
    before, after = [WAITING, STRUCK], [STAYED, ENDED]
    told = _tell(
        rested([], before),
        _shoot(before, after),
        _cut(rested(after, before)),
        _shoot(before, after),
        rested(after, [*after, disc(60, 300, BLACK)]),
    )
    assert len([event for event in told if event["type"] == "shot"]) == 1
    lost = [event["over"] for event in told if event["type"] == "not_refereeing"]
    assert lost == [False, True]
    assert told[-1]["doubts"] == []


@pytest.mark.parametrize(("end_s", "is_told"), [(9.0, False), (30.0, True)])
def test_a_replay_that_goes_on_until_the_end_is_believed_for_as_long_as_one_lasts(
    end_s: float, is_told: bool
) -> None:
    before, after = [WAITING, STRUCK], [STAYED, ENDED]
    referee = JsonReferee(rule_set("nca"))
    for rest in (rested([], before), _shoot(before, after), _cut(rested(after, before))):
        list(referee.handle_event(rest))
    (score,) = referee.end(end_s)
    assert any("looked like a replay" in doubt for doubt in score["doubts"]) is is_told


def test_discs_put_back_by_hand_are_no_replay() -> None:
    """They are not back at their places to the millimetre, so a person is asked."""
    before, after = [WAITING, STRUCK], [STAYED, ENDED]
    back = [disc(2, -296), disc(8, 62, BLACK)]
    told = _tell(
        rested([], before),
        _shoot(before, after),
        _cut(rested(after, back)),
        _shoot(back, after),
    )
    shots = [event["verdict"] for event in told if event["type"] == "shot"]
    assert shots == ["legal", "needs_review"]


@pytest.mark.parametrize(("was_cut", "verdict"), [(True, "needs_review"), (False, "legal")])
def test_another_shot_from_the_same_place_is_asked_about_only_after_a_cut(
    was_cut: bool, verdict: str
) -> None:
    """It struck nothing, so the boards do not distinguish it from the next open 20."""
    sunk = replace(disc(0, 0), state=DiscState.IN_HOLE)
    cleared = rested([sunk], [WAITING])
    shots = [
        event
        for event in _tell(
            rested([], [WAITING]),
            _shoot([WAITING], [sunk]),
            _cut(cleared) if was_cut else cleared,
            _shoot([WAITING], [sunk]),
        )
        if event["type"] == "shot"
    ]
    assert [shot["verdict"] for shot in shots] == ["legal", verdict]


def test_a_disc_that_moved_while_nobody_could_see_it_makes_the_score_doubtful() -> None:
    before, after = [WAITING, STRUCK], [STAYED, ENDED]
    told = _tell(
        rested([], before),
        _shoot(before, after),
        _cut(rested(after, [STAYED, disc(-70, 150, BLACK)])),
    )
    assert any("moved while the board was out" in doubt for doubt in told[-1]["doubts"])


def test_a_shot_that_nobody_saw_whole_is_no_replay_of_the_one_before() -> None:
    """The first disc shot is at its final place, and the second has left the board."""
    told = _tell(
        rested([], [WAITING]),
        _shoot([WAITING], [STAYED]),
        rested([STAYED], [STAYED, disc(0, 304, BLACK)]),
        _cut(rested([STAYED, disc(0, 304, BLACK)], [STAYED])),
        rested([STAYED], [STAYED, disc(0, -304)]),
        _shoot([STAYED, disc(0, -304)], [STAYED, disc(60, 30)]),
    )
    assert [event for event in told if event["type"] == "not_refereeing"] == []
    assert len([event for event in told if event["type"] == "shot"]) > 1


def test_an_unseen_takeout_of_the_only_disc_is_no_replay_of_the_shot_before() -> None:
    """The board before that shot was empty too, but a disc of the other side is new."""
    came, waiting = disc(10, 13, BLACK), disc(120, -280)
    told = _tell(
        rested([], [WAITING]),
        _shoot([WAITING], [STAYED]),
        _cut(rested([STAYED], [came])),
        rested([came], [waiting, came]),
        rested([waiting, came], [disc(60, 150), came], [track(FLIGHT, name="0")]),
    )
    assert [event for event in told if event["type"] == "not_refereeing"] == []
    assert len([event for event in told if event["type"] == "shot"]) == 2
