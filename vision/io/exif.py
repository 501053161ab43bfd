"""Orientation and focal length from a picture's EXIF block.

Both are EXIF 2.3 tags, and are used only if they are plausible. A picture that was cropped later
keeps its EXIF block, so the focal length is ignored if the stored shape contradicts EXIF.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from PIL import Image

from calibration.lens_prior import PARAMS as LENS_PARAMS

#: Focal lengths of a full-frame camera: other values are typing errors, or lenses with
#: which nobody films a board.
_FOCAL_RANGE_MM = (10.0, 300.0)
#: A picture whose long side over short side is in this range is a whole frame (nominal: sensors are
#: 4:3 or 3:2; 3% and 2% are added).
_WHOLE_FRAME_ASPECT = (1.29, 1.53)
#: Diagonal over long side of a phone's sensor when the phone crops it to make a wider picture
#: (geometry: the diagonal of a 4:3 sensor is 5/4 of its long side).
_DIAGONAL_PER_LONG_SIDE = 1.25

#: EXIF 2.3's tags: orientation, the Exif block, pixel width and height, focal length.
_ORIENTATION, _EXIF_BLOCK, _WIDTH, _HEIGHT, _FOCAL_35MM = 0x0112, 0x8769, 0xA002, 0xA003, 0xA405
#: Diagonal of the 36 x 24 mm frame that "35 mm equivalent" refers to.
_FILM_DIAGONAL_MM = math.hypot(36.0, 24.0)


def read_orientation(exif: Image.Exif) -> int:
    """The orientation tag, 1 to 8; 1 (upright) if it is missing or invalid."""
    value = exif.get(_ORIENTATION, 1)
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


def read_focal_px(exif: Image.Exif, width_px: int, height_px: int) -> float | None:
    """Focal length, in pixels of a stored picture of this size; None if EXIF does not contain it.

    A picture that was cropped later keeps its EXIF block, so the result is None if the stored shape
    is not that of a sensor or differs from the shape in EXIF.
    """
    block = exif.get_ifd(_EXIF_BLOCK)
    focal_mm = _parse_positive(block.get(_FOCAL_35MM))
    if focal_mm is None or not _FOCAL_RANGE_MM[0] <= focal_mm <= _FOCAL_RANGE_MM[1]:
        return None
    if _is_cropped(block, width_px, height_px):
        return None
    diagonal_px = _sensor_diagonal_px(width_px, height_px)
    return None if diagonal_px is None else focal_mm * diagonal_px / _FILM_DIAGONAL_MM


def _sensor_diagonal_px(width_px: int, height_px: int) -> float | None:
    """Diagonal of the whole sensor, in pixels, for a picture of this size."""
    long_px, short_px = max(width_px, height_px), min(width_px, height_px)
    aspect = long_px / short_px
    if aspect < _WHOLE_FRAME_ASPECT[0]:
        return None  # a squarer picture is a crop of unknown size
    if aspect <= _WHOLE_FRAME_ASPECT[1]:
        return math.hypot(width_px, height_px)
    return long_px * _DIAGONAL_PER_LONG_SIDE


def _is_cropped(block: Mapping[int, object], width_px: int, height_px: int) -> bool:
    """Whether EXIF recorded a different shape; width and height may be swapped, because some
    programs rotate the pixels.
    """
    recorded = [_parse_positive(block.get(tag)) for tag in (_WIDTH, _HEIGHT)]
    known = [side for side in recorded if side is not None]
    if len(known) < 2:
        return False
    stored_aspect = max(width_px, height_px) / min(width_px, height_px)
    return abs(max(known) / min(known) / stored_aspect - 1) > LENS_PARAMS.shape_tolerance


def _parse_positive(value: object) -> float | None:
    """A finite positive number, or None."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, ZeroDivisionError):
        return None
    return number if math.isfinite(number) and number > 0 else None
