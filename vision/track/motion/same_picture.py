"""Whether a frame still shows the picture that was last looked at whole: the first, cheap test.

Most frames of a game show a board at rest. The frame as it came is compared with the last one that
the motion gate found still, pixel by pixel around the board, on every other row. Where in no cell
of the picture more than a few pixels differ beyond the camera's noise, nothing has happened: a
disc's edge that moved by a pixel changes more. Light that changes slowly is seen when the next
whole look comes due. A noisier picture than the background's differs always, which is slow, and
never wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import cv2
import numpy as np

from calibration.parameters import StageParameters, parameter
from vision.rectify.frame_rectifier import FrameRectifier


@dataclass(frozen=True, slots=True, kw_only=True)
class SamePictureParameters(StageParameters):
    """What ``same_picture`` takes for granted."""

    stage: ClassVar[str] = "track.motion.same_picture"

    #: A board that seems not to change is looked at whole this often.
    look_every_s: float = parameter(
        0.3, unit="s", source="chosen: slow light, and slower motion than the gate sees"
    )
    #: Every such row is compared ...
    rows_step: int = parameter(2, unit="rows", source="chosen for speed: edges are longer")
    #: ... in cells of so many of these rows, 8 px wide, ...
    cell_rows: int = parameter(4, unit="rows", source="8 × 8 px, a third of a disc at 720p")
    #: ... of which so many levels at most, of 96, may differ by more than the background's noise.
    most_levels: int = parameter(
        5, unit="levels", source="a disc's edge changes 8 or more; noise of 4 none in 10⁶ cells"
    )


PARAMS = SamePictureParameters.active()
#: Three uint64 words hold the levels, blue green red, of so many pixels of a row.
_CELL_PX = 8
#: Multiplied by this, a word's highest byte becomes the sum of its bytes.
_SUM_BYTES = np.uint64(0x0101010101010101)


class SamePicture:
    """Remembers the last frame of one view that was looked at whole and was still."""

    def __init__(self, rectifier: FrameRectifier, shape: tuple[int, ...]) -> None:
        """``shape`` (height, width, 3) is that of the frames."""
        self._box = _find_board_box(rectifier, shape)
        self._seen: np.ndarray | None = None
        self._seen_s = -np.inf

    def remember(self, image: np.ndarray, t_s: float) -> None:
        """Compare the next frames with this ``image`` (h, w, 3) uint8 BGR."""
        self._seen, self._seen_s = image[self._box], t_s

    def shows_same(self, image: np.ndarray, t_s: float, threshold: int) -> bool:
        """Whether ``image`` shows the same but for noise, which is below ``threshold`` levels.

        False where none is remembered, or one so old that a whole look is due.
        """
        if self._seen is None or not 0 <= t_s - self._seen_s < PARAMS.look_every_s:
            return False
        change = cv2.absdiff(image[self._box], self._seen)
        differs = cv2.threshold(change, threshold, 1, cv2.THRESH_BINARY)[1]
        return int(_count_in_cells(differs).max(initial=0)) <= PARAMS.most_levels


def _find_board_box(rectifier: FrameRectifier, shape: tuple[int, ...]) -> tuple[slice, slice]:
    """Rows and columns, whole cells of them, of the frame that a rectified one is made of."""
    x_px, y_px = (rectifier.map_px[..., i][rectifier.inside] for i in (0, 1))
    tall = PARAMS.rows_step * PARAMS.cell_rows
    box = []
    for px, cell, size in ((y_px, tall, shape[0]), (x_px, _CELL_PX, shape[1])):
        first = int(px.min()) if len(px) else 0
        cells = min(-(-(int(px.max()) - first + 1) // cell) if len(px) else 0, size // cell)
        first = min(first, size - cells * cell)
        box.append(slice(first, first + cells * cell))
    return slice(box[0].start, box[0].stop, PARAMS.rows_step), box[1]


def _count_in_cells(marks: np.ndarray) -> np.ndarray:
    """The sums (rows, columns) over cells of ``marks`` (h, w, 3) uint8, each 0 or 1."""
    rows, columns = marks.shape[0] // PARAMS.cell_rows, marks.shape[1] // _CELL_PX
    words = marks.reshape(rows, PARAMS.cell_rows, -1).view(np.uint64).sum(axis=1)
    each = words.reshape(rows, columns, 3).sum(axis=2)  # bytes of at most 12
    return np.asarray((each * _SUM_BYTES) >> np.uint64(56))
