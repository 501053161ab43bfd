"""The frames that every source yields, and the error of a source that fails."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np

from calibration.user_error import Trouble


class SourceError(Trouble):
    """A source that cannot be used; the message is one sentence with the remedy."""


class BrokenOffError(SourceError):
    """A recording that is shorter than it states; raised after its last frame."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ImagePlane:
    """Samples of an image as its camera sent them.

    levels    (h, w) or (h, w, 3) uint8
    every_px  the image's pixels per sample, in x and in y
    contrast  sample levels per grey level of BGR
    """

    levels: np.ndarray
    every_px: int = 1
    contrast: float = 1.0

    def cut(self, rows: slice, columns: slice) -> ImagePlane:
        """The plane of these rows and columns of samples."""
        levels = self.levels[rows, columns]
        return ImagePlane(levels=levels, every_px=self.every_px, contrast=self.contrast)


@dataclass(frozen=True, slots=True, kw_only=True)
class PixelBox:
    """A box of pixels, from ``left`` and ``top`` up to but excluding ``right`` and ``bottom``."""

    left: int
    top: int
    right: int
    bottom: int

    def cut(self, plane: ImagePlane) -> ImagePlane:
        """The samples of a plane that overlap the box; left and top must be multiples of
        ``every_px``.
        """
        every_px = plane.every_px
        rows = slice(self.top // every_px, -(-self.bottom // every_px))
        return plane.cut(rows, slice(self.left // every_px, -(-self.right // every_px)))


class CameraImage:
    """A camera's picture, upright and with square pixels; derived pictures are made on demand.

    Most frames of a game show a board at rest, and their colours are never needed.
    """

    def __init__(self, bgr: np.ndarray) -> None:
        """``bgr`` is (h, w, 3) uint8."""
        self._bgr = bgr

    @property
    def shape(self) -> tuple[int, ...]:
        """Height, width and 3."""
        return self._bgr.shape

    @property
    def nbytes(self) -> int:
        """Memory in use now."""
        return self._bgr.nbytes

    @property
    def bgr(self) -> np.ndarray:
        """The image (h, w, 3) uint8 BGR."""
        return self._bgr

    @property
    def bgra(self) -> np.ndarray:
        """The image (h, w, 4) uint8, which is faster to resample than three channels."""
        return cv2.cvtColor(self.bgr, cv2.COLOR_BGR2BGRA)

    @property
    def grey(self) -> np.ndarray:
        """Its brightness (h, w) uint8."""
        return cv2.cvtColor(self.bgr, cv2.COLOR_BGR2GRAY)

    @property
    def jpeg(self) -> bytes | None:
        """The JPEG from which it was decoded; None for any other source."""
        return None

    def shrink(self, most_width_px: int) -> np.ndarray:
        """The image reduced to at most that width, with its aspect ratio: (h, w, 3) uint8 BGR.

        Down to half the size, two samples in each direction use every pixel and take a third of the
        time.
        """
        height, width = self.shape[:2]
        if width <= most_width_px:
            return self.bgr
        size = most_width_px, round(height * most_width_px / width)
        way = cv2.INTER_AREA if width >= 2 * most_width_px else cv2.INTER_LINEAR
        return cv2.resize(self.bgr, size, interpolation=way)

    def resample(self, x_px: np.ndarray, y_px: np.ndarray) -> np.ndarray:
        """The image's values at pixels (n, m) float32: (n, m, 3) uint8 BGR, bilinear."""
        seen = cv2.remap(self.bgra, x_px, y_px, cv2.INTER_LINEAR)
        return cv2.cvtColor(seen, cv2.COLOR_BGRA2BGR)

    @property
    def planes(self) -> tuple[ImagePlane, ...]:
        """The image's planes, unconverted if they can be shown unchanged."""
        return (ImagePlane(levels=self.bgr),)

    def cut_planes(self, box: PixelBox) -> tuple[ImagePlane, ...]:
        """The planes within a box whose left and top are even."""
        return tuple(box.cut(plane) for plane in self.planes)

    def show_planes(self, planes: tuple[ImagePlane, ...]) -> CameraImage:
        """The image with these planes, which are of the same kinds as its own."""
        return CameraImage(planes[0].levels)

    def average_squares(self, square_px: int) -> list[np.ndarray]:
        """The planes' means over squares of that many pixels, float32, in levels of BGR."""
        return [average_squares(plane, square_px) for plane in self.planes]


def average_squares(plane: ImagePlane, square_px: int) -> np.ndarray:
    """A plane's means over squares of that many pixels of its image, float32, in levels of BGR."""
    square, (height, width) = square_px // plane.every_px, plane.levels.shape[:2]
    size = max(1, width // square), max(1, height // square)
    means = cv2.resize(plane.levels, size, interpolation=cv2.INTER_AREA)
    return means.astype(np.float32) / plane.contrast


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TimedFrame:
    """One frame of a source.

    left_out  number of skipped frames before it that could not be decoded
    is_cut    the picture was cut before it
    """

    picture: CameraImage
    t_s: float
    left_out: int = 0
    is_cut: bool = False

    @property
    def image(self) -> np.ndarray:
        """The frame (height, width, 3) uint8 BGR with square pixels, upright."""
        return self.picture.bgr


class FrameSource(Protocol):
    """A source of frames; messages call it ``name``."""

    name: str
    is_live: bool

    def frames(self, stop: threading.Event, report: Callable[[str], None]) -> Iterator[TimedFrame]:
        """Frames until the source ends or ``stop`` is set; problems are passed to ``report``."""
