"""What covers the board and is no disc: hands, sleeves, cups, heads.

Knows that discs are round and alone. Refuses to know colours: skin, gloves and sleeves have any.
"""

from __future__ import annotations

import cv2
import numpy as np

from calibration.camera import FloatArray
from vision.circles import Circles
from vision.plate import Laid, Plate
from vision.sheet import SHEET_MM_PER_PX, Sheet

#: What is left without the discs is a hand when a piece of it covers more of the surface than this,
#: mm², and reaches this far beyond the edge, mm; alone on the surface it must be larger than any
#: disc's shadow.
_LEAST_HAND_MM2, _BEYOND_EDGE_MM = 400.0, 25.0
_LEAST_THING_MM2 = 3000.0
_WORN_PX = 3
#: A disc's own shadow and blur reach this far beyond its rim, mm.
_DISC_MARGIN_MM = 4.0
#: A disc is held by what comes this near to its rim, mm.
_TOUCH_MM = 20.0


def find_cover(
    sheet: Sheet, plate: Plate, laid: Laid, discs_mm: FloatArray, radius_mm: float
) -> np.ndarray | None:
    """(side, side) uint8: 1 on what covers the surface beside discs at ``discs_mm`` (n, 2).

    None when nothing does. It goes on over ditch and rail as far as it hangs together. Where the
    bare board was never seen a difference says nothing.
    """
    mask = cv2.threshold(laid.differs, plate.threshold, 1, cv2.THRESH_BINARY)[1]
    mask[sheet.surface & ~plate.bare] = 0
    mask = cv2.bitwise_and(mask, 1 - sheet.discs(discs_mm, radius_mm + _DISC_MARGIN_MM))
    worn = cv2.erode(mask, np.ones((_WORN_PX, _WORN_PX), np.uint8))
    x, y, width, height = cv2.boundingRect(worn)
    if width == 0:
        return None
    box = slice(y, y + height), slice(x, x + width)
    count, label = cv2.connectedComponents(worn[box])
    at = np.flatnonzero(worn[box].view(bool))
    own = label.ravel().take(at)
    surface, away_mm = (each[box].ravel().take(at) for each in (sheet.surface, sheet.radius_mm))
    over = np.bincount(own[surface], minlength=count) * SHEET_MM_PER_PX**2
    beyond = away_mm > sheet.surface_radius_mm + _BEYOND_EDGE_MM
    reaches_out = np.bincount(own[beyond], minlength=count) > 0
    large = (over > _LEAST_HAND_MM2) & reaches_out | (over > _LEAST_THING_MM2)
    if not large.any():
        return None
    cover = np.zeros_like(worn)
    cover[box] = large[label]
    return cv2.dilate(cover, np.ones((_WORN_PX, _WORN_PX), np.uint8))


def held(sheet: Sheet, cover: np.ndarray | None, circles: Circles, radius_mm: float) -> np.ndarray:
    """Which circles (n,) a cover touches."""
    if cover is None or len(circles.centre_mm) == 0:
        return np.zeros(len(circles.centre_mm), dtype=bool)
    reach = round((radius_mm + _TOUCH_MM) / SHEET_MM_PER_PX)
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
    wide = np.pad(cover, reach)
    place = np.clip(np.rint(sheet.to_px(circles.centre_mm)), 0, sheet.side_px - 1).astype(int)
    return np.array(
        [
            (wide[row : row + len(disc), column : column + len(disc)] & disc).any()
            for column, row in place
        ]
    )
