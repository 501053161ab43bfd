"""Sunlight that falls onto the board in a sharp patch, and similar objects."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn_frame import grained_board, sheet_from_above

from vision.rectify.frame_rectifier import FrameRectifier
from vision.track.background.background_model import (
    BackgroundModel,
    create_background,
    normalise_frame,
)
from vision.track.background.illumination import IlluminationAdapter
from vision.track.motion.hands_and_occluders import find_hands_and_occluders

RADIUS_MM = 15.9
WOOD = np.array([90.0, 125.0, 150.0])
BLACK = (20, 22, 24)
NO_DISCS = np.zeros((0, 2))
#: Corners of a patch, mm: a third of a quadrant.
PANE_MM = np.array([[60.0, 60.0], [200.0, 90.0], [180.0, 220.0], [40.0, 190.0]])
SUN = np.array([1.4, 1.45, 1.5])


@pytest.fixture(scope="module")
def rectifier() -> FrameRectifier:
    return sheet_from_above()


def board(rectifier: FrameRectifier) -> np.ndarray:
    return grained_board(rectifier, WOOD, grain_grey=9, blur_px=1)


def pane(rectifier: FrameRectifier, softness_px: float = 2.0, offset_mm: float = 0.0) -> np.ndarray:
    """The share of every pixel (side, side, 1) that is in the patch."""
    cover = np.zeros(rectifier.radius_mm.shape, np.float32)
    corners = np.rint(rectifier.to_px(PANE_MM + offset_mm)).astype(np.int32)
    cv2.fillConvexPoly(cover, corners, 1.0)
    return cv2.GaussianBlur(cover, (0, 0), softness_px)[..., None]


def sunlit(image: np.ndarray, cover: np.ndarray, strength: float = 1.0) -> np.ndarray:
    return np.clip(image * (1 + strength * (SUN - 1) * cover), 0, 255).astype(np.uint8)


def covered(image: np.ndarray, cover: np.ndarray) -> np.ndarray:
    """The picture with paper, as bright as sunlit wood, instead of the patch."""
    noise = np.random.default_rng(2).normal(0, 2, image.shape)
    return np.clip(image * (1 - cover) + cover * (WOOD * SUN + noise), 0, 255).astype(np.uint8)


def with_disc(
    image: np.ndarray, rectifier: FrameRectifier, place_mm: tuple[float, float]
) -> np.ndarray:
    shown = image.copy()
    shown[rectifier.disc_mask(np.array([place_mm]), RADIUS_MM) > 0] = BLACK
    return shown


def seen_empty(rectifier: FrameRectifier) -> BackgroundModel:
    nothing = np.zeros(rectifier.surface.shape, dtype=bool)
    return create_background(rectifier, board(rectifier), nothing)


def adapted(
    background: BackgroundModel,
    rectifier: FrameRectifier,
    frames: list[np.ndarray],
    discs_mm: np.ndarray = NO_DISCS,
) -> BackgroundModel | None:
    adapter, found = IlluminationAdapter(), None
    for frame in frames:
        found = adapter.adapt(
            background,
            rectifier,
            normalise_frame(background, rectifier, frame),
            discs_mm,
            RADIUS_MM,
        )
    return found


def test_a_patch_of_sun_is_the_board_itself_in_another_light(rectifier: FrameRectifier) -> None:
    background, shown = seen_empty(rectifier), sunlit(board(rectifier), pane(rectifier))
    assert (
        find_hands_and_occluders(
            rectifier,
            background,
            normalise_frame(background, rectifier, shown),
            NO_DISCS,
            RADIUS_MM,
        )[1]
        is not None
    )
    lit = adapted(background, rectifier, [shown, shown])
    assert lit is not None
    normalised = normalise_frame(lit, rectifier, shown)
    assert find_hands_and_occluders(rectifier, lit, normalised, NO_DISCS, RADIUS_MM)[1] is None
    assert np.mean(normalised.difference[rectifier.surface] > lit.threshold) < 0.002


def test_sun_that_goes_is_followed_as_well_as_sun_that_comes(rectifier: FrameRectifier) -> None:
    background, shown = seen_empty(rectifier), sunlit(board(rectifier), pane(rectifier))
    lit = adapted(background, rectifier, [shown, shown])
    assert lit is not None
    unlit = adapted(lit, rectifier, [board(rectifier), board(rectifier)])
    assert unlit is not None
    normalised = normalise_frame(unlit, rectifier, board(rectifier))
    assert np.mean(normalised.difference[rectifier.surface] > unlit.threshold) < 0.002


def test_paper_as_bright_as_sunlit_wood_is_a_cover(rectifier: FrameRectifier) -> None:
    shown = covered(board(rectifier), pane(rectifier))
    assert adapted(seen_empty(rectifier), rectifier, [shown, shown]) is None


def test_what_moves_is_no_patch_of_sun(rectifier: FrameRectifier) -> None:
    frames = [sunlit(board(rectifier), pane(rectifier, offset_mm=off)) for off in (0.0, 40.0)]
    assert adapted(seen_empty(rectifier), rectifier, frames) is None


def test_a_soft_shadow_is_no_patch_of_sun(rectifier: FrameRectifier) -> None:
    shown = sunlit(board(rectifier), pane(rectifier, softness_px=25.0), strength=-0.8)
    assert adapted(seen_empty(rectifier), rectifier, [shown, shown]) is None


def test_a_disc_in_the_sun_still_differs_from_the_board(rectifier: FrameRectifier) -> None:
    background, place = seen_empty(rectifier), (120.0, 140.0)
    shown = with_disc(sunlit(board(rectifier), pane(rectifier)), rectifier, place)
    lit = adapted(background, rectifier, [shown, shown], np.array([place]))
    assert lit is not None
    under = rectifier.disc_mask(np.array([place]), RADIUS_MM - 2) > 0
    assert (normalise_frame(lit, rectifier, shown).difference[under] > lit.threshold).all()
    assert not lit.valid_mask[under].any()  # the light on the board under it was not visible


def test_a_hand_with_its_shadow_is_no_patch_of_sun(rectifier: FrameRectifier) -> None:
    shaded = sunlit(board(rectifier), pane(rectifier), strength=-0.9)
    skin = np.zeros(rectifier.radius_mm.shape, np.float32)
    cv2.fillConvexPoly(skin, np.rint(rectifier.to_px(PANE_MM + 40.0)).astype(np.int32), 1.0)
    shown = np.where(skin[..., None] > 0, np.uint8((120, 150, 200)), shaded)
    assert adapted(seen_empty(rectifier), rectifier, [shown, shown]) is None
