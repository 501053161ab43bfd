"""A moving camera's picture as its first one shows the board.

It is resampled only where it is asked for, by cubic convolution (Keys 1981): bilinear resampling
would blur each frame by its own shift, and then nothing ever lies still.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import ClassVar

import cv2
import numpy as np

from calibration.board import FloatArray
from calibration.parameters import StageParameters, parameter
from vision.io.timed_frame import CameraImage, ImagePlane, PixelBox
from vision.track.kernels.shift_plane import shift_plane
from vision.track.steady.picture_registration import make_shift, scale_pixels


class SteadiedImageParameters(StageParameters):
    """What ``steadied_image`` takes for granted."""

    stage: ClassVar[str] = "track.steady.steadied_image"

    #: Less is not worth a resampling.
    least_px: float = parameter(0.03, unit="px", source="chosen: what registration errs by")
    #: A picture that is moved by more than a shift is smoothed by so much: encoders and cameras
    #: leave edges as sharp as they fall between pixels.
    smooth_px: float = parameter(
        1.0,
        unit="px",
        source="a film swayed by 3 px: of a board at rest 500 mm² change without, 5 mm² so",
    )


PARAMS = SteadiedImageParameters.active()


class SteadiedImage(CameraImage):
    """A moving camera's picture without its motion."""

    def __init__(self, seen: CameraImage, warp: FloatArray, kept: KeptWork | None = None) -> None:
        """``warp`` (3, 3) gives the pixels of ``seen`` for those where they should be.

        ``kept`` is shared by the frames of a view.
        """
        self._seen = seen
        self._smooth_px = 0.0 if _is_shift(warp) else PARAMS.smooth_px
        self._kept = kept or KeptWork()
        self.warp = np.eye(3) if _is_small_shift(warp) else warp
        self._made: np.ndarray | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return self._seen.shape

    @property
    def nbytes(self) -> int:
        return self._seen.nbytes

    @property
    def bgr(self) -> np.ndarray:
        if self._made is None:
            self._made = self._seen.show_planes(self.planes).bgr
        return self._made

    @property
    def planes(self) -> tuple[ImagePlane, ...]:
        height, width = self.shape[:2]
        return self.cut_planes(PixelBox(left=0, top=0, right=width, bottom=height))

    def cut_planes(self, box: PixelBox) -> tuple[ImagePlane, ...]:
        made, planes = self._kept.find_planes(self, box)
        inner = box.relative_to(made)
        return tuple(inner.cut(plane) for plane in planes)

    @property
    def sharp(self) -> SteadiedImage:
        """The same before it was smoothed, to be read."""
        made = SteadiedImage(self._seen, self.warp)
        made._smooth_px = 0.0
        return made

    def make_planes(self, box: PixelBox) -> tuple[ImagePlane, ...]:
        """Its planes within a box, resampled anew."""
        moved = (
            replace(plane, levels=_move_back(plane, box, self.warp)) for plane in self._seen.planes
        )
        return tuple(_smooth(plane, self._smooth_px) for plane in moved)

    def show_planes(self, planes: tuple[ImagePlane, ...]) -> CameraImage:
        return self._seen.show_planes(planes)

    def resample(self, x_px: np.ndarray, y_px: np.ndarray) -> np.ndarray:
        box, x, y = self._kept.find_maps(x_px, y_px, self.shape)
        return self._seen.show_planes(self.cut_planes(box)).resample(x, y)


class KeptWork:
    """What a view's frames need again: the last maps, moved into the box that they reach, and the
    last frame's planes within a box."""

    def __init__(self) -> None:
        self._asked: tuple[np.ndarray, np.ndarray] | None = None
        self._maps: tuple[PixelBox, np.ndarray, np.ndarray] | None = None
        self._image: SteadiedImage | None = None
        self._planes: tuple[PixelBox, tuple[ImagePlane, ...]] | None = None

    def find_maps(
        self, x_px: np.ndarray, y_px: np.ndarray, shape: tuple[int, ...]
    ) -> tuple[PixelBox, np.ndarray, np.ndarray]:
        """The part of pictures of ``shape`` that is needed to read them at these places (n, m), and
        the places in it. Nobody writes to any of them."""
        asked = self._asked
        if self._maps is None or asked is None or asked[0] is not x_px or asked[1] is not y_px:
            box = _find_box(x_px, y_px, shape)
            self._asked = x_px, y_px
            self._maps = box, x_px - np.float32(box.left), y_px - np.float32(box.top)
        return self._maps

    def find_planes(
        self, image: SteadiedImage, box: PixelBox
    ) -> tuple[PixelBox, tuple[ImagePlane, ...]]:
        """A box that holds ``box``, and the image's planes within it."""
        if self._planes is None or self._image is not image or not self._planes[0].holds(box):
            self._image = image
            self._planes = box, image.make_planes(box)
        return self._planes


def _find_box(x_px: np.ndarray, y_px: np.ndarray, shape: tuple[int, ...]) -> PixelBox:
    """The part of a picture of that shape that is needed to read it at these places."""
    first, last = [], []
    for places, size in ((x_px, shape[1]), (y_px, shape[0])):
        low = min(max(int(places.min()), 0), size - 2) // 2 * 2
        first.append(low)
        last.append(max(min(int(places.max()) + 2, size), low + 2))
    return PixelBox(left=first[0], top=first[1], right=last[0], bottom=last[1])


def _is_shift(warp: FloatArray) -> bool:
    """Whether a homography (3, 3) is one."""
    (a, b, _), (c, d, _), last = warp.tolist()
    return (a, b, c, d) == (1.0, 0.0, 0.0, 1.0) and last == [0.0, 0.0, 1.0]


def _is_small_shift(warp: FloatArray) -> bool:
    return _is_shift(warp) and bool(np.linalg.norm(warp[:2, 2]) < PARAMS.least_px)


def _move_back(plane: ImagePlane, box: PixelBox, warp: FloatArray) -> np.ndarray:
    """A plane's samples within a box, read where a homography (3, 3) of the image's pixels says."""
    shape = box.cut(plane).levels.shape
    if not _is_shift(warp):
        sample_from_pixel = scale_pixels(1 / plane.every_px)
        first = make_shift(np.array([box.left, box.top]) // plane.every_px)
        sample_warp = sample_from_pixel @ warp @ scale_pixels(plane.every_px) @ first
        return cv2.warpPerspective(
            plane.levels,
            sample_warp,
            shape[1::-1],
            flags=cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        )
    return _shift(plane, box, warp[:2, 2] / plane.every_px)


def _smooth(plane: ImagePlane, sigma_px: float) -> ImagePlane:
    """A plane smoothed by so many of its image's pixels."""
    if sigma_px == 0:
        return plane
    sigma = sigma_px / plane.every_px
    return replace(plane, levels=cv2.GaussianBlur(plane.levels, (0, 0), sigma))


def _shift(plane: ImagePlane, box: PixelBox, shift: FloatArray) -> np.ndarray:
    """A plane's samples within a box, without their shift (2,), in samples."""
    seen = box.cut(plane).levels
    if not shift.any():
        return seen
    height, width = seen.shape[:2]
    (left, across), (above, down) = (_make_taps(float(each)) for each in shift)
    rows = above + box.top // plane.every_px, height + len(down) - 1
    columns = left + box.left // plane.every_px, width + len(across) - 1
    read = _cut_going_on(plane.levels, rows, columns)
    moved = np.empty(seen.shape, np.uint8)
    channels = seen.size // (height * width)
    shift_plane(_flatten_rows(read), channels, across, down, _flatten_rows(moved))
    return moved


def _flatten_rows(levels: np.ndarray) -> np.ndarray:
    """A plane (h, w) or (h, w, c) with all levels of a row in one: (h, w c), and no copy."""
    return levels if levels.ndim == 2 else levels.reshape(len(levels), -1)


def _cut_going_on(
    levels: np.ndarray, rows: tuple[int, int], columns: tuple[int, int]
) -> np.ndarray:
    """So many rows and columns from a first one on; the outermost ones go on outside."""
    inside, above, below = _split_span(*rows, len(levels))
    across, left, right = _split_span(*columns, levels.shape[1])
    cut = levels[inside, across]
    if above == below == left == right == 0:
        return cut
    return cv2.copyMakeBorder(cut, above, below, left, right, cv2.BORDER_REPLICATE)


def _split_span(first: int, count: int, size: int) -> tuple[slice, int, int]:
    """The part of a span that lies in a picture so large, one sample at least, and how much of it
    comes before that and after it."""
    inside = slice(min(max(first, 0), size - 1), max(min(first + count, size), 1))
    before = min(max(-first, 0), count - 1)
    return inside, before, count - before - (inside.stop - inside.start)


def _make_taps(shift: float) -> tuple[int, np.ndarray]:
    """From which sample on four are read, ``shift`` farther on, and their taps (4,) float32."""
    whole = math.floor(shift)
    taps = [_weigh(abs(place - (shift - whole))) for place in range(-1, 3)]
    return whole - 1, np.array(taps, np.float32)


def _weigh(away: float) -> float:
    """Keys's weight of a sample so far away, in samples."""
    if away < 1:
        return 1.5 * away**3 - 2.5 * away**2 + 1
    return -0.5 * away**3 + 2.5 * away**2 - 4 * away + 2 if away < 2 else 0.0
