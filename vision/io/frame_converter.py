"""Decoded frames as players show them: with square pixels, whatever the sample aspect ratio, and
upright, by the display matrix that phones write."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, cast

import cv2
import numpy as np

from calibration.parameters import StageParameters, parameter

if TYPE_CHECKING:
    import av


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameConverterParameters(StageParameters):
    """What ``frame_converter`` takes for granted."""

    stage: ClassVar[str] = "io.frame_converter"

    #: Width over height of a pixel outside these bounds is a broken header.
    pixel_aspect_bounds: tuple[float, float] = parameter(
        (0.4, 2.5), unit="", source="broadcasters' are from 0.89 to 2.19"
    )


PARAMS = FrameConverterParameters.active()


class FrameConverter:
    """Converts the frames of one stream."""

    def __init__(self, stream: av.VideoStream) -> None:
        from av.video.reformatter import VideoReformatter

        self._stream, self._reformatter = stream, VideoReformatter()

    def convert(self, frame: av.VideoFrame) -> np.ndarray:
        """The frame (h, w, 3) uint8 BGR as it is to be shown."""
        aspect = self._stream.sample_aspect_ratio or 1
        low, high = PARAMS.pixel_aspect_bounds
        width = round(frame.width * aspect) if low <= aspect <= high else frame.width
        shown = self._reformatter.reformat(frame, width, frame.height, "bgr24")
        return _rotate_upright(shown.to_ndarray(), _read_display_matrix(frame))


def _read_display_matrix(frame: av.VideoFrame) -> np.ndarray:
    """The upper left (2, 2) of the frame's display matrix: (x, y) as stored @ it is as shown."""
    data = cast("bytes | None", frame.side_data.get("DISPLAYMATRIX"))  # a buffer of nine int32
    if data is None:
        return np.eye(2)
    return np.frombuffer(data, np.int32).reshape(3, 3)[:2, :2] / 65536.0


def _rotate_upright(image: np.ndarray, shown_from_stored: np.ndarray) -> np.ndarray:
    """The image turned by the nearest of the eight ways in which a rectangle can lie."""
    (a, b), (c, d) = shown_from_stored
    if abs(b) + abs(c) > abs(a) + abs(d):
        image, a, d = cv2.transpose(image), c, b
    if a < 0:
        image = cv2.flip(image, -1 if d < 0 else 1)
    elif d < 0:
        image = cv2.flip(image, 0)
    return image
