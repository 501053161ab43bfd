"""Registration of a frame to the background by phase correlation: did camera or board move?

Tiles of the rectified frame are matched with the background's by phase correlation (Kuglin and
Hines 1975); their median shift is the board's. Its error is about 0.2 mm. It fails (None) if too
few tiles show the same texture, because they are covered, blurred, turned by more than a few
degrees, or plain.
"""

from __future__ import annotations

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from vision.rectify.frame_rectifier import RECTIFIED_MM_PER_PX, FrameRectifier
from vision.track.background.background_model import BackgroundModel, NormalisedFrame


class RegistrationParameters(StageParameters):
    """Parameters of ``registration``."""

    #: A tile whose correlation peak is lower is ignored (0: no likeness, 1: the same picture).
    min_response: float = parameter(
        0.1, unit="", source="chosen: low, because 0 means no likeness and 1 the same picture"
    )
    fewest_pieces: int = parameter(
        4, unit="", source="chosen: the median of fewer tiles follows a hand"
    )


PARAMS = RegistrationParameters()
#: Number of tiles per side in which rectified frames are compared; discs that came and left spoil
#: some of them: 16 tiles of 200 mm, all of them larger than a hand.
_PIECES = 4


def estimate_shift_mm(
    rectifier: FrameRectifier, background: BackgroundModel, frame: NormalisedFrame
) -> float | None:
    """The median length in mm by which tiles of the board have moved; None if too few match."""
    shift_px = _match_pieces(rectifier, background.image, frame.image)
    if len(shift_px) < PARAMS.fewest_pieces:
        return None
    return float(np.median(np.linalg.norm(shift_px, axis=1))) * RECTIFIED_MM_PER_PX


def _match_pieces(rectifier: FrameRectifier, before: np.ndarray, now: np.ndarray) -> FloatArray:
    """Shifts (n, 2), pixels, of the tiles that clearly match between two frames."""
    grey = [
        cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32) for picture in (before, now)
    ]
    size = rectifier.side_px // _PIECES
    window = cv2.createHanningWindow((size, size), cv2.CV_32F)
    shifts = []
    for row in range(_PIECES):
        for column in range(_PIECES):
            piece = slice(row * size, (row + 1) * size), slice(column * size, (column + 1) * size)
            if not rectifier.inside[piece].all():
                continue
            one, other = (np.ascontiguousarray(picture[piece]) for picture in grey)
            shift, response = cv2.phaseCorrelate(one, other, window)
            if response > PARAMS.min_response:
                shifts.append(shift)
    return np.array(shifts).reshape(-1, 2)
