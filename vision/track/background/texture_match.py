"""Texture match: whether the board's grain, lines and print show somewhere, in any light.

A disc hides them; a shadow, and the place that the sun has left, do not. Knows the bare board.
Refuses to know discs and light.
"""

from __future__ import annotations

import cv2
import numpy as np

from calibration.camera import FloatArray
from vision.track.background.background_model import BackgroundModel

#: Grain and lines are what differs from the mean of so many pixels around.
_TEXTURE_PX = (5, 5)
#: Fainter grain than this, grey levels, is noise.
MIN_TEXTURE = 1.5
#: The faces of discs at rest correlate with the board under them by up to 0.2, and in one frame of
#: hundreds by 0.6; bare board that the sun has left does by 0.7 and more.
_SAME_TEXTURE, _FEWEST_CHANNELS = 0.6, 2


def extract_texture(image: np.ndarray) -> FloatArray:
    """High-pass texture, each pixel less the mean around it: (h, w, 3)."""
    level = image.astype(np.float32)
    return np.asarray(level - cv2.blur(level, _TEXTURE_PX))


def matches_background(background: BackgroundModel, image: np.ndarray, where: np.ndarray) -> bool:
    """Whether an ``image`` shows the background's texture all over ``where`` (side, side bool).

    It does not where the background was never observed, or shows no texture in two channels.
    """
    if not where.any() or not background.valid_mask[where].all():
        return False
    row, column = np.nonzero(where)
    box = slice(row.min(), row.max() + 1), slice(column.min(), column.max() + 1)
    board, seen = (extract_texture(each[box])[where[box]] for each in (background.image, image))
    spread = [each.std(axis=0) for each in (board, seen)]
    shows = spread[0] > MIN_TEXTURE
    if np.count_nonzero(shows) < _FEWEST_CHANNELS:
        return False
    alike = ((board - board.mean(axis=0)) * (seen - seen.mean(axis=0))).mean(axis=0)
    return bool((alike > _SAME_TEXTURE * spread[0] * spread[1])[shows].all())
