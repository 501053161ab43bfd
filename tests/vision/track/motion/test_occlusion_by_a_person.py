"""Objects over the board that come from beyond its surface."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_discs import DISC, board_fit, view_at

from vision.rectify.frame_rectifier import make_rectifier
from vision.track.motion.occlusion import follow_occlusion

FIT = board_fit(view_at(20.0))
RECTIFIER = make_rectifier(FIT.view, FIT.spec, (960, 1280, 3))
READY_MM = (0.0, -290.0)


def cover() -> np.ndarray:
    """A cover of the board around ``READY_MM``, (side, side) uint8, without a disc there."""
    mask = RECTIFIER.disc_mask(READY_MM, DISC.radius_mm + 30.0)
    return mask & ~RECTIFIER.disc_mask(READY_MM, DISC.radius_mm + 4.0) & 1


@pytest.mark.parametrize("from_mm", [0.0, 150.0], ids=["up to the edge", "not up to it"])
def test_what_came_through_a_part_that_was_never_seen_bare_is_a_person(from_mm: float) -> None:
    """A hand was over the board's edge in the first frames, and another comes in there."""
    middle = round(float(RECTIFIER.to_px(np.array(READY_MM))[0]))
    known = RECTIFIER.surface.copy()
    known[:, middle - 5 : middle + 5] = False
    known |= RECTIFIER.surface & (RECTIFIER.radius_mm > RECTIFIER.surface_radius_mm - from_mm)
    arm = cover()
    occlusion = follow_occlusion(None, arm, RECTIFIER, 1.0, known)
    assert occlusion is not None
    assert occlusion.is_person is (from_mm == 0.0)
