"""Fast code of the disc stage gives the same results as its plain definition."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.camera import Camera
from calibration.pose import Pose, View
from vision.discs.hole.standing_height import find_inside
from vision.discs.hough_votes import find_peaks, suppress_non_maxima
from vision.discs.outline.contour import DiscGeometry, FlatDiscs, compute_contour
from vision.discs.outline.edge_profiles import compute_whitened_steps, sample_profiles
from vision.discs.outline.posed_image import PosedImage, sample_colours
from vision.discs.teams.team_colours import LIGHTNESS_WEIGHT, bgr_to_weighted_lab
from vision.rectify.birds_eye import BirdsEyeImage

SIDE_PX = 120


def plan() -> BirdsEyeImage:
    image = np.zeros((SIDE_PX, SIDE_PX, 3), np.uint8)
    inside = np.ones((SIDE_PX, SIDE_PX), dtype=bool)
    return BirdsEyeImage(image=image, inside=inside, mm_per_px=1.0, z_mm=9.4)


def test_profiles_are_the_colours_at_exactly_projected_points() -> None:
    lean = np.asarray(cv2.Rodrigues(np.array([np.pi - 0.6, 0.1, 0.05]))[0], dtype=np.float64)
    camera = Camera(fx_px=1150, fy_px=1150, cx_px=639.5, cy_px=479.5, k1=-0.1)
    pose = Pose(rotation=lean, translation_mm=np.array([0.0, 0.0, 900.0]))
    view = View(camera=camera, cam_from_board=pose)
    ramp = np.mgrid[:960, :1280].sum(axis=0) // 10
    image = np.repeat(ramp.astype(np.uint8)[..., None], 3, axis=2)
    base = np.array([[0.0, 0.0], [120.0, -80.0]])
    shape = DiscGeometry(radius_mm=15.8, height_mm=9.4)
    outline = compute_contour(pose.camera_board_mm, FlatDiscs.of_shape(base, shape), 64)
    offset = np.linspace(-4, 4, 33)
    lines = outline.point_mm[:, :, None] + offset[:, None] * outline.normal[:, :, None]
    picture = PosedImage(image=image, view=view, whitening=np.eye(3))
    exact = sample_colours(picture, lines)
    quick = sample_profiles(image, view, outline, offset).reshape(exact.shape)
    assert np.abs(exact - quick).max() <= 1  # grey level, where a coordinate is rounded differently


def test_a_step_is_the_mean_ahead_less_the_mean_behind() -> None:
    colours = np.zeros((1, 12, 3), np.uint8)
    colours[:, 6:] = 100
    step = compute_whitened_steps(colours, 2, np.eye(3))[0, :, 0]
    assert step.tolist() == [0, 0, 0, 0, 50, 100, 100, 50, 0, 0, 0, 0]


def test_peaks_are_the_pixels_that_a_dilation_leaves_as_they_are() -> None:
    noise = np.random.default_rng(3).random((SIDE_PX, SIDE_PX), np.float32)
    share = cv2.GaussianBlur(noise, (0, 0), 1.5)
    window = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (9, 9))
    row, column = np.nonzero((share >= cv2.dilate(share, window)) & (share > 0.5))
    found = find_peaks(share, plan(), min_distance_mm=4.0, min_share=0.5)
    expected = plan().to_mm(np.stack([column, row], axis=-1))
    assert len(row) > 20
    assert {tuple(place) for place in found[:, :2]} == {tuple(place) for place in expected}
    assert (np.diff(found[:, 2]) <= 0).all()


def test_of_places_too_near_each_other_the_first_is_kept() -> None:
    place = np.array([[0.0, 0.0], [3.0, 0.0], [6.0, 0.0], [0.0, 5.0]])
    assert suppress_non_maxima(place, 5.0).tolist() == [0, 2, 3]
    assert suppress_non_maxima(np.zeros((0, 2)), 5.0).tolist() == []


def test_lab_is_opencvs_to_its_tables_precision() -> None:
    bgr = np.random.default_rng(5).uniform(0, 255, (500, 3)).astype(np.float32)
    theirs = cv2.cvtColor((bgr / 255)[None], cv2.COLOR_BGR2LAB)[0]
    ours = bgr_to_weighted_lab(bgr) / (LIGHTNESS_WEIGHT, 1.0, 1.0)
    assert np.abs(ours - theirs).max() < 0.6
    assert np.allclose(bgr_to_weighted_lab(np.array([255.0, 255, 255])), (70, 0, 0), atol=0.01)


def test_points_inside_a_convex_polygon_are_those_that_opencv_finds() -> None:
    random = np.random.default_rng(4)
    cloud = random.normal(60.0, 20.0, (64, 2)).astype(np.float32)
    hull = cv2.convexHull(cloud)
    px = random.normal(60.0, 30.0, (12, 30, 2)).astype(np.float32)
    px[0] = hull[random.integers(0, len(hull), 30), 0]  # corners count as inside
    inside = [
        cv2.pointPolygonTest(hull, (float(x), float(y)), False) >= 0 for x, y in px.reshape(-1, 2)
    ]
    found = find_inside(hull[:, 0], px)
    assert 60 < found.sum() < 300
    assert found.ravel().tolist() == inside
