"""Connected components of a difference, with shares and means over them.

Thin differences, which are edges, are removed first by opening. Pixels of all components are stored
once (``indices``), so a mean over the components takes one count.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.camera import FloatArray
from vision.rectify.frame_rectifier import RECTIFIED_MM_PER_PX

#: Differences thinner than this many pixels are edges.
OPENING = np.ones((3, 3), np.uint8)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Components:
    """k connected components.

    indices  (n,) flat indices of all their pixels
    numbers  (n,) the component of every pixel
    sizes    (k,) pixels of the components
    shape    (side, side)
    """

    indices: np.ndarray
    numbers: np.ndarray
    sizes: np.ndarray
    shape: tuple[int, ...]

    def average(self, values: np.ndarray) -> FloatArray:
        """The mean (k,) of the pixels' values (n,) over the components."""
        return np.bincount(self.numbers, values, len(self.sizes)) / self.sizes

    def measure_shares(self, mask: np.ndarray) -> FloatArray:
        """The share (k,) of the components that a mask (side, side) bool covers."""
        return self.average(mask.ravel().take(self.indices))

    def mask(self, number: int) -> np.ndarray:
        """Pixels (side, side bool) of a component."""
        mask = np.zeros(self.shape, dtype=bool)
        mask.ravel()[self.indices[self.numbers == number]] = True
        return mask


def find_components(difference: np.ndarray, least_mm2: float) -> Components:
    """The connected pieces of at least that size."""
    worn = cv2.morphologyEx(difference.view(np.uint8), cv2.MORPH_OPEN, OPENING)
    _, label = cv2.connectedComponents(worn, connectivity=4)
    at = np.flatnonzero(worn.view(bool))
    own = label.ravel().take(at).astype(np.intp)
    size = np.bincount(own)
    is_large = size * RECTIFIED_MM_PER_PX**2 > least_mm2
    kept = is_large.take(own)
    return Components(
        indices=at[kept],
        numbers=(np.cumsum(is_large) - 1).take(own[kept]),
        sizes=size[is_large],
        shape=difference.shape,
    )
