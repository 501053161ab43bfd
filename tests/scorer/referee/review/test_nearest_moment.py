"""A touch that is missing in the tracks is located by the disc that was struck, or by its place."""

from __future__ import annotations

import numpy as np
import pytest
from json_referee import JsonReferee
from rest_boards import BLACK, disc, rested, track, verdicts

from calibration.disc import DiscSpec
from scorer.referee.review.nearest_moment import (
    NearestMoment,
    Nearness,
    find_nearest_moment,
    place_touch,
)
from scorer.referee.review.shot_motions import smooth_shot
from scorer.referee.review.smooth_motion import SmoothMotion, smooth_samples
from scorer.referee.shot.physics_check import PhysicsCheck
from scorer.referee.shot.ruling import RuledShot
from scorer.rules.sets import rule_set
from vision.track.tracks.disc_track import Sample

STRUCK_S = 0.5


def struck_disc() -> SmoothMotion:
    """A disc that is at rest until 0.5 s and then slides upwards."""
    times = np.arange(0, 1, 1 / 30)
    way = np.maximum(times - STRUCK_S, 0.0)
    places = np.stack([np.full(30, 10.0), 300.0 * way - 250.0 * way**2], axis=-1)
    return smooth_samples(
        [
            Sample(t_s=float(t), place_mm=place, is_free=True)
            for t, place in zip(times, places, strict=True)
        ]
    )


def seen(gap_mm: float) -> NearestMoment:
    return NearestMoment(
        kind=Nearness.TOUCH,
        t_s=0.7,
        mover="red 1",
        other="black 1",
        gap_mm=gap_mm,
        sigma_mm=0.7,
        places_mm=np.zeros((2, 2)),
    )


def test_a_touch_out_of_the_tracks_sight_is_where_the_struck_disc_left() -> None:
    disc = DiscSpec()
    touch = place_touch(seen(14.0), struck_disc(), disc)
    assert touch.t_s == pytest.approx(STRUCK_S, abs=0.05)
    assert touch.gap_mm == 0.0
    assert touch.places_mm[1] == pytest.approx([10.0, 0.0], abs=1.5)
    assert touch.places_mm[0] == pytest.approx([10.0, -2 * disc.radius_mm], abs=2.5)


def test_a_disc_that_seemed_to_move_before_the_shot_was_not_struck_then() -> None:
    late = place_touch(seen(14.0), struck_disc(), DiscSpec(), from_s=STRUCK_S + 0.2)
    assert late.t_s == seen(14.0).t_s


def test_a_touch_that_was_seen_stays() -> None:
    moment = seen(0.5)
    assert place_touch(moment, struck_disc(), DiscSpec()) is moment


def test_a_struck_disc_that_was_not_seen_moving_is_touched_where_it_lay() -> None:
    """No gap to another disc is reported instead."""
    lay_mm, far_mm = (0.0, -40.0), (150.0, 60.0)
    way = [(0.0, y) for y in (-304.0, -268.0, -232.0, -197.0, -163.0, -130.0, -98.0, -72.0)]
    before = [disc(*lay_mm, BLACK), disc(*far_mm, BLACK), disc(*way[0])]
    after = [disc(0.0, 45.0, BLACK), disc(*far_mm, BLACK), disc(*way[-1])]
    ruled: list[RuledShot] = []
    referee = JsonReferee(rule_set("nca"), PhysicsCheck(), ruled.append)
    verdicts(referee, rested([], before), rested(before, after, [track(way, name="2")]))
    nearest = find_nearest_moment(ruled[0], smooth_shot(ruled[0].evidence))
    assert nearest is not None
    assert (nearest.kind, nearest.mover, nearest.other) == (Nearness.TOUCH, "white 1", "black 1")
    assert nearest.t_s == pytest.approx(1.0 + 7 / 30, abs=0.02)
    assert abs(nearest.gap_mm) < 1.0
    assert nearest.places_mm[1] == pytest.approx(lay_mm)
