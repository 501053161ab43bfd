"""A focal length and an orientation from EXIF are used only if they are plausible."""

from __future__ import annotations

import math

import pytest
from PIL import Image

from vision.io.exif import read_focal_px, read_orientation

FILM_DIAGONAL_MM = math.hypot(36.0, 24.0)
ORIENTATION, EXIF_BLOCK = 0x0112, 0x8769
WIDTH, HEIGHT, FOCAL_35MM = 0xA002, 0xA003, 0xA405


def tags(orientation: object = 1, **block: object) -> Image.Exif:
    made = Image.Exif()
    made[ORIENTATION] = orientation
    names = {"width": WIDTH, "height": HEIGHT, "focal": FOCAL_35MM}
    for name, value in block.items():
        made.get_ifd(EXIF_BLOCK)[names[name]] = value
    return made


@pytest.mark.parametrize(("stored", "read"), [(1, 1), (6, 6), (8, 8), (0, 1), (9, 1), ("up", 1)])
def test_an_impossible_orientation_is_upright(stored: object, read: int) -> None:
    assert read_orientation(tags(stored)) == read


@pytest.mark.parametrize(("width", "height"), [(4000, 3000), (3000, 4000), (3000, 2000)])
def test_a_whole_sensor_has_the_focal_length_of_its_diagonal(width: int, height: int) -> None:
    found = read_focal_px(tags(focal=26), width, height)
    assert found == pytest.approx(26 * math.hypot(width, height) / FILM_DIAGONAL_MM)


def test_a_wide_picture_is_cut_from_a_sensor_of_four_to_three() -> None:
    wide = read_focal_px(tags(focal=26), 4000, 2250)
    assert wide == pytest.approx(read_focal_px(tags(focal=26), 4000, 3000))


@pytest.mark.parametrize("focal", [None, 0, -26, 5, 900, "wide"])
def test_a_focal_length_that_no_lens_for_a_board_has_is_left_out(focal: object) -> None:
    assert read_focal_px(tags(focal=focal) if focal is not None else tags(), 4000, 3000) is None


def test_a_crop_keeps_no_focal_length() -> None:
    assert read_focal_px(tags(focal=26, width=4000, height=3000), 3000, 3000) is None
    assert read_focal_px(tags(focal=26, width=4000, height=3000), 2100, 1400) is None
    turned = read_focal_px(tags(focal=26, width=3000, height=4000), 4000, 3000)
    assert turned is not None  # by a program that rotated its pixels
