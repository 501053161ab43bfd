"""Pixels and rays, and a view's conversions between the board and the picture."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_board import view_of
from hypothesis import given
from hypothesis import strategies as st

from calibration.camera import Camera


def test_the_principal_point_looks_straight_ahead() -> None:
    camera = Camera(fx_px=900.0, fy_px=900.0, cx_px=599.5, cy_px=449.5, k1=-0.1)
    assert camera.rays([[599.5, 449.5]]) == pytest.approx(np.array([[0.0, 0.0, 1.0]]))


@given(
    x=st.floats(0, 1199),
    y=st.floats(0, 899),
    k1=st.floats(-0.2, 0.2),
    k2=st.floats(-0.02, 0.02),
)
def test_a_pixel_comes_back_from_its_ray(x: float, y: float, k1: float, k2: float) -> None:
    camera = Camera(fx_px=900.0, fy_px=905.0, cx_px=600.0, cy_px=450.0, k1=k1, k2=k2)
    assert camera.project(camera.rays([[x, y]])) == pytest.approx(np.array([[x, y]]), abs=1e-6)


@given(x=st.floats(-300, 300), y=st.floats(-300, 300), z=st.floats(0, 20), tilt=st.floats(0, 65))
def test_a_point_on_the_board_comes_back_from_its_pixel(
    x: float, y: float, z: float, tilt: float
) -> None:
    view = view_of(tilt, 25.0, k1=-0.05)
    assert view.unproject_plane(view.project([[x, y, z]]), z) == pytest.approx(
        np.array([[x, y]]), abs=1e-6
    )


def test_a_scaled_view_sees_the_same_places_in_the_resized_picture() -> None:
    view = view_of(30.0)
    px = view.project_plane([[100.0, -50.0]])
    assert view.rescale(0.5).project_plane([[100.0, -50.0]]) == pytest.approx((px + 0.5) / 2 - 0.5)


def test_tilt_is_the_angle_off_the_normal_at_which_the_camera_stands() -> None:
    eye = view_of(40.0).cam_from_board.camera_board_mm
    expected = np.degrees(np.arctan2(np.hypot(eye[0], eye[1]), eye[2]))
    assert view_of(40.0).cam_from_board.tilt_deg == pytest.approx(expected)


def test_a_millimetre_is_as_many_pixels_as_the_focal_length_says() -> None:
    assert view_of(0.0).mm_per_px() == pytest.approx(1100.0 / 900.0, rel=1e-3)
