"""What a picture's EXIF block says about how it was taken: which side is up, and the focal length.

Knows the tags and how far to trust them. Refuses to know files and pixels.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from PIL import Image

_ORIENTATION = 0x0112
_EXIF_BLOCK = 0x8769
_WIDTH, _HEIGHT = 0xA002, 0xA003
_FOCAL_35MM = 0xA405

#: Diagonal of the 36 x 24 mm frame that "35 mm equivalent" refers to.
_FILM_DIAGONAL_MM = math.hypot(36.0, 24.0)
#: Focal lengths outside this range are typing errors, or not of a lens for tables.
_FOCAL_RANGE_MM = (10.0, 300.0)
#: Sensors are 4:3 or 3:2; between these aspects (with a little room) a picture is a whole frame.
_WHOLE_FRAME_ASPECT = (1.29, 1.53)
#: Aspects of the same picture after a resize agree to rounding; a crop changes more than this.
_ASPECT_TOLERANCE = 0.01
#: Diagonal over long side of a 4:3 sensor, which phones crop to make a wider picture.
_DIAGONAL_PER_LONG_SIDE = 1.25


def orientation(exif: Image.Exif) -> int:
    """The orientation tag, 1 to 8; 1 (upright) when it is absent or absurd."""
    value = exif.get(_ORIENTATION, 1)
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


def focal_px(exif: Image.Exif, width_px: int, height_px: int) -> float | None:
    """Focal length in pixels of a stored picture of this size, None when EXIF cannot tell.

    A picture that was cropped after it was taken keeps its EXIF, so where the stored shape cannot
    be a sensor's, or differs from the shape EXIF recorded, nothing is said.
    """
    block = exif.get_ifd(_EXIF_BLOCK)
    focal_mm = _number(block.get(_FOCAL_35MM))
    if focal_mm is None or not _FOCAL_RANGE_MM[0] <= focal_mm <= _FOCAL_RANGE_MM[1]:
        return None
    if _is_cropped(block, width_px, height_px):
        return None
    diagonal_px = _sensor_diagonal_px(width_px, height_px)
    return None if diagonal_px is None else focal_mm * diagonal_px / _FILM_DIAGONAL_MM


def _sensor_diagonal_px(width_px: int, height_px: int) -> float | None:
    """Diagonal of the whole sensor, in pixels of a picture of this size."""
    long_px, short_px = max(width_px, height_px), min(width_px, height_px)
    aspect = long_px / short_px
    if aspect < _WHOLE_FRAME_ASPECT[0]:
        return None  # a squarer picture is a crop, and nobody knows of what
    if aspect <= _WHOLE_FRAME_ASPECT[1]:
        return math.hypot(width_px, height_px)
    return long_px * _DIAGONAL_PER_LONG_SIDE


def _is_cropped(block: Mapping[int, object], width_px: int, height_px: int) -> bool:
    """Whether EXIF recorded another shape; either way round, as some programs turn the pixels."""
    recorded = [_number(block.get(tag)) for tag in (_WIDTH, _HEIGHT)]
    known = [side for side in recorded if side is not None]
    if len(known) < 2:
        return False
    stored_aspect = max(width_px, height_px) / min(width_px, height_px)
    return abs(max(known) / min(known) / stored_aspect - 1) > _ASPECT_TOLERANCE


def _number(value: object) -> float | None:
    """A finite positive number, or None."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, ZeroDivisionError):
        return None
    return number if math.isfinite(number) and number > 0 else None
