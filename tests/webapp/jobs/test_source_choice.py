"""The chosen source is shown again in the form."""

from __future__ import annotations

import pytest

from scorer.match.events import MatchError
from webapp.jobs.source_choice import (
    describe_beside,
    describe_source,
    parse_beside,
    parse_source,
)
from webapp.sample_clips import DEMO_CLIP


@pytest.mark.parametrize(
    "form",
    [
        {"kind": "camera", "camera": "2"},
        {"kind": "url", "url": "rtsp://192.168.1.20/live"},
        {"kind": "clip", "clip": DEMO_CLIP},
        {"kind": "phone"},
    ],
    ids=lambda form: form["kind"],
)
def test_a_source_is_described_by_the_form_that_chose_it(form: dict[str, str]) -> None:
    assert describe_source(parse_source(form)) == form


def test_an_address_with_a_password_is_not_shown_again() -> None:
    assert describe_source("rtsp://ann:secret@cam/live") == {"kind": "url", "url": ""}


@pytest.mark.parametrize("source", ["/home/ann/game.mp4", "17"], ids=["a file", "a far camera"])
def test_what_no_form_can_choose_is_no_form(source: str) -> None:
    assert describe_source(source) == {}


@pytest.mark.parametrize(
    "form",
    [
        {"beside_kind": "none"},
        {"beside_kind": "camera", "beside_camera": "1"},
        {"beside_kind": "url", "beside_url": "rtsp://192.168.1.21/live"},
    ],
    ids=lambda form: form["beside_kind"],
)
def test_a_second_camera_is_described_by_the_form_that_chose_it(form: dict[str, str]) -> None:
    assert describe_beside(parse_beside(form, None)) == form


@pytest.mark.parametrize(
    ("kind", "source", "words"),
    [
        ("camera", "1", "already the first"),
        ("camera", "clip.mp4", "not with a recorded video"),
        ("clip", "0", "connected to this server"),
    ],
)
def test_a_second_camera_is_another_one_and_goes_with_no_clip(
    kind: str, source: str, words: str
) -> None:
    with pytest.raises(MatchError, match=words):
        parse_beside({"beside_kind": kind, "beside_camera": "1"}, source)
