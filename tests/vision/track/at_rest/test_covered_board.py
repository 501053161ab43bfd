"""Discs beside and under what covers a board that was read."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_discs import DISC, board_fit, view_at

from calibration.placed_disc import DiscState, PlacedDisc
from vision.rectify.frame_rectifier import make_rectifier
from vision.track.at_rest.covered_board import drop_surrounded, remember_covered
from vision.track.at_rest.still_board import StillBoard
from vision.track.motion.occlusion import follow_occlusion

FIT = board_fit(view_at(20.0))
RECTIFIER = make_rectifier(FIT.view, FIT.spec, (960, 1280, 3))
READY_MM, ELSEWHERE_MM = (0.0, -290.0), (100.0, 60.0)


def place(centre_mm: tuple[float, float]) -> PlacedDisc:
    return PlacedDisc(
        centre_mm=np.array(centre_mm), covariance_mm2=np.eye(2), team=0, state=DiscState.FLAT
    )


def cover(reach_mm: float, *sides: int) -> np.ndarray:
    """What covers the board around ``READY_MM``, (side, side) uint8, at its left (-1), right (1) or
    both, but not where a disc lies there."""
    mask = RECTIFIER.disc_mask(READY_MM, DISC.radius_mm + reach_mm)
    mask &= ~RECTIFIER.disc_mask(READY_MM, DISC.radius_mm + 4.0) & 1
    middle = round(float(RECTIFIER.to_px(np.array(READY_MM))[0]))
    if -1 not in sides:
        mask[:, :middle] = 0
    if 1 not in sides:
        mask[:, middle:] = 0
    return mask


def board(*discs: PlacedDisc, occluder: np.ndarray) -> StillBoard:
    return StillBoard(discs=discs, teams=(), disc=DISC, occluder=occluder)


@pytest.mark.parametrize(
    ("sides", "lay_there", "kept"),
    [((-1, 1), False, 1), ((-1, 1), True, 2), ((-1,), False, 2)],
    ids=["a round of a graphic", "a disc that lay there", "a finger at a disc"],
)
def test_what_is_surrounded_by_what_covers_the_board_came_with_it(
    sides: tuple[int, ...], lay_there: bool, kept: int
) -> None:
    discs = place(READY_MM), place(ELSEWHERE_MM)
    before = discs if lay_there else discs[1:]
    covered = board(*discs, occluder=cover(30.0, *sides))
    assert len(drop_surrounded(covered, before, RECTIFIER).discs) == kept


@pytest.mark.parametrize(("before_mm", "count"), [(READY_MM, 2), ((-100.0, 60.0), 1)])
def test_a_disc_under_what_covers_the_board_is_remembered(
    before_mm: tuple[float, float], count: int
) -> None:
    seen = board(place(ELSEWHERE_MM), occluder=cover(30.0, -1, 1))
    occlusion = follow_occlusion(None, seen.occluder, RECTIFIER, 1.0, RECTIFIER.surface)
    assert occlusion is not None
    discs = remember_covered(seen, [place(before_mm)], occlusion, RECTIFIER).discs
    assert len(discs) == count


@pytest.mark.parametrize("from_mm", [0.0, 150.0], ids=["up to the edge", "not up to it"])
def test_what_came_through_a_part_that_was_never_seen_bare_is_a_person(from_mm: float) -> None:
    """A hand lay over the board's edge in the first frames, and another comes in there."""
    middle = round(float(RECTIFIER.to_px(np.array(READY_MM))[0]))
    known = RECTIFIER.surface.copy()
    known[:, middle - 5 : middle + 5] = False
    known |= RECTIFIER.surface & (RECTIFIER.radius_mm > RECTIFIER.surface_radius_mm - from_mm)
    arm = cover(30.0, -1, 1)
    occlusion = follow_occlusion(None, arm, RECTIFIER, 1.0, known)
    assert occlusion is not None
    assert occlusion.is_person is (from_mm == 0.0)
