"""How far a laid-out frame lies beside the plate: whether the camera or the board was moved.

Knows shifts of pieces of the sheet. Refuses to know why, and to mend it.
"""

from __future__ import annotations

import cv2
import numpy as np

from vision.plate import Laid, Plate
from vision.sheet import SHEET_MM_PER_PX, Sheet

#: The sheet is compared in so many pieces along each side; discs that came and went spoil some.
_PIECES = 4
#: A piece whose shift is less plain than this says nothing (0: no likeness, 1: the same picture).
_LEAST_PLAIN = 0.1
_FEWEST_PIECES = 4


def shift_mm(sheet: Sheet, plate: Plate, laid: Laid) -> float | None:
    """The median length by which pieces of the board have moved; None when it cannot be told."""
    before, now = (
        cv2.cvtColor(each, cv2.COLOR_BGR2GRAY).astype(np.float32)
        for each in (plate.image, laid.image)
    )
    size = sheet.side_px // _PIECES
    window = cv2.createHanningWindow((size, size), cv2.CV_32F)
    moved = []
    for row in range(_PIECES):
        for column in range(_PIECES):
            piece = slice(row * size, (row + 1) * size), slice(column * size, (column + 1) * size)
            if not sheet.inside[piece].all():
                continue
            one, other = (np.ascontiguousarray(each[piece]) for each in (before, now))
            shift, plain = cv2.phaseCorrelate(one, other, window)
            if plain > _LEAST_PLAIN:
                moved.append(float(np.hypot(shift[0], shift[1])))
    if len(moved) < _FEWEST_PIECES:
        return None
    return float(np.median(moved)) * SHEET_MM_PER_PX
