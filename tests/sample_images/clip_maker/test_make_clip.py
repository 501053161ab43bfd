"""Clips of every kind, for any number of discs per side."""

from __future__ import annotations

from dataclasses import replace

from sample_images.clip_maker.make_clip import make_clip
from sample_images.clip_maker.presets import KINDS


def test_the_last_shot_is_filmed_where_more_discs_were_to_lie_than_are_played() -> None:
    options = replace(KINDS["mid_round"], size=(800, 450), discs_per_side=3)
    truth = make_clip("short", 4141, options).truth
    assert [shot["index"] for shot in truth["shots"]] == [0]
    assert truth["final"]
