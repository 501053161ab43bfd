"""Frames stored as picture files: their averages agree with their pixels."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.io.encoded_image import read_encoded_image
from vision.io.timed_frame import CameraImage


@pytest.fixture(scope="module")
def picture() -> np.ndarray:
    """A smooth picture (h, w, 3) uint8 BGR."""
    rng = np.random.default_rng(5)
    return cv2.resize(rng.integers(0, 256, (9, 16, 3), np.uint8), (1280, 720))


@pytest.fixture(scope="module")
def jpeg(picture: np.ndarray) -> bytes:
    return cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 92])[1].tobytes()


def test_an_encoded_image_shows_its_picture(picture: np.ndarray, jpeg: bytes) -> None:
    image = read_encoded_image(jpeg)
    assert image is not None
    assert image.shape == picture.shape
    assert np.abs(image.bgr.astype(int) - picture).mean() < 2
    assert image.bgr is image.bgr  # decoded once


def test_its_averages_are_those_of_its_pixels(jpeg: bytes) -> None:
    image = read_encoded_image(jpeg)
    assert image is not None
    (quick,), (full,) = (
        frame_image.average_squares(16) for frame_image in (image, CameraImage(image.bgr))
    )
    assert np.abs(quick - full).max() < 3  # rounded in between


def test_it_takes_little_memory_until_its_pixels_are_asked_for(jpeg: bytes) -> None:
    image = read_encoded_image(jpeg)
    assert image is not None
    assert image.nbytes < len(jpeg) + 50_000
    decoded = image.bgr
    assert image.nbytes > decoded.nbytes


def test_the_orientation_tag_makes_a_picture_upright(jpeg: bytes) -> None:
    exif = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"
    turned = jpeg[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif + jpeg[2:]
    image = read_encoded_image(turned)
    assert image is not None
    assert image.shape == image.bgr.shape == (1280, 720, 3)


@pytest.mark.parametrize("length", [0, 3, 500, 20_000])
def test_a_damaged_file_is_none(jpeg: bytes, length: int) -> None:
    assert read_encoded_image(jpeg[:length]) is None
