"""A shot's replay: the camera's frames as one MP4 that browsers play and step through.

It is encoded from the ring buffer's JPEGs at their own times, with a keyframe every half second. A
JPEG that cannot be decoded is replaced by the one before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import av
import cv2
import numpy as np

from vision.io.encode_video import VideoFormat, encode_video
from vision.io.timed_frame import CameraImage
from webapp.live.ring_buffer import JpegFrame, encode_screen_jpeg

#: x264's constant rate factor: as good as the encoded JPEGs.
_QUALITY = 23
#: Frames between keyframes, to which a player can jump: stepping back decodes no more than this.
_SEEK_STEP = 15
#: The frame rate at which the ring buffer keeps frames while discs move.
_FPS = 30.0


def encode_replay(film: Sequence[JpegFrame]) -> bytes | None:
    """The frames as MP4; the first is at 0 s. None if the first cannot be decoded, or there is
    none.

    Raises ``OSError`` if no temporary file can be written, and ``ValueError`` for an impossible
    film: its times do not increase, or no encoder accepts it.
    """
    first = _decode(film[0]) if film else None
    if first is None:
        return None
    size = first.shape[1], first.shape[0]
    video = VideoFormat(size=size, stored=size, fps=_FPS, quality=_QUALITY, seek_step=_SEEK_STEP)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "replay.mp4"
        try:
            encode_video(_fill_gaps(film, first), path, video, [frame.t_s for frame in film])
        except av.FFmpegError as error:
            raise ValueError(f"the replay cannot be encoded ({error})") from error
        return path.read_bytes()


def extract_picture(replay: bytes, number: int) -> bytes | None:
    """One frame of a replay, from 0, as JPEG; None if there is none."""
    with av.open(BytesIO(replay), "r") as container:
        frame = next(islice(container.decode(video=0), number, None), None)
        return (
            None
            if frame is None
            else encode_screen_jpeg(CameraImage(frame.to_ndarray(format="bgr24")))
        )


def _fill_gaps(film: Sequence[JpegFrame], first: np.ndarray) -> Iterator[np.ndarray]:
    """The film's pictures (h, w, 3) BGR, all in the first one's size."""
    shown = first
    height, width = first.shape[:2]
    for frame in film:
        picture = _decode(frame)
        if picture is not None:
            shown = (
                picture if picture.shape == first.shape else cv2.resize(picture, (width, height))
            )
        yield shown


def _decode(frame: JpegFrame) -> np.ndarray | None:
    """A picture (h, w, 3) BGR of even width and height, as H.264 requires."""
    picture = cv2.imdecode(np.frombuffer(frame.jpeg, np.uint8), cv2.IMREAD_COLOR)
    if picture is None or min(picture.shape[:2]) < 2:
        return None
    return picture[: picture.shape[0] // 2 * 2, : picture.shape[1] // 2 * 2]
