"""How a frame's picture of the board lies beside an earlier one: shifted, or by a homography.

Lucas and Kanade's (1981) least squares over the strongest edges, with gain and offset of the light,
robust (Cauchy's weights) against hands and discs over up to a half of the board. A shift is what
a small tremble comes to; a homography is what any motion of a camera does to a plane (inverse
compositional: Baker and Matthews 2004). It fails (None) where the camera moved by more than a few
pixels from where it was expected, or too little of the board shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import FloatArray
from calibration.fit import BoardFit
from calibration.parameters import StageParameters, parameter
from vision.io.timed_frame import CameraImage
from vision.track.kernels.lucas_kanade import sum_normal_equations


class PictureRegistrationParameters(StageParameters):
    """What ``picture_registration`` takes for granted."""

    stage: ClassVar[str] = "track.steady.picture_registration"

    #: A picture that is farther off than was expected by so much was pushed, or shows something
    #: else; ...
    most_px: float = parameter(4.0, unit="px", source="chosen: a bump moves boards by more")
    #: ... so was one that is so much farther off than the first, as a share of its width.
    farthest: float = parameter(
        0.1, unit="share", source="chosen: half a minute of a camera that sags by 4 px/s"
    )
    #: So many pixels with the strongest edges are compared, of pictures of at most this width.
    pixels: int = parameter(4000, unit="", source="chosen: all lines of a board, an edge of two")
    width_px: int = parameter(640, unit="px", source="chosen for speed")
    #: It is smoothed by so much: linear interpolation between sharp pixels blurs more or less as
    #: places lie between them, and pulls.
    smooth_px: float = parameter(
        1.0,
        unit="px",
        source="films swayed by known homographies: half the jitter, a third of time",
    )
    rounds: int = parameter(12, unit="", source="chosen: 3 or 4 are enough where it converges")
    converged_px: float = parameter(
        0.02, unit="px", source="chosen: under least_px, what is worth a resampling"
    )
    #: A pixel shows the board where it differs by no more; and so large a share of them must.
    same_grey: float = parameter(14.0, unit="grey value", source="chosen: noise of a dim camera")
    same_share: float = parameter(0.5, unit="share", source="chosen: most of them")
    ridge: float = parameter(1e-6, unit="", source="chosen: a blank picture has a solution, too")
    #: Pixels that differ by more count for less (Cauchy's weights): Huber's let an arm over a third
    #: of the board turn it by 2 px.
    cauchy_grey: float = parameter(4.0, unit="grey value", source="chosen: noise of most cameras")
    rim_points: int = parameter(64, unit="", source="chosen: a circle to 0.4 mm")


PARAMS = PictureRegistrationParameters.active()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardEdges:
    """The strongest edges of the board in one frame, which was made ``scale`` times smaller.

    places_px      (n, 2) float64: where they are, in small pixels
    by_shift       (n, 4) float32: what their grey grows by with a shift in x and y, in small
                   pixels, and with the gain and offset of light
    by_homography  (n, 10) float32: and with the eight parameters of a homography
    frame_from_unit  (3, 3): the frame's pixels of places for which the rim is about the unit circle
    rim_px         (m, 2): the board's rim, in the frame
    """

    places_px: NDArray[np.float64]
    by_shift: np.ndarray
    by_homography: np.ndarray
    frame_from_unit: FloatArray
    rim_px: FloatArray
    shape: tuple[int, ...]
    scale: float

    def fit_shift(self, image: CameraImage, expected: FloatArray) -> FloatArray | None:
        """How a frame's pixels are shifted from the edges' own: (3, 3).

        ``expected`` (3, 3) is so for a frame that came not long before.
        """
        shift_px = np.mean(move_points(expected, self.rim_px) - self.rim_px, axis=0)
        return self._fit(image, make_shift(shift_px), self.by_shift)

    def fit_homography(self, image: CameraImage, expected: FloatArray) -> FloatArray | None:
        """The frame's pixels from the edges' own, (3, 3); as above."""
        return self._fit(image, expected, self.by_homography)

    def _fit(
        self, image: CameraImage, expected: FloatArray, design: np.ndarray
    ) -> FloatArray | None:
        """The warp (3, 3) that makes the frame look like the edges' own, near ``expected``."""
        picture = _shrink(image)
        if picture.shape != self.shape or len(design) == 0:
            return None
        frame_from_small, small_from_frame = scale_pixels(self.scale), scale_pixels(1 / self.scale)
        warp = expected
        light: FloatArray = np.zeros(2)
        start_px = move_points(expected, self.rim_px)
        for number in range(PARAMS.rounds):
            matrix, right, same = sum_normal_equations(
                picture,
                self.places_px,
                np.ascontiguousarray(small_from_frame @ warp @ frame_from_small),
                design,
                np.asarray(light, np.float64),
                PARAMS.cauchy_grey,
                PARAMS.same_grey,
            )
            step = np.linalg.solve(matrix + PARAMS.ridge * np.eye(len(right)), right)
            before_px, light = move_points(warp, self.rim_px), step[-2:]
            warp = np.asarray(warp @ self._make_warp(step[:-2]))
            now_px = move_points(warp, self.rim_px)
            if _measure_most(now_px - start_px) > PARAMS.most_px:
                return None
            if _measure_most(now_px - self.rim_px) > PARAMS.farthest * image.shape[1]:
                return None
            if number > 0 and _measure_most(now_px - before_px) < PARAMS.converged_px:
                break
        else:
            return None  # it creeps towards what the board shows elsewhere
        if same < PARAMS.same_share * len(design):
            return None
        return np.asarray(warp / warp[2, 2])

    def _make_warp(self, step: FloatArray) -> FloatArray:
        """The warp (3, 3) of the frame's pixels by a shift (2,), or by the parameters (8,) of a
        homography, all in small pixels."""
        if len(step) == 2:
            return make_shift(step * self.scale)
        unit_px = self.frame_from_unit[0, 0] / self.scale
        change = np.append(step, 0.0).reshape(3, 3) / unit_px
        inverse = self.frame_from_unit @ (np.eye(3) - change) @ np.linalg.inv(self.frame_from_unit)
        return np.linalg.inv(inverse)


def find_board_edges(image: CameraImage, fit: BoardFit) -> BoardEdges:
    """The strongest edges on the playing surface of a frame that shows it as ``fit`` does."""
    grey = _shrink(image)
    scale = image.shape[1] / grey.shape[1]
    angle = np.linspace(0, 2 * np.pi, PARAMS.rim_points, endpoint=False)
    rim_mm = fit.spec.surface_radius_mm * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    rim_px = fit.view.project_plane(rim_mm)
    board = np.zeros_like(grey)
    small_px = move_points(scale_pixels(1 / scale), rim_px)
    cv2.fillPoly(board, [np.rint(small_px).astype(np.int32)], 1)
    slope_x, slope_y = (
        cv2.Sobel(grey, cv2.CV_32F, 1 - axis, axis, scale=1 / 8) for axis in range(2)
    )
    steep = np.where(board > 0, slope_x**2 + slope_y**2, 0.0).ravel()
    count = min(PARAMS.pixels, int(np.count_nonzero(steep)))
    chosen = np.argpartition(steep, -count)[-count:] if count else np.zeros(0, dtype=int)
    row, column = np.unravel_index(chosen, grey.shape)
    places_px = np.stack([column, row], axis=1).astype(np.float64)
    slopes = np.stack([slope_x[row, column], slope_y[row, column]], axis=1, dtype=np.float64)
    light = np.stack([grey[row, column], np.ones(count)], axis=1)
    middle_px = rim_px.mean(axis=0)
    radius_px = float(np.linalg.norm(rim_px - middle_px, axis=1).mean())
    frame_from_unit = np.diag([radius_px, radius_px, 1.0])
    frame_from_unit[:2, 2] = middle_px
    unit_from_small = np.linalg.inv(frame_from_unit) @ scale_pixels(scale)
    moved = _differentiate_homography(slopes, move_points(unit_from_small, places_px))
    return BoardEdges(
        places_px=places_px,
        by_shift=np.hstack([slopes, light]).astype(np.float32),
        by_homography=np.hstack([moved, light]).astype(np.float32),
        frame_from_unit=frame_from_unit,
        rim_px=rim_px,
        shape=grey.shape,
        scale=scale,
    )


def _differentiate_homography(slopes: FloatArray, places: FloatArray) -> FloatArray:
    """What the grey of pixels at ``places`` (n, 2), by their ``slopes`` (n, 2), grows by with the
    first eight numbers of a homography, row by row, (n, 8)."""
    x, y = places.T
    along_x, along_y = slopes.T
    nearer = -(along_x * x + along_y * y)
    rows = [along_x * x, along_x * y, along_x, along_y * x, along_y * y, along_y]
    return np.stack([*rows, nearer * x, nearer * y], axis=1)


def move_points(warp: FloatArray, points: FloatArray) -> NDArray[np.float64]:
    """Points (n, 2) moved by a homography (3, 3)."""
    moved = points @ warp[:2, :2].T + warp[:2, 2]
    return np.asarray(moved / (points @ warp[2, :2] + warp[2, 2])[:, None], np.float64)


def make_shift(shift: FloatArray) -> FloatArray:
    """The homography (3, 3) that moves by (2,)."""
    warp = np.eye(3)
    warp[:2, 2] = shift
    return warp


def scale_pixels(scale: float) -> FloatArray:
    """The homography (3, 3) from a picture's pixels to those of one so many times as large."""
    away = (scale - 1) / 2  # the first pixel's middle is at 0 in both
    return np.array([[scale, 0.0, away], [0.0, scale, away], [0.0, 0.0, 1.0]])


def _shrink(image: CameraImage) -> np.ndarray:
    """The picture in grey, halved until it is narrow enough, and smoothed."""
    grey = image.grey
    while grey.shape[1] > PARAMS.width_px:
        size = grey.shape[1] // 2, grey.shape[0] // 2
        grey = cv2.resize(grey, size, interpolation=cv2.INTER_AREA)
    return cv2.GaussianBlur(grey, (0, 0), PARAMS.smooth_px)


def _measure_most(offsets: FloatArray) -> float:
    """The length of the longest of (n, 2)."""
    return float(np.linalg.norm(offsets, axis=1).max())
