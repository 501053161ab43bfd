"""Sunlight that falls onto the board in a sharp patch, and what it is told from."""

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
from vision.track.motion.occluders import find_occluders

RADIUS_MM = 15.9
WOOD = np.array([90.0, 125.0, 150.0])
BLACK = (20, 22, 24)
NO_DISCS = np.zeros((0, 2))
#: Corners of a patch, mm: a third of a quadrant.
PANE_MM = np.array([[60.0, 60.0], [200.0, 90.0], [180.0, 220.0], [40.0, 190.0]])
SUN = np.array([1.4, 1.45, 1.5])


@pytest.fixture(scope="module")
def sheet() -> FrameRectifier:
    return sheet_from_above()


def board(sheet: FrameRectifier) -> np.ndarray:
    return grained_board(sheet, WOOD, grain_grey=9, blur_px=1)


def pane(sheet: FrameRectifier, softness_px: float = 2.0, offset_mm: float = 0.0) -> np.ndarray:
    """How much of each pixel (side, side, 1) lies in the patch."""
    cover = np.zeros(sheet.radius_mm.shape, np.float32)
    corners = np.rint(sheet.to_px(PANE_MM + offset_mm)).astype(np.int32)
    cv2.fillConvexPoly(cover, corners, 1.0)
    return cv2.GaussianBlur(cover, (0, 0), softness_px)[..., None]


def sunlit(image: np.ndarray, cover: np.ndarray, strength: float = 1.0) -> np.ndarray:
    return np.clip(image * (1 + strength * (SUN - 1) * cover), 0, 255).astype(np.uint8)


def covered(image: np.ndarray, cover: np.ndarray) -> np.ndarray:
    """The patch as paper as bright as the sunlit wood."""
    noise = np.random.default_rng(2).normal(0, 2, image.shape)
    return np.clip(image * (1 - cover) + cover * (WOOD * SUN + noise), 0, 255).astype(np.uint8)


def with_disc(
    image: np.ndarray, sheet: FrameRectifier, place_mm: tuple[float, float]
) -> np.ndarray:
    shown = image.copy()
    shown[sheet.disc_mask(np.array([place_mm]), RADIUS_MM) > 0] = BLACK
    return shown


def seen_bare(sheet: FrameRectifier) -> BackgroundModel:
    nothing = np.zeros(sheet.surface.shape, dtype=bool)
    return create_background(sheet, board(sheet), nothing)


def looked_twice(
    plate: BackgroundModel,
    sheet: FrameRectifier,
    frames: list[np.ndarray],
    discs_mm: np.ndarray = NO_DISCS,
) -> BackgroundModel | None:
    sunlight, found = IlluminationAdapter(), None
    for frame in frames:
        found = sunlight.adapt(
            plate, sheet, normalise_frame(plate, sheet, frame), discs_mm, RADIUS_MM
        )
    return found


def test_a_patch_of_sun_is_the_board_itself_in_another_light(sheet: FrameRectifier) -> None:
    plate, shown = seen_bare(sheet), sunlit(board(sheet), pane(sheet))
    assert (
        find_occluders(sheet, plate, normalise_frame(plate, sheet, shown), NO_DISCS, RADIUS_MM)
        is not None
    )
    lit = looked_twice(plate, sheet, [shown, shown])
    assert lit is not None
    laid = normalise_frame(lit, sheet, shown)
    assert find_occluders(sheet, lit, laid, NO_DISCS, RADIUS_MM) is None
    assert np.mean(laid.difference[sheet.surface] > lit.threshold) < 0.002


def test_sun_that_goes_is_followed_as_well_as_sun_that_comes(sheet: FrameRectifier) -> None:
    plate, shown = seen_bare(sheet), sunlit(board(sheet), pane(sheet))
    lit = looked_twice(plate, sheet, [shown, shown])
    assert lit is not None
    unlit = looked_twice(lit, sheet, [board(sheet), board(sheet)])
    assert unlit is not None
    laid = normalise_frame(unlit, sheet, board(sheet))
    assert np.mean(laid.difference[sheet.surface] > unlit.threshold) < 0.002


def test_paper_as_bright_as_sunlit_wood_is_a_cover(sheet: FrameRectifier) -> None:
    shown = covered(board(sheet), pane(sheet))
    assert looked_twice(seen_bare(sheet), sheet, [shown, shown]) is None


def test_what_moves_is_no_patch_of_sun(sheet: FrameRectifier) -> None:
    frames = [sunlit(board(sheet), pane(sheet, offset_mm=off)) for off in (0.0, 40.0)]
    assert looked_twice(seen_bare(sheet), sheet, frames) is None


def test_a_soft_shadow_is_no_patch_of_sun(sheet: FrameRectifier) -> None:
    shown = sunlit(board(sheet), pane(sheet, softness_px=25.0), strength=-0.8)
    assert looked_twice(seen_bare(sheet), sheet, [shown, shown]) is None


def test_a_disc_in_the_sun_still_differs_from_the_board(sheet: FrameRectifier) -> None:
    plate, place = seen_bare(sheet), (120.0, 140.0)
    shown = with_disc(sunlit(board(sheet), pane(sheet)), sheet, place)
    lit = looked_twice(plate, sheet, [shown, shown], np.array([place]))
    assert lit is not None
    under = sheet.disc_mask(np.array([place]), RADIUS_MM - 2) > 0
    assert (normalise_frame(lit, sheet, shown).difference[under] > lit.threshold).all()
    assert not lit.valid_mask[under].any()  # how light the board is under it was not seen


def test_a_hand_with_its_shadow_is_no_patch_of_sun(sheet: FrameRectifier) -> None:
    shaded = sunlit(board(sheet), pane(sheet), strength=-0.9)
    skin = np.zeros(sheet.radius_mm.shape, np.float32)
    cv2.fillConvexPoly(skin, np.rint(sheet.to_px(PANE_MM + 40.0)).astype(np.int32), 1.0)
    shown = np.where(skin[..., None] > 0, np.uint8((120, 150, 200)), shaded)
    assert looked_twice(seen_bare(sheet), sheet, [shown, shown]) is None


def test_what_looks_as_it_did_before_is_the_board_though_it_is_small(sheet: FrameRectifier) -> None:
    plate, sunlight = seen_bare(sheet), IlluminationAdapter()
    sunlight.remember(plate)
    spot = sheet.disc_mask(np.array([(60.0, 200.0)]), 14.0) > 0
    smudged = plate.image.copy()
    smudged[spot] //= 2
    wrong = BackgroundModel(image=smudged, valid_mask=plate.valid_mask)
    frames = [with_disc(with_disc(board(sheet), sheet, (-90.0, 0.0)), sheet, (90.0, 0.0))] * 2
    found = None
    for frame in frames:
        found = sunlight.adapt(
            wrong, sheet, normalise_frame(wrong, sheet, frame), NO_DISCS, RADIUS_MM
        )
    assert found is not None
    assert (found.image[spot] == plate.image[spot]).mean() > 0.9
