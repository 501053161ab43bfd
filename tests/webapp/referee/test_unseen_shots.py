"""Shots that were seen in part, or not at all, and what is asked of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from drawn_discs import PALE_BGR, board_fit, draw, view_at

from calibration.board import DiscSpec
from calibration.state import DiscState, PlacedDisc, Team
from scorer.physics.engine import simulate
from scorer.physics.scene import FlickSpec, PhysicsScene, SceneDisc, TableSpec
from scorer.rules.board_geometry import BoardGeometry
from scorer.rules.sets import rule_set
from vision.track.events import BoardAtRest, BoardMoved
from vision.track.motion.disc_tracker import CLEAR_ROUNDNESS, DiscTrack, Sample
from vision.track.still.still_board import StillBoard
from webapp.referee.disc_identities import BoardChange, NamedDisc
from webapp.referee.event_sentences import describe_event
from webapp.referee.referee import LiveReferee
from webapp.referee.seating import min_inside_mm
from webapp.referee.shot.displacements import measure_displacements
from webapp.referee.shot.flick import find_flick
from webapp.referee.shot.recovered_twenties import add_recovered_twenty
from webapp.referee.shot.unseen_flick import infer_unseen_flick

FIT = board_fit(view_at(0.0))
LINE_MM = FIT.spec.line_radii_mm[2]
WHITE = Team(number=0, colour_rgb=(230, 230, 230), colour_name="white")
BLACK = Team(number=1, colour_rgb=(20, 20, 20), colour_name="black")
NO_PICTURE = np.zeros((960, 1280, 3), np.uint8)
STEP_S = 1 / 30


def disc(x: float, y: float, team: Team = WHITE) -> PlacedDisc:
    return PlacedDisc(
        centre_mm=np.array([x, y]),
        covariance_mm2=0.2 * np.eye(2),
        team=team.number,
        state=DiscState.FLAT,
    )


def track(
    places: Sequence[tuple[float, float]],
    *,
    name: str | None = None,
    t_s: float = 1.0,
    held: bool = False,
    roundness: float = 1.0,
) -> DiscTrack:
    samples = [
        Sample(
            t_s=t_s + i * STEP_S, place_mm=np.array(place), is_free=not held, roundness=roundness
        )
        for i, place in enumerate(places)
    ]
    return DiscTrack(name=name, lab=np.zeros(3), samples=samples)


def rested(
    before: Sequence[PlacedDisc],
    now: Sequence[PlacedDisc],
    tracks: Sequence[DiscTrack] = (),
    *,
    saw_hand: bool = True,
) -> BoardAtRest:
    return BoardAtRest(
        t_s=3.0,
        t_from_s=0.5,
        t_rest_s=2.8,
        board=StillBoard(discs=tuple(now), teams=(WHITE, BLACK), disc=DiscSpec()),
        before=tuple(before),
        tracks=tuple(tracks),
        image=NO_PICTURE,
        fit=FIT,
        saw_hand=saw_hand,
        has_jumped=False,
        longest_gap_s=STEP_S,
    )


def ready(x: float, y: float, team: Team = WHITE) -> NamedDisc:
    return NamedDisc(name="white 1", disc=disc(x, y, team))


INWARD = [(0.0, y) for y in (-268.0, -232.0, -197.0, -163.0, -130.0, -98.0, -67.0, -40.0)]


def test_a_flick_first_seen_a_frames_way_inside_the_line_began_on_the_line() -> None:
    flick = find_flick(rested([], [disc(0, -40)], [track(INWARD)]))
    assert flick is not None
    assert abs(np.linalg.norm(flick.place_mm) - LINE_MM) < 1.0
    assert flick.t_start_s < 1.0


def test_a_disc_first_seen_slow_inside_the_line_was_not_flicked_off_it() -> None:
    slow = track([(0.0, -268.0 + 3.0 * i) for i in range(12)])
    assert slow.extend_to_line(LINE_MM).find_flick(LINE_MM, CLEAR_ROUNDNESS) is None


def test_a_disc_that_lay_ready_and_lies_inside_now_was_shot_unseen() -> None:
    waiting = ready(0, -304)
    flick = infer_unseen_flick(rested([waiting.disc], [disc(10, -60)]), [waiting])
    assert flick is not None
    assert np.allclose(flick.place_mm, (0, -304))


def test_a_hardly_visible_disc_that_lay_ready_and_is_gone_may_have_been_shot() -> None:
    waiting = ready(0, -304)
    assert infer_unseen_flick(rested([waiting.disc], []), [waiting]) is not None


def test_a_plain_disc_that_lay_ready_and_is_gone_was_taken_back() -> None:
    waiting = ready(0, -304)
    lay = track([(0.0, -304.0)] * 8, name="0")
    assert infer_unseen_flick(rested([waiting.disc], [], [lay]), [waiting]) is None


def test_a_disc_put_down_elsewhere_on_the_line_was_not_shot() -> None:
    waiting = ready(0, -304)
    assert infer_unseen_flick(rested([waiting.disc], [disc(-60, -299)]), [waiting]) is None


def test_a_disc_that_nobody_was_seen_to_bring_was_shot_unseen() -> None:
    flick = infer_unseen_flick(rested([], [disc(30, 80)]), [])
    assert flick is not None
    assert np.allclose(flick.track.last.place_mm, (30, 80))


def test_a_disc_that_a_hand_was_seen_to_bring_was_not_shot() -> None:
    brought = track([(30.0, 200.0), (30.0, 140.0), (30.0, 80.0)], held=True)
    assert infer_unseen_flick(rested([], [disc(30, 80)], [brought]), []) is None


def test_a_disc_that_flew_to_its_place_was_shot_though_something_lay_beside_it() -> None:
    """Light, or a hand that comes for it, may seem to hold it once it lies there."""
    flown = [
        Sample(t_s=1 + i * STEP_S, place_mm=np.array([30.0, 200.0 - 20 * i]), is_free=i < 6)
        for i in range(7)
    ]
    mine = DiscTrack(name=None, lab=np.zeros(3), samples=flown)
    assert infer_unseen_flick(rested([], [disc(30, 80)], [mine]), []) is not None


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
    """A knock alone moves discs a little, and a hand puts them on the line."""
    lay = [disc(80, 60, BLACK)]
    referee = LiveReferee(rule_set("nca"))
    sights = (rested([], lay), BoardMoved(t_s=1.0, shift_mm=9.0), rested(lay, now))
    events = [each for sight in sights for each in referee.handle_event(sight)]
    assert [each["verdict"] for each in events if each["type"] == "shot"] == verdict


def test_what_was_first_seen_in_motion_is_no_fault_of_placement() -> None:
    other = disc(80, 60, BLACK)
    late = track([(0.0, -283.0 + 33.0 * i) for i in range(8)])
    (shot,) = verdicts(
        LiveReferee(rule_set("nca")),
        rested([], [other]),
        rested([other], [other, disc(0, -52)], [late]),
    )
    assert "placement" not in [each["code"] for each in shot["faults"]]


def test_a_disc_that_was_overlooked_for_a_while_was_not_shot() -> None:
    assert infer_unseen_flick(rested([], [disc(30, 80)]), [], [np.array([31.0, 80.0])]) is None


def test_discs_that_lie_there_from_the_start_are_no_ones_mistake() -> None:
    events = list(
        LiveReferee(rule_set("nca")).handle_event(rested([], [disc(30, 80), disc(0, 200, BLACK)]))
    )
    assert [each["type"] for each in events] == ["board"]
    assert events[0]["warnings"] == []


def verdicts(referee: LiveReferee, *sights: BoardAtRest) -> list[dict]:
    return [e for sight in sights for e in referee.handle_event(sight) if e["type"] == "shot"]


def test_a_shot_that_nobody_saw_is_asked_about() -> None:
    lying, waiting = disc(0, 100, BLACK), disc(0, -304)
    first = rested([], [lying, waiting])
    then = rested([lying, waiting], [lying, disc(0.0, 67.8)])  # it touches, or stopped in time
    shots = verdicts(LiveReferee(rule_set("nca")), first, then)
    assert [each["verdict"] for each in shots] == ["needs_review"]
    assert shots[0]["question"]


def test_a_disc_that_vanishes_on_its_way_over_the_hole_is_a_twenty() -> None:
    waiting = disc(0, -304, BLACK)
    way = [(0.0, -304.0 + 33.0 * i) for i in range(9)]
    first = rested([], [waiting])
    then = rested([waiting], [], [track(way, name="0")])
    referee = LiveReferee(rule_set("nca"))
    events = [e for sight in (first, then) for e in referee.handle_event(sight)]
    assert [e["verdict"] for e in events if e["type"] == "shot"] == ["legal"]
    assert [e["disc"] for e in events if e["type"] == "twenty"] == ["black 1"]


def test_a_disc_taken_off_because_it_must_go_was_not_shot_again() -> None:
    lying, waiting = disc(0, 100, BLACK), disc(0, -304)
    way = track([(0.0, -304.0), (30.0, -270.0), (60.0, -240.0), (90.0, -210.0), (120.0, -200.0)])
    foul = rested([lying, waiting], [lying, disc(120, -200)], [way])
    away = rested([lying, disc(120, -200)], [lying])
    shots = verdicts(LiveReferee(rule_set("nca")), rested([], [lying, waiting]), foul, away)
    assert len(shots) == 1
    assert shots[0]["remove"]


def unseen_pair(direction_deg: float) -> tuple[BoardAtRest, BoardAtRest]:
    """A white disc's flick at a black one as physics play it; only its ends are seen."""
    shot = FlickSpec(id="w", x_mm=0, y_mm=-304, speed_mm_s=900, direction_deg=direction_deg)
    board = SceneDisc(id="b", x_mm=10, y_mm=-120)
    outcome = simulate(PhysicsScene(table=TableSpec(), discs=(board,), shot=shot))
    ends = {each.id: each for each in outcome.discs}
    assert all(each.state == "flat" for each in outcome.discs)
    before = [disc(10, -120, BLACK), disc(0, -304)]
    now = [disc(ends["b"].x_mm, ends["b"].y_mm, BLACK), disc(ends["w"].x_mm, ends["w"].y_mm)]
    return rested([], before), rested(before, now)


def test_physics_settle_a_shot_that_nobody_saw_when_they_are_sure() -> None:
    (shot,) = verdicts(LiveReferee(rule_set("nca")), *unseen_pair(88.0))
    assert shot["verdict"] == "legal"
    assert shot["evidence"]["physics"]["is_sure"]
    assert shot["evidence"]["physics"]["contacts"][0] == ["white 1", "black 1"]


def test_physics_that_explain_nothing_settle_nothing() -> None:
    before = [disc(10, -120, BLACK), disc(0, -304)]
    now = [disc(-200, 40, BLACK), disc(190, -150)]  # a hand was at work, or two
    (shot,) = verdicts(LiveReferee(rule_set("nca")), rested([], before), rested(before, now))
    assert shot["verdict"] == "needs_review"
    assert not shot["evidence"]["physics"]["is_sure"]


def test_physics_are_not_asked_where_the_shot_was_seen() -> None:
    waiting = disc(0, -304)
    way = track([(0.0, -304.0 + 33.0 * i) for i in range(8)], name="0")
    then = rested([waiting], [disc(0, -60)], [way])
    (shot,) = verdicts(LiveReferee(rule_set("nca")), rested([], [waiting]), then)
    assert shot["verdict"] == "legal"
    assert shot["evidence"]["physics"] is None


def warnings_of(rules: str, place: tuple[float, float], team: Team = WHITE) -> list[str]:
    """What is said of a white disc laid ready after white's legal shot from the near side."""
    waiting, lying, placed = disc(0, -304), disc(0, 20), disc(*place, team)
    way = track([(0.0, -304.0 + 33.0 * i) for i in range(10)], name="0")
    referee = LiveReferee(rule_set(rules))
    events = [
        e
        for sight in (
            rested([], [waiting]),
            rested([waiting], [lying], [way]),
            rested([lying], [lying, placed]),
        )
        for e in referee.handle_event(sight)
    ]
    return [words for words in events[-1]["warnings"] if "quadrant" in words]


def on_line(degrees: float) -> tuple[float, float]:
    return LINE_MM * np.cos(np.radians(degrees)), LINE_MM * np.sin(np.radians(degrees))


def test_a_disc_outside_its_players_quadrant_is_warned_of() -> None:
    assert warnings_of("nca", on_line(-30.0)) == ["white 2 lies outside its player's quadrant."]


def test_a_disc_in_its_players_or_the_partners_quadrant_is_not_warned_of() -> None:
    assert warnings_of("nca", on_line(-60.0)) == warnings_of("nca", on_line(100.0)) == []


def test_a_side_whose_seat_is_not_known_is_not_warned_of() -> None:
    assert warnings_of("nca", on_line(-30.0), BLACK) == []


def test_a_place_over_the_quadrants_line_by_less_than_it_is_known_is_no_fault() -> None:
    sizes = BoardGeometry(board=FIT.spec, disc=DiscSpec())
    least = min_inside_mm(rule_set("traditional"), sizes)
    over = np.degrees((least - 1.0) / LINE_MM)  # a millimetre over the line
    waiting, lying = disc(*on_line(-45.0 - over)), disc(0, 20)
    way = np.linspace(np.array(on_line(-45.0 - over)), np.array([0.0, 20.0]), 10)
    referee = LiveReferee(rule_set("traditional"))
    first, then = rested([], [waiting]), rested([waiting], [lying], [track(way, name="0")])
    (shot,) = verdicts(referee, first, then)
    assert "placement" not in [each["code"] for each in shot["faults"]]


def test_discs_of_one_colour_shot_from_two_seats_are_told_apart_by_nobody() -> None:
    near = disc(0, -304)
    mine = track([(0.0, -304.0 + 33.0 * i) for i in range(9)], name="0")
    theirs = track([(60.0, 300.0 - 33.0 * i) for i in range(9)], name="1")
    alone = replace(rested([], [near]).board, teams=(WHITE,))
    sights = [
        rested([], [near]),
        rested([near], [disc(0, -40)], [mine]),
        rested([disc(0, -40)], [disc(0, -40), disc(60, 300)]),
        rested([disc(0, -40), disc(60, 300)], [disc(0, -40), disc(60, 36)], [theirs]),
    ]
    told = [replace(each, board=replace(each.board, teams=alone.teams)) for each in sights]
    shots = verdicts(LiveReferee(rule_set("nca")), *told)
    assert [each["verdict"] for each in shots] == ["legal", "needs_review"]
    assert "look alike" in shots[1]["doubts"][0]


def test_a_twenty_that_nobody_took_off_is_counted_once() -> None:
    waiting, black, ended = disc(0, -304), disc(60, 300, BLACK), disc(60, 69, BLACK)
    sunk = replace(disc(0, 0), state=DiscState.IN_HOLE)
    mine = track([(0.0, -304.0 + 33.0 * i) for i in range(10)], name="0")
    theirs = track([(60.0, 300.0 - 33.0 * i) for i in range(8)], name="1")
    sights = [
        rested([], [waiting]),
        rested([waiting], [sunk], [mine]),
        rested([sunk], [sunk, black]),
        rested([sunk, black], [sunk, ended], [theirs]),
    ]
    referee = LiveReferee(rule_set("nca"))
    events = [e for sight in sights for e in referee.handle_event(sight)]
    assert len([e for e in events if e["type"] == "shot"]) == 2
    assert [e["disc"] for e in events if e["type"] == "twenty"] == ["white 1"]


def test_a_twenty_that_nobody_saw_is_asked_about_though_it_came_from_anywhere() -> None:
    sunk = replace(disc(0, 0), state=DiscState.IN_HOLE)
    (shot,) = verdicts(LiveReferee(rule_set("nca")), rested([], []), rested([], [sunk]))
    assert shot["verdict"] == "needs_review"


def test_a_round_with_an_undecided_shot_says_that_its_score_must_be_checked() -> None:
    referee = LiveReferee(rule_set("nca"))
    for sight in (rested([], []), rested([], [disc(30, 80)])):
        list(referee.handle_event(sight))
    ended = next(each for each in referee.end(4.0) if each["type"] == "round")
    assert ended["needs_review"]
    assert "shot 1" in ended["doubts"][0]
    assert any("check this score" in words for words in describe_event(ended))


def test_a_round_whose_shots_were_all_decided_stands() -> None:
    waiting = disc(0, -304)
    mine = track([(0.0, -304.0 + 33.0 * i) for i in range(9)], name="0")
    referee = LiveReferee(rule_set("nca"))
    for sight in (rested([], [waiting]), rested([waiting], [disc(0, -40)], [mine])):
        list(referee.handle_event(sight))
    ended = next(each for each in referee.end(4.0) if each["type"] == "round")
    assert (ended["needs_review"], ended["doubts"]) == (False, [])


def test_a_round_in_which_a_disc_was_taken_off_unasked_says_so() -> None:
    """The players did what the rules ask; what they saw, the referee did not."""
    mine, other = disc(0, -40), disc(80, 60, BLACK)
    shots = [track([(0.0, -304.0 + 33.0 * i) for i in range(9)], name=name) for name in ("1", "0")]
    referee = LiveReferee(rule_set("nca"))
    for sight in (
        rested([], [other]),
        rested([other], [other, disc(0, -304)]),
        rested([other, disc(0, -304)], [other, mine], [shots[0]]),
        rested([other, mine], [mine]),
        rested([mine], [disc(0, -304), mine]),
        rested([disc(0, -304), mine], [disc(0, -70), mine], [shots[1]]),
    ):
        list(referee.handle_event(sight))
    ended = next(each for each in referee.end(9.0) if each["type"] == "round")
    assert any("taken off before shot 2" in doubt for doubt in ended["doubts"])


MISSED = track([(0.0, -304.0 + 33.0 * i) for i in range(9)], name="1")


def test_no_verdict_hangs_on_a_disc_that_nobody_saw_come() -> None:
    ghost, waiting = disc(60, 150, BLACK), disc(0, -304)
    referee = LiveReferee(rule_set("nca"))
    came, shot = verdicts(
        referee,
        rested([], []),
        rested([], [ghost]),
        rested([ghost], [ghost, waiting]),
        rested([ghost, waiting], [ghost, disc(0, -40)], [MISSED]),
    )
    assert came["verdict"] == "needs_review"
    assert shot["verdict"] == "needs_review"
    assert shot["doubts"] == ["black 1, which nobody saw come, is no disc"]
    assert "Then the shot is legal, else foul" in shot["question"]


def test_a_disc_that_nobody_saw_come_is_one_once_it_was_seen_to_be_struck() -> None:
    ghost, struck, waiting = disc(60, 150, BLACK), disc(140, 190, BLACK), disc(0, -304)
    way = track([(60.0, 150.0), (100.0, 170.0), (140.0, 190.0)], name="0", t_s=1.1)
    striker = track([(0.0, -304.0), (20.0, -150.0), (40.0, 0.0), (50.0, 120.0)], name="1")
    referee = LiveReferee(rule_set("nca"))
    shots = verdicts(
        referee,
        rested([], []),
        rested([], [ghost]),
        rested([ghost], [ghost, waiting]),
        rested([ghost, waiting], [struck, disc(50, 120)], [striker, way]),
        rested([struck, disc(50, 120)], [struck]),
        rested([struck], [struck, waiting]),
        rested([struck, waiting], [struck, disc(0, -40)], [MISSED]),
    )
    assert shots[-1]["verdict"] == "foul"


def test_a_disc_that_lay_there_from_the_start_counts_like_any_other() -> None:
    lying, waiting = disc(60, 150, BLACK), disc(0, -304)
    (shot,) = verdicts(
        LiveReferee(rule_set("nca")),
        rested([], [lying, waiting]),
        rested([lying, waiting], [lying, disc(0, -40)], [MISSED]),
    )
    assert shot["verdict"] == "foul"


@pytest.mark.parametrize(("moved_mm", "is_moved"), [(0.0, False), (11.0, True)])
def test_a_disc_whose_picture_stays_was_not_moved_though_it_is_read_elsewhere(
    moved_mm: float, is_moved: bool
) -> None:
    old, now = ready(40.0, 60.0), disc(51.0, 60.0)
    earlier = replace(rested([], [old.disc]), image=draw(view_at(0.0), [(40.0, 60.0, PALE_BGR)]))
    later = replace(
        rested([old.disc], [now]), image=draw(view_at(0.0), [(40.0 + moved_mm, 60.0, PALE_BGR)])
    )
    change = BoardChange(
        now=(NamedDisc(name=old.name, disc=now),), new_names=(), gone=(), moved_mm={old.name: 11.0}
    )
    told = measure_displacements([old], change, "black 1", earlier, later)
    assert dict(told.moved_mm) == ({old.name: 11.0} if is_moved else {})
    assert not told.unsure


@pytest.mark.parametrize(("lies", "count"), [((-6.0, 14.0), 1), ((-60.0, 14.0), 2)])
def test_no_disc_falls_into_a_hole_over_which_another_lies(
    lies: tuple[float, float], count: int
) -> None:
    other, shot = disc(*lies, BLACK), ready(0.0, -306.0)
    into_hole = track([*INWARD, (0.0, -6.0)], name="0")
    seen = add_recovered_twenty(
        rested([other], [other], [into_hole]), [shot], {shot.name: into_hole}
    )
    assert len(seen.board.discs) == count
