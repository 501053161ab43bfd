"""A mask is widened in the same way as by a dilation."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.track.motion.hands_and_occluders import widen


@pytest.mark.parametrize("by_mm", [0.0, 4.0, 15.0])
@pytest.mark.parametrize("share", [0.0, 0.001, 0.02, 1.0])
def test_a_mask_is_widened_as_by_a_dilation_with_a_disc(by_mm: float, share: float) -> None:
    mask = (np.random.default_rng(1).random((120, 150)) < share).astype(np.uint8)
    side = 2 * round(by_mm / 2) + 1
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
    assert (widen(mask, by_mm) == cv2.dilate(mask, disc)).all()
