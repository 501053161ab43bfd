"""Shots, 20s and mistakes that follow from boards at rest, one after the other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from json_referee import JsonReferee
from lamp_reflection import add_ring_light
from rest_boards import BLACK, FIT, WHITE, disc, rested, track, verdicts

from calibration.placed_disc import DiscState, PlacedDisc, Team
from scorer.rules.sets import rule_set
from vision.reading import UnexplainedObject, UnexplainedReason
from vision.track.events import BoardMoved


@pytest.mark.parametrize(
    ("now", "verdict"),
    [
        ([disc(84, 60, BLACK), disc(30, -80)], ["needs_review"]),
        ([disc(87, 64, BLACK)], []),
        ([disc(84, 60, BLACK), disc(0, -304)], []),
    ],
)
def test_a_shot_played_while_the_camera_was_bumped_is_asked_about(
    now: list[PlacedDisc], verdict: list[str]
) -> None:
    """A knock moves all discs slightly, and a hand puts discs on the line."""
    lay = [disc(80, 60, BLACK)]
    referee = JsonReferee(rule_set("nca"))
    rests = (rested([], lay), BoardMoved(t_s=1.0, shift_mm=9.0), rested(lay, now))
    events = [reported for rest in rests for reported in referee.handle_event(rest)]
    assert [event["verdict"] for event in events if event["type"] == "shot"] == verdict


def test_nothing_was_shot_before_a_board_was_ever_read() -> None:
    referee = JsonReferee(rule_set("nca"))
    rests = (BoardMoved(t_s=1.0, shift_mm=None), rested([], [disc(30, -80)]))
    events = [reported for rest in rests for reported in referee.handle_event(rest)]
    assert [event["type"] for event in events] == ["bumped", "board"]


@pytest.mark.parametrize(("sigma_mm", "is_fault"), [(0.5, True), (6.0, False)])
def test_a_start_inside_the_line_is_a_fault_where_the_view_tells_it(
    sigma_mm: float, is_fault: bool
) -> None:
    start = replace(disc(0, -283), covariance_mm2=np.diag([0.25, sigma_mm**2]))
    (shot,) = verdicts(
        JsonReferee(rule_set("nca")),
        rested([], [start]),
        rested([start], [disc(0, -150)], [track([(0.0, -283.0 + 19.0 * i) for i in range(8)])]),
    )
    assert ("placement" in [fault["code"] for fault in shot["faults"]]) == is_fault


def test_what_was_first_seen_in_motion_is_no_fault_of_placement() -> None:
    other = disc(80, 60, BLACK)
    late = track([(0.0, -283.0 + 33.0 * i) for i in range(8)])
    (shot,) = verdicts(
        JsonReferee(rule_set("nca")),
        rested([], [other]),
        rested([other], [other, disc(0, -52)], [late]),
    )
    assert "placement" not in [fault["code"] for fault in shot["faults"]]


def test_discs_that_lie_there_from_the_start_are_no_ones_mistake() -> None:
    events = list(
        JsonReferee(rule_set("nca")).handle_event(rested([], [disc(30, 80), disc(0, 200, BLACK)]))
    )
    assert [event["type"] for event in events] == ["board"]
    assert events[0]["warnings"] == []


def test_a_shot_that_nobody_saw_is_asked_about() -> None:
    lying, waiting = disc(0, 100, BLACK), disc(0, -304)
    first = rested([], [lying, waiting])
    then = rested([lying, waiting], [lying, disc(0.0, 67.8)])  # it touches, or stopped in time
    shots = verdicts(JsonReferee(rule_set("nca")), first, then)
    assert [shot["verdict"] for shot in shots] == ["needs_review"]
    assert shots[0]["question"]


def test_a_disc_taken_off_because_it_must_go_was_not_shot_again() -> None:
    lying, waiting = disc(0, 100, BLACK), disc(0, -304)
    way = track([(0.0, -304.0), (30.0, -270.0), (60.0, -240.0), (90.0, -210.0), (120.0, -200.0)])
    foul = rested([lying, waiting], [lying, disc(120, -200)], [way])
    away = rested([lying, disc(120, -200)], [lying])
    shots = verdicts(JsonReferee(rule_set("nca")), rested([], [lying, waiting]), foul, away)
    assert len(shots) == 1
    assert shots[0]["remove"]


def test_discs_of_one_colour_shot_from_two_seats_are_told_apart_by_nobody() -> None:
    near = disc(0, -304)
    mine = track([(0.0, -304.0 + 33.0 * i) for i in range(9)], name="0")
    theirs = track([(60.0, 300.0 - 33.0 * i) for i in range(9)], name="1")
    alone = replace(rested([], [near]).board, teams=(WHITE,))
    rests = [
        rested([], [near]),
        rested([near], [disc(0, -40)], [mine]),
        rested([disc(0, -40)], [disc(0, -40), disc(60, 300)]),
        rested([disc(0, -40), disc(60, 300)], [disc(0, -40), disc(60, 36)], [theirs]),
    ]
    told = [replace(rest, board=replace(rest.board, teams=alone.teams)) for rest in rests]
    shots = verdicts(JsonReferee(rule_set("nca")), *told)
    assert [shot["verdict"] for shot in shots] == ["legal", "needs_review"]
    assert "look alike" in shots[1]["doubts"][0]


@pytest.mark.parametrize(
    ("teams", "verdict"), [((WHITE,), "needs_review"), ((WHITE, BLACK), "foul")]
)
def test_discs_that_all_look_alike_before_the_first_shot_are_not_taken_for_one_sides(
    teams: tuple[Team, ...], verdict: str
) -> None:
    """In dim light, dark discs look black; a film that begins in mid-round shows discs of both
    sides.
    """
    lay, waiting = [disc(80, 60), disc(-90, 40)], disc(0, -304)
    short = track([(0.0, -304.0 + 22.0 * i) for i in range(8)], name="2")
    rests = [rested([], [*lay, waiting]), rested([*lay, waiting], [*lay, disc(0, -150)], [short])]
    told = [replace(rest, board=replace(rest.board, teams=teams)) for rest in rests]
    (shot,) = verdicts(JsonReferee(rule_set("nca")), *told)
    assert shot["verdict"] == verdict


def test_a_twenty_that_nobody_took_off_is_counted_once() -> None:
    waiting, black, ended = disc(0, -304), disc(60, 300, BLACK), disc(60, 69, BLACK)
    sunk = replace(disc(0, 0), state=DiscState.IN_HOLE)
    mine = track([(0.0, -304.0 + 33.0 * i) for i in range(10)], name="0")
    theirs = track([(60.0, 300.0 - 33.0 * i) for i in range(8)], name="1")
    rests = [
        rested([], [waiting]),
        rested([waiting], [sunk], [mine]),
        rested([sunk], [sunk, black]),
        rested([sunk, black], [sunk, ended], [theirs]),
    ]
    referee = JsonReferee(rule_set("nca"))
    events = [e for rest in rests for e in referee.handle_event(rest)]
    assert len([e for e in events if e["type"] == "shot"]) == 2
    assert [e["disc"] for e in events if e["type"] == "twenty"] == ["white 1"]


@pytest.mark.parametrize("is_taken_off", [True, False])
def test_a_twenty_that_may_lean_is_asked_about_unless_a_hand_takes_it_off(
    is_taken_off: bool,
) -> None:
    """The shot is legal in either case; the person who removes the disc saw that it was a 20."""
    waiting, sunk = disc(0, -304), replace(disc(0, 0), state=DiscState.IN_HOLE)
    doubt = UnexplainedObject(centre_mm=sunk.centre_mm, reason=UnexplainedReason.LEANING)
    mine = track([(0.0, -304.0 + 33.0 * i) for i in range(10)], name="0")
    shot = rested([waiting], [sunk], [mine])
    shot = replace(shot, board=replace(shot.board, unexplained=(doubt,)))
    rests = [rested([], [waiting]), shot, *([rested([sunk], [])] if is_taken_off else [])]
    referee = JsonReferee(rule_set("nca"))
    events = [e for rest in rests for e in referee.handle_event(rest)]
    assert [e["verdict"] for e in events if e["type"] == "shot"] == ["legal"]
    (end,) = referee.end(9.0)
    assert [total["points"] for total in end["totals"] if total["team"] == 0] == [20]
    assert end["needs_review"] != is_taken_off


def test_a_twenty_that_nobody_saw_come_and_that_may_lean_is_asked_about() -> None:
    waiting, short = disc(0, -304), disc(0, -150)
    sunk = replace(disc(0, 0), state=DiscState.IN_HOLE)
    doubt = UnexplainedObject(centre_mm=sunk.centre_mm, reason=UnexplainedReason.LEANING)
    shot = rested([waiting], [short, sunk], [track([(0.0, -304.0 + 22.0 * i) for i in range(8)])])
    shot = replace(shot, board=replace(shot.board, unexplained=(doubt,)))
    (event,) = verdicts(JsonReferee(rule_set("nca")), rested([], [waiting]), shot)
    assert event["verdict"] == "needs_review"


def test_a_twenty_that_nobody_saw_is_asked_about_though_it_came_from_anywhere() -> None:
    sunk = replace(disc(0, 0), state=DiscState.IN_HOLE)
    (shot,) = verdicts(JsonReferee(rule_set("nca")), rested([], []), rested([], [sunk]))
    assert shot["verdict"] == "needs_review"


def test_a_disc_that_was_not_seen_to_leave_is_asked_about_only_where_it_matters() -> None:
    """Two discs of the other side are gone; one was seen being struck, which decides."""
    waiting, struck, other = disc(0, -304), disc(0, 60, BLACK), disc(150, 90, BLACK)
    mine = track([(0.0, -304.0 + 36.0 * i) for i in range(10)], name="0")
    short = track([(0.0, -304.0 + 22.0 * i) for i in range(8)], name="0")
    away = track([(0.0, 60.0), (0.0, 130.0), (0.0, 200.0), (0.0, 270.0), (0.0, 335.0)], name="1")
    late = replace(away, samples=[replace(s, t_s=s.t_s + 0.3) for s in away.samples])
    lay = [waiting, struck, other]
    (shot,) = verdicts(
        JsonReferee(rule_set("nca")), rested([], lay), rested(lay, [disc(0, 20)], [mine, late])
    )
    assert shot["verdict"] == "legal"
    (shot,) = verdicts(
        JsonReferee(rule_set("nca")),
        rested([], [waiting, other]),
        rested([waiting, other], [disc(0, -150)], [short]),
    )
    assert shot["verdict"] == "needs_review"
    assert "black 1" in shot["question"]


@pytest.mark.parametrize(("passes_mm", "verdict"), [(5.0, "legal"), (70.0, "needs_review")])
def test_a_disc_into_whose_place_another_slid_was_struck(passes_mm: float, verdict: str) -> None:
    """It was seen there free until then; its motion was not seen."""
    waiting, struck = disc(0, -304), disc(passes_mm, 40, BLACK)
    way = [(0.0, -304.0 + 38.0 * i) for i in range(10)]
    mine = track([*way, *((0.0, 50.0 + 16.0 * i) for i in range(6))], name="0")
    lay_there = track([(passes_mm, 40.0)] * 9, name="1")
    lay = [waiting, struck]
    (shot,) = verdicts(
        JsonReferee(rule_set("nca")),
        rested([], lay),
        rested(lay, [disc(0, 130)], [mine, lay_there]),
    )
    assert shot["verdict"] == verdict


def test_of_a_row_of_own_discs_that_left_in_one_frame_the_nearest_was_struck() -> None:
    """In a foul, it is removed with the disc that struck it; the disc behind it stays."""
    lay = [disc(80, 4), disc(80, -28), disc(80, -60), disc(-150, 100, BLACK), disc(80, -294)]
    now = [disc(80, 150), disc(90, 10), disc(70, -20), lay[3], disc(80, -85)]
    steps = range(12)
    tracks = [
        track([(80.0, min(-294.0 + 30.0 * i, -85.0)) for i in steps], name="4"),
        track([(80.0, 4.0 if i < 7 else min(30.0 * (i - 6), 150.0)) for i in steps], name="0"),
        track([(80.0, -28.0) if i < 7 else (90.0, 10.0) for i in steps], name="1"),
        track([(80.0, -60.0) if i < 7 else (70.0, -20.0) for i in steps], name="2"),
    ]
    (shot,) = verdicts(JsonReferee(rule_set("nca")), rested([], lay), rested(lay, now, tracks))
    assert [fault["code"] for fault in shot["faults"]] == ["no_contact"]
    assert sorted(row["y_mm"] for row in shot["remove"]) == [-85.0, -20.0]


def test_what_looked_like_discs_at_the_line_far_from_the_shot_was_not_struck() -> None:
    """Two fingers there, one in each side's colour, disappeared in the meantime: neither struck the
    other.
    """
    waiting, other = disc(0, -304), disc(60, 60, BLACK)
    fingers = [disc(216, 220, BLACK), disc(-210, 210)]
    way = [(0.0, -150.0 - 154.0 * (1 - i / 20) ** 2) for i in range(21)]
    missed = track([*way, (0.0, -150.0), (0.0, -150.0)], name="0")
    lay = [waiting, other, *fingers]
    (shot,) = verdicts(
        JsonReferee(rule_set("nca")),
        rested([], lay),
        rested(lay, [disc(0, -150), other], [missed]),
    )
    assert (shot["verdict"], shot["contacts"]) == ("foul", [])


def test_a_disc_that_is_read_elsewhere_far_from_the_shot_was_not_struck() -> None:
    """On an open board, it would have made a shot that left the board legal."""
    waiting, own = disc(0, -304), disc(12, 4)
    out = track([(9.0 * i, -304.0 + 8.0 * i) for i in range(14)], name="0")
    lay, ended = [waiting, own], disc(117, -200)
    again = disc(3, 0)
    boards = rested([], lay), rested(lay, [ended, again], [out])
    (shot,) = verdicts(JsonReferee(rule_set("nca")), *boards)
    assert (shot["verdict"], shot["contacts"]) == ("foul", [])


def test_a_disc_that_had_to_go_was_taken_off_not_struck() -> None:
    """There was no board at rest between its removal and the next shot."""
    first, lying, foul = disc(0, -304), disc(120, 100, BLACK), disc(0, -100)
    mine = track([(0.0, -304.0 + 34.0 * i) for i in range(7)], name="0")
    theirs = track([(-300.0 + 33.0 * i, 50.0) for i in range(7)], t_s=2.0)
    gone = track([(0.0, -100.0)], name="0", t_s=0.5)
    referee = JsonReferee(rule_set("nca"))
    rests = (
        rested([], [first, lying]),
        rested([first, lying], [foul, lying], [mine]),
        rested([foul, lying], [lying, disc(-100, 50, BLACK)], [gone, theirs]),
    )
    events = [reported for rest in rests for reported in referee.handle_event(rest)]
    shots = [event for event in events if event["type"] == "shot"]
    assert [row["id"] for row in shots[0]["remove"]] == ["white 1"]
    (removal,) = [event for event in events if event["type"] == "removal"]
    assert [row["id"] for row in removal["removed"]] == ["white 1"]
    assert shots[1]["contacts"] == []


def test_a_shot_that_nobody_saw_needs_no_question_where_it_plainly_struck() -> None:
    """The ready disc and two of the other side's are gone; one was seen sliding away."""
    waiting, struck, other = disc(0, -304), disc(0, 60, BLACK), disc(150, 90, BLACK)
    lay = [waiting, struck, other]
    way = [(0.0, 60.0 + 40.0 * i) for i in range(8)]
    for roundness in (1.0, 0.6):  # sharp, and blurred
        away = track(way, name="1", roundness=roundness)
        (shot,) = verdicts(JsonReferee(rule_set("nca")), rested([], lay), rested(lay, [], [away]))
        assert (shot["verdict"], shot["question"]) == ("legal", None)
    (shot,) = verdicts(JsonReferee(rule_set("nca")), rested([], lay), rested(lay, []))
    assert shot["verdict"] == "needs_review"


@pytest.mark.parametrize(
    ("lay_there", "struck", "verdict"),
    [(True, True, "legal"), (False, True, "needs_review"), (True, False, "needs_review")],
)
def test_what_lay_there_before_a_plain_hit_is_none_of_its_doing(
    lay_there: bool, struck: bool, verdict: str
) -> None:
    waiting, other = disc(0, -304), disc(0, 60, BLACK)
    hit = track([(0.0, -304.0 + 40.0 * i) for i in range(8)], name="0")
    away = track([(0.0, 60.0 + 40.0 * i) for i in range(8)], name="1", t_s=1.2)
    before = rested([], [waiting, other])
    lies = [disc(0, -24)] if struck else [disc(0, -24), other]
    after = rested([waiting, other], lies, [hit, away] if struck else [hit])
    shade = (
        UnexplainedObject(centre_mm=np.array([-90.0, 120.0]), reason=UnexplainedReason.REGION),
    )
    before, after = (
        replace(rest, board=replace(rest.board, unexplained=shade if is_there else ()))
        for rest, is_there in ((before, lay_there), (after, True))
    )
    (shot,) = verdicts(JsonReferee(rule_set("nca")), before, after)
    assert shot["verdict"] == verdict


@pytest.mark.parametrize(
    ("lies", "opponent_end", "verdict"),
    [
        ((-140.0, 120.0), (60.0, 60.0), "foul"),
        ((-30.0, -200.0), (60.0, 60.0), "needs_review"),  # beside its path
        ((-140.0, 120.0), None, "needs_review"),  # it may be the other side's
    ],
)
def test_what_may_be_a_disc_and_cannot_have_been_touched_leaves_the_score_in_doubt_alone(
    lies: tuple[float, float], opponent_end: tuple[float, float] | None, verdict: str
) -> None:
    referee = JsonReferee(rule_set("nca"))
    waiting, ended = disc(0, -304), disc(0, -150)
    others = [] if opponent_end is None else [disc(*opponent_end, BLACK)]
    if opponent_end is not None:
        ready, way = disc(0, 304, BLACK), np.linspace((0.0, 304.0), opponent_end, 12)
        shot_before = track([(float(x), float(y)) for x, y in way], name="0")
        verdicts(referee, rested([], [ready]), rested([ready], others, [shot_before]))
    way = [(0.0, -150.0 - 154.0 * (1 - i / 20) ** 2) for i in range(21)]
    missed = track([*way, (0.0, -150.0), (0.0, -150.0)], name="0")
    after = rested([waiting, *others], [ended, *others], [missed])
    doubt = UnexplainedObject(centre_mm=np.array(lies), reason=UnexplainedReason.MAYBE_DISC)
    after = replace(after, board=replace(after.board, unexplained=(doubt,)))
    (shot,) = verdicts(referee, rested(others, [waiting, *others]), after)
    assert shot["verdict"] == verdict
    (end,) = referee.end(9.0)
    assert end["needs_review"]


def test_a_disc_too_fast_to_be_seen_was_shot_where_another_slid_away() -> None:
    """It was there, clearly round, and then it was gone: a hand does not make other discs slide."""
    waiting, struck, stays = disc(0, -304), disc(0, 60, BLACK), disc(150, 90, BLACK)
    lay = [waiting, struck, stays]
    ready_one = track([(0.0, -304.0)] * 9, name="0")
    away = track([(0.0, 60.0 + 40.0 * i) for i in range(8)], name="1", roundness=0.6)
    (shot,) = verdicts(
        JsonReferee(rule_set("nca")), rested([], lay), rested(lay, [stays], [ready_one, away])
    )
    assert (shot["disc"], shot["verdict"]) == ("white 1", "legal")


@pytest.fixture
def ended_beside_the_line() -> JsonReferee:
    """After a shot whose disc struck black and stopped where a waiting disc may be."""
    lay = [disc(0, -304), disc(0, -100, BLACK)]
    mine = [(0.0, -304.0 + 33.0 * i) for i in range(6)] + [
        (15.0 * i, -140.0 - 34.0 * i) for i in (1, 2, 3, 4)
    ]
    tracks = [track(mine, name="0"), track([(0, -100), (0, 0), (0, 40)], name="1")]
    referee = JsonReferee(rule_set("nca"))
    (shot,) = verdicts(
        referee, rested([], lay), rested(lay, [disc(60, -277), disc(0, 40, BLACK)], tracks)
    )
    assert shot["verdict"] == "legal"
    return referee


def test_a_disc_that_came_to_rest_beside_the_starting_line_counts(
    ended_beside_the_line: JsonReferee,
) -> None:
    (closing,) = ended_beside_the_line.end(9.0)
    assert [total["points"] for total in closing["totals"]] == [5, 15]


def test_a_disc_that_came_to_rest_beside_the_starting_line_is_not_shot_again(
    ended_beside_the_line: JsonReferee,
) -> None:
    without = rested([disc(60, -277), disc(0, 40, BLACK)], [disc(0, 40, BLACK)])
    events = [*ended_beside_the_line.handle_event(without)]
    assert [event["type"] for event in events] == ["removal", "board"]


def test_discs_that_had_to_go_are_no_end_of_a_round() -> None:
    waiting, black, short = disc(0, -304), disc(60, 300, BLACK), disc(60, 200, BLACK)
    sunk = replace(disc(0, 0), state=DiscState.IN_HOLE)
    mine = track([(0.0, -304.0 + 33.0 * i) for i in range(10)], name="0")
    theirs = track([(60.0, 300.0 - 25.0 * i) for i in range(5)], name="1")
    rests = [
        rested([], [waiting]),
        rested([waiting], [sunk], [mine]),
        rested([sunk], [sunk, black]),
        rested([sunk, black], [sunk, short], [theirs]),
        rested([sunk, short], []),
    ]
    referee = JsonReferee(rule_set("nca"))
    events = [e for rest in rests for e in referee.handle_event(rest)]
    assert [e["type"] for e in events[-2:]] == ["removal", "board"]


@pytest.mark.parametrize(("ends_at", "shots"), [((1.0, -150.5), 1), ((40.0, -140.0), 2)])
def test_a_shot_after_a_cut_that_ends_as_the_last_did_is_that_one_again(
    ends_at: tuple[float, float], shots: int
) -> None:
    """It was removed before the picture was cut back to it."""
    start, first, again = disc(0, -304), disc(0, -150), disc(*ends_at)
    way = [(0.0, -304.0 + 19.0 * i) for i in range(9)]
    rests = [
        rested([], [start]),
        rested([start], [first], [track(way, name="0")]),
        rested([first], []),
        replace(rested([], [start]), was_interrupted=True),
        rested([start], [again], [track(way, name="0")]),
        replace(rested([again], []), was_interrupted=True),
    ]
    referee = JsonReferee(rule_set("nca"))
    events = [e for rest in rests for e in referee.handle_event(rest)] + list(referee.end(20.0))
    assert len([e for e in events if e["type"] == "shot"]) == shots
    assert events[-1]["shots"] == shots
    assert bool(events[-1]["doubts"]) == (shots == 2)


@pytest.mark.parametrize("finger", [True, False])
def test_a_shot_whose_disc_lies_nowhere_and_did_not_leave_is_asked_about(finger: bool) -> None:
    """It has the surface's colour, and a fingertip at the line took over its track."""
    opponent, ready = disc(0, 40, BLACK), disc(0, -304)
    moved = disc(90, 130, BLACK)
    way = [(0.0, -304.0 + 34.0 * i) for i in range(7)]
    shot = track(way, name="1")
    if finger:
        shot.samples += track([(5.0, -318.0)] * 6, t_s=1.8).samples
    struck = track([(0.0, 40.0)] * 9 + [(10.0 * i, 40.0 + 10.0 * i) for i in range(10)], name="0")
    (told,) = verdicts(
        JsonReferee(rule_set("nca")),
        rested([], [opponent, ready]),
        rested([opponent, ready], [moved], [shot, struck]),
    )
    assert told["verdict"] == "needs_review"
    assert "white 1 has disappeared but was not seen leaving the board" in told["doubts"]


def test_a_disc_that_had_to_go_and_lay_there_still_makes_the_round_doubtful() -> None:
    lying, fouled = disc(0, 100, BLACK), disc(120, -200)
    way = track([(0.0, -304.0), (30.0, -270.0), (60.0, -240.0), (90.0, -210.0), (120.0, -200.0)])
    theirs = track([(0.0, 304.0 - 30.0 * i) for i in range(6)])
    referee = JsonReferee(rule_set("nca"))
    for rest in (
        rested([], [lying]),
        rested([lying], [lying, fouled], [way]),
        rested([lying, fouled], [lying, fouled, disc(0, 150, BLACK)], [theirs]),
    ):
        list(referee.handle_event(rest))
    ended = next(event for event in referee.end(9.0) if event["type"] == "round")
    assert ("white 1 should have been removed before shot 2 but was still on the board") in ended[
        "doubts"
    ]


def test_the_first_board_says_where_a_lamp_is_reflected_and_later_ones_do_not() -> None:
    empty = rested((), ())
    lit = replace(empty, image=add_ring_light(empty.image, FIT.view, (0.0, 120.0), 0.0, 60.0, 4.0))
    referee = JsonReferee(rule_set("nca"))
    told = [event["warnings"] for board in (lit, lit) for event in referee.handle_event(board)]
    place = "12 cm from the centre at 12 o'clock"
    assert told == [[f"A lamp is reflected {place}. Move the lamp or the camera."], []]
