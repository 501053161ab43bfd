"""Fast sampling of rings agrees with its plain definition."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from calibration.camera import Camera
from calibration.pose import Pose, View
from vision.rectify.ring_profiles import sample_points, sample_rings

CAMERA = Camera(fx_px=1500.0, fy_px=1500.0, cx_px=1007.5, cy_px=755.5, k1=-0.05)


def view_of(tilt_deg: float) -> View:
    turn = Rotation.from_euler("x", 180 - tilt_deg, degrees=True).as_matrix()
    return View(
        camera=CAMERA,
        cam_from_board=Pose(rotation=turn, translation_mm=np.array([0.0, 0.0, 900.0])),
    )


@pytest.mark.parametrize("tilt_deg", [0.0, 45.0, 60.0])
def test_rings_are_sampled_where_their_points_are(tilt_deg: float) -> None:
    column, row = np.meshgrid(np.arange(2016), np.arange(1512))
    grey = (column + row).astype(np.float32)  # a pixel to the side is one grey value
    view, azimuths = view_of(tilt_deg), np.linspace(0, 2 * np.pi, 50)
    radii = np.linspace(95.0, 105.0, 50)[:, None] + np.arange(-60.0, 240.0, 0.7)
    direction = np.stack([np.cos(azimuths), np.sin(azimuths)], axis=-1)
    quick = sample_rings(grey, view, radii, azimuths, centre_mm=(2.0, -1.0))
    exact = sample_points(grey, view, [2.0, -1.0] + radii[..., None] * direction[:, None])
    assert np.isfinite(exact).mean() > 0.5
    assert np.nanmax(np.abs(quick - exact)) < 0.1  # the remap's own steps are 1/32 pixel


def test_points_behind_the_camera_are_not_sampled() -> None:
    view, grey = view_of(80.0), np.full((1512, 2016), 100, np.uint8)
    near = replace(view, cam_from_board=replace(view.cam_from_board, translation_mm=[0, 0, 250.0]))
    radii = np.arange(0.0, 330.0, 5.0)
    values = sample_rings(grey, near, radii, np.array([-np.pi / 2, np.pi / 2]))
    assert np.isnan(values[:, radii > 260]).any(axis=0).all()
