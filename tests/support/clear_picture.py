"""A picture that raises no question: a sample still without the reflection of its lamp."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

import cv2
import numpy as np

import sample_images

_STILL = Path(sample_images.__file__).parent / "stills" / "twenty_in_the_hole.jpg"
#: Only the lamp's reflection is lighter; limited to this level, it no longer hides the board's
#: wood.
_LIGHTEST_GREY = 200


@cache
def make_clear_picture() -> bytes:
    """A JPEG (960, 1280): brown 10, black 25 with one 20, with every call certain."""
    image = np.minimum(cv2.imread(str(_STILL)), _LIGHTEST_GREY).astype(np.uint8)
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 100])[1])


@cache
def write_clear_picture() -> Path:
    """The path of that picture, in a folder that is deleted when the process ends."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = folder / "clear.jpg"
    path.write_bytes(make_clear_picture())
    return path
