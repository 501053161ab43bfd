"""Repeated frames: dropped while the scene moves, kept while it is still."""

from __future__ import annotations

import threading
from functools import cache

import cv2
import numpy as np
import pytest
from written_clip import write_clip

from vision.io.repeated_frames import merge_repeats
from vision.io.sources import open_source

#: Distance that a disc slides in one frame at 30 a second, at about 1 m/s.
_STEP_PX = 12.0
_WIDTH_PX, _HEIGHT_PX = 640, 360


@cache
def make_wood() -> np.ndarray:
    """Wood-like grain, (h, w, 3)."""
    wood = 150 + np.random.default_rng(3).normal(0, 6, (_HEIGHT_PX, _WIDTH_PX, 1))
    return wood.clip(0, 255).astype(np.uint8).repeat(3, axis=2)


def draw_disc(x_px: float) -> np.ndarray:
    """A disc whose centre is at ``x_px`` across, on the wood."""
    image = make_wood().copy()
    centre = round(16 * x_px), 16 * _HEIGHT_PX // 2
    cv2.circle(image, centre, 16 * 18, (30, 30, 160), -1, cv2.LINE_AA, shift=4)
    return image


def measure_places_px(path) -> tuple[np.ndarray, np.ndarray]:
    """Times, s, and the disc's place across, px, of every frame of a clip."""
    times, places = [], []
    for frame in open_source(str(path)).frames(threading.Event(), lambda _: None):
        dark = (90 - np.minimum(frame.image[..., 0], 90)).sum(axis=0)
        times.append(frame.t_s)
        places.append(np.average(np.arange(_WIDTH_PX), weights=dark))
    return np.array(times), np.array(places)


def show_at_30(moments: int, filmed_fps: float) -> list[int]:
    """The moments of a camera that the frames at 30 a second show."""
    return [int(k * filmed_fps / 30 + 1e-6) for k in range(round(moments * 30 / filmed_fps))]


@pytest.mark.parametrize("filmed_fps", [24, 25, 15, 10])
@pytest.mark.parametrize("quality", [20, 32])
def test_no_moving_disc_stands_still_for_a_frame(tmp_path, filmed_fps, quality):
    step_px = _STEP_PX * 30 / filmed_fps
    still = 10  # moments, before and after
    moments = np.arange(2 * still + int(400 / step_px))
    lies_px = 100 + step_px * np.clip(moments - still, 0, len(moments) - 2 * still)
    frames = [draw_disc(lies_px[k]) for k in show_at_30(len(moments), filmed_fps)]
    path = write_clip(tmp_path / "telecine.mp4", frames, quality=quality)
    times_s, places_px = measure_places_px(path)
    starts = np.flatnonzero(places_px < lies_px[0] + 1)[-1]
    ends = np.flatnonzero(places_px > lies_px[-1] - 1)[0]
    seen_px, seen_s = places_px[starts:ends], times_s[starts:ends]
    assert np.diff(seen_px) == pytest.approx(np.full(len(seen_px) - 1, step_px), abs=1.0)
    speed_px_s = np.diff(seen_px[1:]) / np.diff(seen_s[1:])  # half of the first is at rest
    assert speed_px_s == pytest.approx(np.full(len(speed_px_s), 30 * _STEP_PX), rel=0.3)
    assert np.polyfit(seen_s, seen_px, 1)[0] == pytest.approx(30 * _STEP_PX, rel=0.05)


def test_a_board_at_rest_keeps_every_frame_before_and_after_a_shot(tmp_path):
    still, moving = 30, 20
    places = [40.0] * still + [40 + _STEP_PX * k for k in range(1, moving + 1)]
    places += [places[-1]] * still
    path = write_clip(tmp_path / "rest.mp4", [draw_disc(x) for x in places], quality=28)
    times_s, _ = measure_places_px(path)
    assert times_s == pytest.approx(np.arange(len(places)) / 30, abs=1e-3)


def test_a_disc_that_slows_down_keeps_every_frame(tmp_path):
    speeds = np.linspace(10, 0, 25)
    places = 40 + np.cumsum(speeds)
    path = write_clip(tmp_path / "slows.mp4", [draw_disc(x) for x in places], quality=23)
    times_s, _ = measure_places_px(path)
    assert len(times_s) == len(places)


def levels(*greys: int) -> list[int]:
    """The frames that remain of frames with these grey levels."""
    return [new for new, _ in merge_repeats(greys, lambda grey: np.full((4, 4), grey, np.uint8))]


def test_noise_of_a_still_scene_is_no_motion_with_repeats():
    greys = [100, 104, 104, 100, 100, 104, 104, 100] * 5
    assert levels(*greys) == greys


def test_repeats_differ_by_less_than_motion_before_and_after():
    assert levels(0, 50, 52, 100, 98, 150) == [0, 50, 100, 150]
    assert levels(0, 50, 52, 60, 70) == [0, 50, 52, 60, 70]


def test_the_last_frames_are_shown_though_they_may_be_repeats():
    assert levels(0, 50, 51, 50) == [0, 50, 51, 50]


def test_frames_alike_for_long_are_a_scene_at_rest():
    assert levels(0, 50, 50, 50, 50, 50, 100) == [0, 50, 50, 50, 50, 50, 100]
    assert levels(0, 50, 50, 50, 50, 100) == [0, 50, 100]


def test_no_frame_is_left_of_none():
    assert levels() == []
