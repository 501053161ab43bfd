"""Which discs moved between two boards at rest."""

from __future__ import annotations

from dataclasses import replace

import pytest
from drawn_discs import PALE_BGR, draw, view_at
from rest_boards import disc, ready, rested

from webapp.referee.disc_identities import BoardChange, NamedDisc
from webapp.referee.shot.displacements import measure_displacements


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
