"""The hole and the surface's edge, seen from the side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from drawn_board import draw_board, view_of

from calibration.board import BoardSpec
from calibration.fit import BoardFit
from calibration.pose import Pose, View
from vision.board.hole_and_edge import has_hole, has_plain_hole, measure_edge_share

FAR_MM = 1900.0


def _fit_of(view: View) -> BoardFit:
    return BoardFit(view=view, spec=BoardSpec(), residual_px=0.3, covariance=np.eye(10))


def _move(view: View, by_mm: float) -> View:
    """The view of the board, moved sideways."""
    pose = view.cam_from_board
    moved_mm = pose.translation_mm + pose.rotation @ np.array([by_mm, 0.0, 0.0])
    return replace(view, cam_from_board=Pose(rotation=pose.rotation, translation_mm=moved_mm))


@pytest.mark.parametrize("tilt_deg", [30.0, 66.0, 78.0])
def test_hole_and_edge_are_detected_only_in_their_places(tilt_deg: float) -> None:
    view = view_of(tilt_deg, distance_mm=FAR_MM)
    grey = draw_board(view).clip(0, 255).astype(np.uint8)
    fit, moved = _fit_of(view), _fit_of(_move(view, 25.0))
    assert has_plain_hole(grey, fit)
    assert measure_edge_share(grey, fit) > 0.9
    assert not has_plain_hole(grey, moved)
    assert measure_edge_share(grey, moved) < 0.7


def test_the_hole_is_detected_where_its_edge_is_finer_than_a_pixel() -> None:
    view = view_of(78.0, distance_mm=FAR_MM)
    grey = draw_board(view, noise=6.0).clip(0, 255).astype(np.uint8)
    assert not has_hole(grey, _fit_of(view))
    assert has_plain_hole(grey, _fit_of(view))


def test_no_hole_and_no_edge_are_detected_outside_the_picture() -> None:
    view = view_of(30.0)
    outside = _fit_of(_move(view, 5000.0))
    grey = np.full((900, 1200), 120, np.uint8)
    assert not has_plain_hole(grey, outside)
    assert measure_edge_share(grey, outside) == 0.0
