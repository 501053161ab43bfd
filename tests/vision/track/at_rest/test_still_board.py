"""Barely visible discs, read with the tracker's memory and the empty board."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn_discs import BLACK_BGR, DISC, WOOD_BGR, Drawn, board_fit, draw, view_at

from calibration.circle import circle_mm
from calibration.placed_disc import DiscState, PlacedDisc, Team
from vision.discs.detector_input import BoardPart
from vision.discs.find_discs import DiscReading, find_discs
from vision.reading import UnexplainedObject, UnexplainedReason
from vision.rectify.frame_rectifier import make_rectifier
from vision.track.at_rest.still_board import (
    find_unexplained,
    read_with_background,
    read_without_background,
)
from vision.track.at_rest.still_frame import StillFrame
from vision.track.background.background_model import create_background, normalise_frame

FIT = board_fit(view_at(0.0))
PLACE_MM = (120.0, 60.0)
#: The disc's last followed place before it stopped, some millimetres farther.
STOPPED_MM = np.array([124.0, 55.0])
WOODEN_BGR = tuple(level + 30 for level in WOOD_BGR)
TEAMS = (
    Team(number=0, colour_rgb=WOODEN_BGR[::-1], colour_name="natural"),
    Team(number=1, colour_rgb=BLACK_BGR[::-1], colour_name="black"),
)


def photograph(*discs: Drawn, blur_px: float) -> np.ndarray:
    """An unfocused board of coarse grain, which discs hide; its noise differs between boards."""
    image = cv2.GaussianBlur(draw(FIT.view, list(discs)), (0, 0), blur_px)
    grain = cv2.GaussianBlur(np.random.default_rng(1).normal(0, 1, image.shape[:2]), (0, 0), 1.5)
    grain *= 12 / grain.std()
    for x_mm, y_mm, _ in discs:
        rim_px = FIT.view.project_plane(circle_mm((x_mm, y_mm), DISC.radius_mm, 64), DISC.height_mm)
        cv2.fillPoly(grain, [np.rint(rim_px).astype(np.int32)], 0.0)
    noise = np.random.default_rng(7 + len(discs)).normal(0, 2.5, image.shape)
    return np.clip(image + noise + grain[..., None], 0, 255).astype(np.uint8)


def look_at(
    *discs: Drawn, blur_px: float = 5.0, changed: BoardPart | None = None
) -> tuple[np.ndarray, StillFrame]:
    """The picture of a board, alone and compared with the empty board."""
    image, empty = photograph(*discs, blur_px=blur_px), photograph(blur_px=blur_px)
    rectifier = make_rectifier(FIT.view, FIT.spec, image.shape)
    nothing = np.zeros(rectifier.surface.shape, dtype=bool)
    background = create_background(rectifier, rectifier.rectify(empty), nothing)
    normalised = normalise_frame(background, rectifier, rectifier.rectify(image))
    return image, StillFrame(
        image=image,
        fit=FIT,
        rectifier=rectifier,
        background=background,
        normalised=normalised,
        changed=changed,
    )


def test_a_faint_disc_is_read_where_one_stopped_on_the_empty_board() -> None:
    image, still = look_at((*PLACE_MM, WOODEN_BGR))
    assert find_discs(image, FIT, DISC, TEAMS).discs == ()
    board = read_with_background(still, DISC, TEAMS, expected_mm=[STOPPED_MM])
    assert [disc.team for disc in board.discs] == [0]
    assert board.discs[0].centre_mm == pytest.approx(PLACE_MM, abs=2.0)
    assert board.discs[0].confidence > 0.95
    assert board.unexplained == ()


def test_a_round_thing_on_the_empty_board_is_asked_about_where_no_disc_went() -> None:
    board = read_with_background(look_at((*PLACE_MM, WOODEN_BGR), blur_px=7.0)[1], DISC, TEAMS)
    assert board.discs == ()
    assert [item.reason for item in board.unexplained] == [UnexplainedReason.MAYBE_DISC]
    assert board.unexplained[0].centre_mm == pytest.approx(PLACE_MM, abs=4.0)


@pytest.mark.parametrize("known", [TEAMS, ()], ids=["of a known side", "the first of all"])
def test_a_round_thing_that_a_learned_detector_sees_as_a_disc_is_read(
    known: tuple[Team, ...],
) -> None:
    image, still = look_at((*PLACE_MM, WOODEN_BGR), blur_px=3.0)
    assert find_discs(image, FIT, DISC, known).discs == ()
    board = read_with_background(still, DISC, known)
    assert [disc.team for disc in board.discs] == [0]
    assert len(board.teams) == max(len(known), 1)
    assert board.discs[0].centre_mm == pytest.approx(PLACE_MM, abs=2.0)


@pytest.mark.parametrize("reach_mm", [30.0, 200.0], ids=["beside the disc", "with the disc"])
def test_only_the_part_of_the_board_that_changed_is_searched_for_faint_discs(
    reach_mm: float,
) -> None:
    part = BoardPart(
        low_mm=np.array([10.0, -40.0]), high_mm=np.array([10.0 + reach_mm, 100.0]), stayed=()
    )
    still = look_at((*PLACE_MM, WOODEN_BGR), changed=part)[1]
    board = read_with_background(still, DISC, TEAMS, expected_mm=[STOPPED_MM])
    assert len(board.discs) == (reach_mm > PLACE_MM[0])


@pytest.mark.parametrize("is_read", [True, False])
def test_what_only_a_disc_and_its_shadow_cover_is_no_doubt(is_read: bool) -> None:
    _, still = look_at((PLACE_MM[0] - 14.0, PLACE_MM[1], BLACK_BGR), blur_px=1.0)
    doubt = UnexplainedObject(
        centre_mm=np.array(PLACE_MM) + 2.0, reason=UnexplainedReason.MAYBE_DISC
    )
    doubted = DiscReading(teams=TEAMS, discs=(), disc=DISC, unexplained=(doubt,))
    beside = PlacedDisc(
        centre_mm=np.array([PLACE_MM[0] - 14.0, PLACE_MM[1]]),
        covariance_mm2=np.eye(2),
        team=1,
        state=DiscState.FLAT,
        confidence=1.0,
    )
    found = find_unexplained(still, doubted, [beside] if is_read else [], DISC.radius_mm)
    assert len([*found]) == (0 if is_read else 1)


def test_a_stain_of_a_discs_size_is_not_quite_certain_on_the_first_board() -> None:
    """Nothing moved yet, and its rim and colour are those of a disc."""
    image = draw(FIT.view, [])
    rim_px = FIT.view.project_plane(circle_mm(PLACE_MM, DISC.radius_mm, 64), 0.0)
    stain = np.zeros(image.shape[:2], np.float32)
    cv2.fillPoly(stain, [np.rint(rim_px).astype(np.int32)], 0.4)
    stain = cv2.GaussianBlur(stain, (0, 0), 3.0)
    image = (image * (1 - stain[..., None])).astype(np.uint8)
    assert [disc.confidence > 0.99 for disc in find_discs(image, FIT).discs] == [True]
    (seen,) = read_without_background(image, FIT, None, ()).discs
    assert 0.5 < seen.confidence < 0.99
