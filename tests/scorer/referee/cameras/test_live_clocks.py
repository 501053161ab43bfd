"""Two live cameras' clocks, synchronised by motion in front of both."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from scorer.referee.cameras.live_clocks import LiveClocks
from vision.io.timed_frame import CameraImage

STEP_S, LAG_S = 0.1, 0.8
RANDOM = np.random.default_rng(3)
#: Times of motion, s, at irregular intervals.
MOMENTS_S = np.cumsum(RANDOM.uniform(1.5, 6.0, 30))


def show(t_s: float) -> CameraImage:
    """A picture of a moment; it changes in every frame during motion."""
    is_moving = np.any((t_s >= MOMENTS_S) & (t_s < MOMENTS_S + 0.7))
    level = RANDOM.integers(0, 255, (27, 48, 3)) if is_moving else np.full((27, 48, 3), 90)
    return CameraImage(level.astype(np.uint8))


def play(clocks: LiveClocks, until_s: float, *, is_calm: bool = True) -> Iterator[list[float]]:
    """Times of both cameras at every step, if the second's frames arrive late."""
    for arrived_s in np.arange(0.0, until_s, STEP_S):
        pictures = show(arrived_s), show(arrived_s - LAG_S)
        yield [
            clocks.place(camera, picture, float(arrived_s), is_calm=is_calm)
            for camera, picture in enumerate(pictures)
        ]


def test_a_camera_whose_frames_take_longer_is_put_right_and_no_time_goes_back() -> None:
    clocks = LiveClocks()
    times = np.array([*play(clocks, 50.0)])
    assert clocks.are_matched
    assert np.all(np.diff(times, axis=0) > 0)
    assert times[-1, 0] - times[-1, 1] == pytest.approx(LAG_S, abs=0.1)


def test_no_clock_leaps_while_discs_move() -> None:
    clocks = LiveClocks()
    assert np.allclose(np.ptp([*play(clocks, 50.0, is_calm=False)], axis=1), 0.0)
    assert not clocks.are_matched
