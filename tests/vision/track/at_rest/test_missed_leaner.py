"""A disc half over the hole that only the empty board beside it tells."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_discs import DISC, board_fit, view_at

from calibration.fit import BoardFit
from calibration.placed_disc import DiscState, PlacedDisc, Team
from vision.rectify.frame_rectifier import make_rectifier
from vision.track.at_rest.missed_leaner import find_missed_leaner
from vision.track.at_rest.still_frame import StillFrame
from vision.track.background.background_model import create_background, normalise_frame
from vision.track.motion.disc_blobs import find_disc_blobs

FIT = board_fit(view_at(20.0))
RECTIFIER = make_rectifier(FIT.view, FIT.spec, (960, 1280, 3))
WOOD, HOLE, FACE = (120, 170, 200), (40, 45, 60), (60, 60, 190)
RED = Team(number=0, colour_rgb=FACE[::-1], colour_name="red")
RADIUS_MM = FIT.spec.hole_radius_mm


def picture(place_mm: tuple[float, float] | None, radius_mm: float = DISC.radius_mm) -> np.ndarray:
    image = np.full((*RECTIFIER.surface.shape, 3), WOOD, np.uint8)
    image[RECTIFIER.disc_mask((0.0, 0.0), RADIUS_MM) > 0] = HOLE
    if place_mm is not None:
        image[RECTIFIER.disc_mask(place_mm, radius_mm) > 0] = FACE
    return image


def find(now: np.ndarray, *discs: PlacedDisc, fit: BoardFit = FIT) -> list[PlacedDisc]:
    empty = picture(None)
    background = create_background(RECTIFIER, empty, np.zeros(empty.shape[:2], dtype=bool))
    still = StillFrame(
        image=np.zeros((960, 1280, 3), np.uint8),
        fit=fit,
        rectifier=RECTIFIER,
        background=background,
        normalised=normalise_frame(background, RECTIFIER, now),
    )
    blobs = find_disc_blobs(RECTIFIER, background, still.normalised, DISC.radius_mm)
    return find_missed_leaner(still, discs, blobs, (RED,), DISC.radius_mm)[0]


@pytest.mark.parametrize(("place_mm", "count"), [((-2.0, -13.0), 1), ((0.5, 0.5), 0), ((0, 40), 0)])
def test_a_disc_over_the_holes_edge_is_found_and_one_in_it_or_beside_it_is_none(
    place_mm: tuple[float, float], count: int
) -> None:
    found = find(picture(place_mm))
    assert len(found) == count
    for each in found:
        assert (each.team, each.state) == (RED.number, DiscState.LEANING)
        assert np.linalg.norm(each.centre_mm - place_mm) < 3.0


def test_a_disc_that_was_read_there_is_found_once() -> None:
    found = find(picture((-2.0, -13.0)))
    assert find(picture((-2.0, -13.0)), *found) == []


def test_none_is_told_in_a_steep_view_where_a_disc_in_the_hole_is_seen_beside_it() -> None:
    assert find(picture((-2.0, -13.0)), fit=board_fit(view_at(70.0))) == []
