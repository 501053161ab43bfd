"""Texture match: whether the board's grain, lines and print show somewhere, in any light.

A disc hides them; a shadow, and the place that the sun has left, do not. Texture is what is left of
a picture less its local mean; two are matched by normalised cross-correlation. On plain wood there
is nothing to match, and the answer is no.
"""

from __future__ import annotations

from typing import ClassVar

import cv2
import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from vision.track.background.background_model import BackgroundModel


class TextureMatchParameters(StageParameters):
    """What ``texture_match`` takes for granted."""

    stage: ClassVar[str] = "track.background.texture_match"

    #: Grain and lines are what differs from the mean of so many pixels around.
    texture_px: tuple[int, int] = parameter(
        (5, 5), unit="px", source="chosen: 10 mm, broader than grain and lines"
    )
    #: It is the board's texture when it correlates with the background's by more than this in all
    #: channels that show any, and so many do.
    same_texture: float = parameter(
        0.6,
        unit="",
        source="discs at rest: up to 0.2, one frame in hundreds 0.6; sunlit and bare: 0.7 and more",
    )
    fewest_channels: int = parameter(
        2, unit="", source="chosen: noise of one channel may correlate"
    )


PARAMS = TextureMatchParameters.active()
#: Fainter grain than this, grey levels, is noise.
MIN_TEXTURE = 1.5


def find_box(where: np.ndarray) -> tuple[slice, slice]:
    """The rows and columns of a mask (h, w) bool that hold all of it."""
    left, top, width, height = cv2.boundingRect(where.view(np.uint8))
    return slice(top, top + height), slice(left, left + width)


def extract_texture(image: np.ndarray) -> FloatArray:
    """High-pass texture, each pixel less the mean around it: (h, w, 3)."""
    level = image.astype(np.float32)
    return np.asarray(level - cv2.blur(level, PARAMS.texture_px))


def matches_background(background: BackgroundModel, image: np.ndarray, where: np.ndarray) -> bool:
    """Whether a rectified ``image`` shows the background's texture all over ``where``.

    Both (side, side), ``where`` bool. It does not where the background was never observed, or
    shows no texture in two channels.
    """
    if not where.any() or not background.valid_mask[where].all():
        return False
    box = find_box(where)
    board, seen = (extract_texture(each[box])[where[box]] for each in (background.image, image))
    spread = [each.std(axis=0) for each in (board, seen)]
    shows = spread[0] > MIN_TEXTURE
    if np.count_nonzero(shows) < PARAMS.fewest_channels:
        return False
    alike = ((board - board.mean(axis=0)) * (seen - seen.mean(axis=0))).mean(axis=0)
    return bool((alike > PARAMS.same_texture * spread[0] * spread[1])[shows].all())
