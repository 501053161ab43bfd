"""One picture, decoded upright and ready to be read.

Knows files, EXIF and sizes. Refuses to know what the picture shows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Frame:
    """A picture after EXIF rotation, reduced for work where it is very large.

    image      (height, width, 3) uint8, BGR
    scale      pixels of ``image`` per stored pixel (1.0, 0.5, 0.25)
    width_px, height_px  of the stored picture, after rotation
    focal_px   focal length from EXIF in stored pixels, None when the file does not say
    notes      sentences a person should see, such as "the file is truncated"
    """

    name: str
    image: np.ndarray
    scale: float
    width_px: int
    height_px: int
    focal_px: float | None = None
    notes: tuple[str, ...] = ()
