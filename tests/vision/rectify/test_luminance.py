"""Conversions between light and grey values: whole numbers by a table, others by a formula."""

from __future__ import annotations

import numpy as np
import pytest

from vision.rectify.luminance import decode_gamma, encode_gamma


def test_light_of_whole_grey_values_is_that_of_the_same_broken_ones() -> None:
    grey = np.arange(256, dtype=np.uint8)
    assert decode_gamma(grey) == pytest.approx(decode_gamma(grey.astype(np.float64)), abs=1e-6)
    assert encode_gamma(decode_gamma(grey)) == pytest.approx(grey, abs=0.01)


def test_linear_light_adds_up_and_black_remains_black() -> None:
    both = encode_gamma(decode_gamma(np.array([100.0])) + decode_gamma(np.array([100.0])))
    assert 130 < both[0] < 140  # twice the light is 2 ** (1 / 2.2) times the grey value
    assert encode_gamma(np.array([-0.1, 0.0])) == pytest.approx([0.0, 0.0])
