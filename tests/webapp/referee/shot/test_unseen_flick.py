"""Which boards tell of a shot that nobody saw."""

from __future__ import annotations

import numpy as np
from rest_boards import STEP_S, disc, ready, rested, track

from vision.track.motion.disc_tracker import DiscTrack, Sample
from webapp.referee.shot.unseen_flick import infer_unseen_flick


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


def test_a_disc_that_was_overlooked_for_a_while_was_not_shot() -> None:
    assert infer_unseen_flick(rested([], [disc(30, 80)]), [], [np.array([31.0, 80.0])]) is None
