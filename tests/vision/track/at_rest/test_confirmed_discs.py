"""Discs of nearly the board's colour that a frame leaves open, beside its background."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from drawn_discs import BLACK_BGR, DISC, PALE_BGR, WOOD_BGR, Drawn, board_fit, draw, view_at

from calibration.placed_disc import DiscState, PlacedDisc, Team
from vision.discs.find_discs import DiscReading
from vision.reading import UnexplainedObject, UnexplainedReason
from vision.rectify.frame_rectifier import make_rectifier
from vision.track.at_rest.confirmed_discs import confirm_by_detector, confirm_discs
from vision.track.at_rest.still_board import find_unexplained
from vision.track.at_rest.still_frame import StillFrame
from vision.track.background.background_model import (
    create_background,
    inpaint_by_symmetry,
    normalise_frame,
)
from vision.track.motion.disc_blobs import DiscBlobs, find_disc_blobs

FIT = board_fit(view_at(0.0))
PLACE_MM = (120.0, 60.0)
LIT_BGR = tuple(each + 25 for each in WOOD_BGR)
TEAMS = (
    Team(number=0, colour_rgb=PALE_BGR[::-1], colour_name="pink"),
    Team(number=1, colour_rgb=BLACK_BGR[::-1], colour_name="black"),
)


def look_at(*discs: Drawn) -> tuple[StillFrame, DiscBlobs]:
    """A board that was never seen bare at that place, and what differs from the bare one."""
    image = draw(FIT.view, list(discs))
    rectifier = make_rectifier(FIT.view, FIT.spec, image.shape)
    covered = rectifier.disc_mask(np.reshape(PLACE_MM, (-1, 2)), 25.0) > 0
    background = create_background(rectifier, rectifier.rectify(draw(FIT.view, [])), covered)
    background = inpaint_by_symmetry(background, rectifier)
    still = StillFrame(
        image=image,
        fit=FIT,
        rectifier=rectifier,
        background=background,
        normalised=normalise_frame(background, rectifier, rectifier.rectify(image)),
    )
    return still, find_disc_blobs(rectifier, background, still.normalised, DISC.radius_mm)


def read(*, confidence: float | None) -> DiscReading:
    """A reading that has a disc there, so sure, or a doubt."""
    centre_mm = np.array(PLACE_MM) + 2.0
    disc = PlacedDisc(
        centre_mm=centre_mm,
        covariance_mm2=np.eye(2),
        team=0,
        state=DiscState.FLAT,
        confidence=confidence or 1.0,
    )
    doubt = UnexplainedObject(centre_mm=centre_mm, reason=UnexplainedReason.MAYBE_DISC)
    is_read = confidence is not None
    return DiscReading(
        teams=TEAMS,
        discs=(disc,) if is_read else (),
        disc=DISC,
        unexplained=() if is_read else (doubt,),
    )


@pytest.mark.parametrize(
    ("shown", "is_disc"),
    [
        ([(*PLACE_MM, PALE_BGR)], True),
        ([(*PLACE_MM, LIT_BGR)], False),
        ([(*PLACE_MM, (160, 90, 60))], False),
        ([], False),
    ],
    ids=["a disc", "light", "another colour", "bare board"],
)
def test_what_may_be_a_disc_is_one_where_it_stands_out_in_a_sides_colour(
    shown: list[Drawn], is_disc: bool
) -> None:
    still, blobs = look_at(*shown)
    _, new = confirm_discs(still, read(confidence=None), [], blobs, TEAMS)
    assert len(new) == is_disc
    assert np.allclose(blobs.centre_mm[new], PLACE_MM, atol=2.0)
    unsure = read(confidence=0.55)
    kept, new = confirm_discs(still, unsure, unsure.discs, blobs, TEAMS)
    assert (kept[0].confidence > 0.9) is is_disc
    assert len(new) == 0


@pytest.mark.parametrize("is_read", [True, False])
def test_what_only_a_disc_and_its_shadow_cover_is_no_doubt(is_read: bool) -> None:
    still, _ = look_at((PLACE_MM[0] - 14.0, PLACE_MM[1], BLACK_BGR))
    doubted = read(confidence=None)
    (disc,) = read(confidence=1.0).discs
    beside = replace(disc, centre_mm=np.array([PLACE_MM[0] - 14.0, PLACE_MM[1]]))
    found = find_unexplained(still, doubted, [beside] if is_read else [], DISC.radius_mm)
    assert len([*found]) == (0 if is_read else 1)


@pytest.mark.parametrize(("is_read", "count"), [(False, 1), (True, 0)])
def test_a_difference_that_the_detector_sees_as_a_disc_is_one(is_read: bool, count: int) -> None:
    still, blobs = look_at((*PLACE_MM, LIT_BGR))
    read_mm = [np.array(PLACE_MM)] if is_read else []
    blobs, found = confirm_by_detector(still, read_mm, blobs, DISC.radius_mm)
    assert len(found) == count
    assert np.allclose(blobs.centre_mm[found], PLACE_MM, atol=4.0)
