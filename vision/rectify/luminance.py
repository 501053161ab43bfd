"""Linear light of gamma-encoded grey values, and back, by a power law.

A camera's own tone curve differs from it, mostly near black and white.
"""

from __future__ import annotations

import numpy as np

from calibration.camera import FloatArray

#: Cameras encode light by about this power: sRGB (IEC 61966-2-1) is nearest to 2.2.
_GAMMA = 2.2


def decode_gamma(grey: np.ndarray) -> FloatArray:
    """Linear light, 0 to 1, of grey values (...) 0 to 255; float32 of whole ones, uint8."""
    if grey.dtype == np.uint8:
        table = (np.arange(256, dtype=np.float32) / 255) ** np.float32(_GAMMA)
        return table.take(grey)
    light: FloatArray = (np.asarray(grey, dtype=np.float64) / 255) ** _GAMMA
    return light


def encode_gamma(light: FloatArray) -> FloatArray:
    """Grey values (...), 0 to 255, of linear light; none of less than none."""
    grey: FloatArray = 255 * np.maximum(light, 0.0) ** (1 / _GAMMA)
    return grey
