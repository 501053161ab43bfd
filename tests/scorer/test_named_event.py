"""The names under which events are stored and published."""

from __future__ import annotations

from typing import get_args

import scorer.match.events
import scorer.referee.events

#: Databases and exported files hold these names, so none may change.
MATCH_TYPES = (
    "match_started teams_named starter_chosen round_started shot_played twenty_counted "
    "foul_called round_scored round_corrected disc_corrected board_corrected disputed ruled "
    "time_ran_out shootout_played match_moved camera_saw colours_chosen starter_seen "
    "starter_corrected undone"
)
#: Programs that read ``crokinole watch`` know these names.
REFEREE_TYPES = (
    "board motion hand shot removal twenty bumped recalibrated not_refereeing slowed camera "
    "round ended"
)


def test_a_stored_event_of_a_match_keeps_its_name() -> None:
    types = {kind.type for kind in get_args(scorer.match.events.Event)}
    assert types == set(MATCH_TYPES.split())


def test_an_event_of_the_referee_keeps_its_name() -> None:
    types = {kind.type for kind in get_args(scorer.referee.events.Event)}
    assert types == set(REFEREE_TYPES.split())
