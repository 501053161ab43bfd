"""The live referee's events: invalid ones are reported, and published ones are not changed."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from watch_events import BLACK, RED, board_event, in_zone, removal_event, round_event, shot_event

from scorer.referee.events import TwentyEvent, from_json, to_json
from webapp.formats.event import AnyEvent, ShotForm
from webapp.formats.form import FormError, check_form


def test_an_event_is_a_plain_object_with_its_keys_in_the_order_given() -> None:
    event = TwentyEvent(t_s=1.235, team=0, disc="red 1", count=2)
    told = '{"t_s": 1.235, "type": "twenty", "team": 0, "disc": "red 1", "count": 2}'
    assert json.dumps(to_json(event)) == told


def test_a_film_is_refereed_without_what_checks_forms() -> None:
    program = (
        "import sys, scorer.referee.watch; from scorer.referee.events import MotionEvent, to_json;"
        "to_json(MotionEvent(t_s=1.0)); sys.exit('pydantic' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize(
    ("kind", "rest", "sentence"),
    [
        ("twenty", {"team": 0, "disc": "red 1"}, "count: is missing"),
        ("twenty", {"team": 0, "disc": "red 1", "count": 0}, "count: must be at least 1, not 0"),
        ("bumped", {"shift_mm": float("nan")}, "shift_mm: must be a number, not NaN"),
        ("motion", {"speed": 3}, "speed: is unknown"),
        ("earthquake", {}, "type: must be board, motion, hand, shot"),
    ],
)
def test_what_is_not_as_published_is_no_event(
    kind: str, rest: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(FormError) as error:
        check_form(AnyEvent, {"t_s": 1.0, "type": kind, **rest})
    assert str(error.value).startswith(sentence)


def test_an_event_read_back_is_of_its_type() -> None:
    events = [
        board_event(in_zone("red 1", RED, 15)),
        shot_event(0, RED, in_zone("red 1", RED, 15), in_zone("black 1", BLACK, 5)),
        removal_event(in_zone("red 1", RED, 15)),
        round_event((15, 0), (5, 0), shots=1),
    ]
    for event in events:
        read = AnyEvent.validate_python(event)
        assert (read.type, read.t_s) == (event["type"], event["t_s"])
        assert read.model_dump(exclude_unset=True) == event
        assert to_json(from_json(event)) == event
    shot = AnyEvent.validate_python(events[1])
    assert isinstance(shot, ShotForm)
    assert [disc.zone for disc in shot.after] == [15, 5]
