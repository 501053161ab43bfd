"""Boards without visible lines are fitted to their posts and the edge of their surface."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from drawn_board import WOOD, draw_board, draw_posts, frame_of, view_of

from calibration.board import BoardSpec
from calibration.circle import circle_mm
from calibration.lens_prior import guess_lens
from calibration.pose import View
from vision.board.edges import find_edges
from vision.board.find_board import DetectedBoard, find_board
from vision.board.grazing.grazing_hypothesis import find_grazing_hypothesis
from vision.board.grazing.post_fit import fit_posts_and_edge
from vision.board.posts import find_post_phase, trace_posts

SIZE = (960, 540)
#: No pixel is within such a line.
WITHOUT_LINES = BoardSpec(line_width_mm=1e-6)


def _make_view(tilt_deg: float) -> View:
    return view_of(tilt_deg, 10.0, size_px=SIZE, distance_mm=1000.0)


def _draw(view: View, *, has_hole: bool = True) -> np.ndarray:
    drawn = draw_board(view, WITHOUT_LINES, size_px=SIZE)
    if not has_hole:
        pixels = np.indices(drawn.shape)[::-1].reshape(2, -1).T
        away_mm = np.linalg.norm(view.unproject_plane(pixels), axis=-1).reshape(drawn.shape)
        drawn[away_mm < BoardSpec().hole_radius_mm + 6.0] = WOOD
    return draw_posts(drawn, view, BoardSpec(), np.radians(22.5)).clip(0, 255).astype(np.uint8)


def _measure_errors_mm(found: View, true: View) -> np.ndarray:
    """Root mean square distances (3,), mm, of the lines from their true places in the picture."""
    errors = []
    for radius_mm in BoardSpec().line_radii_mm:
        line_px = true.project_plane(circle_mm((0.0, 0.0), radius_mm, 36))
        away_mm = np.linalg.norm(found.unproject_plane(line_px), axis=-1) - radius_mm
        errors.append(np.sqrt(np.mean(away_mm**2)))
    return np.array(errors)


@pytest.mark.parametrize("tilt_deg", [62.0, 78.0])
def test_a_board_without_lines_is_found_with_an_honest_sigma(tilt_deg: float) -> None:
    view = _make_view(tilt_deg)
    found = find_board(frame_of(_draw(view)))
    assert isinstance(found, DetectedBoard)
    assert "lines are hard to see" in " ".join(found.notes)
    errors = _measure_errors_mm(found.fit.view, view)
    assert (errors < 5.0).all()
    assert (errors < 2.0 * np.array(found.fit.spec.line_sigmas_mm)).all()
    assert found.fit.spec.surface_radius_mm == pytest.approx(330.2, rel=0.02)


def test_posts_within_an_edge_are_no_board_without_a_hole() -> None:
    picture = _draw(_make_view(78.0), has_hole=False)
    assert find_grazing_hypothesis(picture, find_edges(picture, 4000), guess_lens(*SIZE)) is None


def test_a_rough_view_is_corrected_by_posts_and_edge() -> None:
    view = _make_view(74.0)
    pose = view.cam_from_board
    moved = replace(pose, translation_mm=pose.translation_mm + np.array([5.0, 0.0, 0.0]))
    rough = replace(view, cam_from_board=moved)
    fit = fit_posts_and_edge(_draw(view), rough, 326.0, guess_lens(*SIZE))
    assert fit is not None
    assert _measure_errors_mm(rough, view).min() > 3.5
    assert _measure_errors_mm(fit.view, view).max() < 4.0


def test_a_view_without_posts_is_not_fitted() -> None:
    view = _make_view(74.0)
    empty = draw_board(view, WITHOUT_LINES, size_px=SIZE).clip(0, 255).astype(np.uint8)
    assert fit_posts_and_edge(empty, view, 326.0, guess_lens(*SIZE)) is None


def test_posts_are_traced_in_their_places_with_a_rough_view() -> None:
    view = _make_view(70.0)
    picture = _draw(view)
    pose = view.cam_from_board
    rough = replace(
        view,
        cam_from_board=replace(pose, translation_mm=pose.translation_mm + np.array([4.0, 0, 0])),
    )
    traced = trace_posts(picture, rough, BoardSpec())
    assert len(traced.points_px) == 8
    bases = circle_mm((0.0, 0.0), BoardSpec().post_ring_radius_mm, 16)[1::2]
    at_px = view.project_plane(bases, z_mm=traced.height_mm)
    apart = ((traced.points_px[:, None] - at_px) * traced.across[:, None]).sum(axis=-1)
    assert np.abs(apart).min(axis=1).max() < 0.5  # posts are drawn to half a pixel
    assert find_post_phase(picture, view, BoardSpec()).is_clear


def test_a_surface_that_would_end_inside_the_5_line_is_not_fitted() -> None:
    view = _make_view(74.0)
    assert fit_posts_and_edge(_draw(view), view, 300.0, guess_lens(*SIZE)) is None
