"""The displacement of a disc between two pictures, alone and next to others that move."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_discs import BLACK_BGR, DISC, PALE_BGR, draw, view_at

from vision.track.at_rest.patch_registration import measure_disc_shift_mm

PLACE = (40.0, 60.0)
NOBODY = np.zeros((0, 2))
NOWHERE = np.zeros(2)


@pytest.mark.parametrize("moved_mm", [0.0, 0.8, 2.0])
def test_a_nudge_is_told_and_none_is_told_where_there_was_none(moved_mm: float) -> None:
    view = view_at(35.0)
    before = draw(view, [(*PLACE, BLACK_BGR)])
    now = draw(view, [(PLACE[0] + moved_mm, PLACE[1], BLACK_BGR)])
    told = measure_disc_shift_mm(before, now, view, np.array(PLACE), DISC, NOBODY, NOWHERE)
    assert told is not None
    assert told == pytest.approx([moved_mm, 0.0], abs=0.15, rel=0.2)


@pytest.mark.parametrize("read_mm", [(8.6, 0.7), (9.5, -0.6)])
def test_a_disc_that_was_moved_far_is_told_finely_from_where_it_was_read(
    read_mm: tuple[float, float],
) -> None:
    view = view_at(35.0)
    before = draw(view, [(*PLACE, BLACK_BGR)])
    now = draw(view, [(PLACE[0] + 9.0, PLACE[1], BLACK_BGR)])
    told = measure_disc_shift_mm(
        before, now, view, np.array(PLACE), DISC, NOBODY, np.array(read_mm)
    )
    assert told == pytest.approx([9.0, 0.0], abs=0.2)


@pytest.mark.parametrize("colour", [BLACK_BGR, PALE_BGR])
@pytest.mark.parametrize("now", [[], [(PLACE[0] + 11.0, PLACE[1])]], ids=["gone", "beside"])
def test_a_disc_that_is_gone_or_far_off_does_not_match(
    colour: tuple[int, int, int], now: list[tuple[float, float]]
) -> None:
    view = view_at(15.0)
    before, after = draw(view, [(*PLACE, colour)]), draw(view, [(*base, colour) for base in now])
    assert (
        measure_disc_shift_mm(before, after, view, np.array(PLACE), DISC, NOBODY, NOWHERE) is None
    )


def test_a_neighbour_that_moves_does_not_nudge_a_disc() -> None:
    view = view_at(40.0)
    bases = np.array([(PLACE[0] + 12.0, PLACE[1] - 34.0), (PLACE[0] + 9.0, PLACE[1] - 31.0)])
    before, now = (draw(view, [(*PLACE, BLACK_BGR), (*base, PALE_BGR)]) for base in bases)
    told = measure_disc_shift_mm(before, now, view, np.array(PLACE), DISC, bases, NOWHERE)
    assert told == pytest.approx([0.0, 0.0], abs=0.15)


def test_a_disc_that_hardly_shows_behind_others_is_not_judged() -> None:
    view = view_at(40.0)
    beside = np.array([(PLACE[0] - 10.0, PLACE[1] - 12.0), (PLACE[0] + 12.0, PLACE[1] - 8.0)])
    picture = draw(view, [(*PLACE, BLACK_BGR)])
    assert (
        measure_disc_shift_mm(picture, picture, view, np.array(PLACE), DISC, beside, NOWHERE)
        is None
    )
