"""Faces around a board are blurred beyond recognition in a bug report, at any size."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.circle import circle_mm
from webapp.jobs.photo_case import blur_around

_HEIGHT, _WIDTH = 900, 1200
#: An oblique board in the middle: half its width and height, px.
_BOARD = np.array([270.0, 150.0])
_CENTRE = np.array([600.0, 450.0])


def draw_face(
    picture: np.ndarray, x: int, y: int, head_px: int, *, has_features: bool = True
) -> None:
    half = head_px // 2
    cv2.ellipse(picture, (x, y), (half, round(1.3 * half)), 0, 0, 360, (150, 180, 230), -1)
    if not has_features:
        return
    for side in (-1, 1):
        eye = (x + side * round(0.4 * half), y - round(0.3 * half))
        cv2.circle(picture, eye, max(2, half // 6), (30, 30, 30), -1)
    cv2.ellipse(
        picture, (x, y + half // 2), (half // 2, half // 5), 0, 0, 180, (40, 40, 160), half // 10
    )


def draw_room(*faces: tuple[int, int, int], has_features: bool = True) -> np.ndarray:
    picture = np.full((_HEIGHT, _WIDTH, 3), (90, 100, 110), np.uint8)
    board = tuple(_BOARD.astype(int))
    cv2.ellipse(picture, tuple(_CENTRE.astype(int)), board, 0, 0, 360, (110, 170, 215), -1)
    cv2.line(picture, (480, 480), (600, 450), (140, 170, 220), 30)  # an arm and a finger
    for face in faces:
        draw_face(picture, *face, has_features=has_features)
    return picture


def blur(picture: np.ndarray) -> np.ndarray:
    jpeg = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes()
    outline_px = _CENTRE + circle_mm((0.0, 0.0), 1.0, 90) * _BOARD
    return cv2.imdecode(np.frombuffer(blur_around(jpeg, outline_px), np.uint8), 1)


@pytest.mark.parametrize(
    ("x", "y", "head_px"),
    [
        pytest.param(150, 120, 60, id="a-small-face-far-behind"),
        pytest.param(600, 180, 120, id="the-player-opposite"),
        pytest.param(130, 600, 220, id="a-large-face-close-to-the-camera"),
        pytest.param(1190, 450, 160, id="a-face-cut-by-the-edge"),
    ],
)
def test_a_face_beyond_the_rail_has_no_features_left(x: int, y: int, head_px: int) -> None:
    face, blank = (draw_room((x, y, head_px), has_features=shown) for shown in (True, False))
    assert np.abs(face.astype(int) - blank).max() > 100
    change = blur(face).astype(int) - blur(blank)
    assert np.abs(change).max() < 30, "a shade darker"
    rows, columns = np.nonzero((face != blank).any(axis=2))
    seen = change[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    steps = [np.abs(np.diff(seen, axis=axis)).max() for axis in (0, 1)]
    assert max(steps) <= 8, "no edge of an eye or a mouth is left"


def test_hands_over_the_board_stay() -> None:
    picture = draw_room((600, 180, 120))
    board = np.zeros((_HEIGHT, _WIDTH), np.uint8)
    cv2.ellipse(board, tuple(_CENTRE.astype(int)), (260, 140), 0, 0, 360, 1, -1)
    change = np.abs(blur(picture).astype(int) - picture)[board == 1]
    assert np.percentile(change, 99) < 12, "but for JPEG's own loss"


def test_the_corners_of_a_board_from_above_are_blurred() -> None:
    picture = np.full((600, 600, 3), 120, np.uint8)
    draw_face(picture, 45, 55, 60)
    draw_face(picture, 300, 300, 60)  # as a face in the wood would be
    jpeg = cv2.imencode(".jpg", picture)[1].tobytes()
    hidden = cv2.imdecode(np.frombuffer(blur_around(jpeg), np.uint8), 1).astype(int)
    assert np.ptp(hidden[20:90, 10:80], axis=(0, 1)).max() < 40
    assert np.ptp(hidden[265:335, 265:335], axis=(0, 1)).max() > 120
