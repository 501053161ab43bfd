"""Converts decoded frames to the form that video players show: with square pixels for any sample
aspect ratio, and turned upright by the display matrix that phones write.

Frames are kept as decoded, with separate luma and chroma, and converted to BGR on demand.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import cv2
import numpy as np

from vision.io.timed_frame import CameraImage, ImagePlane

if TYPE_CHECKING:
    import av


#: If a pixel's width over its height is outside these bounds, the header is broken: wider than the
#: 0.89 to 2.19 that broadcast video has.
_PIXEL_ASPECT_BOUNDS = (0.4, 2.5)


#: Formats of luma and, at half the resolution in either direction, chroma; 16 to 235, or 0 to 255.
_PLANAR_FORMATS = frozenset({"yuv420p", "yuvj420p"})
#: Phones film in this ten-bit format; it is reduced to the first of the eight-bit formats above.
_DEEP_FORMAT, _SHALLOW_FORMAT = "yuv420p10le", "yuv420p"
#: Levels of luma, and of chroma, per level of BGR (BT.601, 16 to 235).
_LUMA_CONTRAST, _CHROMA_CONTRAST = 219 / 255, 0.5
#: Number of pixels in a row that FFmpeg converts at once.
_WORD_PX = 16


class FrameConverter:
    """Converts the frames of one stream."""

    def __init__(self, stream: av.VideoStream) -> None:
        self._stream = stream
        self._formats = FormatConverter()
        self._turn: Turn | None = None

    def convert(self, frame: av.VideoFrame) -> DecodedImage:
        """The frame as displayed; it no longer depends on the stream."""
        aspect = self._stream.sample_aspect_ratio or 1
        low, high = _PIXEL_ASPECT_BOUNDS
        width = round(frame.width * aspect) if low <= aspect <= high else frame.width
        if self._turn is None:  # all frames of a stream are turned alike
            self._turn = find_turn(_read_display_matrix(frame))
        return DecodedImage(self._formats.make_shallow(frame), width, self._formats, self._turn)


class FormatConverter:
    """Converts frames between pixel formats, in any thread."""

    def __init__(self) -> None:
        from av.video.reformatter import VideoReformatter

        self._reformatters: dict[tuple[str, int, int], VideoReformatter] = defaultdict(
            VideoReformatter  # a converter keeps its tables for one format and size
        )
        self._scratch: dict[tuple[int, int], av.VideoFrame] = {}
        self._lock = threading.Lock()

    def make_shallow(self, frame: av.VideoFrame) -> av.VideoFrame:
        """The frame reduced to eight bits per sample, for speed; other formats are returned
        unchanged.
        """
        if frame.format.name != _DEEP_FORMAT:
            return frame
        with self._lock:
            reformatter = self._reformatters[_SHALLOW_FORMAT, frame.width, frame.height]
            return reformatter.reformat(frame, format=_SHALLOW_FORMAT)

    def convert(self, frame: av.VideoFrame, size: tuple[int, int], name: str) -> np.ndarray:
        """The frame in the format ``name``, as stored, with a size of (width, height): (h, w, c)
        uint8, averaged if it is smaller.
        """
        from av.video.reformatter import Interpolation

        way = Interpolation.AREA if size[1] < frame.height else None
        with self._lock:
            reformatter = self._reformatters[name, *size]
            made = reformatter.reformat(frame, *size, name, interpolation=way)
        return made.to_ndarray()

    def convert_planes(
        self, like: av.VideoFrame, planes: tuple[ImagePlane, ...], name: str
    ) -> np.ndarray:
        """Luma and chroma planes, in the colour space of another frame, as (h, w, c) uint8 in the
        format ``name``."""
        height, width = planes[0].levels.shape
        whole = -(-width // _WORD_PX) * _WORD_PX  # FFmpeg errs in a row's last, partial word
        with self._lock:
            frame = self._scratch.get((whole, height))
            if frame is None or frame.format.name != like.format.name:
                frame = type(like)(whole, height, like.format.name)
                self._scratch[whole, height] = frame  # allocating memory for every frame is slow
            frame.colorspace, frame.color_range = like.colorspace, like.color_range
            for own, plane in zip(frame.planes, planes, strict=True):
                _read_plane(own)[:, : plane.levels.shape[1]] = plane.levels
            reformatter = self._reformatters[name, whole, height]
            return reformatter.reformat(frame, whole, height, name).to_ndarray()[:, :width]


class DecodedImage(CameraImage):
    """A decoded frame, whose BGR and planes are computed on demand and cached."""

    def __init__(
        self,
        frame: av.VideoFrame,
        width: int,
        formats: FormatConverter,
        turn: Turn,
    ) -> None:
        """The frame is displayed ``width`` square pixels wide, then turned upright."""
        self._frame, self._width, self._formats = frame, width, formats
        self._turn = turn
        self._stored_bytes = sum(plane.buffer_size for plane in frame.planes)
        self._made: np.ndarray | None = None
        self._planes: tuple[ImagePlane, ...] | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        size = self._frame.height, self._width
        return (*(size[::-1] if self._turn.is_transposed else size), 3)

    @property
    def nbytes(self) -> int:
        return self._stored_bytes + (0 if self._made is None else self._made.nbytes)

    @property
    def bgr(self) -> np.ndarray:
        if self._made is None:
            self._made = self._convert("bgr24")
        return self._made

    @property
    def bgra(self) -> np.ndarray:
        if self._width % _WORD_PX:  # FFmpeg miscalculates the last, incomplete word of a row
            return cv2.cvtColor(self.bgr, cv2.COLOR_BGR2BGRA)
        return self._convert("bgra")

    @property
    def grey(self) -> np.ndarray:
        planes = self._stored_planes
        return planes[0].levels if planes else cv2.cvtColor(self.bgr, cv2.COLOR_BGR2GRAY)

    @property
    def planes(self) -> tuple[ImagePlane, ...]:
        return self._stored_planes or (ImagePlane(levels=self.bgr),)

    def show_planes(self, planes: tuple[ImagePlane, ...]) -> CameraImage:
        if len(planes) == 1:
            return super().show_planes(planes)
        return _PlanarImage(planes, self._frame, self._formats)

    def shrink(self, most_width_px: int) -> np.ndarray:
        share = most_width_px / self.shape[1]
        if share >= 1:
            return self.bgr
        size = round(share * self._width), round(share * self._frame.height)
        return self._turn.apply(self._formats.convert(self._frame, size, "bgr24"))

    def _convert(self, name: str) -> np.ndarray:
        size = self._width, self._frame.height
        return self._turn.apply(self._formats.convert(self._frame, size, name))

    @property
    def _stored_planes(self) -> tuple[ImagePlane, ...]:
        """Luma and chroma of a frame with square pixels; empty for any other frame."""
        if self._planes is None:
            self._planes = self._find_planes()
        return self._planes

    def _find_planes(self) -> tuple[ImagePlane, ...]:
        frame = self._frame
        if frame.format.name not in _PLANAR_FORMATS or self._width != frame.width:
            return ()
        luma, *chroma = (self._turn.apply(_read_plane(plane)) for plane in frame.planes)
        return (
            ImagePlane(levels=luma, contrast=_LUMA_CONTRAST),
            *(ImagePlane(levels=plane, every_px=2, contrast=_CHROMA_CONTRAST) for plane in chroma),
        )


class _PlanarImage(CameraImage):
    """Luma and chroma in the colour space of a decoded frame; converted on demand."""

    def __init__(
        self, planes: tuple[ImagePlane, ...], like: av.VideoFrame, formats: FormatConverter
    ) -> None:
        self._own, self._like, self._formats = planes, like, formats

    @property
    def shape(self) -> tuple[int, ...]:
        return (*self._own[0].levels.shape, 3)

    @property
    def nbytes(self) -> int:
        return 3 * self._own[0].levels.size

    @property
    def bgr(self) -> np.ndarray:
        return np.ascontiguousarray(self._formats.convert_planes(self._like, self._own, "bgr24"))

    @property
    def bgra(self) -> np.ndarray:
        return self._formats.convert_planes(self._like, self._own, "bgra")


def _read_plane(plane: av.video.plane.VideoPlane) -> np.ndarray:
    """The samples (h, w) uint8 of one plane of a frame, as a view of its memory."""
    rows = np.frombuffer(cast("memoryview", plane), np.uint8).reshape(plane.height, -1)
    return rows[:, : plane.width]


def _read_display_matrix(frame: av.VideoFrame) -> np.ndarray:
    """The upper left (2, 2) block of the frame's display matrix: (x, y) as stored @ matrix gives
    (x, y) as displayed.
    """
    with suppress(ValueError):  # PyAV cannot list side data that FFmpeg added later, such as EXIF
        if data := cast("bytes | None", frame.side_data.get("DISPLAYMATRIX")):  # nine int32
            return np.frombuffer(data, np.int32).reshape(3, 3)[:2, :2] / 65536.0
    return cv2.getRotationMatrix2D((0, 0), -frame.rotation, 1)[:, :2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One of the eight orientations of a rectangle: transposed or not, and then flipped.

    flip  as in OpenCV: rows (0), columns (1), both (-1); None for no flip
    """

    is_transposed: bool
    flip: int | None

    def apply(self, image: np.ndarray) -> np.ndarray:
        """The image (h, w) or (h, w, c) in this orientation."""
        turned = cv2.transpose(image) if self.is_transposed else image
        return turned if self.flip is None else cv2.flip(turned, self.flip)


def find_turn(shown_from_stored: np.ndarray) -> Turn:
    """The orientation nearest to a display matrix (2, 2)."""
    (a, b), (c, d) = shown_from_stored.tolist()
    is_transposed = abs(b) + abs(c) > abs(a) + abs(d)  # stored rows are displayed as columns
    x, y = (c, b) if is_transposed else (a, d)
    flip = (-1 if y < 0 else 1) if x < 0 else (0 if y < 0 else None)
    return Turn(is_transposed=is_transposed, flip=flip)
