"""Frames to an MP4 file with H.264, which browsers and OpenCV both read.

PyAV writes it: OpenCV's own writer has no H.264 and its files are some five times larger.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoFormat:
    """How frames are stored.

    size      width and height of the frames, pixels
    stored    of the file's; where these differ its pixels are not square, which it says
    quality   x264's constant rate factor
    is_small  takes three times as long for a file that is a third smaller
    """

    size: tuple[int, int]
    stored: tuple[int, int]
    fps: float
    quality: int
    is_small: bool = False


def encode_video(frames: Iterable[np.ndarray], path: Path, video: VideoFormat) -> None:
    """Write frames (h, w, 3), 8-bit, blue first."""
    size, stored = video.size, video.stored
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
        }
        for frame in frames:
            if stored != size:
                frame = cv2.resize(frame, stored, interpolation=cv2.INTER_AREA)
            picture = av.VideoFrame.from_ndarray(np.ascontiguousarray(frame), format="bgr24")
            for packet in stream.encode(picture):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
