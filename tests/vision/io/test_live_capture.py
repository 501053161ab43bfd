"""Live sources: a stream's frames at its sender's times, and reports of its failures."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice

import cv2
import numpy as np
import pytest
from written_clip import draw_scene, write_clip

from vision.io.live_capture import REOPEN_S, LiveCapture, StreamClock
from vision.io.sources import SourceError, open_source


@contextmanager
def serving(content_type: str, send: Callable[[Callable[[bytes], object]], None]) -> Iterator[str]:
    """The address of a stream to which ``send`` writes on every connection."""

    class Stream(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", content_type)
            self.end_headers()
            try:
                send(self.wfile.write)
            except OSError:
                return  # the reader has gone

        def log_message(self, *_: object) -> None:
            """Keep the terminal clean."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Stream)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/stream"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_stream_s_frames_are_timed_by_its_sender_though_they_come_in_bursts(tmp_path):
    clip = write_clip(tmp_path / "a.ts", [draw_scene(k) for k in range(60)], is_grainy=True)
    data = clip.read_bytes()

    def send_in_bursts(write) -> None:
        for part in (data[: len(data) // 2], data[len(data) // 2 :]):
            write(part)
            time.sleep(0.4)

    with serving("video/mp2t", send_in_bursts) as address:
        stop = threading.Event()
        shown = list(islice(open_source(address).frames(stop, lambda _: stop.set()), 55))
    times_s = np.array([frame.t_s for frame in shown])
    assert np.diff(times_s) == pytest.approx(np.full(54, 1 / 30), abs=2e-3)
    assert shown[0].image.shape == (240, 320, 3)


def test_a_stream_that_ends_is_opened_again_and_its_times_go_on(tmp_path):
    clip = write_clip(tmp_path / "a.ts", [draw_scene(k) for k in range(20)])
    data = clip.read_bytes()
    said: list[str] = []
    with serving("video/mp2t", lambda write: write(data)) as address:
        shown = list(islice(open_source(address).frames(threading.Event(), said.append), 30))
    assert len(said) == 1
    assert "is not sending any frames. Trying again in 0.5 s" in said[0]
    times_s = np.array([frame.t_s for frame in shown])
    assert np.all(np.diff(times_s) > 0)
    assert times_s[-1] - times_s[0] > REOPEN_S


def test_pictures_over_http_are_timed_as_they_come():
    picture = cv2.imencode(".jpg", draw_scene(0))[1].tobytes()
    head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(picture)}\r\n\r\n"

    def send_slowly(write) -> None:
        for _ in range(12):
            write(head.encode() + picture + b"\r\n")
            time.sleep(0.1)

    with serving("multipart/x-mixed-replace; boundary=frame", send_slowly) as address:
        stop = threading.Event()
        shown = list(islice(open_source(address).frames(stop, lambda _: stop.set()), 10))
    assert len(shown) == 10
    # FFmpeg reads the first frames before it shows one; with invented times, all pauses would be 40
    # ms.
    assert shown[-1].t_s - shown[-4].t_s > 0.2


def test_a_stream_that_is_not_there_is_named():
    with pytest.raises(SourceError, match=r"cannot be opened\. Check that it is connected"):
        next(open_source("http://127.0.0.1:9/x").frames(threading.Event(), lambda _: None))


def test_a_camera_that_dies_is_opened_again():
    image = draw_scene(0)
    connections = [iter([(image, None)] * 2), None, iter([(image, None)])]
    said: list[str] = []
    source = LiveCapture(name="camera 3", connect=lambda: connections.pop(0))
    shown = list(islice(source.frames(threading.Event(), said.append), 3))
    assert len(shown) == 3
    assert said == [
        "camera 3 is not sending any frames. Trying again in 0.5 s.",
        "camera 3 is not sending any frames. Trying again in 1.0 s.",
    ]


def times_of(*frames: tuple[float, float | None]) -> list[float]:
    """The times of frames with the given arrival times and stated times."""
    clock = StreamClock()
    return [clock.time_of(arrived_s, stated_s) for arrived_s, stated_s in frames]


def test_stated_times_count_from_when_the_first_frame_came():
    assert times_of((2.0, 100.0), (2.9, 100.1), (2.9, 100.2)) == pytest.approx([2.0, 2.1, 2.2])


def test_a_senders_new_count_is_used_from_there_on():
    times_s = times_of((2.0, 100.0), (2.1, 100.1), (2.2, 0.0), (2.5, 0.1))
    assert times_s == pytest.approx([2.0, 2.1, 2.2, 2.3])
    times_s = times_of((2.0, 100.0), (2.1, 9000.0), (2.5, 9000.1))
    assert times_s == pytest.approx([2.0, 2.1, 2.2])


def test_frames_without_times_are_timed_as_they_come():
    assert times_of((2.0, None), (2.1, 7.0), (2.5, 7.1), (2.6, None)) == pytest.approx(
        [2.0, 2.1, 2.2, 2.6]
    )


def test_no_time_comes_twice():
    times_s = times_of((2.0, 5.0), (2.0, 5.0), (2.0, 5.0))
    assert times_s[0] < times_s[1] < times_s[2]


class UsbCamera:
    """A substitute for a webcam's driver and its answers to requested modes.

    It can send 1280 by 720 only as JPEG, and a ``broken`` one fails when a mode is requested.
    """

    opened: list[UsbCamera]

    def __init__(self, _number: int, *, is_broken: bool = False) -> None:
        self.size, self.is_jpeg, self.is_broken = [640, 480], False, is_broken
        self.is_asked, self.is_released = False, False
        UsbCamera.opened.append(self)

    def isOpened(self) -> bool:  # noqa: N802  # OpenCV's name
        return True

    def set(self, what: int, value: float) -> bool:
        self.is_asked = True
        if what == cv2.CAP_PROP_FOURCC:
            self.is_jpeg = value == cv2.VideoWriter.fourcc(*"MJPG")
        elif what in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT) and self.is_jpeg:
            self.size[what == cv2.CAP_PROP_FRAME_HEIGHT] = int(value)
        return True

    def read(self) -> tuple[bool, np.ndarray | None]:
        if self.is_broken and self.is_asked:
            return False, None
        return True, np.zeros((self.size[1], self.size[0], 3), np.uint8)

    def release(self) -> None:
        self.is_released = True


@pytest.mark.parametrize(("is_broken", "shape"), [(False, (720, 1280)), (True, (480, 640))])
def test_a_camera_is_asked_for_frames_large_enough_and_taken_as_it_is_where_it_fails(
    monkeypatch: pytest.MonkeyPatch, is_broken: bool, shape: tuple[int, int]
) -> None:
    monkeypatch.setattr(UsbCamera, "opened", [], raising=False)
    monkeypatch.setattr(cv2, "VideoCapture", partial(UsbCamera, is_broken=is_broken))
    frames = open_source("0").frames(threading.Event(), pytest.fail)
    assert [next(frames).image.shape[:2] for _ in range(3)] == [shape] * 3
    frames.close()
    assert all(camera.is_released for camera in UsbCamera.opened)
    assert len(UsbCamera.opened) == 1 + is_broken
