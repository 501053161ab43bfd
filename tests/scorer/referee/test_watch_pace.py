"""A recorded clip played on a computer that cannot keep up, and a missing camera."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest
from json_referee import keep_json
from paths import CLIPS

from scorer.referee.capture_thread import RealTimeSource
from scorer.referee.events import Event, to_json
from scorer.referee.frame_queue import LeftOut
from scorer.referee.watch import watch
from vision.io.sources import SourceError, open_source
from vision.io.timed_frame import CameraImage, TimedFrame
from vision.track.status_reports import SILENT

FRAMES, PAUSE_S = 12, 0.01


class FogClip:
    """A short recorded clip of a blank picture."""

    name, is_live = "fog", False

    def frames(
        self, _stop: threading.Event, _report: Callable[[str], None]
    ) -> Iterator[TimedFrame]:
        for number in range(FRAMES):
            image = np.full((48, 64, 3), 120, np.uint8)
            yield TimedFrame(picture=CameraImage(image), t_s=number * PAUSE_S)


def test_a_clip_played_in_real_time_drops_no_frame_and_plays_slower() -> None:
    seen: list[float] = []

    def work_slowly(_picture: CameraImage, t_s: float) -> None:
        seen.append(t_s)
        time.sleep(3 * PAUSE_S)  # the computer that cannot keep up

    statistics = watch(
        RealTimeSource(FogClip()), on_event=lambda _event: None, on_frame=work_slowly
    )
    assert seen == [number * PAUSE_S for number in range(FRAMES)]
    assert (statistics.frames, statistics.left_out) == (FRAMES, LeftOut())


class MissingCamera:
    """A live source that cannot be opened; ``threads`` are the threads that ran during the
    attempts.
    """

    name, is_live = "camera 0", True
    threads: frozenset[threading.Thread] = frozenset()

    def frames(
        self, _stop: threading.Event, _report: Callable[[str], None]
    ) -> Iterator[TimedFrame]:
        self.threads = frozenset(threading.enumerate())
        raise SourceError("camera 0 cannot be opened. Check that it is connected and not in use.")
        yield


def test_physics_are_not_loaded_before_the_camera_has_shown_anything() -> None:
    before, camera = frozenset(threading.enumerate()), MissingCamera()
    with pytest.raises(SourceError):
        watch(camera, on_event=lambda _event: None)
    assert [thread.name for thread in camera.threads - before] == ["capture"]


class BusyCamera:
    """A live camera whose picture moves all the time, for three seconds."""

    name, is_live = "camera 1", True

    def frames(
        self, _stop: threading.Event, _report: Callable[[str], None]
    ) -> Iterator[TimedFrame]:
        for number in range(90):
            image = np.full((480, 640, 3), 120, np.uint8)
            image[:, 5 * number : 5 * number + 60] = 30
            yield TimedFrame(picture=CameraImage(image), t_s=number / 30)


def test_a_score_is_in_doubt_where_frames_in_motion_waited_when_watching_stopped() -> None:
    events: list[dict] = []
    stop = threading.Event()

    def stop_late(_picture: CameraImage, t_s: float) -> None:
        time.sleep(0.05)  # until the others wait
        if t_s > 0.2:
            stop.set()

    watch(BusyCamera(), on_event=keep_json(events), on_frame=stop_late, stop=stop)
    (end,) = [event for event in events if event["type"] == "ended"]
    assert end["left_out"]["moving"] > 15
    (score,) = [event for event in events if event["type"] == "round"]
    assert score["needs_review"]
    assert "too busy to check every frame" in score["doubts"][0]


class DyingCamera:
    """A live camera that sends one frame and then nothing, for as long as it is held open."""

    name, is_live = "camera 2", True

    def __init__(self) -> None:
        self.is_dead = threading.Event()

    def frames(self, stop: threading.Event, _report: Callable[[str], None]) -> Iterator[TimedFrame]:
        yield TimedFrame(picture=CameraImage(np.full((48, 64, 3), 120, np.uint8)), t_s=0.0)
        self.is_dead.set()
        stop.wait()


def test_watching_a_camera_that_sends_nothing_more_can_be_stopped() -> None:
    """Once, the stop was never noticed, and the round's score was lost with it."""
    events: list[dict] = []
    camera, stop = DyingCamera(), threading.Event()
    watching = threading.Thread(
        target=watch,
        args=(camera,),
        kwargs={"on_event": keep_json(events), "stop": stop},
        daemon=True,  # otherwise a watch that does not end would block the tests
    )
    watching.start()
    assert camera.is_dead.wait(20)
    stop.set()
    watching.join(timeout=20)
    assert not watching.is_alive()
    assert [event["type"] for event in events if event["type"] == "ended"] == ["ended"]


class SilentCamera:
    """A live camera of the sample round that falls silent as its first shot ends, 0.1 s after the
    discs stop, until the shot ``is_told``; then it continues. Every frame waits until the one
    before was ``looked_at``, so none is skipped even on a busy computer.
    """

    name, is_live = "camera 3", True
    silent_at_s, silent_s, ends_at_s = 3.45, 3.0, 5.0

    def __init__(self) -> None:
        self.is_told, self.looked_at = threading.Event(), threading.Semaphore(0)
        self.was_told_in_silence = False

    def frames(self, stop: threading.Event, report: Callable[[str], None]) -> Iterator[TimedFrame]:
        away_s = 0.0
        for frame in open_source(str(CLIPS / "round.mp4")).frames(stop, report):
            if frame.t_s > self.ends_at_s:
                return
            if frame.t_s > self.silent_at_s and not away_s:
                self.was_told_in_silence = self.is_told.wait(60)
                away_s = self.silent_s
            yield replace(frame, t_s=frame.t_s + away_s)
            self.looked_at.acquire(timeout=60)


def test_a_shot_is_told_when_its_camera_falls_silent_and_not_again_when_it_goes_on() -> None:
    camera, events = SilentCamera(), list[dict]()

    def take(event: Event) -> None:
        events.append(to_json(event))
        if event.type == "shot":
            camera.is_told.set()

    watch(camera, on_event=take, on_frame=lambda *_: camera.looked_at.release())
    assert camera.was_told_in_silence
    (shot,), (twenty,), (score,) = (
        [event for event in events if event["type"] == kind] for kind in ("shot", "twenty", "round")
    )
    assert shot["verdict"] == "legal"
    assert shot["t_rest_s"] <= twenty["t_s"] < camera.silent_at_s
    assert not score["needs_review"]
    lost = [event for event in events if event["type"] == "not_refereeing"]
    assert [(event["reason"], event["over"]) for event in lost] == [
        (SILENT.reason, False),
        (SILENT.reason, True),
    ]
