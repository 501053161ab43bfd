"""A recorded clip played on a machine that cannot keep up, and a camera that is not there."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from vision.io.sources import SourceError
from vision.io.timed_frame import CameraImage, TimedFrame
from webapp.referee.capture import RealTimeSource
from webapp.referee.frame_queue import LeftOut
from webapp.referee.watch import watch

FRAMES, PAUSE_S = 12, 0.01


class FogClip:
    """A short recorded clip that shows nothing."""

    name, is_live = "fog", False

    def frames(
        self, _stop: threading.Event, _report: Callable[[str], None]
    ) -> Iterator[TimedFrame]:
        for number in range(FRAMES):
            image = np.full((48, 64, 3), 120, np.uint8)
            yield TimedFrame(picture=CameraImage(image), t_s=number * PAUSE_S)


def test_a_clip_played_in_real_time_drops_no_frame_and_plays_slower() -> None:
    seen: list[float] = []

    def work_slowly(_image: np.ndarray, t_s: float) -> None:
        seen.append(t_s)
        time.sleep(3 * PAUSE_S)  # the machine that cannot keep up

    statistics = watch(
        RealTimeSource(FogClip()), on_event=lambda _event: None, on_frame=work_slowly
    )
    assert seen == [number * PAUSE_S for number in range(FRAMES)]
    assert (statistics.frames, statistics.left_out) == (FRAMES, LeftOut())


class MissingCamera:
    """A live source that cannot be opened; ``threads`` ran while somebody tried to."""

    name, is_live = "camera 0", True
    threads: frozenset[threading.Thread] = frozenset()

    def frames(
        self, _stop: threading.Event, _report: Callable[[str], None]
    ) -> Iterator[TimedFrame]:
        self.threads = frozenset(threading.enumerate())
        raise SourceError("camera 0 cannot be opened; check that it is there and free.")
        yield


def test_physics_are_not_loaded_before_the_camera_has_shown_anything() -> None:
    before, camera = frozenset(threading.enumerate()), MissingCamera()
    with pytest.raises(SourceError):
        watch(camera, on_event=lambda _event: None)
    assert [each.name for each in camera.threads - before] == ["capture"]
