"""Single channels of a picture in which painted lines stand out from the wood: brightness, redness.

Lines of a colour that is neither darker, lighter nor redder than the wood show in neither channel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.parameters import StageParameters, parameter
from vision.board.edges import SEARCH_SIDE_PX, EdgePoints, find_edges


class ChannelsParameters(StageParameters):
    """Parameters of ``channels``."""

    #: Redness is red over green times this.
    red_gain: float = parameter(
        2.0,
        unit="",
        source="measured: red and orange paint differ from wood by 40 or more, grain by under 10",
    )


PARAMS = ChannelsParameters()
#: Number of edges of a channel: one per millimetre of the three rings, 3.8 m together.
_EDGE_LIMIT = 4000
#: A picture this many times as long as needed is halved: halving is quick, and a picture a tenth
#: smaller serves as well.
_WORTH_HALVING = 1.8


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ImageChannel:
    """One channel of a picture, in full size and in the size for searching boards.

    full, small  (h, w) uint8; scale: pixels of ``small`` per pixel of ``full``
    edges        of ``small``
    """

    full: np.ndarray
    small: np.ndarray
    scale: float
    edges: EdgePoints


def make_channels(image: np.ndarray) -> Iterator[ImageChannel]:
    """The picture's channels, likeliest to show a board's lines first; made lazily.

    image (h, w, 3) uint8, BGR. Lines are darker or lighter than most woods. Red lines on yellow
    wood with strong grain show only in the redness.
    """
    for make in CHANNELS:
        yield make_channel(make(image))


def make_channel(full: np.ndarray) -> ImageChannel:
    """A channel (h, w) uint8 in the size for searching boards, with its edges."""
    small = _downsample(full)
    scale = max(small.shape) / max(full.shape)
    return ImageChannel(full=full, small=small, scale=scale, edges=find_edges(small, _EDGE_LIMIT))


def resample_edges(channel: ImageChannel) -> ImageChannel:
    """The channel with edges sampled evenly, for a picture with more texture than lines."""
    return replace(channel, edges=find_edges(channel.small, _EDGE_LIMIT, evenly=True))


def _downsample(full: np.ndarray) -> np.ndarray:
    """The picture at most ``SEARCH_SIDE_PX`` long: halved, which is fast, as often as possible."""
    while max(full.shape) >= _WORTH_HALVING * SEARCH_SIDE_PX:
        full = cv2.resize(full, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    scale = SEARCH_SIDE_PX / max(full.shape)
    if scale >= 1.0:
        return full
    return cv2.resize(full, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)


def _make_brightness(image: np.ndarray) -> np.ndarray:
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY))


def _make_redness(image: np.ndarray) -> np.ndarray:
    _, green, red = cv2.split(image)
    return np.asarray(cv2.addWeighted(red, PARAMS.red_gain, green, -PARAMS.red_gain, 128.0))


CHANNELS: tuple[Callable[[np.ndarray], np.ndarray], ...] = (_make_brightness, _make_redness)
