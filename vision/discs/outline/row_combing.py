"""Which discs an interlaced video shows in motion: they are torn apart row by row.

Such a video takes the even and the odd rows of a picture 1/50 or 1/60 s apart, so what moves lies
elsewhere in every other row, and its sides look like combs. There a row differs more from the two
beside it than from the next two of its own field; at an outline, a line or a shadow it is the
other way round. A video that was reduced or deinterlaced shows none, and what rests none either.
"""

from __future__ import annotations

from typing import ClassVar

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.disc import DiscSpec
from calibration.parameters import StageParameters, parameter
from calibration.pose import View
from vision.discs.outline.contour import DiscGeometry, FlatDiscs, compute_contour


class RowCombingParameters(StageParameters):
    """What ``row_combing`` takes for granted."""

    stage: ClassVar[str] = "discs.outline.row_combing"

    #: A disc is combed where more than this share of its pixels is ...
    least_share: float = parameter(
        0.1, unit="share", source="48 discs of stills: 0 to 0.04 at rest, 0.18 in motion"
    )
    #: ... and a pixel where it differs by so much more from the rows beside it.
    least_step_grey: float = parameter(
        8.0, unit="grey value", source="chosen: twice the noise of a usual video"
    )
    #: Pixels are averaged along a row over so many, for noise is no comb.
    along_px: int = parameter(3, unit="px", source="chosen: less than a disc moves in a field")
    #: A disc's sides are looked at up to this share of its width beyond them.
    beyond_widths: float = parameter(
        0.2, unit="share", source="chosen: a disc at 1 m/s moves by half its width in a field"
    )


PARAMS = RowCombingParameters.active()
#: Directions in which a disc's outline is followed.
_DIRECTIONS = 24
#: Rows from one of a field to the next.
_FIELD_ROWS = 2


def find_combed_discs(
    image: np.ndarray, view: View, foot_mm: FloatArray, disc: DiscSpec
) -> np.ndarray:
    """Which flat discs at ``foot_mm`` (n, 2) are torn apart by rows of ``image`` (h, w, 3) BGR
    uint8: (n,) bool."""
    shape = DiscGeometry(radius_mm=disc.radius_mm, height_mm=disc.height_mm)
    eye_mm = view.cam_from_board.camera_board_mm
    discs = FlatDiscs.of_shape(foot_mm, shape)
    outline_px = view.project(compute_contour(eye_mm, discs, _DIRECTIONS).point_mm)
    share = [_measure_combing(image, each) for each in outline_px]
    return np.array(share) > PARAMS.least_share


def _measure_combing(image: np.ndarray, outline_px: FloatArray) -> float:
    """Share of the pixels about an outline (k, 2) whose row differs most from those beside it."""
    low, high = outline_px.min(axis=0), outline_px.max(axis=0)
    beyond = PARAMS.beyond_widths * (high[0] - low[0])
    height, width = image.shape[:2]
    left, right = max(int(low[0] - beyond), 0), min(int(high[0] + beyond) + 1, width)
    top, bottom = max(int(low[1]), _FIELD_ROWS), min(int(high[1]) + 2, height - _FIELD_ROWS)
    if right <= left or bottom <= top:
        return 0.0
    part = image[top - _FIELD_ROWS : bottom + _FIELD_ROWS, left:right].astype(np.float32)
    seen = cv2.blur(part, (PARAMS.along_px, 1))
    row = seen[_FIELD_ROWS:-_FIELD_ROWS]
    beside = np.abs(row - (seen[1:-3] + seen[3:-1]) / 2).max(axis=-1)
    in_field = np.abs(row - (seen[:-4] + seen[4:]) / 2).max(axis=-1)
    return float((beside > in_field + PARAMS.least_step_grey).mean())
