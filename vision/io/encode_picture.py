"""Pictures (h, w, 3) BGR, or (h, w), as the bytes of a file."""

from __future__ import annotations

import cv2
import numpy as np


def encode_jpeg(picture: np.ndarray, quality: int = 95) -> bytes:
    """The picture as JPEG of a quality from 0 to 100."""
    return cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()


def encode_png(picture: np.ndarray) -> bytes:
    """The picture as PNG, which loses nothing."""
    return cv2.imencode(".png", picture)[1].tobytes()
