"""From linear light to a phone's picture: exposure, white balance, blur, noise, tone curve, 8 bits.

Noise is shot and read noise, smoothed a little as in phones; the tone curve is sRGB's with a soft
shoulder.
"""

from __future__ import annotations

import cv2
import numpy as np

from sample_images.renderer.scene import Sensor

#: Linear light from which highlights are rolled off towards white.
_SHOULDER = 0.75
#: A phone keeps all but the brightest tenth of the picture below this share of white.
_BRIGHT_TENTH = 0.9


def _expose(light: np.ndarray, sensor: Sensor) -> np.ndarray:
    """Light scaled to give the middle the wanted mean, unless too much of the rest would turn
    white.
    """
    h, w = light.shape[:2]
    middle = light[h // 5 : -h // 5, w // 5 : -w // 5]
    mean = np.exp(np.mean(np.log(np.maximum(middle.mean(axis=2), 1e-4))))
    gain = min(sensor.exposure / mean, _BRIGHT_TENTH / float(np.percentile(light, 90)))
    return light * gain * np.array(sensor.white_balance, np.float32)


def _apply_vignette(light: np.ndarray, strength: float) -> np.ndarray:
    h, w = light.shape[:2]
    y, x = np.mgrid[-1 : 1 : h * 1j, -1 : 1 : w * 1j]
    return light * (1 - strength * 0.5 * (x * x + y * y))[..., None]


def _add_noise(light: np.ndarray, noise: float, seed: int) -> np.ndarray:
    """Shot and read noise, smoothed a little as in phones."""
    rng = np.random.default_rng(seed)
    spread = noise * np.sqrt(np.maximum(light, 0) * 0.8 + 0.05)
    fine = rng.standard_normal(light.shape).astype(np.float32)
    return light + spread * (0.5 * fine + 0.9 * cv2.GaussianBlur(fine, (0, 0), 0.8))


def _tone_map(light: np.ndarray) -> np.ndarray:
    """sRGB values 0 to 1 with a soft shoulder."""
    x = np.maximum(light, 0)
    room = 1 - _SHOULDER
    x = np.where(x < _SHOULDER, x, 1 - room * np.exp(-(x - _SHOULDER) / room))
    return np.where(x <= 0.0031308, 12.92 * x, 1.055 * np.power(x, 1 / 2.4) - 0.055)


def develop(light: np.ndarray, sensor: Sensor, seed: int) -> np.ndarray:
    """The picture (h, w, 3), 8-bit, red first, of linear light (h, w, 3)."""
    picture = _apply_vignette(_expose(light, sensor), sensor.vignette)
    if sensor.blur_px > 0.05:
        picture = cv2.GaussianBlur(picture, (0, 0), sensor.blur_px)
    picture = _tone_map(_add_noise(picture, sensor.noise, seed))
    return (np.clip(picture, 0, 1) * 255 + 0.5).astype(np.uint8)
