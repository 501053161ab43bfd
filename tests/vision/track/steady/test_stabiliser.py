"""A moving camera's frames are moved back; one that stands or was pushed is left alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest
from drawn_board import draw_board, view_of

from calibration.board import BoardSpec
from calibration.fit import BoardFit
from vision.io.timed_frame import CameraImage
from vision.rectify.frame_rectifier import make_rectifier
from vision.track.events import BoardAtRest
from vision.track.steady.picture_registration import move_points
from vision.track.steady.stabiliser import Stabiliser
from vision.track.steady.steadied_image import SteadiedImage
from vision.track.tracker import BoardTracker

Warp = Callable[[float], np.ndarray]
SIZE_PX = (960, 720)
VIEW = view_of(size_px=SIZE_PX)
FIT = BoardFit(view=VIEW, spec=BoardSpec(), residual_px=0.1, covariance=np.zeros((10, 10)))
NOISE_REACH_PX = 97


# Drawn for the first test that needs them: every process of pytest imports this module.
@cache
def empty_board() -> np.ndarray:
    """The board (h, w, 3) before the camera moves."""
    grey = np.clip(draw_board(VIEW, size_px=SIZE_PX, grain=12.0), 0, 255).astype(np.uint8)
    return np.repeat(grey[..., None], 3, axis=-1)


@cache
def noise_field() -> np.ndarray:
    """Noise that is larger than a picture by ``NOISE_REACH_PX`` in both directions."""
    size = (SIZE_PX[1] + NOISE_REACH_PX, SIZE_PX[0] + NOISE_REACH_PX, 3)
    return np.rint(np.random.default_rng(6).normal(0.0, 2.0, size)).astype(np.int16)


def shifted(x_px: float, y_px: float, seed: int = 0, *, arm: bool = False) -> np.ndarray:
    """The board in a frame of a displaced camera, with its noise."""
    return moved_by(np.array([[1.0, 0.0, x_px], [0.0, 1.0, y_px], [0.0, 0.0, 1.0]]), seed, arm=arm)


def moved_by(warp: np.ndarray, seed: int = 0, *, arm: bool = False) -> np.ndarray:
    """The board in a frame of a camera displaced by a homography (3, 3), with its noise."""
    moved = cv2.warpPerspective(empty_board(), warp, SIZE_PX, flags=cv2.INTER_CUBIC, borderMode=1)
    if arm:
        cv2.rectangle(moved, (560, 250), (960, 420), (90, 120, 200), -1)
    return np.clip(moved + noise_of(seed), 0, 255).astype(np.uint8)


def noise_of(seed: int) -> np.ndarray:
    """The noise of a frame of a camera: a random piece of one field."""
    down, across = np.random.default_rng(seed).integers(0, NOISE_REACH_PX, 2)
    return noise_field()[down : down + SIZE_PX[1], across : across + SIZE_PX[0]]


def tremble(k: int) -> tuple[float, float]:
    """The camera's displacement in frame ``k``, px."""
    return 0.8 * np.sin(0.9 * k), 0.6 * np.cos(1.7 * k)


def shift_px(frame: np.ndarray) -> tuple[float, float]:
    """The shift of a frame's left half, which no arm covers, from the board's, by phase
    correlation.
    """
    one, other = (image[:, :480, 0].astype(np.float32) for image in (empty_board(), frame))
    return cv2.phaseCorrelate(one, other, cv2.createHanningWindow((480, 720), cv2.CV_32F))[0]


@pytest.mark.parametrize("arm", [False, True])
def test_a_trembling_cameras_frames_are_shifted_back(arm: bool) -> None:
    stabiliser = Stabiliser(CameraImage(shifted(0.0, 0.0)), FIT)
    for k in range(1, 9):
        seen = shifted(*tremble(k), k, arm=arm)
        steady = stabiliser.steady(CameraImage(seen), every=1)
    assert np.allclose(shift_px(seen), tremble(8), atol=0.1)
    assert np.allclose(shift_px(steady.bgr), 0.0, atol=0.1)


def test_a_moving_cameras_frame_is_rectified_as_its_picture_moved_back_and_smoothed() -> None:
    rectifier = make_rectifier(VIEW, BoardSpec(), empty_board().shape)
    for k in range(1, 4):
        steady = SteadiedImage(CameraImage(moved_by(turn(20 * k), k)), turn(20 * k))
        flat = steady.resample(rectifier.x_px, rectifier.y_px)
        smooth = rectifier.rectify(cv2.GaussianBlur(steady.bgr, (0, 0), 1.0))
        away = np.abs(flat.astype(int) - smooth)[rectifier.inside]
        assert np.percentile(away, 99.9) < 4 < np.abs(smooth.astype(int) - smooth.mean()).mean()


def test_a_camera_that_sways_far_but_slowly_is_followed() -> None:
    stabiliser = Stabiliser(CameraImage(shifted(0.0, 0.0)), FIT)
    for k in range(1, 9):
        steady = stabiliser.steady(CameraImage(shifted(1.1 * k, 0.4 * k, k)), every=1)
    assert np.allclose(shift_px(steady.bgr), 0.0, atol=0.15)


@pytest.mark.parametrize("larger", [1, 2])
def test_how_far_a_camera_may_turn_unseen_does_not_depend_on_how_large_its_pictures_are(
    larger: int,
) -> None:
    width, height = (larger * length for length in SIZE_PX)
    view = view_of(size_px=(width, height))
    board = draw_board(view, size_px=(width, height), grain=12.0).clip(0, 255).astype(np.uint8)
    stabiliser = Stabiliser(CameraImage(np.dstack([board] * 3)), replace(FIT, view=view))
    for k in range(1, 9):
        angle = 0.00042 * (-1) ** k  # 0.06 px (root mean square) of the smaller picture's rim
        about = cv2.getRotationMatrix2D((width / 2, height / 2), np.degrees(angle), 1.0)
        moved = cv2.warpAffine(board, about, (width, height), flags=cv2.INTER_CUBIC, borderMode=1)
        noise = np.random.default_rng(k).normal(0, 2.0, moved.shape)
        seen = CameraImage(np.dstack([np.clip(moved + noise, 0, 255).astype(np.uint8)] * 3))
        assert stabiliser.steady(seen, every=1) is seen


def turn(k: float) -> np.ndarray:
    """The homography (3, 3) by which a hand-held camera is displaced in frame ``k``: turned about
    all three of its axes, and a little nearer.
    """
    about = np.array([0.006 * np.sin(0.2 * k), 0.008 * np.sin(0.15 * k), 0.006 * np.sin(0.25 * k)])
    focal_px = 900.0
    camera = np.array([[focal_px, 0, 480], [0, focal_px, 360], [0, 0, 1.0]])
    nearer = np.diag([1 + 0.0008 * k, 1 + 0.0008 * k, 1.0])
    return camera @ cv2.Rodrigues(about)[0] @ nearer @ np.linalg.inv(camera)


def breathe(k: float) -> np.ndarray:
    """Slow zoom about a corner: 0.3% a second."""
    return np.diag([1 + 0.0001 * k, 1 + 0.0001 * k, 1.0])


@pytest.mark.parametrize(("warp", "frames"), [(turn, 12), (breathe, 60)], ids=["turn", "breathe"])
def test_a_camera_that_turns_or_zooms_is_followed(warp: Warp, frames: int) -> None:
    stabiliser = Stabiliser(CameraImage(moved_by(np.eye(3))), FIT)
    for k in range(1, frames + 1):
        steady = stabiliser.steady(CameraImage(moved_by(warp(k), k, arm=True)), every=1)
    assert isinstance(steady, SteadiedImage)
    lines_px = VIEW.project_plane(FIT.spec.line_points_mm(2, np.arange(8) * (np.pi / 4)))
    error_px = move_points(steady.warp, lines_px) - move_points(warp(frames), lines_px)
    assert np.abs(error_px).max() < 0.15
    away = np.abs(steady.bgr[..., 0].astype(int) - empty_board()[..., 0])[:, :480]
    untouched = np.abs(moved_by(warp(frames))[..., 0].astype(int) - empty_board()[..., 0])[:, :480]
    assert np.mean(away) < 2.5 < np.mean(untouched)


def test_what_came_before_it_was_known_that_a_camera_turns_is_moved_back_too() -> None:
    stabiliser = Stabiliser(CameraImage(moved_by(np.eye(3))), FIT)
    frames = [CameraImage(moved_by(turn(k), k)) for k in range(1, 9)]
    given = [stabiliser.steady(frame, every=1) for frame in frames]
    assert given[2] is frames[2]
    again = stabiliser.look_back(given[2])
    assert isinstance(again, SteadiedImage)
    rim_px = VIEW.project_plane(FIT.spec.line_points_mm(2, np.arange(8) * (np.pi / 4)))
    np.testing.assert_allclose(
        move_points(again.warp, rim_px), move_points(turn(3), rim_px), atol=0.15
    )


@pytest.mark.parametrize("off_px", [(0.0, 0.0), (9.0, 2.0)])
def test_a_camera_that_stands_or_was_pushed_is_left_as_it_is(off_px: tuple[float, float]) -> None:
    stabiliser = Stabiliser(CameraImage(shifted(0.0, 0.0)), FIT)
    for k in range(8):
        frame = CameraImage(shifted(*off_px, k))
        assert stabiliser.steady(frame, every=1) is frame


def sun(k: int) -> np.ndarray:
    """A sharp patch of sun (h, w) that moves over the board, as a factor of the light."""
    y, x = np.mgrid[: SIZE_PX[1], : SIZE_PX[0]]
    return 1 + 0.7 / (1 + np.exp(np.clip(np.abs(x - 380 - 0.3 * k - 0.3 * y) / 3 - 40, -40, 40)))


def fading_sun(k: int) -> np.ndarray:
    """A sharp patch of sun (h, w) that lies on the board in the first frame and then fades."""
    return 1 + (sun(0) - 1) * max(0.0, 1 - k / 12)


def shadow(k: int) -> np.ndarray:
    """The soft shadow (h, w) of somebody who walks past, as a factor of the light."""
    y, x = np.mgrid[: SIZE_PX[1], : SIZE_PX[0]]
    return 1 - 0.45 / (1 + np.exp((np.hypot(x - 200 - 12 * k, y - 300) - 220) / 40))


def dimmed(k: int) -> np.ndarray:
    """Light (h, w) that is bright in the first frame and dim in all others."""
    return np.full(SIZE_PX[::-1], 1.0 if k else 1.6)


def in_light(light: np.ndarray, warp: np.ndarray, seed: int) -> CameraImage:
    """The board in that light, in a frame of a camera displaced by a homography (3, 3)."""
    moved = cv2.warpPerspective(empty_board(), warp, SIZE_PX, flags=cv2.INTER_CUBIC, borderMode=1)
    lit = 0.6 * light[..., None] * moved + noise_of(seed)
    return CameraImage(np.clip(lit, 0, 255).astype(np.uint8))


@pytest.mark.parametrize("light", [sun, fading_sun, shadow])
def test_a_camera_that_stands_is_left_as_it_is_while_sun_or_shadow_changes(
    light: Callable[[int], np.ndarray],
) -> None:
    stabiliser = Stabiliser(in_light(light(0), np.eye(3), 0), FIT)
    for k in range(1, 25):
        frame = in_light(light(k), np.eye(3), k)
        assert stabiliser.steady(frame, every=1) is frame


@pytest.mark.parametrize("light", [sun, dimmed])
def test_a_camera_that_turns_is_followed_while_the_light_changes(
    light: Callable[[int], np.ndarray],
) -> None:
    stabiliser = Stabiliser(in_light(light(0), np.eye(3), 0), FIT)
    for k in range(1, 13):
        steady = stabiliser.steady(in_light(light(k), turn(k), k), every=1)
    assert isinstance(steady, SteadiedImage)
    lines_px = VIEW.project_plane(FIT.spec.line_points_mm(2, np.arange(8) * (np.pi / 4)))
    error_px = move_points(steady.warp, lines_px) - move_points(turn(12), lines_px)
    assert np.abs(error_px).max() < 0.3


def test_a_board_is_read_though_the_camera_trembles() -> None:
    tracker = BoardTracker()
    events = [e for k in range(16) for e in tracker.process_frame(shifted(*tremble(k), k), k / 30)]
    assert any(isinstance(event, BoardAtRest) for event in events)
