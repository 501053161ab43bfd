"""A ring buffer of a camera's last few seconds as JPEGs, from which a shot's replay is made.

It keeps every frame while discs move, up to 31 a second, and few when nothing moves. A shot that
took longer than the buffer holds loses its beginning.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from vision.io.encode_picture import encode_jpeg
from vision.io.timed_frame import CameraImage

#: Width and quality of pictures for screens: enough to judge a shot, and light for a phone.
_WIDTH_PX, _QUALITY = 960, 72
#: Time between two pictures at rest, and during motion, s of the source: 30 a second look smooth
#: enough at quarter speed.
_REST_STEP_S, _MOTION_STEP_S = 0.09, 1 / 31
#: Number of frames in the buffer: 15 s of motion.
_CAPACITY = 480
#: A replay begins this long before the first movement, and ends this long after the last, s.
_BEFORE_S, _AFTER_S = 0.6, 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class JpegFrame:
    """A picture at a time of its source, s, as JPEG."""

    t_s: float
    jpeg: bytes


class FrameRingBuffer:
    """The frames of the last seconds: all of them while discs move, few when nothing moves."""

    def __init__(self) -> None:
        self._looks: deque[JpegFrame] = deque(maxlen=_CAPACITY)
        self.is_moving = False

    def take(self, picture: CameraImage, t_s: float) -> None:
        """Keep a frame if one is due."""
        since_s = _MOTION_STEP_S if self.is_moving else _REST_STEP_S
        if not self._looks or t_s - self._looks[-1].t_s >= since_s:
            jpeg = picture.jpeg or encode_screen_jpeg(picture)
            self._looks.append(JpegFrame(t_s=t_s, jpeg=jpeg))

    def shot(self, t_start_s: float, t_rest_s: float) -> tuple[JpegFrame, ...]:
        """The pictures of a shot, oldest first."""
        begin_s, end_s = t_start_s - _BEFORE_S, t_rest_s + _AFTER_S
        return tuple(look for look in self._looks if begin_s <= look.t_s <= end_s)


def encode_screen_jpeg(picture: CameraImage) -> bytes:
    """The picture as JPEG, small enough for a phone."""
    return encode_jpeg(picture.shrink(_WIDTH_PX), _QUALITY)
