"""Clips of near misses and grazes: their truth, and one of them refereed."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from json_referee import JsonReferee

from bench.grading.reliability import bin_reliability, read_forecast
from sample_images.clip_maker.make_clip import make_clip
from sample_images.clip_maker.play.shot_choice import PASS_MM
from sample_images.clip_maker.presets import KINDS
from scorer.rules.sets import rule_set
from vision.track.tracker import BoardTracker


@pytest.mark.parametrize("seed", range(1, 9))
def test_a_clip_of_grazes_tells_the_gap_and_whether_it_was_a_contact(seed: int) -> None:
    truth = make_clip("graze", seed, KINDS["grazes"]).truth
    (shot,) = truth["shots"]
    near = shot["near_pass"]
    assert 0 < abs(near["gap_mm"]) < PASS_MM
    assert (near["gap_mm"] < 0) == (near["id"] in shot["opponents_touched"])
    assert (near["gap_mm"] < 0) == (near["moved_mm"] > 0)
    if near["gap_mm"] > 0:
        assert math.isclose(near["gap_mm"], shot["closest_gap_mm"], abs_tol=0.011)


def test_a_rendered_graze_that_moves_a_disc_by_less_than_a_millimetre_is_a_contact() -> None:
    options = replace(KINDS["grazes"], size=(800, 450), tilt_deg=20.0)
    clip = make_clip("graze", 37, options)
    (true_shot,) = clip.truth["shots"]
    assert 0.5 < true_shot["near_pass"]["moved_mm"] < 1.0
    tracker, referee, events = BoardTracker(), JsonReferee(rule_set("nca")), []
    for index, frame in enumerate(clip.frames()):
        for event in tracker.process_frame(frame, index / options.fps):
            events += referee.handle_event(event)
    for event in tracker.finish():
        events += referee.handle_event(event)
    (shot,) = [event for event in events if event["type"] == "shot"]
    assert shot["verdict"] == "legal"
    assert true_shot["valid"]
    forecast = read_forecast(true_shot, shot)
    assert forecast is not None
    assert forecast[0] > 0.98
    assert forecast[1]


def test_stated_chances_are_binned_beside_what_happened() -> None:
    rows = bin_reliability([(0.01, False), (0.015, True), (0.99, True), (None, True)])
    assert [(row.low, row.shots, row.happened) for row in rows] == [(0.0, 2, 0.5), (0.95, 1, 1.0)]
