"""The bare board behind discs and shadows."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_frame import grained_board, sheet_from_above

from vision.rectify.frame_rectifier import FrameRectifier
from vision.track.background.background_model import (
    BackgroundModel,
    NormalisedFrame,
    create_background,
    inpaint_by_symmetry,
    normalise_frame,
    subtract_images,
)
from vision.track.motion.disc_blobs import find_disc_blobs
from vision.track.motion.motion_gate import STILL_S, MotionGate, SceneState

RADIUS_MM = 15.9
WOOD = np.array([120.0, 165.0, 190.0])
RED, BLACK, GREY_SLEEVE = (45, 40, 170), (20, 22, 24), (70, 72, 75)


@pytest.fixture(scope="module")
def sheet() -> FrameRectifier:
    return sheet_from_above()


def board(sheet: FrameRectifier) -> np.ndarray:
    return grained_board(sheet, WOOD, grain_grey=6, blur_px=2)


def with_disc(
    image: np.ndarray,
    sheet: FrameRectifier,
    place_mm: tuple[float, float],
    colour: tuple[int, int, int],
) -> np.ndarray:
    shown = image.copy()
    shown[sheet.disc_mask(np.array([place_mm]), RADIUS_MM) > 0] = colour
    return shown


def band(sheet: FrameRectifier, at_mm: float, strength: float = 0.38) -> np.ndarray:
    """A soft band of shadow as light (side, side, 1)."""
    across = 2.0 * np.arange(sheet.side_px) - sheet.side_px
    edge = np.clip((130 - np.abs(across - at_mm)) / 120 + 0.5, 0, 1)
    light = 1 - strength * (edge * edge * (3 - 2 * edge))
    return np.broadcast_to(light[None, :, None], (sheet.side_px, sheet.side_px, 1))


def shaded(image: np.ndarray, light: np.ndarray) -> np.ndarray:
    return np.rint(image * light).astype(np.uint8)


def seen_bare(sheet: FrameRectifier) -> BackgroundModel:
    nothing = np.zeros(sheet.surface.shape, dtype=bool)
    return create_background(sheet, board(sheet), nothing)


def wrong_share(laid: NormalisedFrame, plate: BackgroundModel, sheet: FrameRectifier) -> float:
    return float(np.mean(laid.difference[sheet.surface] > plate.threshold))


def test_the_board_under_a_disc_is_guessed_from_its_other_quarters(sheet: FrameRectifier) -> None:
    bare, place = board(sheet), (40.0, 95.0)
    covered = sheet.disc_mask(np.array([place]), RADIUS_MM + 9) > 0
    plate = inpaint_by_symmetry(
        create_background(sheet, with_disc(bare, sheet, place, RED), covered), sheet
    )
    off = subtract_images(plate.image, bare)[covered]
    assert np.median(off) < plate.threshold
    assert not plate.valid_mask[covered].any()


def test_a_disc_that_lay_there_from_the_start_is_followed_like_any_other(
    sheet: FrameRectifier,
) -> None:
    bare, place, elsewhere = board(sheet), (40.0, 95.0), (-120.0, 30.0)
    covered = sheet.disc_mask(np.array([place]), RADIUS_MM + 9) > 0
    plate = inpaint_by_symmetry(
        create_background(sheet, with_disc(bare, sheet, place, RED), covered), sheet
    )
    for now in (place, elsewhere):
        laid = normalise_frame(plate, sheet, with_disc(bare, sheet, now, RED))
        circles = find_disc_blobs(sheet, plate, laid, RADIUS_MM)
        assert len(circles.centre_mm) == 1
        assert np.linalg.norm(circles.centre_mm[0] - now) < 2


@pytest.mark.parametrize("at_mm", [-250.0, 0.0, 150.0])
def test_a_soft_shadow_is_taken_out(sheet: FrameRectifier, at_mm: float) -> None:
    plate = seen_bare(sheet)
    laid = normalise_frame(plate, sheet, shaded(board(sheet), band(sheet, at_mm)))
    assert laid.is_shaded
    assert wrong_share(laid, plate, sheet) < 0.01


@pytest.mark.parametrize("colour", [RED, BLACK, (96, 132, 152)], ids=["red", "black", "wood"])
def test_a_disc_in_a_shadow_stays(sheet: FrameRectifier, colour: tuple[int, int, int]) -> None:
    plate, place = seen_bare(sheet), (20.0, 60.0)
    image = shaded(with_disc(board(sheet), sheet, place, colour), band(sheet, 0.0))
    laid = normalise_frame(plate, sheet, image)
    circles = find_disc_blobs(sheet, plate, laid, RADIUS_MM)
    assert any(np.linalg.norm(each - place) < 3 for each in circles.centre_mm)


def test_a_grey_sleeve_is_no_shadow(sheet: FrameRectifier) -> None:
    plate, image = seen_bare(sheet), board(sheet)
    sleeve = np.zeros(sheet.surface.shape, dtype=bool)
    sleeve[: sheet.side_px // 2, 180:225] = True
    image[sleeve] = GREY_SLEEVE
    laid = normalise_frame(plate, sheet, image)
    assert np.mean(laid.difference[sleeve & sheet.surface] > plate.threshold) > 0.95


def looked(sheet: FrameRectifier, images: list[np.ndarray]) -> list[SceneState]:
    plate, still = seen_bare(sheet), MotionGate(sheet)
    return [
        still.classify(i / 30, normalise_frame(plate, sheet, image), plate.threshold)
        for i, image in enumerate(images)
    ]


def test_a_wandering_shadow_is_no_motion(sheet: FrameRectifier) -> None:
    images = [shaded(board(sheet), band(sheet, -100.0 + 8 * i)) for i in range(14)]
    assert looked(sheet, images)[-1] is SceneState.STILL


def test_a_disc_that_moves_in_a_wandering_shadow_is_motion(sheet: FrameRectifier) -> None:
    images = [
        shaded(
            with_disc(board(sheet), sheet, (0.0, 60.0 + 2 * i), RED), band(sheet, -100.0 + 8 * i)
        )
        for i in range(14)
    ]
    assert STILL_S < 14 / 30
    assert looked(sheet, images)[-1] is SceneState.MOTION


def test_a_disc_with_a_groove_is_round_on_wood_of_nearly_its_colour(sheet: FrameRectifier) -> None:
    plate, place = seen_bare(sheet), (-60.0, -165.0)
    shown = with_disc(board(sheet), sheet, place, (92, 137, 162))
    rim, bowl = (sheet.disc_mask(np.array([place]), each) > 0 for each in (11.0, 8.0))
    shown[rim & ~bowl] = (58, 96, 118)  # its groove
    circles = find_disc_blobs(sheet, plate, normalise_frame(plate, sheet, shown), RADIUS_MM)
    best = int(np.argmax(circles.roundness))
    assert np.linalg.norm(circles.centre_mm[best] - place) < 2.0
    assert circles.roundness[best] > 0.6
