"""Tiny clips in the style of cameras and broadcasters, with various shapes, orientations and
times.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np

_GRAIN_SIGMA = 12.0


def draw_scene(moment: int, size: tuple[int, int] = (320, 240)) -> np.ndarray:
    """A picture (h, w, 3) BGR without symmetry, in which a disc moves 4 px per step."""
    width, height = size
    across = np.linspace(40, 120, width)[None, :]
    down = np.linspace(0, 80, height)[:, None]
    image = np.repeat((across + down)[..., None], 3, axis=2).astype(np.uint8)
    cv2.rectangle(image, (10, 10), (width // 4, height // 5), (200, 60, 40), -1)
    cv2.circle(image, (40 + 4 * moment % (width - 80), height // 2), 14, (30, 30, 230), -1)
    return image


def cut_clip(clip: Path, path: Path, until_s: float) -> Path:
    """Write a clip's frames before a time, as they are stored; returns the path."""
    with av.open(str(clip)) as whole, av.open(str(path), "w") as part:
        stream = whole.streams.video[0]
        copied = part.add_stream_from_template(stream)
        for packet in whole.demux(stream):
            if packet.pts is not None and packet.pts * packet.time_base < until_s:
                packet.stream = copied
                part.mux(packet)
    return path


def write_clip(
    path: Path,
    frames: Sequence[np.ndarray],
    *,
    fps: float = 30,
    times_ms: Sequence[int] | None = None,
    pixel_aspect: Fraction = Fraction(1),
    rotation_deg: float = 0.0,
    is_mirrored: bool = False,
    is_grainy: bool = False,
    quality: int = 18,
) -> Path:
    """Write frames (h, w, 3) BGR as H.264; returns the path.

    rotation_deg  how far a player turns the stored picture, anticlockwise, before mirroring it
    is_grainy     whether each frame has its own grain, so that all have a similar size in the file
    """
    rng = np.random.default_rng(5)
    options = {"movflags": "+faststart"} if path.suffix == ".mp4" else {}
    with av.open(str(path), "w", options=options) as container:
        stream = container.add_stream("libx264", rate=Fraction(fps).limit_denominator(1001))
        stream.height, stream.width = frames[0].shape[:2]
        stream.pix_fmt = "yuv420p"
        stream.options = {"crf": str(quality), "preset": "veryfast", "g": "15"}
        stream.codec_context.sample_aspect_ratio = pixel_aspect
        if times_ms is not None:
            stream.codec_context.time_base = Fraction(1, 1000)
        if rotation_deg or is_mirrored:
            stream.set_display_rotation(rotation_deg, hflip=is_mirrored)
        for index, frame in enumerate(frames):
            if is_grainy:
                frame = frame + rng.normal(0.0, _GRAIN_SIGMA, frame.shape)
                frame = frame.clip(0, 255).astype(np.uint8)
            picture = av.VideoFrame.from_ndarray(np.ascontiguousarray(frame), format="bgr24")
            if times_ms is not None:
                picture.pts, picture.time_base = times_ms[index], Fraction(1, 1000)
            container.mux(stream.encode(picture))
        container.mux(stream.encode())
    return path
