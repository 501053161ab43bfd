"""What a camera saw of a shot, as a match's log keeps it."""

from __future__ import annotations

import json

import pytest

from scorer.match.events import MatchError, ShotPlayed, event_from_json, event_json
from scorer.match.seen_shot import SeenShot

PLAYED = ShotPlayed(
    player=0,
    verdict="legal",
    board=(),
    twenties=(0, 0),
    seen=SeenShot(start_mm=(0.5, -304.0), rest_mm=(3.0, 4.0), zone=15, target_mm=(1.0, 2.0)),
)


def test_a_seen_shot_comes_back_from_its_json() -> None:
    assert event_from_json(json.loads(json.dumps(event_json(PLAYED)))) == PLAYED


def test_a_shot_of_an_earlier_version_is_read() -> None:
    content = event_json(PLAYED)
    del content["seen"]
    shot = event_from_json(content)
    assert isinstance(shot, ShotPlayed)
    assert shot.seen is None


WRONG = {
    "no object": 3,
    "no start": {},
    "a place with one number": {"start_mm": [1.0]},
    "a place that is no number": {"start_mm": ["a", True]},
    "a place on no board": {"start_mm": [0.0, 1e9]},
    "not a number": {"start_mm": [0.0, float("nan")]},
    "a zone of its own": {"start_mm": [0.0, 1.0], "zone": 7},
    "a list for a zone": {"start_mm": [0.0, 1.0], "zone": []},
    "an unknown field": {"start_mm": [0.0, 1.0], "speed": 3},
    "no flag": {"start_mm": [0.0, 1.0], "is_hit": 1},
}


@pytest.mark.parametrize("seen", WRONG.values(), ids=WRONG)
def test_what_is_no_seen_shot_is_refused(seen) -> None:
    with pytest.raises(MatchError):
        event_from_json(event_json(PLAYED) | {"seen": seen})
