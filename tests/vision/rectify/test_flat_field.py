"""Flat-field correction of a drawn board in light from one side, dim light and good light."""

from __future__ import annotations

import numpy as np
from drawn_discs import SCATTERED, board_fit, draw, view_at

from calibration.board import BoardSpec
from vision.read_discs import read_discs
from vision.rectify.flat_field import correct_flat_field, measure_surface_light

SPEC = BoardSpec()
VIEW = view_at(20.0)


def lit_from_the_left(image: np.ndarray, darkest: float) -> np.ndarray:
    fall = np.geomspace(1.0, darkest, image.shape[1])[None, :, None]
    return np.rint(image * fall).astype(np.uint8)


def test_good_light_needs_no_correction() -> None:
    assert correct_flat_field(draw(VIEW, SCATTERED), VIEW, SPEC) is None


def test_light_from_one_side_is_measured_and_corrected() -> None:
    image = lit_from_the_left(draw(VIEW, SCATTERED), 0.15)
    before = measure_surface_light(image, VIEW, SPEC)
    evened = correct_flat_field(image, VIEW, SPEC)
    assert before is not None
    assert before.ratio > 2.3
    assert evened is not None
    after = measure_surface_light(evened, VIEW, SPEC)
    assert after is not None
    assert after.ratio < 1.15


def test_saturated_pixels_remain_white() -> None:
    image = lit_from_the_left(draw(VIEW, SCATTERED), 0.15)
    image[400:420, 200:220] = 255
    evened = correct_flat_field(image, VIEW, SPEC)
    assert evened is not None
    assert (evened[400:420, 200:220] == 255).all()


def test_a_dim_picture_is_brightened() -> None:
    dim = (draw(VIEW, SCATTERED) // 4).astype(np.uint8)
    evened = correct_flat_field(dim, VIEW, SPEC)
    assert evened is not None
    light = measure_surface_light(evened, VIEW, SPEC)
    assert light is not None
    assert 150 < light.bright_grey < 210


def test_all_discs_and_both_teams_are_read_in_dim_light_from_one_side() -> None:
    image = (lit_from_the_left(draw(VIEW, SCATTERED), 0.2) * 0.4).astype(np.uint8)
    reading = read_discs(image, board_fit(VIEW))
    assert len(reading.discs) == len(SCATTERED)
    assert len(reading.teams) == 2


def test_light_is_not_measured_for_a_board_outside_the_picture() -> None:
    away = draw(VIEW, [])[:40, :40]
    assert measure_surface_light(away, VIEW, SPEC) is None


def test_all_discs_and_both_teams_are_read_behind_a_veil_of_light() -> None:
    reading = read_discs((draw(VIEW, SCATTERED) * 0.25 + 120).astype(np.uint8), board_fit(VIEW))
    assert len(reading.discs) == len(SCATTERED)
    assert len(reading.teams) == 2


def test_all_discs_are_read_in_a_very_noisy_picture() -> None:
    clean = draw(VIEW, SCATTERED)
    noise = np.random.default_rng(0).normal(0, 20.0, clean.shape)
    reading = read_discs(np.clip(clean + noise, 0, 255).astype(np.uint8), board_fit(VIEW))
    assert len(reading.discs) == len(SCATTERED)
    assert len(reading.teams) == 2
