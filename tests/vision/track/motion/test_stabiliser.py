"""A trembling camera's frames are shifted back; one that stands or was pushed is left alone."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn_board import draw_board, view_of

from calibration.board import BoardSpec
from calibration.fit import BoardFit
from vision.io.timed_frame import CameraImage, PixelBox
from vision.rectify.frame_rectifier import make_rectifier
from vision.track.events import BoardAtRest
from vision.track.motion.stabiliser import Stabiliser, SteadiedImage
from vision.track.tracker import BoardTracker

SIZE_PX = (960, 720)
VIEW = view_of(size_px=SIZE_PX)
FIT = BoardFit(view=VIEW, spec=BoardSpec(), residual_px=0.1, covariance=np.zeros((10, 10)))
GREY = np.clip(draw_board(VIEW, size_px=SIZE_PX, grain=12.0), 0, 255).astype(np.uint8)
BOARD = np.repeat(GREY[..., None], 3, axis=-1)


def shifted(x_px: float, y_px: float, seed: int = 0, *, arm: bool = False) -> np.ndarray:
    """The board in a frame of a camera that is so far off, with its noise."""
    push = np.array([[1.0, 0.0, x_px], [0.0, 1.0, y_px]])
    moved = cv2.warpAffine(BOARD, push, SIZE_PX, flags=cv2.INTER_CUBIC, borderMode=1)
    if arm:
        cv2.rectangle(moved, (560, 250), (960, 420), (90, 120, 200), -1)
    noise = np.random.default_rng(seed).normal(0, 2.0, moved.shape)
    return np.clip(moved + noise, 0, 255).astype(np.uint8)


def tremble(k: int) -> tuple[float, float]:
    """Where the camera is in frame ``k``, px."""
    return 0.8 * np.sin(0.9 * k), 0.6 * np.cos(1.7 * k)


def shift_px(frame: np.ndarray) -> tuple[float, float]:
    """How far a frame's left half, which no arm covers, lies from the board's, by its phase."""
    one, other = (each[:, :480, 0].astype(np.float32) for each in (BOARD, frame))
    return cv2.phaseCorrelate(one, other, cv2.createHanningWindow((480, 720), cv2.CV_32F))[0]


@pytest.mark.parametrize("arm", [False, True])
def test_a_trembling_cameras_frames_are_shifted_back(arm: bool) -> None:
    stabiliser = Stabiliser()
    stabiliser.start(CameraImage(shifted(0.0, 0.0)), FIT)
    for k in range(1, 9):
        seen = shifted(*tremble(k), k, arm=arm)
        steady = stabiliser.steady(CameraImage(seen), every=1)
    assert np.allclose(shift_px(seen), tremble(8), atol=0.1)
    assert np.allclose(shift_px(steady.bgr), 0.0, atol=0.1)


def test_frames_that_were_straightened_in_part_show_what_whole_ones_do() -> None:
    stabiliser = Stabiliser()
    stabiliser.start(CameraImage(shifted(0.0, 0.0)), FIT)
    for k in range(1, 7):
        stabiliser.steady(CameraImage(shifted(*tremble(k), k)), every=1)
    rectifier = make_rectifier(VIEW, BoardSpec(), BOARD.shape)
    boxes = [
        PixelBox(left=each, top=2 * each, right=960 - each, bottom=720) for each in (0, 20, 10)
    ]
    for k in range(7, 10):
        seen = CameraImage(shifted(*tremble(k), k))
        steady = stabiliser.steady(seen, every=1)
        assert isinstance(steady, SteadiedImage)
        for box in boxes:
            part = steady.cut_planes(box)[0].levels
            np.testing.assert_array_equal(part, steady.make_planes(box)[0].levels)
        flat = steady.resample(rectifier.x_px, rectifier.y_px)
        np.testing.assert_array_equal(flat, rectifier.rectify(steady.bgr))


def test_a_camera_that_sways_far_but_slowly_is_followed() -> None:
    stabiliser = Stabiliser()
    stabiliser.start(CameraImage(shifted(0.0, 0.0)), FIT)
    for k in range(1, 9):
        steady = stabiliser.steady(CameraImage(shifted(1.1 * k, 0.4 * k, k)), every=1)
    assert np.allclose(shift_px(steady.bgr), 0.0, atol=0.15)


@pytest.mark.parametrize("off_px", [(0.0, 0.0), (9.0, 2.0)])
def test_a_camera_that_stands_or_was_pushed_is_left_as_it_is(off_px: tuple[float, float]) -> None:
    stabiliser = Stabiliser()
    stabiliser.start(CameraImage(shifted(0.0, 0.0)), FIT)
    for k in range(8):
        frame = CameraImage(shifted(*off_px, k))
        assert stabiliser.steady(frame, every=1) is frame


def test_a_board_is_read_though_the_camera_trembles() -> None:
    tracker = BoardTracker()
    events = [e for k in range(16) for e in tracker.process_frame(shifted(*tremble(k), k), k / 30)]
    assert any(isinstance(each, BoardAtRest) for each in events)
