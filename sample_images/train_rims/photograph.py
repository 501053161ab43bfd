"""A phone's picture of a field of discs: developed, sharpened (unsharp mask), compressed."""

from __future__ import annotations

import cv2
import numpy as np

from sample_images.renderer.blender.sensor import develop
from sample_images.train_rims.field import Field
from sample_images.train_rims.path_tracer import trace_field

#: Sharpening adds the difference from the picture blurred by this, px.
_SHARPENING_PX = 1.2


def photograph(field: Field, seed: int) -> np.ndarray:
    """The picture (height, width, 3) uint8 BGR."""
    picture = develop(trace_field(field, seed), field.sensor, seed)[..., ::-1].astype(np.float32)
    soft = cv2.GaussianBlur(picture, (0, 0), _SHARPENING_PX)
    sharp = np.clip(picture + field.sharpening * (picture - soft) + 0.5, 0, 255).astype(np.uint8)
    quality = [cv2.IMWRITE_JPEG_QUALITY, field.sensor.jpeg_quality]
    _, code = cv2.imencode(".jpg", sharp, quality)
    return np.asarray(cv2.imdecode(code, cv2.IMREAD_COLOR))
