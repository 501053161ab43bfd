"""Faces of discs around given places of a normalised frame."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_frame import grained_board, sheet_from_above

from vision.rectify.frame_rectifier import FrameRectifier
from vision.track.background.background_model import (
    BackgroundModel,
    NormalisedFrame,
    create_background,
    normalise_frame,
)
from vision.track.motion.blob_appearance import measure_appearance

RADIUS_MM = 15.9
WOOD = np.array([90.0, 125.0, 150.0])
#: Two separate discs, and one that a finger touches.
DISCS = {(40.0, 95.0): (40, 45, 170), (-120.0, 30.0): (20, 22, 24), (-30.0, -180.0): (40, 45, 170)}
FINGER_BGR = (60, 65, 160)


@pytest.fixture(scope="module")
def rectifier() -> FrameRectifier:
    return sheet_from_above()


@pytest.fixture(scope="module")
def shown(rectifier: FrameRectifier) -> tuple[BackgroundModel, NormalisedFrame]:
    board = grained_board(rectifier, WOOD, grain_grey=2, blur_px=1)
    nothing = np.zeros(rectifier.surface.shape, dtype=bool)
    background, image = create_background(rectifier, board, nothing), board.copy()
    for place, colour in DISCS.items():
        image[rectifier.disc_mask(np.array([place]), RADIUS_MM) > 0] = colour
    x, y = np.rint(rectifier.to_px([(-30.0, -195.0)])[0]).astype(int)
    image[y : y + 60, x - 6 : x + 6] = FINGER_BGR
    return background, normalise_frame(background, rectifier, image)


def test_a_face_is_found_a_little_beside_where_it_is_looked_for(
    rectifier: FrameRectifier, shown: tuple[BackgroundModel, NormalisedFrame]
) -> None:
    places = np.array(list(DISCS))
    faces = measure_appearance(*shown, rectifier.to_px(places + np.array([3.0, -2.0])), RADIUS_MM)
    off_mm = np.linalg.norm(rectifier.to_mm(faces.centre_px) - places, axis=1)
    assert (off_mm[:2] < 1.5).all()
    assert np.abs(faces.colour_bgr - list(DISCS.values())).max() < 3


def test_a_disc_alone_is_rounder_than_one_that_a_finger_touches(
    rectifier: FrameRectifier, shown: tuple[BackgroundModel, NormalisedFrame]
) -> None:
    faces = measure_appearance(*shown, rectifier.to_px(list(DISCS)), RADIUS_MM)
    assert (faces.roundness[:2] > 0.95).all()
    assert faces.roundness[2] < 0.9


def test_each_face_is_what_it_is_without_the_others(
    rectifier: FrameRectifier, shown: tuple[BackgroundModel, NormalisedFrame]
) -> None:
    places = rectifier.to_px(list(DISCS))
    together = measure_appearance(*shown, places, RADIUS_MM)
    for i, place in enumerate(places):
        alone = measure_appearance(*shown, place[None], RADIUS_MM)
        assert alone.roundness[0] == together.roundness[i]
        np.testing.assert_allclose(alone.centre_px[0], together.centre_px[i])


def test_bare_wood_is_no_face(
    rectifier: FrameRectifier, shown: tuple[BackgroundModel, NormalisedFrame]
) -> None:
    assert (
        measure_appearance(*shown, rectifier.to_px([(150.0, -60.0)]), RADIUS_MM).roundness[0] == 0.0
    )


def test_no_places_have_no_faces(shown: tuple[BackgroundModel, NormalisedFrame]) -> None:
    assert len(measure_appearance(*shown, np.zeros((0, 2)), RADIUS_MM).roundness) == 0


def test_at_the_edge_of_the_sheet_there_is_no_face_and_no_error(
    rectifier: FrameRectifier, shown: tuple[BackgroundModel, NormalisedFrame]
) -> None:
    last = rectifier.side_px - 1.0
    corners = np.array([[0.0, 0.0], [last, 5.0], [last, last]])
    assert (measure_appearance(*shown, corners, RADIUS_MM).roundness == 0.0).all()


def test_a_black_disc_and_its_shadow_have_one_middle_wherever_they_are_looked_for(
    rectifier: FrameRectifier,
) -> None:
    board = grained_board(rectifier, WOOD, grain_grey=2, blur_px=1)
    nothing = np.zeros(rectifier.surface.shape, dtype=bool)
    background, image = create_background(rectifier, board, nothing), board.copy()
    for y_mm in range(0, 12, 2):
        image[rectifier.disc_mask(np.array([(60.0, y_mm)]), RADIUS_MM) > 0] = (20, 22, 24)
    frame = normalise_frame(background, rectifier, image)
    starts = rectifier.to_px([(60.0, -2.0), (61.0, 5.0), (59.0, 12.0)])
    places_mm = rectifier.to_mm(measure_appearance(background, frame, starts, RADIUS_MM).centre_px)
    assert np.abs(places_mm - places_mm[1]).max() < 0.3
