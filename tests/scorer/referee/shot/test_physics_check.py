"""The physics' findings about partly seen shots, and when they decide."""

from __future__ import annotations

import itertools
import time

import pytest
from json_referee import JsonReferee
from rest_boards import BLACK, disc, rested, track, verdicts

from scorer.physics.engine import simulate
from scorer.physics.scene import FlickSpec, PhysicsScene, SceneDisc, TableSpec
from scorer.rules.sets import rule_set
from vision.track.events import BoardAtRest


def unseen_pair(direction_deg: float) -> tuple[BoardAtRest, BoardAtRest]:
    """A white disc's simulated flick at a black one, of which only the ends are seen."""
    shot = FlickSpec(id="w", x_mm=0, y_mm=-304, speed_mm_s=900, direction_deg=direction_deg)
    board = SceneDisc(id="b", x_mm=10, y_mm=-120)
    outcome = simulate(PhysicsScene(table=TableSpec(), discs=(board,), shot=shot))
    ends = {end.id: end for end in outcome.discs}
    assert all(end.state == "flat" for end in outcome.discs)
    before = [disc(10, -120, BLACK), disc(0, -304)]
    now = [disc(ends["b"].x_mm, ends["b"].y_mm, BLACK), disc(ends["w"].x_mm, ends["w"].y_mm)]
    return rested([], before), rested(before, now)


def test_physics_settle_a_shot_that_nobody_saw_when_they_are_sure() -> None:
    (shot,) = verdicts(JsonReferee(rule_set("nca")), *unseen_pair(88.0))
    assert shot["verdict"] == "legal"
    assert shot["evidence"]["physics"]["is_sure"]
    assert shot["evidence"]["physics"]["contacts"][0] == ["white 1", "black 1"]


def test_physics_that_explain_nothing_settle_nothing() -> None:
    before = [disc(10, -120, BLACK), disc(0, -304)]
    now = [disc(-200, 40, BLACK), disc(190, -150)]  # moved by one hand, or two
    (shot,) = verdicts(JsonReferee(rule_set("nca")), rested([], before), rested(before, now))
    assert shot["verdict"] == "needs_review"
    assert not shot["evidence"]["physics"]["is_sure"]


def test_physics_are_not_asked_where_the_shot_was_seen() -> None:
    waiting = disc(0, -304)
    way = track([(0.0, -304.0 + 33.0 * i) for i in range(8)], name="0")
    then = rested([waiting], [disc(0, -60)], [way])
    (shot,) = verdicts(JsonReferee(rule_set("nca")), rested([], [waiting]), then)
    assert shot["verdict"] == "legal"
    assert shot["evidence"]["physics"] is None


def test_physics_say_the_same_on_a_machine_of_any_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No clock is used, so no verdict depends on the load of the computer."""
    (quiet,) = verdicts(JsonReferee(rule_set("nca")), *unseen_pair(88.0))
    for name in ("perf_counter", "monotonic", "thread_time", "process_time", "time"):
        clock = itertools.count(step=1000.0)
        monkeypatch.setattr(time, name, lambda clock=clock: next(clock))
    (busy,) = verdicts(JsonReferee(rule_set("nca")), *unseen_pair(88.0))
    monkeypatch.undo()
    assert busy == quiet
    assert busy["evidence"]["physics"]["is_sure"]
