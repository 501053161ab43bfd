"""No listed feature is lost: commands, options, pages, routes, events and JSON fields."""

from __future__ import annotations

import pytest
from feature_list import (
    Feature,
    find_lost,
    format_features,
    list_features,
    parse_features,
    read_features,
)


@pytest.fixture(scope="module")
def present() -> dict[Feature, None]:
    return list_features()


def test_no_listed_feature_is_lost(present: dict[Feature, None]) -> None:
    assert find_lost(read_features(), present) == []


def test_every_feature_is_listed(present: dict[Feature, None]) -> None:
    assert find_lost(present, read_features()) == [], "make features"


def test_the_list_holds_every_kind_of_feature(present: dict[Feature, None]) -> None:
    assert {
        ("crokinole score", "--json"),
        ("crokinole match new", "--rules:nca"),
        ("GET /match/<int:number>/export.<kind>", "csv"),
        ("POST /match/<int:number>/<action>", "undo"),
        ("GET /api/v1/matches", "?page"),
        ("GET /api/v1/matches, 200", "matches[].is_over"),
        ("match event shot_played", "verdict"),
        ("tournament event round_paired", "pairings"),
        ("event.schema.json", "(shot).verdict"),
        ("webapp.library.read_image", "profile"),
    } <= present.keys()


def test_a_lost_word_is_named_and_a_lost_heading_alone() -> None:
    text = "crokinole\n    --version\ncrokinole old\n    --a= --b\n"
    kept = parse_features(text)
    assert format_features(kept).endswith(text)
    now = parse_features("crokinole\n    --help\n")
    assert find_lost(kept, now) == ["crokinole: --version", "crokinole old"]
    assert find_lost(now, kept) == ["crokinole: --help"]
