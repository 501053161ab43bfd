"""The frames of a shot in the form that the ring buffer stores."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from webapp.live.ring_buffer import JpegFrame


def draw_film(
    times_s: Sequence[float] = (0.5, 0.6), size: tuple[int, int] = (160, 90)
) -> tuple[JpegFrame, ...]:
    """A picture for each time; the k-th has the grey level 40 + 10 k, to distinguish them."""
    width, height = size
    levels = [40 + 10 * k % 200 for k in range(len(times_s))]
    pictures = [np.full((height, width, 3), level, np.uint8) for level in levels]
    return tuple(
        JpegFrame(t_s=t_s, jpeg=cv2.imencode(".jpg", picture)[1].tobytes())
        for t_s, picture in zip(times_s, pictures, strict=True)
    )


def read_level(jpeg: bytes | None) -> int:
    """The index of the film's picture, by its grey level."""
    assert jpeg is not None
    grey = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_GRAYSCALE)
    return round((float(grey.mean()) - 40) / 10)
