"""A touch that the tracks lost is placed by the disc that was struck."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.disc import DiscSpec
from vision.track.motion.disc_tracker import Sample
from webapp.review.nearest_moment import NearestMoment, Nearness, place_touch
from webapp.review.smooth_motion import SmoothMotion, smooth_samples

STRUCK_S = 0.5


def struck_disc() -> SmoothMotion:
    """A disc that lies still until 0.5 s and then slides upwards."""
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


def test_a_touch_that_was_seen_stays() -> None:
    moment = seen(0.5)
    assert place_touch(moment, struck_disc(), DiscSpec()) is moment
