"""A trembling camera's frames, shifted to where its first one was taken.

A camera on a table that people lean on sways by a fraction of a pixel, and then nothing ever lies
still. The picture of the board is registered to the view's first by translation alone (Lucas and
Kanade 1981, over its strongest edges, with gain and offset; robust: Huber's weights), whatever
hands and discs cover of it, up to a half. Only a camera that trembles is followed: one that stands
still, or was pushed, is left as it is.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, replace
from typing import ClassVar

import cv2
import numpy as np

from calibration.board import FloatArray
from calibration.fit import BoardFit
from calibration.parameters import StageParameters, parameter
from vision.io.timed_frame import CameraImage, ImagePlane, PixelBox
from vision.track.kernels.picture_shift import sum_normal_equations
from vision.track.kernels.shift_plane import TAPS_SUM, shift_plane


@dataclass(frozen=True, slots=True, kw_only=True)
class StabiliserParameters(StageParameters):
    """What ``stabiliser`` takes for granted."""

    stage: ClassVar[str] = "track.motion.stabiliser"

    #: A camera trembles whose last shifts, so many of them, spread by more than this.
    samples: int = parameter(6, unit="", source="chosen: 0.2 s at 30 frames a second")
    trembles_px: float = parameter(
        0.1, unit="px", source="films: read as ever at 0.2 px, at 0.35 px nothing lies still"
    )
    #: While discs move, one frame of so many is looked at.
    every: int = parameter(5, unit="", source="chosen for speed")
    #: A picture that is farther off than the one before by so much was pushed, or shows something
    #: else; so was one that is so much farther off than the first.
    most_px: float = parameter(4.0, unit="px", source="chosen: a bump moves boards by more")
    farthest_px: float = parameter(
        16.0, unit="px", source="chosen: twice what a camera on a table sways by"
    )
    #: Less is not worth a resampling.
    least_px: float = parameter(0.03, unit="px", source="chosen: what registration errs by")
    #: So many pixels with the strongest edges are compared, of pictures of at most this width.
    pixels: int = parameter(4000, unit="", source="chosen: all lines of a board, an edge of two")
    width_px: int = parameter(640, unit="px", source="chosen for speed")
    rounds: int = parameter(12, unit="", source="chosen: 3 or 4 are enough where it converges")
    converged_px: float = parameter(
        0.02, unit="px", source="chosen: under least_px, what is worth a resampling"
    )
    #: A pixel shows the board where it differs by no more; and so large a share of them must.
    same_grey: float = parameter(14.0, unit="grey value", source="chosen: noise of a dim camera")
    same_share: float = parameter(0.5, unit="share", source="chosen: most of them")
    ridge: float = parameter(1e-6, unit="", source="chosen: a blank picture has a solution, too")
    huber_grey: float = parameter(4.0, unit="grey value", source="chosen: noise of most cameras")
    rim_points: int = parameter(64, unit="", source="chosen: a circle to 0.4 mm")


PARAMS = StabiliserParameters.active()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Edges:
    """The strongest edges of a view's first frame: where (n, 2), how bright (n,), which way and how
    steeply (n, 2), in a picture so many times smaller than the frame."""

    places_px: FloatArray
    grey: FloatArray
    slopes: FloatArray
    shape: tuple[int, ...]
    scale: float


class Stabiliser:
    """Follows the camera of one view."""

    def __init__(self) -> None:
        """No view is known yet."""
        self._edges: _Edges | None = None
        self._shifts: deque[FloatArray] = deque(maxlen=PARAMS.samples)
        self._last_px: FloatArray = np.zeros(2)
        self._frames = 0
        self._is_trembling = False
        self._kept = _KeptWork()

    def start(self, image: CameraImage, fit: BoardFit) -> None:
        """Take a frame as the view's first: others are shifted to it."""
        self._edges = _find_edges(image, fit)
        self._shifts.clear()
        self._last_px = np.zeros(2)
        self._frames, self._is_trembling = 0, False

    def steady(self, image: CameraImage, *, every: int | None) -> CameraImage:
        """The frame where the first one was, if the camera trembles; else as it is.

        ``every`` so many frames it is asked whether it does; never where None.
        """
        if not self._is_trembling:
            self._frames += 1
            if every is None or self._frames % every:
                return image
        shift_px = None
        if self._edges is not None:
            shift_px = measure_shift_px(self._edges, image, self._last_px)
        if shift_px is None:
            self._shifts.clear()
            return image
        self._shifts.append(shift_px)
        self._last_px = shift_px
        if len(self._shifts) == PARAMS.samples:
            spread_px = float(np.std(self._shifts, axis=0).max())
            self._is_trembling |= spread_px > PARAMS.trembles_px
        return SteadiedImage(image, shift_px, self._kept) if self._is_trembling else image


class SteadiedImage(CameraImage):
    """A trembling camera's picture without its tremble, resampled only where it is asked for.

    By cubic convolution (Keys 1981): bilinear resampling would blur each frame by its own shift,
    and then nothing ever lies still.
    """

    def __init__(
        self, seen: CameraImage, shift_px: FloatArray, kept: _KeptWork | None = None
    ) -> None:
        """``shift_px`` (2,) is how far ``seen`` lies from where it should; ``kept`` is shared by
        the frames of a view."""
        self._seen = seen
        self._kept = kept or _KeptWork()
        self._shift_px = shift_px if np.linalg.norm(shift_px) >= PARAMS.least_px else np.zeros(2)
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
    def bgra(self) -> np.ndarray:
        return cv2.cvtColor(self.bgr, cv2.COLOR_BGR2BGRA)

    @property
    def grey(self) -> np.ndarray:
        return cv2.cvtColor(self.bgr, cv2.COLOR_BGR2GRAY)

    @property
    def planes(self) -> tuple[ImagePlane, ...]:
        height, width = self.shape[:2]
        return self.cut_planes(PixelBox(left=0, top=0, right=width, bottom=height))

    def cut_planes(self, box: PixelBox) -> tuple[ImagePlane, ...]:
        made, planes = self._kept.find_planes(self, box)
        inner = box.relative_to(made)
        return tuple(replace(each, levels=inner.cut(each)) for each in planes)

    def make_planes(self, box: PixelBox) -> tuple[ImagePlane, ...]:
        """Its planes within a box, resampled anew."""
        return tuple(
            replace(each, levels=_move_back(each, box, self._shift_px / each.every_px))
            for each in self._seen.planes
        )

    def show_planes(self, planes: tuple[ImagePlane, ...]) -> CameraImage:
        return self._seen.show_planes(planes)

    def resample(self, x_px: np.ndarray, y_px: np.ndarray) -> np.ndarray:
        box, x, y = self._kept.find_maps(x_px, y_px, self.shape)
        return self._seen.show_planes(self.cut_planes(box)).resample(x, y)


class _KeptWork:
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


def _find_edges(image: CameraImage, fit: BoardFit) -> _Edges:
    """The strongest edges on the playing surface."""
    grey = _shrink(image)
    scale = image.shape[1] / grey.shape[1]
    angle = np.linspace(0, 2 * np.pi, PARAMS.rim_points, endpoint=False)
    rim_mm = fit.spec.surface_radius_mm * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    board = np.zeros_like(grey)
    cv2.fillPoly(board, [np.rint(fit.view.project_plane(rim_mm) / scale).astype(np.int32)], 1)
    slope_x, slope_y = (
        cv2.Sobel(grey, cv2.CV_32F, 1 - axis, axis, scale=1 / 8) for axis in range(2)
    )
    steep = np.where(board > 0, slope_x**2 + slope_y**2, 0.0).ravel()
    count = min(PARAMS.pixels, int(np.count_nonzero(steep)))
    chosen = np.argpartition(steep, -count)[-count:] if count else np.zeros(0, dtype=int)
    row, column = np.unravel_index(chosen, grey.shape)
    return _Edges(
        places_px=np.stack([column, row], axis=1).astype(np.float32),
        grey=grey[row, column].astype(np.float32),
        slopes=np.stack([slope_x[row, column], slope_y[row, column]], axis=1),
        shape=grey.shape,
        scale=scale,
    )


def measure_shift_px(
    edges: _Edges, image: CameraImage, last_px: FloatArray | None = None
) -> FloatArray | None:
    """How far (2,) a frame lies from the first one; None where too little of the board shows.

    ``last_px`` (2,) is how far one did that came not long before.
    """
    now = _shrink(image)
    if now.shape != edges.shape or len(edges.grey) == 0:
        return None
    start = np.zeros(2) if last_px is None else last_px / edges.scale
    state = np.array([*start, 0.0, 0.0])  # the shift, and how the light has changed
    for number in range(PARAMS.rounds):
        matrix, right, same = sum_normal_equations(
            now,
            edges.places_px,
            edges.slopes,
            edges.grey,
            state,
            PARAMS.huber_grey,
            PARAMS.same_grey,
        )
        step = np.linalg.solve(matrix + PARAMS.ridge * np.eye(4), right)
        state = np.concatenate([state[:2] + step[:2], step[2:]])
        if np.linalg.norm(state[:2] - start) * edges.scale > PARAMS.most_px:
            return None
        if np.linalg.norm(state[:2]) * edges.scale > PARAMS.farthest_px:
            return None
        if number > 0 and np.linalg.norm(step[:2]) * edges.scale < PARAMS.converged_px:
            break
    else:
        return None  # it creeps towards what the board shows elsewhere
    if same < PARAMS.same_share * len(edges.grey):
        return None
    return np.asarray(state[:2] * edges.scale)


def _shrink(image: CameraImage) -> np.ndarray:
    """The picture in grey, and halved until it is narrow enough."""
    grey = image.grey
    while grey.shape[1] > PARAMS.width_px:
        size = grey.shape[1] // 2, grey.shape[0] // 2
        grey = cv2.resize(grey, size, interpolation=cv2.INTER_AREA)
    return grey


def _move_back(plane: ImagePlane, box: PixelBox, shift: FloatArray) -> np.ndarray:
    """A plane's samples within a box, without their shift (2,), in samples."""
    seen = box.cut(plane)
    if not shift.any():
        return seen
    levels = np.ascontiguousarray(plane.levels)
    moved = np.empty(seen.shape, np.uint8)
    channels = 1 if levels.ndim == 2 else levels.shape[2]
    (left, across), (above, down) = (_make_taps(float(each)) for each in shift)
    shift_plane(
        levels.reshape(len(levels), -1),
        channels,
        box.left // plane.every_px + left,
        across,
        box.top // plane.every_px + above,
        down,
        moved.reshape(len(moved), -1),
    )
    return moved


def _make_taps(shift: float) -> tuple[int, np.ndarray]:
    """From which sample on four are read, ``shift`` farther on, and their taps (4,) int32."""
    whole = math.floor(shift)
    taps = [round(TAPS_SUM * _weigh(abs(place - (shift - whole)))) for place in range(-1, 3)]
    taps[taps.index(max(taps))] += TAPS_SUM - sum(taps)
    return whole - 1, np.array(taps, np.int32)


def _weigh(away: float) -> float:
    """Keys's weight of a sample so far away, in samples."""
    if away < 1:
        return 1.5 * away**3 - 2.5 * away**2 + 1
    return -0.5 * away**3 + 2.5 * away**2 - 4 * away + 2 if away < 2 else 0.0
