"""Decoded frames, and parts of them, in the requested formats."""

from __future__ import annotations

import av
import cv2
import numpy as np
import pytest

from vision.io.frame_converter import DecodedImage, FormatConverter, Turn, find_turn
from vision.io.timed_frame import PixelBox

_UPRIGHT = find_turn(np.eye(2))
_FLIPS = {
    (1, 0, 0, 1): (False, None),
    (0, 1, -1, 0): (True, 1),
    (-1, 0, 0, -1): (False, -1),
    (0, -1, 1, 0): (True, 0),
}


def _decode(width: int = 160, turn: Turn = _UPRIGHT) -> DecodedImage:
    levels = np.random.default_rng(1).integers(0, 256, (12, 16, 3), dtype=np.uint8)
    image = cv2.resize(levels, (width, 96), interpolation=cv2.INTER_CUBIC)
    planar = av.VideoFrame.from_ndarray(image, format="bgr24").reformat(format="yuv420p")
    return DecodedImage(planar, width, FormatConverter(), turn)


@pytest.mark.parametrize("width", range(144, 162, 2))
def test_a_frame_of_any_width_has_the_same_colours_in_four_channels(width: int) -> None:
    whole = _decode(width)
    np.testing.assert_array_equal(whole.bgra[..., :3], whole.bgr)


def test_a_frame_of_ten_bits_equals_one_of_eight() -> None:
    shallow, formats = _decode(), FormatConverter()
    deep = av.VideoFrame(160, 96, "yuv420p10le")
    for plane, own in zip(deep.planes, shallow.planes, strict=True):
        samples = np.asarray(memoryview(plane)).view(np.uint16).reshape(plane.height, -1)
        samples[:, : plane.width] = 4 * own.levels.astype(np.uint16)
    planes = DecodedImage(formats.make_shallow(deep), 160, formats, _UPRIGHT).planes
    for one, other in zip(planes, shallow.planes, strict=True):
        np.testing.assert_array_equal(one.levels, other.levels)


@pytest.mark.parametrize("width", range(2, 40, 2))
def test_a_part_of_a_frame_has_the_colours_of_the_whole(width: int) -> None:
    whole = _decode()
    box = PixelBox(left=8, top=4, right=8 + width, bottom=60)
    part = whole.show_planes(tuple(box.cut(plane) for plane in whole.planes))
    expected = whole.bgr[4:60, 8 : 8 + width]
    assert part.shape == expected.shape
    np.testing.assert_array_equal(part.bgr, expected)
    np.testing.assert_array_equal(part.bgra[..., :3], expected)


@pytest.mark.parametrize("matrix", _FLIPS)
def test_a_smaller_picture_of_a_frame_shows_the_means_of_its_pixels(
    matrix: tuple[int, ...],
) -> None:
    turn = find_turn(np.array(matrix, dtype=np.float64).reshape(2, 2))
    frame = _decode(turn=turn)
    height, width = frame.shape[:2]
    small = frame.shrink(width // 2)
    assert small.shape == (height // 2, width // 2, 3)
    means = cv2.resize(frame.bgr, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
    assert np.abs(small.astype(int) - means).mean() < 8  # colours are stored at half the size
    assert frame.shrink(width) is frame.bgr


@pytest.mark.parametrize("matrix", _FLIPS)
def test_a_turn_is_read_from_the_display_matrix(matrix: tuple[int, ...]) -> None:
    turn = find_turn(np.array(matrix, dtype=np.float64).reshape(2, 2))
    assert (turn.is_transposed, turn.flip) == _FLIPS[matrix]
    image = np.arange(6, dtype=np.uint8).reshape(2, 3)
    places = np.argwhere(image >= 0)[:, ::-1] - (1.0, 0.5)  # x and y from the middle
    shown = places @ np.array(matrix).reshape(2, 2)
    turned = turn.apply(image)
    at = np.rint(shown + (np.array(turned.shape[::-1]) - 1) / 2).astype(int)
    np.testing.assert_array_equal(turned[at[:, 1], at[:, 0]], image.ravel())
