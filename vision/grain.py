"""Whether the board's own grain, lines and print show at a place, whatever light falls there.

A disc hides them; a shadow, and the place that the sun has left, do not. Knows the bare board.
Refuses to know discs and light.
"""

from __future__ import annotations

import cv2
import numpy as np

from calibration.camera import FloatArray
from vision.plate import Plate

#: Grain and lines are what differs from the mean of so many pixels around.
_GRAIN_PX = (5, 5)
#: Fainter grain than this, grey levels, is noise.
LEAST_GRAIN = 1.5
#: The faces of discs at rest correlate with the board under them by up to 0.2, and in one frame of
#: hundreds by 0.6; bare board that the sun has left does by 0.7 and more.
_SAME_GRAIN, _FEWEST_CHANNELS = 0.6, 2


def grain(image: np.ndarray) -> FloatArray:
    """What differs from its surroundings: (h, w, 3)."""
    level = image.astype(np.float32)
    return np.asarray(level - cv2.blur(level, _GRAIN_PX))


def shows_board(plate: Plate, image: np.ndarray, where: np.ndarray) -> bool:
    """Whether a sheet ``image`` shows, all over ``where`` (side, side bool), what the plate does.

    It does not where the bare board was never seen, or shows no grain in two channels.
    """
    if not where.any() or not plate.bare[where].all():
        return False
    row, column = np.nonzero(where)
    box = slice(row.min(), row.max() + 1), slice(column.min(), column.max() + 1)
    board, seen = (grain(each[box])[where[box]] for each in (plate.image, image))
    spread = [each.std(axis=0) for each in (board, seen)]
    shows = spread[0] > LEAST_GRAIN
    if np.count_nonzero(shows) < _FEWEST_CHANNELS:
        return False
    alike = ((board - board.mean(axis=0)) * (seen - seen.mean(axis=0))).mean(axis=0)
    return bool((alike > _SAME_GRAIN * spread[0] * spread[1])[shows].all())
