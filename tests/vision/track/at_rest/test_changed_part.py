"""The part of a board that is read again, and the discs that stayed, by the changes of its
picture.
"""

from __future__ import annotations

import numpy as np
from drawn_discs import DISC, board_fit, view_at

from calibration.placed_disc import DiscState, PlacedDisc
from vision.discs.detector_input import BoardPart
from vision.rectify.frame_rectifier import make_rectifier
from vision.track.at_rest.changed_part import find_changed_part, find_unchanged
from vision.track.background.background_model import NormalisedFrame

FIT = board_fit(view_at(20.0))
RECTIFIER = make_rectifier(FIT.view, FIT.spec, (960, 1280, 3))
NEAR, FAR = (
    PlacedDisc(centre_mm=np.array(place), covariance_mm2=np.eye(2), team=0, state=DiscState.FLAT)
    for place in ((40.0, 60.0), (-150.0, -40.0))
)


def find(changed: np.ndarray) -> BoardPart | None:
    return find_changed_part(changed == 0, [NEAR, FAR], RECTIFIER, DISC.radius_mm)


def mark_disc(x_mm: float, y_mm: float) -> np.ndarray:
    return RECTIFIER.disc_mask((x_mm, y_mm), DISC.radius_mm)


def test_a_disc_that_came_is_looked_for_where_it_lies_and_the_others_stayed() -> None:
    part = find(mark_disc(200.0, 30.0))
    assert part is not None
    np.testing.assert_allclose(part.low_mm, (184.0, 14.0), atol=4.0)
    np.testing.assert_allclose(part.high_mm, (216.0, 46.0), atol=4.0)
    assert part.stayed == (NEAR, FAR)


def test_a_nudge_is_told_by_the_disc_s_edge_alone_and_the_whole_disc_is_read() -> None:
    crescent = mark_disc(41.0, 60.0) & (1 - mark_disc(38.0, 60.0))
    part = find(crescent)
    assert part is not None
    assert part.stayed == (FAR,)
    assert (part.low_mm < NEAR.centre_mm - DISC.radius_mm).all()
    assert (part.high_mm > NEAR.centre_mm + DISC.radius_mm).all()


def test_edges_that_tremble_and_what_is_beyond_the_surface_are_no_change() -> None:
    line = np.zeros(RECTIFIER.surface.shape, np.uint8)
    line[100, 100:300] = 1
    beyond = (RECTIFIER.radius_mm > RECTIFIER.surface_radius_mm + 20.0).view(np.uint8)
    for part in (find(line), find(beyond)):
        assert part is not None
        assert part.stayed == (NEAR, FAR)
        assert (part.high_mm < part.low_mm).all()


def test_a_board_that_has_changed_all_over_is_read_as_a_whole() -> None:
    assert find(np.ones(RECTIFIER.surface.shape, np.uint8)) is None


def test_a_part_reaches_what_lies_in_it_or_near_it() -> None:
    part = BoardPart(low_mm=np.array([0.0, 0.0]), high_mm=np.array([10.0, 20.0]), stayed=())
    assert part.reaches(np.array([5.0, 5.0]), 1.0)
    assert part.reaches(np.array([13.0, 24.0]), 6.0)
    assert not part.reaches(np.array([13.0, 24.0]), 4.0)


def show(*changed: PlacedDisc, is_shaded: bool = False) -> NormalisedFrame:
    """A frame, with another colour at the places of the given discs."""
    image = np.full((*RECTIFIER.surface.shape, 3), 120, np.uint8)
    for disc in changed:
        image[mark_disc(*disc.centre_mm) > 0] += 24
    return NormalisedFrame(
        gain=np.ones(3),
        image=image,
        difference=image[..., 0],
        shaded=image if is_shaded else None,
    )


def test_unchanged_is_what_looks_the_same_and_is_neither_hidden_nor_in_a_shadow() -> None:
    far = mark_disc(*FAR.centre_mm)
    same = find_unchanged(show(NEAR), show(), 12, [far])
    assert same.mean() > 0.9
    assert not same[far > 0].any()
    assert not same[RECTIFIER.disc_mask(NEAR.centre_mm, DISC.radius_mm - 2.0) > 0].any()
    assert not find_unchanged(show(is_shaded=True), show(), 12, []).any()
