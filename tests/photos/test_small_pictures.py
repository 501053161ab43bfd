"""Pictures of few pixels, such as thumbnails: board and discs are read as in large ones."""

from __future__ import annotations

import cv2
import numpy as np
from paths import STILLS

from vision.io.array_frame import make_frame
from vision.read_photo import read_photo


def shrink(name: str, width_px: int, *, sharpen: float = 0.0) -> np.ndarray:
    """A sample picture ``width_px`` wide, and sharpened as thumbnails are."""
    image = cv2.imread(str(STILLS / name))
    assert image is not None
    scale = width_px / image.shape[1]
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    blurred = cv2.GaussianBlur(small, (0, 0), 1.0)
    return cv2.addWeighted(small, 1.0 + sharpen, blurred, -sharpen, 0)


def test_a_small_disc_at_rest_counts_in_a_sharpened_thumbnail() -> None:
    image = shrink("steep_view_walnut_black_and_cream.jpg", 300, sharpen=1.0)
    reading = read_photo(make_frame(image))
    assert len(reading.discs) == 7
    for disc in reading.discs:
        away_mm = [np.linalg.norm(item.centre_mm - disc.centre_mm) for item in reading.unexplained]
        assert min(away_mm, default=np.inf) > reading.disc.radius_mm
