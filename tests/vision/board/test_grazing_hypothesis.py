"""Boards in grazing views are found by the ellipses of their circles."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn_board import draw_board, draw_posts, view_of

from calibration.board import BoardSpec
from calibration.camera import Camera
from calibration.circle import circle_mm
from calibration.lens_prior import guess_lens
from calibration.pose import Pose, View
from vision.board.edges import detect_edges, find_edges
from vision.board.grazing.arcs import _list_pieces, trace_arcs
from vision.board.grazing.circle_views import compute_circle_views
from vision.board.grazing.ellipses import ImageEllipse, find_ellipses
from vision.board.grazing.grazing_hypothesis import (
    _find_clear_edges,
    _find_faint_edges,
    _rank_views,
    find_grazing_hypothesis,
)
from vision.board.grazing.post_fit import fit_posts_and_edge
from vision.board.grazing.post_search import (
    _filter_sparsely,
    _find_second_least,
    search_post_rings,
)

WIDTH, HEIGHT = 960, 540


def _make_view(tilt_deg: float, roll_deg: float, focal_sides: float) -> View:
    """A board whose 5-line is about 620 px wide, seen from the front."""
    tilt, roll = np.radians([tilt_deg, roll_deg])
    up = np.array([np.sin(tilt) * np.sin(roll), -np.sin(tilt) * np.cos(roll), -np.cos(tilt)])
    right = np.cross(up, [0.0, 0.0, 1.0])
    right /= -np.linalg.norm(right)
    rotation = np.column_stack([right, np.cross(up, right), up])
    camera = Camera(
        fx_px=focal_sides * WIDTH, fy_px=focal_sides * WIDTH, cx_px=WIDTH / 2, cy_px=HEIGHT / 2
    )
    away_mm = np.array([20.0, 40.0, focal_sides * WIDTH])
    return View(camera=camera, cam_from_board=Pose(rotation=rotation, translation_mm=away_mm))


def _draw_board(view: View) -> np.ndarray:
    """A pale surface with dark lines and posts on a cloth of fine stripes, noisy."""
    picture = np.full((HEIGHT, WIDTH), 90, np.uint8)
    picture[:, ::4] = 120

    def to_fixed(points_px: np.ndarray) -> list[np.ndarray]:
        return [np.round(points_px * 16).astype(np.int32)]

    spec = BoardSpec()
    surface = view.project_plane(circle_mm((0.0, 0.0), spec.surface_radius_mm, 360))
    cv2.fillPoly(picture, to_fixed(surface), 190, cv2.LINE_AA, 4)
    for radius_mm in spec.line_radii_mm:
        line = view.project_plane(circle_mm((0.0, 0.0), radius_mm, 360))
        cv2.polylines(picture, to_fixed(line), True, 120, 2, cv2.LINE_AA, 4)
    for x, y in circle_mm((0.0, 0.0), spec.post_ring_radius_mm, 8):
        post = view.project(np.array([[x, y, 0.0], [x, y, 16.0]]))
        cv2.polylines(picture, to_fixed(post), False, 60, 6, cv2.LINE_AA, 4)
    noise = np.random.default_rng(0).normal(0, 2, picture.shape)
    return np.clip(picture + noise, 0, 255).astype(np.uint8)


@pytest.mark.parametrize(
    ("tilt_deg", "roll_deg", "focal_sides"),
    [(62, 0, 0.75), (72, -5, 0.9), (78, 4, 0.7), (78, 11, 2.6)],
    ids=["phone", "rolled", "laptop", "tele"],
)
def test_a_board_on_a_striped_cloth_is_found_in_a_grazing_view(
    tilt_deg: float, roll_deg: float, focal_sides: float
) -> None:
    view = _make_view(tilt_deg, roll_deg, focal_sides)
    picture = _draw_board(view)
    found = find_grazing_hypothesis(picture, find_edges(picture, 4000), guess_lens(WIDTH, HEIGHT))
    assert found is not None
    assert found.is_board
    ring = circle_mm((0.0, 0.0), BoardSpec().line_radii_mm[2], 24)
    seen_mm = np.linalg.norm(found.fit.view.unproject_plane(view.project_plane(ring)), axis=-1)
    assert seen_mm == pytest.approx(found.fit.spec.line_radii_mm[2], abs=1.5)


def test_a_faint_line_beside_a_loud_crowd_is_a_local_edge() -> None:
    picture = np.full((HEIGHT, WIDTH), 175, np.uint8)
    cv2.ellipse(picture, (480, 380), (360, 90), 0, 0, 360, 165, 2, cv2.LINE_AA)
    picture[:200] = (
        np.random.default_rng(2).integers(0, 256, (50, WIDTH // 4)).repeat(4, 0).repeat(4, 1)
    )
    ring = np.zeros((HEIGHT, WIDTH), np.uint8)
    cv2.ellipse(ring, (480, 380), (360, 90), 0, 0, 360, 255, 5)
    clear, faint = (
        (find(picture)[ring > 0] > 0).sum() for find in (_find_clear_edges, _find_faint_edges)
    )
    assert clear == 0
    assert faint > 1000  # with two edges of 1500 pixels each


def test_a_large_circle_is_no_line_of_a_board_that_the_picture_cannot_hold() -> None:
    rail = ImageEllipse(centre_px=np.array([480.0, 270.0]), half_axes_px=(440, 110), angle_rad=0.0)
    picture = _draw_board(_make_view(75, 0, 1.0))
    views = _rank_views(picture, [rail], (guess_lens(WIDTH, HEIGHT).camera(),))
    line_mm = circle_mm((0.0, 0.0), BoardSpec().line_radii_mm[2], 36)
    for px in (view.view.project_plane(line_mm) for view in views):
        assert ((px > 0) & (px < (WIDTH, HEIGHT))).all(axis=-1).mean() > 0.4
    assert views


def test_an_ellipse_gives_back_the_view_of_its_circle() -> None:
    view = _make_view(70, 5, 1.0)
    outline = np.zeros((HEIGHT, WIDTH), np.uint8)
    circle = view.project_plane(circle_mm((0.0, 0.0), 300.0, 720))
    cv2.polylines(outline, [np.round(circle).astype(np.int32)], True, 255)
    ellipse, *_ = find_ellipses([circle], find_edges(outline, 4000), (WIDTH, HEIGHT), most=4)
    views = compute_circle_views(ellipse, view.camera, 300.0)
    away_mm = [
        np.linalg.norm(found.cam_from_board.translation_mm - view.cam_from_board.translation_mm)
        for found in views
    ]
    assert min(away_mm) < 1.0  # of 960 pixels


def test_arcs_come_longest_first_whatever_curve_they_are_pieces_of() -> None:
    edge = np.zeros((HEIGHT, WIDTH), np.uint8)
    cv2.ellipse(edge, (300, 200), (200, 90), 0, 0, 360, 255)
    cv2.rectangle(edge, (95, 195), (115, 205), 0, -1)  # the large one is broken in two places
    cv2.rectangle(edge, (290, 100), (310, 120), 0, -1)
    cv2.ellipse(edge, (700, 300), (100, 60), 0, 0, 360, 255)
    lengths = [len(arc) for arc in trace_arcs(edge, 20)]
    assert len(lengths) > 2
    assert lengths == sorted(lengths, reverse=True)


def test_straight_edges_and_crossings_leave_no_arcs() -> None:
    picture = np.full((HEIGHT, WIDTH), 200, np.uint8)
    for k in range(8):
        cv2.line(picture, (0, 60 * k), (WIDTH, 60 * k + 90), 60, 3, cv2.LINE_AA)
        cv2.line(picture, (120 * k, 0), (120 * k - 50, HEIGHT), 60, 3, cv2.LINE_AA)
    assert trace_arcs(detect_edges(picture)[0], 20) == []


def test_a_closed_contour_is_cut_at_its_corners_and_runs_on_past_its_last_point() -> None:
    edge = np.zeros((300, 300), np.uint8)
    cv2.ellipse(edge, (150, 150), (100, 60), 0, 180, 360, 255)  # a half moon: an arc and a chord
    cv2.line(edge, (50, 150), (250, 150), 255)
    (contour,), _ = cv2.findContours(edge, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    for shift in (0, 40, 170, 300):
        turned = np.roll(contour[:, 0], shift, axis=0)
        arc, chord = _list_pieces([turned])
        assert len(arc) > len(chord) > 150
        assert (chord[:, 1] == 150).all()
        assert np.abs(np.diff(arc, axis=0)).max() == 1  # no jump from the last point to the first


def test_a_board_with_faint_lines_is_found_by_its_posts_and_edge() -> None:
    view = view_of(72.0, distance_mm=1500.0)
    spec = BoardSpec(line_width_mm=0.15)
    drawn = draw_posts(draw_board(view, spec, noise=3.0), view, spec, np.radians(22.5))
    picture = drawn.clip(0, 255).astype(np.uint8)
    height, width = picture.shape
    found = find_grazing_hypothesis(picture, find_edges(picture, 4000), guess_lens(width, height))
    assert found is not None
    assert found.is_faint
    ring = circle_mm((0.0, 0.0), spec.line_radii_mm[2], 24)
    seen_mm = np.linalg.norm(found.fit.view.unproject_plane(view.project_plane(ring)), axis=-1)
    assert seen_mm == pytest.approx(found.fit.spec.line_radii_mm[2], abs=8.0)


def test_a_board_half_in_glare_is_found_by_the_posts_within_its_edge() -> None:
    size = (800, 600)
    view = view_of(72.0, 12.0, distance_mm=1200.0, size_px=size)
    picture = draw_posts(draw_board(view, size_px=size), view, BoardSpec(), np.radians(22.5))
    place = view.unproject_plane(np.indices(picture.shape)[::-1].reshape(2, -1).T)
    is_lit = (place[:, 0] < 60.0) & (np.linalg.norm(place, axis=-1) < BoardSpec().surface_radius_mm)
    picture[is_lit.reshape(picture.shape) & (picture > 80.0)] = 255.0
    picture = picture.clip(0, 255).astype(np.uint8)
    arcs = trace_arcs(_find_clear_edges(picture), 32)
    ellipses = find_ellipses(arcs, find_edges(picture, 4000), size, most=3)
    lens = guess_lens(*size)
    rings = search_post_rings(picture, ellipses, (lens.camera(),))
    fits = [fit_posts_and_edge(picture, ring.view, ring.surface_radius_mm, lens) for ring in rings]
    fit = min(
        (candidate for candidate in fits if candidate is not None),
        key=lambda candidate: candidate.residual_px,
    )
    radius_mm = BoardSpec().line_radii_mm[2]
    line_px = view.project_plane(circle_mm((0.0, 0.0), radius_mm, 24))
    seen_mm = np.linalg.norm(fit.view.unproject_plane(line_px), axis=-1)
    assert seen_mm == pytest.approx(radius_mm, rel=0.02)


def test_a_sparse_filter_gives_what_a_dense_one_does_within_the_picture_and_at_its_border() -> None:
    random = np.random.default_rng(5)
    picture = random.integers(0, 255, (60, 80), dtype=np.uint8)
    kernel = np.where(random.random((11, 11)) < 0.2, random.random((11, 11)), 0.0)
    kernel = kernel.astype(np.float32)
    whole = cv2.filter2D(picture, cv2.CV_32F, kernel)
    for first, last in (((20, 15), (50, 40)), ((0, 0), (80, 60)), ((3, 50), (9, 60))):
        part = _filter_sparsely(picture, kernel, np.array(first), np.array(last))
        expected = whole[first[1] : last[1], first[0] : last[0]]
        assert part == pytest.approx(expected, abs=0.01)


def test_the_second_least_of_eight_is_that_of_their_order_even_where_some_are_equal() -> None:
    values = np.random.default_rng(6).integers(0, 6, (40, 8, 3)).astype(np.float32)
    assert (_find_second_least(values) == np.sort(values, axis=1)[:, 1]).all()
