"""What the search for boards does quickly gives what its plain definition gives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from drawn_board import draw_board, frame_of, view_of

from calibration.camera import Camera
from vision.board.channels import make_channels
from vision.board.edges import EdgePoints
from vision.board.find_board import build_lens_prior
from vision.board.hypotheses import find_hypothesis
from vision.board.search import (
    QUICK,
    RingHypothesis,
    _compute_misalignments,
    _make_camera_edges,
    _make_plane,
    search_rings,
    search_rings_from_above,
)

CAMERA = Camera(fx_px=900.0, fy_px=900.0, cx_px=511.5, cy_px=383.5, k1=-0.05)


@pytest.mark.parametrize("tilt", [(0.0, 0.0), (0.3, -0.4), (-0.9, 0.2)])
def test_views_looked_at_together_are_seen_as_each_alone(tilt: tuple[float, float]) -> None:
    rng = np.random.default_rng(0)
    points_px, gradients = rng.uniform(0, 1000, (50, 2)), rng.normal(size=(50, 2))
    edges = _make_camera_edges(EdgePoints(points_px=points_px, gradients=gradients), CAMERA)
    place = np.array([*tilt, 480.0, 350.0])
    others = place + rng.normal(0, 0.01, (2, 4))
    sines, arms = _compute_misalignments(np.stack([place, *others]), edges, CAMERA)

    plane = _make_plane(*tilt)
    points, seen = plane.lay(edges.rays)
    arm = points - plane.lay(CAMERA.rays(place[None, 2:]).T)[0]
    turned = plane.axes @ edges.covectors
    turned /= np.hypot(*turned)
    sine = (turned[0] * arm[1] - turned[1] * arm[0]) / np.hypot(*arm)
    assert np.allclose(arms[0][:, seen], arm[:, seen])
    assert np.allclose(sines[0], np.where(seen, sine, 1.0))


@pytest.mark.parametrize("tilt", [(0.0, 0.0), (0.5, -0.4)])
def test_in_its_own_plane_a_circle_points_at_its_centre(tilt: tuple[float, float]) -> None:
    camera, plane = replace(CAMERA, k1=0.0), _make_plane(*tilt)
    angle = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    outward = np.stack([np.cos(angle), np.sin(angle)])
    circle = np.array([[0.05], [-0.03]]) + 0.2 * outward
    points = camera.project((plane.axes.T @ circle + [[0], [0], [1]]).T)
    tangent = np.roll(points, -1, axis=0) - np.roll(points, 1, axis=0)
    gradients = np.stack([tangent[:, 1], -tangent[:, 0]], axis=-1)

    edges = _make_camera_edges(EdgePoints(points_px=points, gradients=gradients), camera)
    laid, seen = plane.lay(edges.rays)
    turned = plane.axes @ edges.covectors
    turned *= np.sign((turned * outward).sum(axis=0))
    assert seen.all()
    assert np.allclose(laid, circle)
    assert np.allclose(turned / np.hypot(*turned), outward, atol=1e-3)


def test_a_board_seen_from_above_is_the_first_that_is_tried() -> None:
    frame = frame_of(draw_board(view_of(20.0, 15.0)))
    tone = next(make_channels(frame.image))
    camera = build_lens_prior(frame).rescale(tone.scale).camera()
    size = (tone.small.shape[1], tone.small.shape[0])
    first = next(search_rings(tone.edges, camera, size, QUICK))
    plainest = search_rings_from_above(tone.edges, camera, size)
    assert [each.coverage for each in first] == [each.coverage for each in plainest]


def test_no_other_size_is_looked_at_where_the_likeliest_is_surely_a_board(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frame = frame_of(draw_board(view_of(20.0, 15.0)))
    tone = next(make_channels(frame.image))
    asked = []

    def told(edges, camera, size_px, effort):  # type: ignore[no-untyped-def]
        for sizes in search_rings(edges, camera, size_px, effort):
            asked.append(len(sizes))
            yield [sizes[0], RingHypothesis(view=None, coverage=0.0)]  # type: ignore[arg-type]

    monkeypatch.setattr("vision.board.hypotheses.search_rings", told)
    found = find_hypothesis(
        tone.small, tone.edges, build_lens_prior(frame).rescale(tone.scale), QUICK
    )
    assert found is not None
    assert found.is_sure
    assert len(asked) == 1
