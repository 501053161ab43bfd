"""A camera's observation of a shot, as a match's log stores it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from scorer.match.events import DiscInZone, MatchError, ShotPlayed, event_from_json, event_json
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


def test_a_disc_keeps_its_place_and_one_without_a_place_is_written_as_before() -> None:
    plain = DiscInZone(id="a", side=0, zone=15)
    placed = replace(plain, place_mm=(40.5, -12.0), sigma_mm=0.4)
    assert placed == plain  # the same disc, measured
    content = event_json(replace(PLAYED, board=(placed, plain)))
    assert content["board"] == [
        {"id": "a", "side": 0, "zone": 15, "place_mm": [40.5, -12.0], "sigma_mm": 0.4},
        {"id": "a", "side": 0, "zone": 15},
    ]
    back = event_from_json(json.loads(json.dumps(content)))
    assert isinstance(back, ShotPlayed)
    assert [(disc.place_mm, disc.sigma_mm) for disc in back.board] == [
        ((40.5, -12.0), 0.4),
        (None, None),
    ]


@pytest.mark.parametrize("sigma", [-1, "0.4", True, float("nan")])
def test_a_sigma_that_is_no_length_is_refused(sigma: object) -> None:
    disc = {"id": "a", "side": 0, "zone": 15, "place_mm": [0.0, 40.0], "sigma_mm": sigma}
    with pytest.raises(MatchError):
        event_from_json(event_json(PLAYED) | {"board": [disc]})


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
