"""A recorded clip played at its own speed on a machine that cannot keep up."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import numpy as np

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
