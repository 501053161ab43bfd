"""The start of a flick that was seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from rest_boards import INWARD, LINE_MM, STEP_S, disc, rested, track

from calibration.placed_disc import PlacedDisc
from scorer.referee.shot.flick import find_flick
from vision.track.motion.blob_appearance import CLEAR_ROUNDNESS


def test_a_flick_first_seen_a_frames_way_inside_the_line_began_on_the_line() -> None:
    flick = find_flick(rested([], [disc(0, -40)], [track(INWARD)]))
    assert flick is not None
    assert abs(np.linalg.norm(flick.place_mm) - LINE_MM) < 1.0
    assert flick.t_start_s < 1.0


def test_a_disc_that_crossed_the_board_under_an_arm_and_ended_on_the_line_was_shot() -> None:
    lay, ended = disc(0, -304), disc(0, 304)
    crossing = track([(0.0, -304.0 + 38.0 * i) for i in range(17)], name="0")
    under_arm = [
        replace(sample, is_free=abs(sample.place_mm[1] + 130) > 80) for sample in crossing.samples
    ]
    at_rest = replace(rested([lay], [ended], []), saw_hand=True)
    flick = find_flick(replace(at_rest, tracks=(replace(crossing, samples=under_arm),)))
    assert flick is not None
    held = [replace(sample, is_free=False) for sample in crossing.samples]
    assert find_flick(replace(at_rest, tracks=(replace(crossing, samples=held),))) is None


def test_a_disc_first_seen_slow_inside_the_line_was_not_flicked_off_it() -> None:
    slow = track([(0.0, -268.0 + 3.0 * i) for i in range(12)])
    assert slow.extend_to_line(LINE_MM).find_flick(LINE_MM, CLEAR_ROUNDNESS) is None


@pytest.mark.parametrize(
    ("bend", "held", "is_flick"),
    [(0.0, False, True), (1.2, False, False), (0.0, True, False)],
    ids=["straight", "bent", "held"],
)
def test_a_disc_that_wood_of_its_colour_hid_came_from_the_line_where_it_slides_straight(
    bend: float, held: bool, is_flick: bool
) -> None:
    places = [(bend * i * i, -200.0 + 32.0 * i) for i in range(6)]
    flick = find_flick(rested([], [disc(*places[-1])], [track(places, held=held)]))
    assert (flick is not None) is is_flick
    if flick is not None:
        assert abs(np.linalg.norm(flick.place_mm) - LINE_MM) < 1.0


@pytest.mark.parametrize(("bend", "is_flick"), [(0.0, True), (2.0, False)])
def test_a_disc_that_is_blurred_now_and_then_was_shot_where_it_goes_straight(
    bend: float, is_flick: bool
) -> None:
    places = [(bend * i * i, -183.0 + 56.0 * i) for i in range(8)]
    blurred = track(places)
    seen = [
        replace(sample, roundness=0.7 if i % 2 else 0.58)
        for i, sample in enumerate(blurred.samples)
    ]
    flick = find_flick(rested([], [], [replace(blurred, samples=seen)]))
    assert (flick is not None) is is_flick


@pytest.mark.parametrize("again", [1, 2], ids=["shown twice", "stands still"])
def test_a_shot_is_found_in_a_film_that_shows_every_fifth_frame_again(again: int) -> None:
    """It was not read as a disc at its start, and it left the board, blurred."""
    way = [(0.0, -304.0 + 40.0 * i) for i in range(6)]
    way[3:3] = [way[2]] * again
    slow = [(60.0 + 20.0 * i, -110.0) for i in range(14)]
    seen = track([*way, *slow], t_s=0.5)
    blurred = [
        replace(sample, roundness=0.75 if i < len(way) else 0.5)
        for i, sample in enumerate(seen.samples)
    ]
    flick = find_flick(rested([], [], [replace(seen, samples=blurred)]))
    assert (flick is not None) is (again == 1)


def test_what_a_hand_slid_along_the_line_was_not_shot_though_no_disc_was_read_there() -> None:
    moved_disc = track(
        [(-250.0 + 40.0 * i, -200.0) for i in range(12)] + [(228.0, -202.0)] * 5, t_s=2.47
    )
    assert find_flick(rested([], [], [moved_disc])) is None
    went_on = track([(-250.0 + 40.0 * i, -200.0) for i in range(12)])
    assert find_flick(rested([], [], [went_on])) is not None


@pytest.mark.parametrize(("rim_mm", "was_shot"), [(28.0, False), (42.0, True)])
def test_what_a_hand_carried_along_to_the_rim_beyond_the_line_was_not_shot(
    rim_mm: float, was_shot: bool
) -> None:
    """An object at rest beyond the rim is in the ditch, where a shot may end."""
    away_mm = LINE_MM + rim_mm
    carried = [(-160.0 + 40.0 * i, -260.0) for i in range(9)]
    ended = (np.sqrt(away_mm**2 - 260.0**2), -260.0)
    at_rest = rested([], [], [track([*carried, *[ended] * 5], t_s=2.54)])
    assert (find_flick(at_rest) is not None) is was_shot


@pytest.mark.parametrize(("now", "is_flick"), [([], True), ([disc(0, -304)], False)])
def test_a_blurred_disc_that_began_where_one_lay_and_is_gone_was_shot(
    now: list[PlacedDisc], is_flick: bool
) -> None:
    """Its track was lost and continues in another one."""
    blurred = track([(2.0 * i * i, -270.0 + 36.0 * i) for i in range(8)], roundness=0.6)
    flick = find_flick(rested([disc(0, -304)], now, [blurred]))
    assert (flick is not None) is is_flick


@pytest.mark.parametrize("waited", [True, False])
def test_a_blurred_disc_was_shot_where_it_had_waited_on_the_line_unread(waited: bool) -> None:
    """It struck a disc over the hole, which was not read either, and both left the board."""
    away = [(0.0, -304.0 + 50.0 * i) for i in range(7)] + [(60.0, 40.0 * i) for i in range(1, 9)]
    blurred = track(away, t_s=0.5 if waited else 1.0, roundness=0.62)
    flick = find_flick(rested([], [], [blurred]))
    assert (flick is not None) is waited


@pytest.mark.parametrize(("nudged_at", "is_flick"), [(8, True), (1, False), (None, False)])
def test_a_disc_that_slid_along_the_line_and_pushed_another_off_its_place_was_shot(
    nudged_at: int | None, is_flick: bool
) -> None:
    """It ends on the line, like a disc that a hand slides there; the other disc was nudged
    before.
    """
    moved_disc = track(
        [(-200.0 + 30.0 * i, -250.0 - 4.0 * i) for i in range(9)] + [(50.0, -293.0)] * 9
    )
    moved = 18 if nudged_at is None else nudged_at
    lay = track([(45.0, -250.0)] * moved + [(55.0, -238.0)] * (18 - moved), name="0")
    ended = [disc(*lay.last.place_mm), disc(50, -293)]
    assert (find_flick(rested([disc(45, -250)], ended, [lay, moved_disc])) is not None) is is_flick


@pytest.mark.parametrize("own_frames", [3, 8])
def test_a_disc_that_is_seen_twice_as_it_flies_is_the_one_that_lay_there(own_frames: int) -> None:
    flight = [(0.0, -304.0 + 36.0 * i) for i in range(8)]
    own, other = track(flight[:own_frames], name="0"), track(flight[1:], t_s=1.0 + STEP_S / 2)
    flick = find_flick(rested([disc(0, -304)], [disc(0, -52)], [other, own]))
    assert flick is not None
    assert flick.track.name == "0"
    assert flick.place_mm.tolist() == [0.0, -304.0]


@pytest.mark.parametrize(("bend_mm", "is_flick"), [(0.0, True), (4.0, False)])
def test_a_disc_that_lay_there_and_flew_straight_was_shot_however_blurred(
    bend_mm: float, is_flick: bool
) -> None:
    places = [(bend_mm * i * i, -304.0 + 36.0 * i) for i in range(8)]
    blurred = track(places, name="0", roundness=0.5)
    flick = find_flick(rested([disc(0, -304)], [disc(*places[-1])], [blurred]))
    assert (flick is not None) is is_flick
