"""A film's frame kept as a picture file and decoded on demand.

Most frames of a game repeat the previous frame. The block averages stored in a JPEG reveal this at
a seventh of the cost of decoding its pixels (ITU-T T.81, the DC coefficients of its 8 by 8 blocks),
and a waiting file needs a thirtieth of the memory.
"""

from __future__ import annotations

import cv2
import numpy as np

from vision.io.file_kind import choose_decoder
from vision.io.frame import read_upright_size
from vision.io.timed_frame import CameraImage, ImagePlane, average_squares

#: Image pixels per pixel of the reduced picture.
_REDUCTION = 8


class EncodedImage(CameraImage):
    """The bytes of a picture file, and its averages over small squares."""

    def __init__(self, data: bytes, reduced: np.ndarray, shape: tuple[int, ...]) -> None:
        """``reduced`` is (h / 8, w / 8, 3) uint8 BGR for an image of ``shape`` (h, w, 3)."""
        self._data, self._shape = data, shape
        self._reduced = ImagePlane(levels=reduced, every_px=_REDUCTION)
        self._made: np.ndarray | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return self._shape

    @property
    def nbytes(self) -> int:
        made = 0 if self._made is None else self._made.nbytes
        return len(self._data) + self._reduced.levels.nbytes + made

    @property
    def jpeg(self) -> bytes | None:
        return self._data if choose_decoder(self._data)[0] == "JPEG" else None

    @property
    def bgr(self) -> np.ndarray:
        if self._made is None:
            self._made = cv2.imdecode(np.frombuffer(self._data, np.uint8), cv2.IMREAD_COLOR)
        if self._made is None:  # although a reduced picture was available
            raise MemoryError
        return self._made

    def average_squares(self, square_px: int) -> list[np.ndarray]:
        return [average_squares(self._reduced, square_px)]


def read_encoded_image(data: bytes) -> EncodedImage | None:
    """The picture in a file's bytes; None if it is not a photo, is damaged or is too large."""
    size = read_upright_size(data)
    if size is None:
        return None
    reduced = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_REDUCED_COLOR_8)
    return None if reduced is None else EncodedImage(data, reduced, (*size, 3))
