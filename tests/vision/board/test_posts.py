"""Posts as bars that stand upright on their ring."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_board import draw_board, draw_posts, view_of

from calibration.board import BoardSpec
from vision.board.posts import find_post_phase

SPEC = BoardSpec()


@pytest.mark.parametrize("tilt_deg", [0.0, 35.0, 60.0, 76.0])
@pytest.mark.parametrize("phase_deg", [2.0, 22.5, 40.0])
def test_the_phase_of_eight_posts_is_found_at_any_tilt(tilt_deg: float, phase_deg: float) -> None:
    view = view_of(tilt_deg, distance_mm=900.0)
    grey = draw_posts(draw_board(view), view, SPEC, np.radians(phase_deg))
    posts = find_post_phase(grey.clip(0, 255).astype(np.uint8), view, SPEC)
    assert posts.is_clear
    assert np.degrees(posts.phase_rad) == pytest.approx(phase_deg, abs=1.0)


@pytest.mark.parametrize("tilt_deg", [0.0, 35.0, 60.0, 76.0])
def test_rings_without_posts_show_none(tilt_deg: float) -> None:
    view = view_of(tilt_deg, distance_mm=900.0)
    grey = draw_board(view, grain=15.0)
    assert not find_post_phase(grey.clip(0, 255).astype(np.uint8), view, SPEC).is_clear
