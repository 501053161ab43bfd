"""Which discs moved between two boards at rest."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from drawn_discs import PALE_BGR, draw, view_at
from rest_boards import disc, ready, rested

from scorer.referee.disc_identities import BoardChange, NamedDisc
from scorer.referee.shot.displacements import (
    Displacements,
    Shift,
    combine_displacements,
    measure_displacements,
)


@pytest.mark.parametrize(("moved_mm", "is_moved"), [(0.0, False), (11.0, True)])
def test_a_disc_whose_picture_stays_was_not_moved_though_it_is_read_elsewhere(
    moved_mm: float, is_moved: bool
) -> None:
    old, now = ready(40.0, 60.0), disc(51.0, 60.0)
    earlier = replace(rested([], [old.disc]), image=draw(view_at(0.0), [(40.0, 60.0, PALE_BGR)]))
    later = replace(
        rested([old.disc], [now]), image=draw(view_at(0.0), [(40.0 + moved_mm, 60.0, PALE_BGR)])
    )
    change = BoardChange(
        now=(NamedDisc(name=old.name, disc=now),), new_names=(), gone=(), moved_mm={old.name: 11.0}
    )
    told = measure_displacements([old], change, "black 1", earlier, later)
    assert dict(told.moved_mm) == ({old.name: 11.0} if is_moved else {})
    assert not told.unsure


def test_a_hand_that_moves_over_the_board_draws_no_disc_along() -> None:
    old = ready(40.0, 60.0)
    empty = draw(view_at(0.0), [(40.0, 60.0, PALE_BGR)])
    pictures = [empty.copy(), empty.copy()]
    for picture, place in zip(pictures, ((429, 553), (420, 560)), strict=True):
        cv2.ellipse(picture, place, (230, 90), 40.0, 0.0, 360.0, (40, 60, 90), -1)
    earlier = replace(rested([], [old.disc]), image=pictures[0])
    later = replace(rested([old.disc], [old.disc]), image=pictures[1])
    change = BoardChange(now=(old,), new_names=(), gone=(), moved_mm={old.name: 0.0})
    told = measure_displacements([old], change, "black 1", earlier, later)
    assert told.shifts[old.name].mm < 0.02


def seen(mm: float, *, sigma_mm: float = 0.1, by_pictures: bool = True) -> Displacements:
    """One camera's displacement of a disc, in terms of its thresholds."""
    shift = Shift(vector_mm=np.array([mm, 0.0]), sigma_mm=sigma_mm, by_pictures=by_pictures)
    moved = {"black 1": mm} if by_pictures and mm > 0.6 else {}
    return Displacements(moved_mm=moved, shifts={"black 1": shift})


@pytest.mark.parametrize(
    ("one", "other", "mm", "is_moved", "is_unsure"),
    [
        pytest.param(seen(0.5), seen(0.1), 0.3, False, False, id="mean of both"),
        pytest.param(seen(0.7), seen(0.8), 0.75, True, False, id="both saw it move"),
        pytest.param(seen(0.1), seen(2.0), 2.0, True, False, id="one saw it move"),
        pytest.param(
            seen(2.0, by_pictures=False), seen(0.1), 0.1, False, False, id="pictures over readings"
        ),
        pytest.param(
            seen(1.0, by_pictures=False), seen(1.0, by_pictures=False), 1.0, False, True,
            id="readings alone",
        ),
    ],
)  # fmt: skip
def test_two_cameras_tell_together_how_far_a_disc_was_moved(
    one, other, mm, is_moved, is_unsure
) -> None:
    both = combine_displacements(one, other)
    assert both.shifts["black 1"].mm == pytest.approx(mm)
    assert ("black 1" in both.moved_mm) is is_moved
    assert ("black 1" in both.unsure) is is_unsure
