"""The fast search for centres agrees with its plain definition."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.camera import Camera
from vision.board.centre_search import compute_misalignments, make_camera_edges, make_plane
from vision.board.edges import EdgePoints

CAMERA = Camera(fx_px=900.0, fy_px=900.0, cx_px=511.5, cy_px=383.5, k1=-0.05)


@pytest.mark.parametrize("tilt", [(0.0, 0.0), (0.3, -0.4), (-0.9, 0.2)])
def test_views_computed_together_are_the_same_as_one_by_one(tilt: tuple[float, float]) -> None:
    rng = np.random.default_rng(0)
    points_px, gradients = rng.uniform(0, 1000, (50, 2)), rng.normal(size=(50, 2))
    edges = make_camera_edges(EdgePoints(points_px=points_px, gradients=gradients), CAMERA)
    place = np.array([*tilt, 480.0, 350.0])
    others = place + rng.normal(0, 0.01, (2, 4))
    sines, arms = compute_misalignments(np.stack([place, *others]), edges, CAMERA)

    plane = make_plane(*tilt)
    points, seen = plane.project_rays(edges.rays)
    arm = points - plane.project_rays(CAMERA.rays(place[None, 2:]).T)[0]
    turned = plane.axes @ edges.covectors
    turned /= np.hypot(*turned)
    sine = (turned[0] * arm[1] - turned[1] * arm[0]) / np.hypot(*arm)
    assert np.allclose(arms[0][:, seen], arm[:, seen])
    assert np.allclose(sines[0], np.where(seen, sine, 1.0))


@pytest.mark.parametrize("tilt", [(0.0, 0.0), (0.5, -0.4)])
def test_in_its_own_plane_a_circle_points_at_its_centre(tilt: tuple[float, float]) -> None:
    camera, plane = replace(CAMERA, k1=0.0), make_plane(*tilt)
    angle = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    outward = np.stack([np.cos(angle), np.sin(angle)])
    circle = np.array([[0.05], [-0.03]]) + 0.2 * outward
    points = camera.project((plane.axes.T @ circle + [[0], [0], [1]]).T)
    tangent = np.roll(points, -1, axis=0) - np.roll(points, 1, axis=0)
    gradients = np.stack([tangent[:, 1], -tangent[:, 0]], axis=-1)

    edges = make_camera_edges(EdgePoints(points_px=points, gradients=gradients), camera)
    found, seen = plane.project_rays(edges.rays)
    turned = plane.axes @ edges.covectors
    turned *= np.sign((turned * outward).sum(axis=0))
    assert seen.all()
    assert np.allclose(found, circle)
    assert np.allclose(turned / np.hypot(*turned), outward, atol=1e-3)
