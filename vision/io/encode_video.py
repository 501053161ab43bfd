"""Encodes frames as an MP4 file with H.264, which browsers and OpenCV can both read.

PyAV does the encoding: OpenCV's own writer has no H.264, and its files are about five times as
large.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import av
import cv2
import numpy as np

#: Time base for frames that carry their own times.
_TICK_S = Fraction(1, 1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoFormat:
    """How frames are stored.

    size      width and height of the frames, pixels
    stored    size in the file, both even; if it differs, the file states its pixels' aspect ratio
    quality   x264's constant rate factor
    is_small  encode for three times as long, to make the file a third smaller
    seek_step frames between keyframes, which players can seek to; the default is x264's own
    """

    size: tuple[int, int]
    stored: tuple[int, int]
    fps: float
    quality: int
    is_small: bool = False
    seek_step: int = 250


def encode_video(
    frames: Iterable[np.ndarray],
    path: Path,
    video: VideoFormat,
    times_s: Sequence[float] | None = None,
) -> None:
    """Write frames (h, w, 3), 8-bit BGR; frames without times are evenly spaced."""
    size, stored = video.size, video.stored
    ticks = None if times_s is None else _count_ticks(times_s)
    with av.open(str(path), mode="w", options={"movflags": "+faststart"}) as container:
        stream = container.add_stream("libx264", rate=Fraction(video.fps).limit_denominator(1001))
        stream.width, stream.height = stored
        if stored != size:
            pixel = Fraction(size[0], size[1]) / Fraction(stored[0], stored[1])
            stream.codec_context.sample_aspect_ratio = pixel
        stream.pix_fmt = "yuv420p"
        stream.options = {
            "crf": str(video.quality),
            "preset": "slow" if video.is_small else "veryfast",
            "g": str(video.seek_step),
        }
        if ticks is not None:
            stream.codec_context.time_base = _TICK_S
        for index, frame in enumerate(frames):
            if stored != size:
                frame = cv2.resize(frame, stored, interpolation=cv2.INTER_AREA)
            picture = av.VideoFrame.from_ndarray(np.ascontiguousarray(frame), format="bgr24")
            if ticks is not None:
                picture.pts, picture.time_base = ticks[index], _TICK_S
            container.mux(stream.encode(picture))
        container.mux(stream.encode())


def _count_ticks(times_s: Sequence[float]) -> list[int]:
    """Frame times in ticks after the first frame. Raises ``ValueError`` if they do not increase."""
    ticks = [round((time_s - times_s[0]) / _TICK_S) for time_s in times_s]
    if any(b <= a for a, b in pairwise(ticks)):
        raise ValueError("times of frames increase")
    return ticks
