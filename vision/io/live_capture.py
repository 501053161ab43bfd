"""Live sources: a camera of this computer through OpenCV, or a network stream through FFmpeg
(PyAV).

Both continue when nobody reads their frames, and are reopened when they fail. A camera's frames are
timed on arrival. A stream's frames carry the sender's times, because networks deliver in bursts.
OpenCV opens cameras by number on every system, which PyAV cannot; only PyAV reports a stream's
times.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import cv2
import numpy as np

from calibration.phrase import Phrase
from vision.io.frame_converter import FrameConverter
from vision.io.open_container import open_container
from vision.io.timed_frame import CameraImage, SourceError, TimedFrame

if TYPE_CHECKING:
    from av.container import InputContainer


#: A failed live source is reopened after the first delay; the delay then doubles: a loose plug
#: is soon back in place.
REOPEN_S = 0.5
#: The last of these delays: no user should wait longer.
_REOPEN_MAX_S = 10.0
#: A stream silent for this long has failed: longer than a usual interruption of a network.
_SILENCE_S = 5.0
#: If a stated time differs by more than this from a frame's arrival, the sender has restarted its
#: clock: more than the segments by which a player may be ahead.
_MOST_SKEW_S = 30.0
#: The mode requested from a camera of this computer; a camera without it sends the nearest: the
#: size that clubs are advised to use, in which a pixel is 0.7 mm.
_CAMERA_SIZE_PX = (1280, 720)
#: The rate requested from it: twice the rate that tracking of discs needs.
_CAMERA_FPS = 30.0
#: Pictures over HTTP: their frames have no times, and FFmpeg would invent some.
_UNTIMED_FORMATS = frozenset({"mpjpeg", "mjpeg", "image2pipe", "jpeg_pipe"})

#: Frames on arrival, with the time stated by the sender (s of its own clock), if any.
StatedFrames = Iterator[tuple[CameraImage, float | None]]


class LiveCapture:
    """A live source that is reopened when it fails; ``connect`` returns None if that is not
    possible.
    """

    is_live = True

    def __init__(self, *, name: str, connect: Callable[[], StatedFrames | None]) -> None:
        self.name = name
        self._connect = connect

    def frames(self, stop: threading.Event, report: Callable[[str], None]) -> Iterator[TimedFrame]:
        """Frames until ``stop`` is set. Raises ``SourceError`` if it cannot be opened the first
        time.
        """
        started_s, clock = time.monotonic(), StreamClock()
        pause_s, was_open = REOPEN_S, False
        while not stop.is_set():
            connection = self._connect()
            if connection is None and not was_open:
                raise SourceError(
                    Phrase(
                        "%(name)s cannot be opened. Check that it is connected and not in use.",
                        name=self.name,
                    )
                )
            clock.restart()
            for picture, stated_s in connection or ():
                if stop.is_set():
                    return
                was_open, pause_s = True, REOPEN_S
                t_s = clock.time_of(time.monotonic() - started_s, stated_s)
                yield TimedFrame(picture=picture, t_s=t_s)
            if stop.is_set():
                return
            report(
                Phrase(
                    "%(name)s is not sending any frames. Trying again in %(pause_s).1f s.",
                    name=self.name,
                    pause_s=pause_s,
                )
            )
            stop.wait(pause_s)
            pause_s = min(2 * pause_s, _REOPEN_MAX_S)


class StreamClock:
    """Times of a live source's frames: the sender's times if they are plausible; always increasing.

    The first frame of a connection is timed on arrival, and the others by the sender's intervals.
    """

    def __init__(self) -> None:
        self._last_s = -np.inf
        self._offset_s: float | None = None

    def restart(self) -> None:
        """Start a new connection, whose sender may count its times from another moment."""
        self._offset_s = None

    def time_of(self, arrived_s: float, stated_s: float | None) -> float:
        """Time of a frame, s of the source's clock; the arguments are in seconds of two different
        clocks.
        """
        if stated_s is None or self._offset_s is None:
            t_s = arrived_s
        else:
            t_s = stated_s + self._offset_s
            if t_s <= self._last_s or abs(t_s - arrived_s) > _MOST_SKEW_S:
                t_s = arrived_s
        t_s = max(t_s, float(np.nextafter(self._last_s, np.inf)))
        self._last_s = t_s
        self._offset_s = None if stated_s is None else t_s - stated_s
        return t_s


def connect_camera(number: int) -> StatedFrames | None:
    """Frames of a camera of this computer; None if it cannot be opened."""
    capture = cv2.VideoCapture(number)
    if not capture.isOpened():
        return None
    _ask_for_mode(capture)
    good, first = capture.read()
    if not good:  # if the driver accepts a mode and then fails, use its default mode
        capture.release()
        capture = cv2.VideoCapture(number)
        good, first = capture.read()
    if not good:
        capture.release()
        return None
    return _read_camera(capture, first)


def _ask_for_mode(capture: cv2.VideoCapture) -> None:
    """Request large and fast frames from a camera, because OpenCV's default is 640 by 480.

    JPEG is requested first, because USB 2 has room for only ten such uncompressed frames a second.
    A driver ignores unknown settings.
    """
    width_px, height_px = _CAMERA_SIZE_PX
    capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
    capture.set(cv2.CAP_PROP_FRAME_WIDTH, width_px)
    capture.set(cv2.CAP_PROP_FRAME_HEIGHT, height_px)
    capture.set(cv2.CAP_PROP_FPS, _CAMERA_FPS)


def connect_stream(address: str) -> StatedFrames | None:
    """Frames of a network stream; None if it cannot be opened."""
    # Loaded only for streams: photos do not need it.
    import av

    av.logging.set_level(None)  # see ``video_file``
    # Without UDP, where lost packets smear the picture.
    options = {"rtsp_transport": "tcp"} if address.lower().startswith("rtsp") else {}
    limits = _SILENCE_S, _SILENCE_S
    try:
        container = open_container(address, options=options, timeout=limits)
    except (av.FFmpegError, OSError, ValueError):
        return None
    if not container.streams.video:
        container.close()
        return None
    return _read_stream(container)


def _read_camera(capture: cv2.VideoCapture, first: np.ndarray) -> StatedFrames:
    try:
        good, image = True, first
        while good:
            yield CameraImage(image), None
            good, image = capture.read()
    finally:
        capture.release()


def _read_stream(container: InputContainer) -> StatedFrames:
    """Frames until the stream ends or is silent for too long; damaged ones are skipped."""
    import av

    with container:
        stream = container.streams.video[0]
        stream.thread_type = "SLICE"  # threads by frames would hold some back
        converter = FrameConverter(stream)
        has_times = container.format.name not in _UNTIMED_FORMATS
        packets = container.demux(stream)
        while True:
            try:
                packet = next(packets)
            except (StopIteration, av.FFmpegError, OSError):
                return
            try:
                frames = packet.decode()
            except av.FFmpegError:
                continue
            for frame in frames:
                yield converter.convert(frame), frame.time if has_times else None
