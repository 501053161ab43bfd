"""Discs of a board that looks as it did when it was last read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from drawn_discs import DISC, board_fit, view_at

from calibration.placed_disc import DiscState, PlacedDisc
from vision.reading import UnexplainedReason
from vision.rectify.frame_rectifier import make_rectifier
from vision.track.at_rest.still_board import StillBoard
from vision.track.at_rest.unchanged_places import find_unchanged, keep_unchanged
from vision.track.background.background_model import NormalisedFrame

FIT = board_fit(view_at(20.0))
RECTIFIER = make_rectifier(FIT.view, FIT.spec, (960, 1280, 3))
LEVEL = 12
LEANS = PlacedDisc(
    centre_mm=np.array([8.0, 9.0]), covariance_mm2=np.eye(2), team=0, state=DiscState.LEANING
)
FAR = replace(LEANS, centre_mm=np.array([150.0, 40.0]), state=DiscState.FLAT)


def picture(*changed: PlacedDisc) -> NormalisedFrame:
    """A frame, with another colour where those discs lie."""
    image = np.full((*RECTIFIER.surface.shape, 3), 120, np.uint8)
    for each in changed:
        image[RECTIFIER.disc_mask(each.centre_mm, DISC.radius_mm) > 0] += 2 * LEVEL
    return NormalisedFrame(gain=np.ones(3), image=image, difference=image[..., 0])


def read(
    now: list[PlacedDisc], before: list[PlacedDisc], *changed: PlacedDisc, empty: bool = True
) -> tuple[list[PlacedDisc], list[str], int]:
    """The discs of a board, its doubts, and how many were overlooked before; they stand on what was
    seen ``bare``, or not."""
    board = StillBoard(discs=tuple(now), teams=(), disc=DISC)
    same = find_unchanged(picture(*changed), picture(), LEVEL, [])
    stands = np.full(same.shape, empty)
    kept, overlooked = keep_unchanged(board, before, same, stands, RECTIFIER)
    return list(kept.discs), [each.reason for each in kept.unexplained], len(overlooked)


def test_a_disc_that_is_not_read_again_in_the_same_picture_still_lies_there() -> None:
    assert read([FAR], [LEANS, FAR], FAR) == ([FAR, LEANS], [UnexplainedReason.MAYBE_DISC], 0)
    assert read([FAR], [LEANS, FAR], LEANS) == ([FAR], [], 0)
    assert read([FAR], [LEANS, FAR], empty=False) == ([FAR], [], 0)


@pytest.mark.parametrize(("confidence", "count", "doubts"), [(0.95, 1, 0), (0.55, 0, 1)])
def test_a_disc_that_nothing_brought_was_overlooked_or_is_doubted(
    confidence: float, count: int, doubts: int
) -> None:
    found = replace(FAR, confidence=confidence)
    discs, reasons, overlooked = read([found], [])
    assert (len(discs), len(reasons), overlooked) == (count, doubts, count)
    assert read([found], [], found) == ([found], [], 0)
    assert read([LEANS], []) == ([LEANS], [], 0)


def test_what_is_hidden_or_in_a_wandering_shadow_is_not_known_to_be_the_same() -> None:
    hidden = RECTIFIER.disc_mask(LEANS.centre_mm, DISC.radius_mm)
    assert not find_unchanged(picture(), picture(), LEVEL, [hidden])[hidden > 0].any()
    shaded = replace(picture(), shaded=picture().image)
    assert not find_unchanged(shaded, picture(), LEVEL, []).any()
