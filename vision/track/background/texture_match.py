"""Texture match: whether the board's grain, lines and print are visible at some place, in any
light.

A disc hides them; a shadow does not, and neither does a patch that was in the sun before. Texture
is a picture minus its local mean. Two textures are matched by normalised cross-correlation where
the pictures differ, because a post in front of a disc is the same in both. On plain wood there is
nothing to match, and the answer is no.
"""

from __future__ import annotations

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from vision.track.background.background_model import BackgroundModel


class TextureMatchParameters(StageParameters):
    """Parameters of ``texture_match``."""

    #: The board's texture is recognised if it correlates with the background's by more than this in
    #: all channels that have texture, and if at least this many channels have texture.
    same_texture: float = parameter(
        0.6,
        unit="",
        source="measured: discs at rest have up to 0.2, and 0.6 in one frame of hundreds; "
        "empty places in sunlight 0.7 and more",
    )
    fewest_channels: int = parameter(
        2, unit="", source="chosen: the noise of one channel may correlate"
    )


PARAMS = TextureMatchParameters()
#: Grain and lines are differences from the mean over this many pixels: 10 mm, wider than grain and
#: lines.
_TEXTURE_PX = (5, 5)
#: Fainter grain than this, grey levels, is noise.
MIN_TEXTURE = 1.5


def find_box(where: np.ndarray) -> tuple[slice, slice]:
    """The rows and columns that contain all of a mask (h, w) bool."""
    left, top, width, height = cv2.boundingRect(where.view(np.uint8))
    return slice(top, top + height), slice(left, left + width)


def extract_texture(image: np.ndarray, among: np.ndarray | None = None) -> FloatArray:
    """High-pass texture, the pixels minus the mean around them: (h, w, 3).

    The mean uses only pixels ``among`` (h, w bool); if there are none, the texture is 0.
    """
    level = image.astype(np.float32)
    if among is None:
        return np.asarray(level - cv2.blur(level, _TEXTURE_PX))
    weight = among.astype(np.float32)[..., None]
    total = cv2.blur(level * weight, _TEXTURE_PX)
    share = cv2.blur(weight, _TEXTURE_PX)[..., None]
    return np.asarray(level - total / np.maximum(share, 1e-6))


def matches_background(
    background: BackgroundModel, image: np.ndarray, where: np.ndarray, differs: np.ndarray
) -> bool:
    """Whether a rectified ``image`` shows the background's texture in all of ``where``, although it
    differs.

    All are (side, side), the last two bool. False if the background was never observed, or shows no
    texture in two channels.
    """
    if not background.valid_mask[where].all() or not (where & differs).any():
        return False
    box = find_box(where)
    among, chosen = differs[box], (where & differs)[box]
    board, seen = (
        extract_texture(picture[box], among)[chosen] for picture in (background.image, image)
    )
    spread = [texture.std(axis=0) for texture in (board, seen)]
    shows = spread[0] > MIN_TEXTURE
    if np.count_nonzero(shows) < PARAMS.fewest_channels:
        return False
    alike = ((board - board.mean(axis=0)) * (seen - seen.mean(axis=0))).mean(axis=0)
    return bool((alike > PARAMS.same_texture * spread[0] * spread[1])[shows].all())
