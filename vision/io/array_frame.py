"""An array of pixels as a frame, for programs that have decoded their picture themselves."""

from __future__ import annotations

import cv2
import numpy as np

from vision.io.frame import MAX_LONG_SIDE_PX, Frame

#: A board cannot be recognised in fewer pixels.
_MIN_SIDE_PX = 16


def make_frame(image: np.ndarray, *, name: str = "image", focal_px: float | None = None) -> Frame:
    """The picture as a frame, reduced by a whole factor if it is very large.

    image     (height, width, 3) uint8, BGR as OpenCV reads it, upright; or (height, width) grey
    focal_px  focal length in its pixels, if known

    Raises ``ValueError`` for another shape or type.
    """
    if image.dtype != np.uint8 or image.shape[2:] not in ((), (3,)):
        raise ValueError(
            f"An image is (height, width, 3) or (height, width) uint8, not {image.shape} "
            f"{image.dtype}."
        )
    height, width = image.shape[:2]
    if min(height, width) < _MIN_SIDE_PX:
        raise ValueError(f"An image of {width} × {height} pixels shows no board.")
    colour = cv2.cvtColor(image, cv2.COLOR_GRAY2BGR) if image.ndim == 2 else image
    factor = -(-max(height, width) // MAX_LONG_SIDE_PX)
    whole = colour[: height // factor * factor, : width // factor * factor]
    reduced = cv2.resize(whole, (width // factor, height // factor), interpolation=cv2.INTER_AREA)
    return Frame(
        name=name,
        image=np.ascontiguousarray(colour if factor == 1 else reduced),
        scale=1.0 / factor,
        width_px=width,
        height_px=height,
        focal_px=focal_px,
    )
