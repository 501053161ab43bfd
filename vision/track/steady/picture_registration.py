"""The homography that aligns a frame's picture of the board with an earlier one.

Lucas and Kanade's (1981) least squares over the strongest edges, with the gain of the light, robust
(Cauchy's weights) against hands and discs over up to half of the board. Pictures are compared
without their local mean: otherwise light that changes on a part of the board, such as a patch of
sun, seems to move the camera. A homography describes any camera motion for a plane (inverse
compositional: Baker and Matthews 2004). It fails (None) if the camera is more than a few pixels
from its expected place, or too little of the board shows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import FloatArray
from calibration.circle import circle_mm
from calibration.fit import BoardFit
from calibration.parameters import StageParameters, parameter
from vision.io.timed_frame import CameraImage


class PictureRegistrationParameters(StageParameters):
    """Parameters of ``picture_registration``."""

    #: A picture this much farther off than expected shows a pushed camera or another scene; ...
    most_px: float = parameter(4.0, unit="px", source="chosen: a bump moves boards by more")
    #: ... and so does one that is this much farther off than the first, as a share of its width.
    farthest: float = parameter(
        0.1, unit="share", source="chosen: half a minute of a camera that sags by 4 px/s"
    )
    #: Pictures are smoothed by this much before the comparison, as are moving pictures: linear
    #: interpolation of sharp pixels blurs more or less depending on the position between them,
    #: which biases the result.
    smooth_px: float = parameter(
        1.0,
        unit="px",
        source="measured in films swayed by known homographies: half the jitter, in a third of"
        " the time",
    )
    #: A pixel shows the board if it differs by at most this; at least this share of them must.
    same_grey: float = parameter(
        14.0, unit="grey value", source="chosen: the noise of a dim camera"
    )
    same_share: float = parameter(0.5, unit="share", source="chosen: most of the pixels")
    #: Pixels that differ by more count for less (Cauchy's weights): Huber's let an arm over a third
    #: of the board turn it by 2 px.
    cauchy_grey: float = parameter(
        4.0, unit="grey value", source="chosen: the noise of most cameras"
    )
    #: Discs, their shadows and their blur reach this far about their bases.
    disc_reach_mm: float = parameter(
        26.0, unit="mm", source="chosen: a disc's radius and its height"
    )


PARAMS = PictureRegistrationParameters()
#: Number of pixels with the strongest edges that are compared: about the number of pixels of all
#: lines of a board, whose edges are two pixels wide.
_PIXELS = 4000
#: They are compared in pictures of at most this width, for speed.
_WIDTH_PX = 640
#: Most rounds of the fit: 3 or 4 are enough where it converges.
_ROUNDS = 12
#: The fit has converged if it moves the board by less than this: below the error of registration,
#: 0.03.
_CONVERGED_PX = 0.02
#: Ridge of the fit: gives even a plain picture a solution.
_RIDGE = 1e-6
#: Points of the rim: a circle accurate to 0.4 mm.
_RIM_POINTS = 64
#: The local mean is taken over this many small pixels: a line with its smoothed edges. In a film of
#: a camera that stands, a patch of sun that comes and goes leaves false shifts of up to 0.07 px;
#: without the local mean, of 0.22 px.
_LOCAL_MEAN_PX = 11
#: Smoothing extends to this many sigmas.
_BLUR_REACH = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardEdges:
    """The strongest edges of the board in one frame, reduced by ``scale``.

    places_px      (n, 2) float64: their places, in small pixels
    design         (9, n) float32: derivatives of their grey, less the local mean, by the eight
                   parameters of a homography and by the gain of light (that grey itself)
    frame_from_unit  (3, 3): the frame's pixels from coordinates in which the rim is about the unit
                     circle
    unit_from_frame  (3, 3): its inverse
    rim_px         (m, 2): the board's rim, in the frame
    shape          the frame's
    """

    places_px: NDArray[np.float64]
    design: np.ndarray
    frame_from_unit: FloatArray
    unit_from_frame: FloatArray
    rim_px: FloatArray
    shape: tuple[int, ...]
    scale: int

    def fit_homography(self, image: CameraImage, expected: FloatArray) -> FloatArray | None:
        """The homography (3, 3) from the edges' pixels to the frame's, by the frame's likeness to
        them.

        ``expected`` (3, 3) is that of a recent frame.
        """
        if image.shape != self.shape or self.design.size == 0:
            return None
        start_px = move_points(expected, self.rim_px)
        picture, cut_from_frame = _cut_board(image.grey, start_px, self.scale)
        if min(picture.shape) < 2:
            return None
        levels = picture.astype(np.float32)
        frame_from_small = scale_pixels(self.scale)
        warp, now_px = expected, start_px
        gain = 0.0
        for number in range(_ROUNDS):
            small_warp = np.ascontiguousarray(cut_from_frame @ warp @ frame_from_small)
            step, same = self._find_step(levels, small_warp, gain)
            before_px, gain = now_px, float(step[-1])
            warp = np.asarray(warp @ self._make_warp(step[:-1]))
            now_px = move_points(warp, self.rim_px)
            if _measure_most(now_px - start_px) > PARAMS.most_px:
                return None
            if _measure_most(now_px - self.rim_px) > PARAMS.farthest * image.shape[1]:
                return None
            if number > 0 and _measure_most(now_px - before_px) < _CONVERGED_PX:
                break
        else:
            return None  # the content of pixels off the board makes it drift
        if same < PARAMS.same_share * self.design.shape[1]:
            return None
        return np.asarray(warp / warp[2, 2])

    def _find_step(
        self, picture: np.ndarray, warp: NDArray[np.float64], gain: float
    ) -> tuple[NDArray[np.float64], int]:
        """The next step (9,), ending with the light's gain minus 1, by weighted least squares; and
        the number of pixels that show the board.

        ``warp`` (3, 3) maps the edges' pixels to those of ``picture``; ``gain`` is the last step's.
        """
        grey = self.design[-1]
        x, y = cv2.split(move_points(warp, self.places_px).astype(np.float32)[:, None])
        seen = cv2.remap(picture, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        off = grey - seen[:, 0]
        left = np.abs(off - grey * np.float32(gain))
        same = int(np.count_nonzero(left < PARAMS.same_grey))
        weight = 1 / (1 + (left / PARAMS.cauchy_grey) ** 2)
        weighted = self.design * weight
        matrix = np.asarray(weighted @ self.design.T, np.float64)
        right = np.asarray(weighted @ off, np.float64)
        matrix.flat[:: len(right) + 1] += _RIDGE
        step = np.linalg.solve(matrix, right)
        return np.asarray(step, np.float64), same

    def _make_warp(self, step: FloatArray) -> FloatArray:
        """The warp (3, 3) of the frame's pixels for the parameters (8,) of a homography of small
        pixels.
        """
        unit_px = self.frame_from_unit[0, 0] / self.scale
        change = np.append(step, 0.0).reshape(3, 3) / unit_px
        inverse = self.frame_from_unit @ (np.eye(3) - change) @ self.unit_from_frame
        return np.linalg.inv(inverse)


def find_board_edges(
    image: CameraImage, fit: BoardFit, discs_mm: Sequence[FloatArray] = ()
) -> BoardEdges:
    """The strongest edges on the playing surface of a frame with the board at ``fit``, away from
    discs at ``discs_mm`` (2,).
    """
    scale = 1
    while image.shape[1] > _WIDTH_PX * scale:
        scale *= 2
    grey = _shrink(image.grey, scale)
    rim_px = fit.view.project_plane(circle_mm((0.0, 0.0), fit.spec.surface_radius_mm, _RIM_POINTS))
    board = np.zeros(grey.shape, np.uint8)
    discs_px = [
        fit.view.project_plane(circle_mm(place_mm, PARAMS.disc_reach_mm, _RIM_POINTS))
        for place_mm in discs_mm
    ]
    for outline_px, value in ((rim_px, 1), *((disc_px, 0) for disc_px in discs_px)):
        small_px = move_points(scale_pixels(1 / scale), outline_px)
        cv2.fillPoly(board, [np.rint(small_px).astype(np.int32)], value)
    slope_x, slope_y = (
        cv2.Sobel(grey, cv2.CV_32F, 1 - axis, axis, scale=1 / 8) for axis in range(2)
    )
    oblique = np.where(board > 0, slope_x**2 + slope_y**2, 0.0).ravel()
    count = min(_PIXELS, int(np.count_nonzero(oblique)))
    chosen = np.argpartition(oblique, -count)[-count:] if count else np.zeros(0, dtype=int)
    # Sorted so that nearby pixels are read together.
    row, column = np.unravel_index(np.sort(chosen), grey.shape)
    places_px = np.stack([column, row], axis=1).astype(np.float64)
    slopes = np.stack([slope_x[row, column], slope_y[row, column]], axis=1, dtype=np.float64)
    middle_px = rim_px.mean(axis=0)
    radius_px = float(np.linalg.norm(rim_px - middle_px, axis=1).mean())
    frame_from_unit = np.diag([radius_px, radius_px, 1.0])
    frame_from_unit[:2, 2] = middle_px
    unit_from_frame = np.linalg.inv(frame_from_unit)
    unit_from_small = unit_from_frame @ scale_pixels(scale)
    moved = _differentiate_homography(slopes, move_points(unit_from_small, places_px))
    return BoardEdges(
        places_px=places_px,
        design=np.vstack([moved, grey[row, column]]).astype(np.float32),
        frame_from_unit=frame_from_unit,
        unit_from_frame=unit_from_frame,
        rim_px=rim_px,
        shape=image.shape,
        scale=scale,
    )


def _differentiate_homography(slopes: FloatArray, places: FloatArray) -> FloatArray:
    """Derivatives (8, n) of the grey of pixels at ``places`` (n, 2), with ``slopes`` (n, 2), by the
    first eight numbers of a homography, row by row.
    """
    x, y = places.T
    along_x, along_y = slopes.T
    nearer = -(along_x * x + along_y * y)
    rows = [along_x * x, along_x * y, along_x, along_y * x, along_y * y, along_y]
    return np.stack([*rows, nearer * x, nearer * y])


def move_points(warp: FloatArray, points: FloatArray) -> NDArray[np.float64]:
    """Points (n, 2) moved by a homography (3, 3)."""
    moved = points @ warp[:2, :2].T + warp[:2, 2]
    return np.asarray(moved / (points @ warp[2, :2] + warp[2, 2])[:, None], np.float64)


def make_shift(shift: FloatArray) -> FloatArray:
    """The homography (3, 3) of a shift by (2,)."""
    x, y = shift
    return np.array([[1.0, 0.0, x], [0.0, 1.0, y], [0.0, 0.0, 1.0]])


def scale_pixels(scale: float) -> FloatArray:
    """The homography (3, 3) from a picture's pixels to those of a picture enlarged by this
    factor.
    """
    away = (scale - 1) / 2  # the middle of the first pixel is at 0 in both
    return np.array([[scale, 0.0, away], [0.0, scale, away], [0.0, 0.0, 1.0]])


def _cut_board(
    grey: np.ndarray, rim_px: FloatArray, scale: int
) -> tuple[np.ndarray, NDArray[np.float64]]:
    """The part of a picture (h, w) around the board's rim, reduced, and the transform (3, 3) from
    the picture's pixels to its pixels.
    """
    reach_px = PARAMS.most_px + (_BLUR_REACH * PARAMS.smooth_px + _LOCAL_MEAN_PX / 2) * scale
    low, high = rim_px.min(axis=0) - reach_px, rim_px.max(axis=0) + reach_px
    left, top = (max(int(coordinate), 0) // scale * scale for coordinate in low)
    right, bottom = (max(int(coordinate), 0) for coordinate in high)
    corner = make_shift(np.array([-left, -top]))
    return _shrink(grey[top:bottom, left:right], scale), scale_pixels(1 / scale) @ corner


def _shrink(grey: np.ndarray, scale: int) -> np.ndarray:
    """A picture (h, w) reduced by this factor, smoothed, and less its local mean (int16);
    incomplete pixels at the border are cut off.
    """
    height, width = (length // scale for length in grey.shape)
    if min(height, width) == 0:
        return np.zeros((0, 0), np.uint8)
    whole = grey[: height * scale, : width * scale]
    small = smooth(cv2.resize(whole, (width, height), interpolation=cv2.INTER_AREA))
    return cv2.subtract(small, cv2.blur(small, (_LOCAL_MEAN_PX,) * 2), dtype=cv2.CV_16S)


def smooth(levels: np.ndarray, every_px: int = 1) -> np.ndarray:
    """Levels (h, w), or (h, w, 3), of every nth pixel, smoothed as registration needs it."""
    sigma = PARAMS.smooth_px / every_px
    size = 2 * math.ceil(_BLUR_REACH * sigma) + 1
    return cv2.GaussianBlur(levels, (size, size), sigma)


def _measure_most(offsets: FloatArray) -> float:
    """The length of the longest of the vectors (n, 2)."""
    return float(np.hypot(offsets[:, 0], offsets[:, 1]).max())
