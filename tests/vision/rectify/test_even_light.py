"""A drawn board in light from one side, dim or good, and what evening it out leaves."""

from __future__ import annotations

import numpy as np
from drawn_discs import SCATTERED, board_fit, draw, view_at

from calibration.board import BoardSpec
from vision.read_photo import _read_discs, _tell_noise
from vision.rectify.even_light import even_light, measure_surface_light

SPEC = BoardSpec()
VIEW = view_at(20.0)


def lit_from_the_left(image: np.ndarray, darkest: float) -> np.ndarray:
    fall = np.geomspace(1.0, darkest, image.shape[1])[None, :, None]
    return np.rint(image * fall).astype(np.uint8)


def test_good_light_is_left_as_it_is() -> None:
    assert even_light(draw(VIEW, SCATTERED), VIEW, SPEC) is None


def test_light_from_one_side_is_measured_and_taken_out() -> None:
    image = lit_from_the_left(draw(VIEW, SCATTERED), 0.15)
    before = measure_surface_light(image, VIEW, SPEC)
    evened = even_light(image, VIEW, SPEC)
    assert before is not None
    assert before.ratio > 2.3
    assert evened is not None
    after = measure_surface_light(evened, VIEW, SPEC)
    assert after is not None
    assert after.ratio < 1.15


def test_what_is_white_with_light_stays_white() -> None:
    image = lit_from_the_left(draw(VIEW, SCATTERED), 0.15)
    image[400:420, 200:220] = 255
    evened = even_light(image, VIEW, SPEC)
    assert evened is not None
    assert (evened[400:420, 200:220] == 255).all()


def test_a_dim_picture_is_brightened() -> None:
    dim = (draw(VIEW, SCATTERED) // 4).astype(np.uint8)
    evened = even_light(dim, VIEW, SPEC)
    assert evened is not None
    light = measure_surface_light(evened, VIEW, SPEC)
    assert light is not None
    assert 150 < light.bright_grey < 210


def test_all_discs_and_both_teams_are_read_in_dim_light_from_one_side() -> None:
    image = (lit_from_the_left(draw(VIEW, SCATTERED), 0.2) * 0.4).astype(np.uint8)
    reading, _ = _read_discs(image, board_fit(VIEW), None, ())
    assert len(reading.discs) == len(SCATTERED)
    assert len(reading.teams) == 2


def test_a_board_outside_the_picture_tells_no_light() -> None:
    away = draw(VIEW, [])[:40, :40]
    assert measure_surface_light(away, VIEW, SPEC) is None


def test_a_veil_that_hides_the_teams_apart_is_taken_off() -> None:
    veiled = (draw(VIEW, SCATTERED) * 0.25 + 120).astype(np.uint8)
    lifted = even_light(veiled, VIEW, SPEC)
    assert lifted is not None
    light = measure_surface_light(lifted, VIEW, SPEC)
    assert light is not None
    assert light.dark_grey < 10
    assert light.light_grey > 170
    reading, _ = _read_discs(veiled, board_fit(VIEW), None, ())
    assert len(reading.discs) == len(SCATTERED)
    assert len(reading.teams) == 2


def test_a_picture_in_which_discs_drown_in_noise_says_so() -> None:
    clean, fit = draw(VIEW, SCATTERED), board_fit(VIEW)
    noise = np.random.default_rng(0).normal(0, 20.0, clean.shape)
    noisy = np.clip(clean + noise, 0, 255).astype(np.uint8)
    assert _tell_noise(clean, fit) == ()
    assert "grainy" in _tell_noise(noisy, fit)[0]
