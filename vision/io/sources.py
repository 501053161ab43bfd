"""Frames from a folder of pictures, a video file, a camera, a network stream or a phone.

Every source yields its frames in order with their times in seconds of the source. A source that
``is_live`` continues when frames are not read, and is opened again when it fails. A source that
cannot be used raises ``SourceError``; a single bad frame is reported and skipped.
"""

from __future__ import annotations

import contextlib
import os
import queue
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import cv2

from calibration.parameters import StageParameters, parameter
from calibration.phrase import Phrase
from vision.io.encoded_image import read_encoded_image
from vision.io.frame import decode_whole
from vision.io.live_capture import LiveCapture, StreamClock, connect_camera, connect_stream
from vision.io.timed_frame import CameraImage, FrameSource, SourceError, TimedFrame
from vision.io.video_file import POLL_S, VideoFile

_PICTURES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"})
#: Largest number of digits in a camera's number; OpenCV stores it in a C int.
_MAX_CAMERA_DIGITS = 4
_STREAMS = ("rtsp://", "rtsps://", "rtmp://", "http://", "https://", "udp://")


class SourcesParameters(StageParameters):
    """Parameters of ``sources``."""

    #: Frame rate assumed for a folder of pictures.
    folder_fps: float = parameter(30.0, unit="1/s", source="chosen: the frame rate of most phones")


PARAMS = SourcesParameters()
#: Number of sent frames that may wait to be decoded; a sender then has to wait: one frame to work
#: on next, and one for a short delay of the source.
_MAX_QUEUED_FRAMES = 2
#: A larger picture from a phone is refused before decoding: no video frame is this large.
MAX_PUSHED_BYTES = 8_000_000


def open_source(text: str) -> FrameSource:
    """The source that the user named. Raises ``SourceError`` if there is none."""
    _silence_opencv()
    if text.isdecimal() and len(text) <= _MAX_CAMERA_DIGITS:
        return LiveCapture(
            name=Phrase("camera %(camera)s", camera=text),
            connect=partial(connect_camera, int(text)),
        )
    if text.lower().startswith(_STREAMS):
        return LiveCapture(name=name_source(text), connect=partial(connect_stream, text))
    path = Path(text)
    if path.is_dir():
        return PictureFolder(path)
    if path.is_file():
        return VideoFile(path)
    raise SourceError(Phrase("%(path)s: File not found. Check the name.", path=text))


def name_source(text: str) -> str:
    """A source as it may be shown to anyone: a file's name without its folder, and of a network
    address only the computer, because the rest may hold a password.
    """
    if "://" not in text:
        return Path(text).name
    with contextlib.suppress(ValueError):
        address = urlsplit(text)
        host, port = address.hostname, f":{address.port}" if address.port else ""
        if "@" not in address.path + address.query + address.fragment:  # a password may end there
            return f"{address.scheme}://{host}{port}"
    return Phrase("network camera")


def _silence_opencv() -> None:
    """Silence the warnings of OpenCV and FFmpeg: errors are reported here in one sentence."""
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # AV_LOG_QUIET
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_ERROR)


class PictureFolder:
    """The pictures of a folder in the order of their names, evenly timed."""

    is_live = False

    def __init__(self, folder: Path) -> None:
        self.name = str(folder)
        self._fps = PARAMS.folder_fps
        self._paths = sorted(
            path
            for path in folder.iterdir()
            if path.suffix.lower() in _PICTURES and not path.is_fifo()
        )
        if not self._paths:
            raise SourceError(
                Phrase(
                    "The folder %(folder)s contains no photos. Choose one with JPEG or PNG files.",
                    folder=folder,
                )
            )

    def frames(self, stop: threading.Event, report: Callable[[str], None]) -> Iterator[TimedFrame]:
        count = 0
        for index, path in enumerate(self._paths):
            if stop.is_set():
                return
            try:
                image = decode_whole(path.read_bytes())
            except OSError as error:
                report(
                    Phrase(
                        "%(name)s no longer exists and was skipped (%(strerror)s).",
                        name=path.name,
                        strerror=error.strerror,
                    )
                )
                continue
            if image is None:
                report(
                    Phrase("%(name)s cannot be read as a photo and was skipped.", name=path.name)
                )
                continue
            count += 1
            yield TimedFrame(picture=CameraImage(image), t_s=index / self._fps)
        if count == 0:
            raise SourceError(
                Phrase(
                    "No photos in the folder %(name)s can be read. Check the files.", name=self.name
                )
            )


class PushedFrames:
    """Frames sent by another device, such as a phone's camera, one picture file at a time."""

    is_live = True

    def __init__(self, name: str = "phone") -> None:
        self.name = name
        self._queue: queue.Queue[tuple[bytes, float | None]] = queue.Queue(
            maxsize=_MAX_QUEUED_FRAMES
        )
        self._is_closed = threading.Event()

    def push(self, picture: bytes, stated_s: float | None = None) -> None:
        """Add a JPEG or PNG with its sender's time, s of the sender's clock. Waits until earlier
        frames are decoded. Raises ``SourceError`` if the picture is too large.
        """
        if len(picture) > MAX_PUSHED_BYTES:
            raise SourceError(Phrase("The frame is too large. Send frames of at most 8 MB."))
        while not self._is_closed.is_set():
            with contextlib.suppress(queue.Full):
                self._queue.put((picture, stated_s), timeout=POLL_S)
                return

    def close(self) -> None:
        """Close the source: no more frames will come."""
        self._is_closed.set()

    def frames(self, stop: threading.Event, report: Callable[[str], None]) -> Iterator[TimedFrame]:
        started_s, clock = time.monotonic(), StreamClock()
        while not stop.is_set():
            try:
                picture, stated_s = self._queue.get(timeout=POLL_S)
            except queue.Empty:
                if self._is_closed.is_set():
                    return
                continue
            image = read_encoded_image(picture)
            if image is None:
                report(Phrase("A frame could not be decoded and was skipped."))
                continue
            t_s = clock.time_of(time.monotonic() - started_s, stated_s)
            yield TimedFrame(picture=image, t_s=t_s)
