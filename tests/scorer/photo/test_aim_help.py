"""Aim help: the problem is named, and the suggested move has the stated effect."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from example_reading import disc, frame, reading, view

from calibration.board import BoardSpec
from calibration.fit import BoardFit
from calibration.pose import Pose, View
from scorer.photo.aim_help import (
    PARAMS,
    AimTrouble,
    advise_camera,
    advise_without_board,
    predict_line_sigmas_mm,
)
from scorer.photo.score import score_reading
from vision.io.frame import Frame

WIDTH, HEIGHT = 1280, 720


def textured_frame(grey: float = 150.0) -> Frame:
    """A sharp picture of the given brightness."""
    noise = np.random.default_rng(1).integers(-20, 20, (HEIGHT, WIDTH, 3))
    image = np.clip(grey + noise * grey / 150, 0, 255).astype(np.uint8)
    return Frame(name="x.jpg", image=image, scale=1.0, width_px=WIDTH, height_px=HEIGHT)


def board(tilt_deg: float, distance_mm: float = 1500.0, shift_px: float = 0.0) -> BoardFit:
    """A board seen from a place, with its centre ``shift_px`` to the right of the picture's."""
    tilted = view(WIDTH, HEIGHT, tilt_deg)
    camera = replace(tilted.camera, k1=0.0, cx_px=tilted.camera.cx_px + shift_px)
    pose = Pose(
        rotation=tilted.cam_from_board.rotation, translation_mm=np.array([0.0, 0.0, distance_mm])
    )
    return BoardFit(
        view=View(camera=camera, cam_from_board=pose),
        spec=BoardSpec(),
        residual_px=0.3,
        covariance=np.eye(10),
    )


def test_a_good_view_needs_no_advice() -> None:
    assert advise_camera(textured_frame(), board(20.0, 1100.0)) is None


def test_the_flatter_the_view_the_larger_a_far_margins_sigma() -> None:
    tilts = (10.0, 45.0, 60.0, 70.0, 78.0)
    sigmas = [predict_line_sigmas_mm(board(tilt).view, BoardSpec()) for tilt in tilts]
    assert np.all(np.diff(sigmas, axis=0) > 0)


@pytest.mark.parametrize("tilt_deg", [66.0, 72.0, 78.0])
def test_from_the_side_the_camera_is_to_be_raised_and_that_makes_good_its_word(
    tilt_deg: float,
) -> None:
    seen = board(tilt_deg)
    advice = advise_camera(textured_frame(), seen)
    assert advice is not None
    assert advice.trouble is AimTrouble.FLAT
    assert "certain of calls on the far side" in advice.sentence
    z = 1500.0 * np.cos(np.radians(tilt_deg)) + advice.raise_mm
    out = 1500.0 * np.sin(np.radians(tilt_deg))
    raised = board(
        float(np.degrees(np.arctan2(out, z))), float(np.hypot(out, z)) - advice.nearer_mm
    )
    before, after = (predict_line_sigmas_mm(fit.view, BoardSpec()) for fit in (seen, raised))
    assert advice.sigma_mm == pytest.approx(before.max())
    assert advice.then_sigma_mm == pytest.approx(after.max(), rel=0.05)
    assert (after <= PARAMS.sure_sigma_mm).sum() > (before <= PARAMS.sure_sigma_mm).sum()


def test_a_small_board_is_to_be_come_nearer_to() -> None:
    advice = advise_camera(textured_frame(), board(25.0, 6000.0))
    assert advice is not None
    assert advice.trouble is AimTrouble.SMALL
    assert advice.nearer_mm > 0


def test_a_picture_of_too_few_pixels_comes_without_a_move_that_would_not_help() -> None:
    size, share = (int(0.2 * WIDTH), int(0.2 * HEIGHT)), 0.2
    small = cv2.resize(textured_frame().image, size, interpolation=cv2.INTER_NEAREST)
    frame = Frame(name="x.jpg", image=small, scale=1.0, width_px=size[0], height_px=size[1])
    seen = board(3.0, 890.0).rescale(share)
    assert predict_line_sigmas_mm(seen.view, seen.spec).max() > PARAMS.sure_sigma_mm
    assert advise_camera(frame, seen) is None


def test_a_board_cut_off_is_to_be_got_into_the_picture_first() -> None:
    near = advise_camera(textured_frame(), board(20.0, 700.0))
    assert near is not None
    assert near.trouble is AimTrouble.CUT_OFF
    assert near.nearer_mm < 0
    aside = advise_camera(textured_frame(), board(70.0, 1500.0, shift_px=500.0))
    assert aside is not None
    assert aside.trouble is AimTrouble.CUT_OFF
    assert "Turn the camera to the right" in aside.sentence


def test_darkness_is_told_with_and_without_a_board() -> None:
    dark = textured_frame(grey=12.0)
    with_board, without = advise_camera(dark, board(20.0, 1100.0)), advise_without_board(dark)
    assert with_board is not None
    assert without is not None
    assert with_board.trouble is without.trouble is AimTrouble.DARK


def test_blur_is_reported_without_a_board() -> None:
    blurred = textured_frame()
    blurred.image[:, : blurred.width_px // 2] = 0
    blurred.image[:] = cv2.GaussianBlur(blurred.image, (0, 0), 12.0)
    advice = advise_without_board(blurred)
    assert advice is not None
    assert advice.trouble is AimTrouble.BLURRED
    assert advise_without_board(textured_frame()) is None


def test_a_reflection_that_can_hide_a_disc_is_told_by_its_place_before_any_move() -> None:
    seen = board(70.0)
    plain = textured_frame()
    x, y = np.rint(seen.view.project_plane([[0.0, 200.0]])[0]).astype(int).tolist()
    cv2.circle(plain.image, (x, y), round(40.0 / seen.view.mm_per_px()), (255, 255, 255), -1)
    advice = advise_camera(plain, seen)
    assert advice is not None
    assert advice.trouble is AimTrouble.GLARE
    assert advice.sentence.startswith("A lamp is reflected ")
    assert advice.sentence.endswith(" 12 o'clock. Move the lamp or the camera.")


def test_a_highlight_smaller_than_a_disc_is_no_reflection() -> None:
    seen = board(20.0, 1100.0)
    plain = textured_frame()
    x, y = np.rint(seen.view.project_plane([[0.0, 200.0]])[0]).astype(int).tolist()
    cv2.circle(plain.image, (x, y), round(6.0 / seen.view.mm_per_px()), (255, 255, 255), -1)
    assert advise_camera(plain, seen) is None


def test_a_score_in_which_all_is_certain_comes_without_advice() -> None:
    picture = frame()
    assert score_reading(picture, reading(picture, (disc(60.0, 20.0),))).advice is None
