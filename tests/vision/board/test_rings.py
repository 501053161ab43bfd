"""The fast search for lines agrees with its plain definition."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from calibration.camera import Camera
from calibration.pose import Pose, View
from vision.board.channels import make_channels
from vision.board.edges import find_edges
from vision.board.line_radii import find_line_radii, find_line_radii_by_scale

CAMERA = Camera(fx_px=1500.0, fy_px=1500.0, cx_px=1007.5, cy_px=755.5, k1=-0.05)


#: A line is searched for within 2 mm of its place on both sides, so its radius may be that rough.
_ROUGH_MM = 4.0


def view_of(tilt_deg: float) -> View:
    turn = Rotation.from_euler("x", 180 - tilt_deg, degrees=True).as_matrix()
    return View(
        camera=CAMERA,
        cam_from_board=Pose(rotation=turn, translation_mm=np.array([0.0, 0.0, 900.0])),
    )


@pytest.mark.parametrize(
    "size", [(3000, 2250), (2016, 1512), (1900, 1000), (1024, 768), (640, 480)]
)
def test_a_tone_is_made_smaller_without_moving_what_it_shows(size: tuple[int, int]) -> None:
    width, height = size
    image = np.zeros((height, width, 3), np.uint8)
    image[:, width // 2 :] = 255
    tone = next(make_channels(image))
    assert 0.9 * min(1024, width) <= max(tone.small.shape) <= 1024
    edge_px = np.abs(np.diff(tone.small[5].astype(float))) @ np.arange(0.5, tone.small.shape[1] - 1)
    assert edge_px / 255 == pytest.approx((width // 2 - 0.5 + 0.5) * tone.scale - 0.5, abs=0.6)


def test_only_edges_of_some_extent_are_kept() -> None:
    grey = np.zeros((200, 200), np.uint8)
    grey[50:, :] = 100  # an edge along the whole line
    grey[120:128, 60:68] = 250  # a speck
    found = find_edges(grey, 1000)
    assert len(found.points_px) > 150
    assert np.ptp(found.points_px[:, 1]) <= 2
    assert len(find_edges(np.zeros((200, 200), np.uint8), 1000).points_px) == 0


def drawn(radii_mm: tuple[float, ...], depth: tuple[float, ...]) -> tuple[np.ndarray, View]:
    """Grey wood with dark lines of the given radii about the middle, seen from straight above."""
    view = view_of(0.0)
    column, row = np.meshgrid(np.arange(2016), np.arange(1512))
    place = view.unproject_plane(np.stack([column.ravel(), row.ravel()], axis=-1))
    away = np.hypot(*place.T).reshape(1512, 2016)
    grey = np.random.default_rng(0).normal(150.0, 2.0, away.shape)
    for radius, dark in zip(radii_mm, depth, strict=True):
        grey -= dark * np.clip(1.6 - np.abs(away - radius), 0.0, 1.0)
    return grey.astype(np.uint8), view


def test_the_innermost_of_strong_lines_is_the_five_line_unless_the_strongest_is_asked_for() -> None:
    grey, view = drawn((101.6, 203.2, 304.8, 325.0), (40.0, 40.0, 33.0, 40.0))
    found = find_line_radii(grey, view)
    assert found is not None
    assert found.dark
    assert found.radii_mm == pytest.approx((101.6, 203.2, 304.8), abs=_ROUGH_MM)
    grey, view = drawn((101.6, 203.2, 290.0, 304.8), (40.0, 40.0, 31.0, 40.0))
    inner, strongest = find_line_radii(grey, view), find_line_radii(grey, view, 1.0)
    assert inner is not None
    assert strongest is not None
    assert inner.radii_mm[2] == pytest.approx(290.0, abs=_ROUGH_MM)
    assert strongest.radii_mm[2] == pytest.approx(304.8, abs=_ROUGH_MM)


def test_missing_lines_keep_their_predicted_places() -> None:
    grey, view = drawn((203.2,), (40.0,))
    found = find_line_radii(grey, view)
    assert found is not None
    assert np.isfinite(found.strength)
    assert found.radii_mm == pytest.approx((101.6, 203.2, 304.8), rel=0.11)


def test_one_profile_serves_every_size_of_a_rough_view() -> None:
    grey, view = drawn((101.6, 203.2, 304.8), (40.0, 40.0, 40.0))
    too_small = view.stretch_board(1 / 1.6)
    wrong, right = find_line_radii_by_scale(grey, too_small, (1.0, 1.6), azimuths=40)
    assert wrong is not None
    assert right is not None
    assert right.strength > 1.5 * wrong.strength
    assert right.radii_mm == pytest.approx((101.6, 203.2, 304.8), abs=1.6 * _ROUGH_MM)
