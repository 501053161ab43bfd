"""Discs of a board that looks as it did when it was last read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from drawn_discs import DISC, board_fit, view_at

from calibration.placed_disc import DiscState, PlacedDisc
from vision.rectify.frame_rectifier import make_rectifier
from vision.track.at_rest.unchanged_places import find_overlooked, find_unchanged
from vision.track.background.background_model import NormalisedFrame

FIT = board_fit(view_at(20.0))
RECTIFIER = make_rectifier(FIT.view, FIT.spec, (960, 1280, 3))
LEVEL = 12
LEANS = PlacedDisc(
    centre_mm=np.array([8.0, 9.0]), covariance_mm2=np.eye(2), team=0, state=DiscState.LEANING
)
FAR = replace(LEANS, centre_mm=np.array([150.0, 40.0]), state=DiscState.FLAT)


def picture(*changed: PlacedDisc) -> NormalisedFrame:
    """A frame, with another colour at the places of the given discs."""
    image = np.full((*RECTIFIER.surface.shape, 3), 120, np.uint8)
    for disc in changed:
        image[RECTIFIER.disc_mask(disc.centre_mm, DISC.radius_mm) > 0] += 2 * LEVEL
    return NormalisedFrame(gain=np.ones(3), image=image, difference=image[..., 0])


def find(now: list[PlacedDisc], before: list[PlacedDisc], *changed: PlacedDisc) -> int:
    """The number of a board's discs that were overlooked before, if the ``changed`` ones look
    different.
    """
    same = find_unchanged(picture(*changed), picture(), LEVEL, [])
    return len(find_overlooked(now, before, same, RECTIFIER, DISC.radius_mm))


def test_a_disc_that_nothing_brought_was_overlooked() -> None:
    assert find([FAR], []) == 1
    assert find([FAR], [], FAR) == 0
    assert find([FAR], [FAR]) == 0
    assert find([LEANS], []) == 0


def test_what_is_hidden_or_in_a_wandering_shadow_is_not_known_to_be_the_same() -> None:
    hidden = RECTIFIER.disc_mask(LEANS.centre_mm, DISC.radius_mm)
    assert not find_unchanged(picture(), picture(), LEVEL, [hidden])[hidden > 0].any()
    shaded = replace(picture(), shaded=picture().image)
    assert not find_unchanged(shaded, picture(), LEVEL, []).any()
