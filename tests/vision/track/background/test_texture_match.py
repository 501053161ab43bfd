"""The board's own grain, which light does not hide and discs do."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn_discs import RED_BGR, SIZE_PX, board_fit, draw, view_at
from drawn_frame import grained_board, sheet_from_above

from calibration.fit import BoardFit
from calibration.placed_disc import Team
from vision.rectify.frame_rectifier import FrameRectifier, make_rectifier
from vision.track.at_rest.still_board import read_with_background
from vision.track.at_rest.still_frame import StillFrame
from vision.track.background.background_model import (
    BackgroundModel,
    create_background,
    normalise_frame,
)
from vision.track.background.texture_match import matches_background

WOOD = np.array([60.0, 85.0, 110.0])
PLACE_MM = np.array([[80.0, 120.0]])
RADIUS_MM = 15.9
RED = Team(number=0, colour_rgb=RED_BGR[::-1], colour_name="red")


@pytest.fixture(scope="module")
def rectifier() -> FrameRectifier:
    return sheet_from_above()


def background_of(rectifier: FrameRectifier, image: np.ndarray) -> BackgroundModel:
    return create_background(rectifier, image, np.zeros(rectifier.surface.shape, dtype=bool))


def face(rectifier: FrameRectifier) -> np.ndarray:
    return rectifier.disc_mask(PLACE_MM, RADIUS_MM - 3) > 0


def noisy(image: np.ndarray, seed: int) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(0, 1.5, image.shape)
    return np.clip(image + noise, 0, 255).astype(np.uint8)


def test_bare_board_shows_its_grain_in_any_light(rectifier: FrameRectifier) -> None:
    board = grained_board(rectifier, WOOD, grain_grey=6, blur_px=1)
    background = background_of(rectifier, noisy(np.clip(1.6 * board, 0, 255), 1))
    where = face(rectifier)
    assert matches_background(background, noisy(board, 2), where, differs=where)


def test_a_disc_hides_the_grain(rectifier: FrameRectifier) -> None:
    board = grained_board(rectifier, WOOD, grain_grey=6, blur_px=1)
    shown = board.copy()
    own = grained_board(rectifier, WOOD, grain_grey=6, blur_px=1)[::-1]
    shown[face(rectifier)] = (0.6 * own)[face(rectifier)]
    where, background = face(rectifier), background_of(rectifier, board)
    assert not matches_background(background, noisy(shown, 2), where, differs=where)


def test_a_post_before_a_disc_shows_no_board_there(rectifier: FrameRectifier) -> None:
    """It is the same in both pictures, and its edges are the strongest."""
    board = grained_board(rectifier, WOOD, grain_grey=6, blur_px=1)
    column = round(float(rectifier.to_px(PLACE_MM)[0, 0]))
    board[:, column : column + 3] = 20.0
    shown = board.copy()
    is_disc = face(rectifier)
    is_disc[:, column : column + 3] = False
    shown[is_disc] = 220.0
    background = background_of(rectifier, board)
    assert not matches_background(background, noisy(shown, 2), face(rectifier), differs=is_disc)


def test_what_was_never_seen_bare_is_no_board(rectifier: FrameRectifier) -> None:
    board = grained_board(rectifier, WOOD, grain_grey=6, blur_px=1)
    background = create_background(rectifier, board, face(rectifier))
    where = face(rectifier)
    assert not matches_background(background, board, where, differs=where)


def sunlit(fit: BoardFit, times: float, grain_grey: float = 12.0) -> np.ndarray:
    """A grained board with a round spot of sun on it."""
    grain = (grain_grey / 12) * cv2.GaussianBlur(
        np.random.default_rng(5).normal(0, 12, SIZE_PX[::-1]), (0, 0), 1.5
    )
    spot = np.zeros(SIZE_PX[::-1], np.float32)
    x, y = fit.view.project_plane(PLACE_MM)[0]
    cv2.circle(spot, (round(x), round(y)), 19, 1.0, -1, cv2.LINE_AA)
    board = draw(fit.view, []) + 2 * grain[..., None]
    lit = 0.6 * board * (1 + (times - 1) * spot[..., None])
    return np.clip(lit, 0, 255).astype(np.uint8)


def still_frame(
    image: np.ndarray, fit: BoardFit, rectifier: FrameRectifier, background: BackgroundModel
) -> StillFrame:
    normalised = normalise_frame(background, rectifier, rectifier.rectify(image))
    return StillFrame(
        image=image, fit=fit, rectifier=rectifier, background=background, normalised=normalised
    )


def test_a_round_spot_that_the_sun_has_left_is_no_disc() -> None:
    fit = board_fit(view_at(0.0))
    frame = sunlit(fit, 1.0)
    with_disc = draw(fit.view, [(-90.0, 60.0, RED_BGR)])
    is_disc = (with_disc != draw(fit.view, [])).any(axis=-1)
    frame[is_disc] = with_disc[is_disc]
    rectifier = make_rectifier(fit.view, fit.spec, frame.shape)
    background = background_of(rectifier, rectifier.rectify(sunlit(fit, 1.5)))
    board = read_with_background(still_frame(frame, fit, rectifier, background), None, (RED,))
    assert [disc.team for disc in board.discs] == [RED.number]
    assert np.allclose(board.discs[0].centre_mm, [-90.0, 60.0], atol=1.0)
