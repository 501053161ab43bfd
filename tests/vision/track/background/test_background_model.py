"""The empty board behind discs and shadows."""

from __future__ import annotations

import cv2
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
def rectifier() -> FrameRectifier:
    return sheet_from_above()


def board(rectifier: FrameRectifier) -> np.ndarray:
    return grained_board(rectifier, WOOD, grain_grey=6, blur_px=2)


def with_disc(
    image: np.ndarray,
    rectifier: FrameRectifier,
    place_mm: tuple[float, float],
    colour: tuple[int, int, int],
) -> np.ndarray:
    shown = image.copy()
    shown[rectifier.disc_mask(np.array([place_mm]), RADIUS_MM) > 0] = colour
    return shown


def band(rectifier: FrameRectifier, at_mm: float, strength: float = 0.38) -> np.ndarray:
    """A soft band of shadow as light (side, side, 1)."""
    across = 2.0 * np.arange(rectifier.side_px) - rectifier.side_px
    edge = np.clip((130 - np.abs(across - at_mm)) / 120 + 0.5, 0, 1)
    light = 1 - strength * (edge * edge * (3 - 2 * edge))
    return np.broadcast_to(light[None, :, None], (rectifier.side_px, rectifier.side_px, 1))


def shaded(image: np.ndarray, light: np.ndarray) -> np.ndarray:
    return np.rint(image * light).astype(np.uint8)


def seen_empty(rectifier: FrameRectifier) -> BackgroundModel:
    nothing = np.zeros(rectifier.surface.shape, dtype=bool)
    return create_background(rectifier, board(rectifier), nothing)


def wrong_share(
    normalised: NormalisedFrame, background: BackgroundModel, rectifier: FrameRectifier
) -> float:
    return float(np.mean(normalised.difference[rectifier.surface] > background.threshold))


def test_the_board_under_a_disc_is_guessed_from_its_other_quarters(
    rectifier: FrameRectifier,
) -> None:
    empty, place = board(rectifier), (40.0, 95.0)
    covered = rectifier.disc_mask(np.array([place]), RADIUS_MM + 9) > 0
    background = inpaint_by_symmetry(
        create_background(rectifier, with_disc(empty, rectifier, place, RED), covered), rectifier
    )
    off = subtract_images(background.image, empty)[covered]
    assert np.median(off) < background.threshold
    assert not background.valid_mask[covered].any()


def test_a_disc_that_lay_there_from_the_start_is_followed_like_any_other(
    rectifier: FrameRectifier,
) -> None:
    empty, place, elsewhere = board(rectifier), (40.0, 95.0), (-120.0, 30.0)
    covered = rectifier.disc_mask(np.array([place]), RADIUS_MM + 9) > 0
    background = inpaint_by_symmetry(
        create_background(rectifier, with_disc(empty, rectifier, place, RED), covered), rectifier
    )
    for now in (place, elsewhere):
        normalised = normalise_frame(background, rectifier, with_disc(empty, rectifier, now, RED))
        blobs = find_disc_blobs(rectifier, background, normalised, RADIUS_MM)
        assert len(blobs.centre_mm) == 1
        assert np.linalg.norm(blobs.centre_mm[0] - now) < 2


@pytest.mark.parametrize("at_mm", [-250.0, 0.0, 150.0])
def test_a_soft_shadow_is_taken_out(rectifier: FrameRectifier, at_mm: float) -> None:
    background = seen_empty(rectifier)
    normalised = normalise_frame(
        background, rectifier, shaded(board(rectifier), band(rectifier, at_mm))
    )
    assert normalised.is_shaded
    assert wrong_share(normalised, background, rectifier) < 0.01


@pytest.mark.parametrize("colour", [RED, BLACK, (96, 132, 152)], ids=["red", "black", "wood"])
def test_a_disc_in_a_shadow_stays(rectifier: FrameRectifier, colour: tuple[int, int, int]) -> None:
    background, place = seen_empty(rectifier), (20.0, 60.0)
    image = shaded(with_disc(board(rectifier), rectifier, place, colour), band(rectifier, 0.0))
    normalised = normalise_frame(background, rectifier, image)
    blobs = find_disc_blobs(rectifier, background, normalised, RADIUS_MM)
    assert any(np.linalg.norm(centre_mm - place) < 3 for centre_mm in blobs.centre_mm)


def test_a_grey_sleeve_is_no_shadow(rectifier: FrameRectifier) -> None:
    background, image = seen_empty(rectifier), board(rectifier)
    sleeve = np.zeros(rectifier.surface.shape, dtype=bool)
    sleeve[: rectifier.side_px // 2, 180:225] = True
    image[sleeve] = GREY_SLEEVE
    normalised = normalise_frame(background, rectifier, image)
    assert np.mean(normalised.difference[sleeve & rectifier.surface] > background.threshold) > 0.95


def classified(rectifier: FrameRectifier, images: list[np.ndarray]) -> list[SceneState]:
    background, still = seen_empty(rectifier), MotionGate(rectifier)
    return [
        still.classify(i / 30, normalise_frame(background, rectifier, image), background.threshold)
        for i, image in enumerate(images)
    ]


def test_a_wandering_shadow_is_no_motion(rectifier: FrameRectifier) -> None:
    images = [shaded(board(rectifier), band(rectifier, -100.0 + 8 * i)) for i in range(14)]
    assert classified(rectifier, images)[-1] is SceneState.STILL


def test_a_disc_that_moves_in_a_wandering_shadow_is_motion(rectifier: FrameRectifier) -> None:
    images = [
        shaded(
            with_disc(board(rectifier), rectifier, (0.0, 60.0 + 2 * i), RED),
            band(rectifier, -100.0 + 8 * i),
        )
        for i in range(14)
    ]
    assert STILL_S < 14 / 30
    assert classified(rectifier, images)[-1] is SceneState.MOTION


def test_a_disc_with_a_groove_is_round_on_wood_of_nearly_its_colour(
    rectifier: FrameRectifier,
) -> None:
    background, place = seen_empty(rectifier), (-60.0, -165.0)
    shown = with_disc(board(rectifier), rectifier, place, (92, 137, 162))
    rim, bowl = (rectifier.disc_mask(np.array([place]), radius_mm) > 0 for radius_mm in (11.0, 8.0))
    shown[rim & ~bowl] = (58, 96, 118)  # its groove
    blobs = find_disc_blobs(
        rectifier, background, normalise_frame(background, rectifier, shown), RADIUS_MM
    )
    best = int(np.argmax(blobs.roundness))
    assert np.linalg.norm(blobs.centre_mm[best] - place) < 2.0
    assert blobs.roundness[best] > 0.6


@pytest.mark.parametrize("light", [1.25, 1.5, 1.9])
def test_wood_that_is_blown_out_differs_no_more_than_what_is_not(
    rectifier: FrameRectifier, light: float
) -> None:
    """If a camera brightens the picture for a dark sleeve, a grey hole stays as it was, and a disc
    stays dark.
    """
    grey, dark = (110, 110, 110), (60, 45, 40)
    empty = with_disc(board(rectifier), rectifier, (0.0, 0.0), grey)
    nothing = np.zeros(rectifier.surface.shape, dtype=bool)
    background = create_background(rectifier, empty, nothing)
    seen = np.clip(with_disc(empty, rectifier, (60.0, 90.0), dark) * light, 0, 255).astype(np.uint8)
    normalised = normalise_frame(background, rectifier, seen)
    disc = rectifier.disc_mask(np.array([(60.0, 90.0)]), RADIUS_MM) > 0
    differs = normalised.difference > background.threshold
    assert differs[disc].all()
    assert np.mean(differs[rectifier.surface & ~disc]) < 0.002


def trembled(rectifier: FrameRectifier, image: np.ndarray, frame: int) -> np.ndarray:
    """The image with dark rings, of which strong compression shifts one half or the other by a
    sixth of a pixel.
    """
    shown, middle = image.copy(), np.rint(rectifier.to_px(np.zeros((1, 2)))[0]).astype(int)
    for radius_px in (51, 102, 152):
        cv2.circle(shown, tuple(int(v) for v in middle), radius_px, (15, 20, 25), 1, cv2.LINE_AA)
    shift = np.array([[1.0, 0.0, 0.17], [0.0, 1.0, 0.1]])
    beside = cv2.warpAffine(shown, shift, shown.shape[1::-1], flags=cv2.INTER_LINEAR)
    half = rectifier.side_px // 2
    columns = slice(half) if frame // 3 % 2 else slice(half, None)
    shown[:, columns] = beside[:, columns]
    return shown


def test_lines_that_hard_compression_leaves_behind_are_no_motion(rectifier: FrameRectifier) -> None:
    still = [trembled(rectifier, board(rectifier), i) for i in range(14)]
    assert classified(rectifier, still)[-1] is SceneState.STILL
    creeps = [
        trembled(rectifier, with_disc(board(rectifier), rectifier, (0.0, 60.0 + i), RED), i)
        for i in range(14)
    ]
    assert classified(rectifier, creeps)[-1] is SceneState.MOTION


def test_other_light_is_divided_out_also_where_the_frame_is_saturated(
    rectifier: FrameRectifier,
) -> None:
    empty = np.random.default_rng(3).integers(60, 250, (*rectifier.surface.shape, 3), np.uint8)
    background = create_background(rectifier, empty, np.zeros(rectifier.surface.shape, dtype=bool))
    seen = np.clip(np.rint(empty * np.array([1.3, 1.1, 0.9])), 0, 255).astype(np.uint8)
    frame = normalise_frame(background, rectifier, seen)
    np.testing.assert_allclose(frame.gain, [1.3, 1.1, 0.9], rtol=0.01)
    assert (seen == 255).any()
    assert frame.difference.max() <= 1
