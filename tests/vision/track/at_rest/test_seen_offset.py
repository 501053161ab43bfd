"""The offset of a disc's visible part from its base, learned from discs at rest."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_discs import view_at
from rest_boards import track

from vision.track.at_rest.seen_offset import PARAMS, fit_seen_offset
from vision.track.tracks.disc_track import DiscTrack

HEIGHT_MM = 9.5
FEET_MM = np.array([(0.0, -120.0), (90.0, 40.0), (-60.0, 150.0), (10.0, 200.0)])


def rests(
    tilt_deg: float, shadow_mm: tuple[float, float], share: float
) -> list[tuple[DiscTrack, np.ndarray]]:
    """Discs at rest whose visible places are offset from their bases."""
    shift = HEIGHT_MM * view_at(tilt_deg).cam_from_board.shift_per_mm(FEET_MM)
    seen = FEET_MM + np.array(shadow_mm) + share * shift
    return [(track([tuple(place)] * 4), base) for place, base in zip(seen, FEET_MM, strict=True)]


@pytest.mark.parametrize(("tilt_deg", "share"), [(0.0, 0.5), (45.0, 0.1), (45.0, 0.8)])
def test_feet_of_moving_discs_are_found_as_those_of_discs_at_rest(
    tilt_deg: float, share: float
) -> None:
    view = view_at(tilt_deg)
    offset = fit_seen_offset(rests(tilt_deg, (1.5, -1.0), share), view, HEIGHT_MM)
    base = np.array([[30.0, -80.0]])
    shift = HEIGHT_MM * view.cam_from_board.shift_per_mm(base)
    found = offset.find_bases(base + (1.5, -1.0) + share * shift)
    assert np.linalg.norm(found - base) < 0.5


def test_without_discs_at_rest_the_middle_stands_half_a_disc_high() -> None:
    offset = fit_seen_offset([], view_at(40.0), HEIGHT_MM)
    assert offset.height_share == pytest.approx(PARAMS.height_share)
    assert offset.shadow_mm == pytest.approx([0.0, 0.0])


def test_a_disc_that_moves_or_lies_elsewhere_tells_nothing() -> None:
    moves = track([(0.0, -120.0 + 5.0 * i) for i in range(4)]), np.array([0.0, -110.0])
    elsewhere = track([(40.0, 0.0)] * 4), np.array([0.0, 0.0])
    offset = fit_seen_offset([moves, elsewhere], view_at(0.0), HEIGHT_MM)
    assert offset.shadow_mm == pytest.approx([0.0, 0.0])
