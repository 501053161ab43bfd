"""The first, cheap test of a frame: whether it still shows the picture of the last full check.

Most frames of a game show a board at rest. The frame as decoded, with separate luma and chroma if
it has them, is compared with the last frame that the motion gate found still: sample by sample
around the board, on every other row. If in no cell of the picture more than a few pixels differ
beyond the camera's noise, nothing has happened. A disc's edge that moved by a pixel changes more.
Cells in which the motion gate ignores motion, on the rail and under hands, are left out. Light that
changes slowly is noticed at the next full check. A picture noisier than the background always
differs, which is slow but never wrong. A moving camera's picture is compared at half its size and
smoothed, because it is resampled.
"""

from __future__ import annotations

import cv2
import numpy as np

from calibration.parameters import StageParameters, parameter
from vision.io.timed_frame import CameraImage, ImagePlane, PixelBox
from vision.rectify.frame_rectifier import FrameRectifier


class SamePictureParameters(StageParameters):
    """Parameters of ``same_picture``."""

    #: In a cell, at most this many of 96 levels (a third of both if a plane has one channel) may
    #: differ by more than the background's noise.
    most_levels: int = parameter(
        5,
        unit="levels",
        source="chosen: at a disc's edge, cells change by 8 or more; by noise, none of a "
        "million cells changes by 4",
    )


PARAMS = SamePictureParameters()
#: Interval of full checks while the board seems unchanged: often enough for light that changes
#: slowly, and for motion too slow for the gate.
LOOK_EVERY_S = 0.3
#: Every nth row is compared, for speed: edges are longer than two rows.
_ROWS_STEP = 2
#: Cells have this many of these rows and are 8 px wide: a third of a disc at 720p.
_CELL_ROWS = 4
#: Width of a cell, in samples.
_CELL_PX = 8
#: Width of a chroma cell in the picture.
_MARGIN_PX = 2 * _CELL_PX
#: Neighbours of the cells are compared as well, because pixels are resampled and smoothed between
#: them.
_BESIDE = np.ones((3, 3), np.uint8)


class SamePicture:
    """Remembers the last fully checked still frame of one view."""

    def __init__(self, rectifier: FrameRectifier) -> None:
        """``rectifier`` belongs to the view."""
        self._rectifier = rectifier
        px = np.column_stack(
            [coordinate[rectifier.inside] for coordinate in (rectifier.x_px, rectifier.y_px)]
        )
        self._reach_px = (px.min(axis=0), px.max(axis=0)) if len(px) else (np.zeros(2), -np.ones(2))
        self._seen: tuple[ImagePlane, ...] = ()
        self._cells: tuple[np.ndarray, ...] = ()
        self._watched: np.ndarray | None = None
        self._seen_s = -np.inf

    def remember(self, image: CameraImage, t_s: float, watched: np.ndarray) -> None:
        """Compare the next frames with this ``image`` at rectified pixels ``watched`` (side, side
        bool), which must not be changed.
        """
        before, self._seen, self._seen_s = self._seen, self._cut_board(image), t_s
        if watched is not self._watched or _list_grids(before) != _list_grids(self._seen):
            self._watched = watched
            # Both chroma planes have the same grid.
            planes = {plane.every_px: plane for plane in self._seen}
            cells = {plane: self._find_cells(image, planes[plane], watched) for plane in planes}
            self._cells = tuple(cells[plane.every_px] for plane in self._seen)

    def shows_same(self, image: CameraImage, t_s: float, threshold: int) -> bool:
        """Whether ``image`` shows the same apart from noise, which is below ``threshold`` levels.

        False if no picture is remembered, or if a full check is due.
        """
        if not self._seen or not 0 <= t_s - self._seen_s < LOOK_EVERY_S:
            return False
        now = self._cut_board(image)
        return _list_grids(now) == _list_grids(self._seen) and all(
            is_alike(*row, threshold) for row in zip(now, self._seen, self._cells, strict=True)
        )

    def _find_cells(self, image: CameraImage, plane: ImagePlane, watched: np.ndarray) -> np.ndarray:
        """The cells (rows, columns) uint8 of a cut plane that show any of the ``watched`` pixels,
        and their neighbours: 1; 0 for others.
        """
        box = self._find_box(image)
        tall = _ROWS_STEP * _CELL_ROWS * plane.every_px
        at = watched & self._rectifier.inside
        row = (self._rectifier.y_px[at].astype(np.intp) - box.top) // tall
        column = (self._rectifier.x_px[at].astype(np.intp) - box.left) // (
            _CELL_PX * plane.every_px
        )
        height, width = plane.levels.shape[:2]
        cells = np.zeros((height // _CELL_ROWS, width // _CELL_PX), np.uint8)
        is_whole = (row < cells.shape[0]) & (column < cells.shape[1])
        cells[row[is_whole], column[is_whole]] = 1
        return np.asarray(cv2.dilate(cells, _BESIDE))

    def _cut_board(self, image: CameraImage) -> tuple[ImagePlane, ...]:
        """The image's planes on every other row around the board, in whole cells."""
        tall = _ROWS_STEP * _CELL_ROWS
        cut = []
        for plane in image.cut_planes(self._find_box(image)):
            height, width = plane.levels.shape[:2]
            rows = slice(0, height // tall * tall, _ROWS_STEP)
            cut.append(plane.cut(rows, slice(width // _CELL_PX * _CELL_PX)))
        return tuple(cut)

    def _find_box(self, image: CameraImage) -> PixelBox:
        """The compared area: the board, and a cell of every plane around it."""
        height, width = image.shape[:2]
        low, high = self._reach_px
        left, top = (max(int(coordinate) - _MARGIN_PX, 0) // 2 * 2 for coordinate in low)
        return PixelBox(
            left=left,
            top=top,
            right=min(int(high[0]) + _MARGIN_PX, width),
            bottom=min(int(high[1]) + _MARGIN_PX, height),
        )


def _list_grids(planes: tuple[ImagePlane, ...]) -> list[tuple[int, ...]]:
    """The sizes of planes and of their samples, which differ while a camera begins to move."""
    return [(plane.every_px, *plane.levels.shape) for plane in planes]


def is_alike(now: ImagePlane, before: ImagePlane, cells: np.ndarray, threshold: int) -> bool:
    """Whether, in all of the ``cells`` (rows, columns; 1 or 0), two planes of one shape differ by
    no more than noise.
    """
    change = cv2.absdiff(now.levels, before.levels)
    changed = cv2.threshold(change, int(threshold * now.contrast), 255, cv2.THRESH_BINARY)[1]
    shares = cv2.resize(changed, cells.shape[::-1], interpolation=cv2.INTER_AREA)
    shares = shares.reshape(*cells.shape, -1).mean(axis=-1)
    most = 255 * (PARAMS.most_levels + 0.5) / (3 * _CELL_ROWS * _CELL_PX)
    return not (shares[cells > 0] > most).any()
