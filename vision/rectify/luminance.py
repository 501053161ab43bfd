"""Converts gamma-encoded grey values to linear light and back, by a power law or by sRGB's curve.

A camera's own tone curve differs from both, mostly near black and white.
"""

from __future__ import annotations

import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter


class LuminanceParameters(StageParameters):
    """Levels above which a picture holds no colour."""

    #: A channel above this is saturated: its colour is unknown, except that it is bright.
    burnt_out_grey: float = parameter(
        245.0,
        unit="grey value",
        source="chosen: 255 less noise and the compression of a camera's highlights",
    )
    #: Pixels at this level in all channels are saturated.
    saturated_grey: float = parameter(
        250.0, unit="grey value", source="chosen: JPEG compression overshoots a little below 255"
    )
    #: If the board itself is this light in all channels, saturation does not indicate a lamp.
    white_board_grey: float = parameter(
        230.0,
        unit="grey value",
        source="chosen: such a board reflects 0.8 of the light that saturates",
    )


PARAMS = LuminanceParameters()
#: Cameras encode light with about this power: it is the best match for sRGB (IEC 61966-2-1).
_GAMMA = 2.2
#: sRGB's own curve is a straight line up to this value, 0 to 1.
_SRGB_DARK = 0.04045


def decode_gamma(grey: np.ndarray) -> FloatArray:
    """Linear light, 0 to 1, of grey values (...), 0 to 255; float32 for uint8 values."""
    if grey.dtype == np.uint8:
        table = (np.arange(256, dtype=np.float32) / 255) ** np.float32(_GAMMA)
        return table.take(grey)
    light: FloatArray = (np.asarray(grey, dtype=np.float64) / 255) ** _GAMMA
    return light


def decode_srgb(grey: np.ndarray) -> FloatArray:
    """Linear light (...) float32, 0 to 1, of sRGB values, 0 to 255 (IEC 61966-2-1)."""
    if grey.dtype == np.uint8:
        return decode_srgb(np.arange(256, dtype=np.float32)).take(grey)
    value = np.asarray(grey, dtype=np.float32) / np.float32(255)
    bright = ((value + 0.055) / 1.055) ** np.float32(2.4)
    return np.where(value <= _SRGB_DARK, value / 12.92, bright)


def encode_srgb(light: FloatArray) -> FloatArray:
    """sRGB values (...), 0 to 255, of linear light, 0 to 1 (IEC 61966-2-1)."""
    bright = 1.055 * light ** (1 / 2.4) - 0.055
    value: FloatArray = np.where(light <= _SRGB_DARK / 12.92, 12.92 * light, bright)
    return 255 * value


def encode_gamma(light: FloatArray) -> FloatArray:
    """Grey values (...), 0 to 255, of linear light; 0 for negative light."""
    grey: FloatArray = 255 * np.maximum(light, 0.0) ** (1 / _GAMMA)
    return grey
