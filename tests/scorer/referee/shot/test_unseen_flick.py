"""Boards from which an unseen shot is inferred."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from rest_boards import BLACK, STEP_S, disc, ready, rested, track

from scorer.referee.shot.unseen_flick import infer_unseen_flick
from vision.track.tracks.disc_track import DiscTrack, Sample


def test_a_disc_that_lay_ready_and_lies_inside_now_was_shot_unseen() -> None:
    waiting = ready(0, -304)
    flick = infer_unseen_flick(rested([waiting.disc], [disc(10, -60)]), [waiting])
    assert flick is not None
    assert np.allclose(flick.place_mm, (0, -304))


@pytest.mark.parametrize(("team", "is_flick"), [(0, True), (1, True), (2, False)])
def test_what_has_a_third_colour_was_not_shot_where_both_sides_lay(
    team: int, is_flick: bool
) -> None:
    """It is a piece of a hand that was read as a disc."""
    lay = [disc(-90, 20), disc(90, 20, BLACK)]
    new = replace(disc(10, -60), team=team)
    assert (infer_unseen_flick(rested(lay, [*lay, new]), []) is not None) is is_flick


def test_a_hardly_visible_disc_that_lay_ready_and_is_gone_may_have_been_shot() -> None:
    waiting = ready(0, -304)
    assert infer_unseen_flick(rested([waiting.disc], []), [waiting]) is not None


def test_what_was_hardly_read_as_a_disc_and_is_gone_was_not_shot() -> None:
    waiting = ready(0, -304)
    unsure = replace(waiting, disc=replace(waiting.disc, confidence=0.51))
    assert infer_unseen_flick(rested([unsure.disc], []), [unsure]) is None


def test_a_plain_disc_that_lay_ready_and_is_gone_was_taken_back() -> None:
    waiting = ready(0, -304)
    lay = track([(0.0, -304.0)] * 8, name="0")
    assert infer_unseen_flick(rested([waiting.disc], [], [lay]), [waiting]) is None


def test_a_disc_put_down_elsewhere_on_the_line_was_not_shot() -> None:
    waiting = ready(0, -304)
    assert infer_unseen_flick(rested([waiting.disc], [disc(-60, -299)]), [waiting]) is None


def test_a_disc_put_down_elsewhere_on_the_line_was_not_shot_whatever_its_colour_was_read_as() -> (
    None
):
    """Under a hand, a disc looks like another side's."""
    waiting = ready(0, -304)
    boards = rested([waiting.disc], [disc(-60, -299, BLACK)])
    assert infer_unseen_flick(boards, [waiting]) is None


def test_a_finger_beside_a_disc_that_lies_ready_still_was_not_shot() -> None:
    finger, mine = ready(-40, -301), disc(20, -303)
    assert infer_unseen_flick(rested([finger.disc, mine], [mine]), [finger]) is None


@pytest.mark.parametrize(("moved_mm", "is_flick"), [(6.0, False), (40.0, True)])
def test_a_disc_that_a_hand_settles_on_the_line_is_not_gone_from_it(
    moved_mm: float, is_flick: bool
) -> None:
    """A disc of its side is read slightly off its place; there was no shot."""
    waiting, lay = ready(0, -304), disc(-50, 55)
    seen = track([(-52.0, 60.0)] * 8, name="1")
    boards = rested([waiting.disc, lay], [disc(moved_mm, -304), disc(-52, 60)], [seen])
    is_shot = infer_unseen_flick(boards, [waiting]) is not None
    assert is_shot is is_flick


def test_a_disc_that_nobody_was_seen_to_bring_was_shot_unseen() -> None:
    flick = infer_unseen_flick(rested([], [disc(30, 80)]), [])
    assert flick is not None
    assert np.allclose(flick.track.last.place_mm, (30, 80))


def test_a_disc_that_a_hand_was_seen_to_bring_was_not_shot() -> None:
    brought = track([(30.0, 200.0), (30.0, 140.0), (30.0, 80.0)], held=True)
    assert infer_unseen_flick(rested([], [disc(30, 80)], [brought]), []) is None


def test_a_disc_that_flew_to_its_place_was_shot_though_something_lay_beside_it() -> None:
    """Light, or a hand that reaches for it, may seem to hold it once it has stopped."""
    flown = [
        Sample(t_s=1 + i * STEP_S, place_mm=np.array([30.0, 200.0 - 20 * i]), is_free=i < 6)
        for i in range(7)
    ]
    mine = DiscTrack(name=None, lab=np.zeros(3), samples=flown)
    assert infer_unseen_flick(rested([], [disc(30, 80)], [mine]), []) is not None


def test_a_disc_that_was_overlooked_for_a_while_was_not_shot() -> None:
    assert infer_unseen_flick(rested([], [disc(30, 80)]), [], [np.array([31.0, 80.0])]) is None
