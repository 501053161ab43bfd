"""Discs that were seen to fall into the hole, and not to lie in it."""

from __future__ import annotations

import pytest
from rest_boards import BLACK, INWARD, disc, ready, rested, track

from scorer.rules.sets import rule_set
from webapp.referee.live_referee import LiveReferee
from webapp.referee.shot.recovered_twenties import add_recovered_twenty


@pytest.mark.parametrize(("lies", "count"), [((-6.0, 14.0), 1), ((-60.0, 14.0), 2)])
def test_no_disc_falls_into_a_hole_over_which_another_lies(
    lies: tuple[float, float], count: int
) -> None:
    other, shot = disc(*lies, BLACK), ready(0.0, -306.0)
    into_hole = track([*INWARD, (0.0, -6.0)], name="0")
    seen = add_recovered_twenty(
        rested([other], [other], [into_hole]), [shot], {shot.name: into_hole}
    )
    assert len(seen.board.discs) == count


def test_a_disc_that_vanishes_on_its_way_over_the_hole_is_a_twenty() -> None:
    waiting = disc(0, -304, BLACK)
    way = [(0.0, -304.0 + 33.0 * i) for i in range(9)]
    first = rested([], [waiting])
    then = rested([waiting], [], [track(way, name="0")])
    referee = LiveReferee(rule_set("nca"))
    events = [e for rest in (first, then) for e in referee.handle_event(rest)]
    assert [e["verdict"] for e in events if e["type"] == "shot"] == ["legal"]
    assert [e["disc"] for e in events if e["type"] == "twenty"] == ["black 1"]
