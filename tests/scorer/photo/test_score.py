"""From a reading to its output: JSON by its schema, the table, and the need for a check."""

from __future__ import annotations

import json
from dataclasses import replace

import jsonschema
import numpy as np
import pytest
from example_reading import (
    BLACK,
    EVERYTHING,
    WHITE,
    disc,
    frame,
    reading,
    with_something_unexplained,
)
from paths import SCHEMAS
from rich.console import Console

from calibration.disc import DiscSpec
from calibration.placed_disc import DiscState
from scorer.photo.questions import QuestionCode
from scorer.photo.score import ScoreStatus, score_reading, score_unreadable
from vision.io.frame import UnreadablePicture
from vision.reading import Reading, UnexplainedReason
from webapp.cli.score_table import print_score
from webapp.formats.score import score_json

SCHEMA = json.loads((SCHEMAS / "score.schema.json").read_text("utf-8"))


def no_board(reason: str) -> Reading:
    return Reading(board=None, disc=DiscSpec(), reason=reason)


def checked(*entries: dict) -> None:
    """Entries that fit the schema, after a round trip through text."""
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(json.loads(json.dumps(entries)), SCHEMA)


def printed(score) -> str:
    console = Console(width=100, highlight=False)
    with console.capture() as capture:
        print_score(console, score)
    return capture.get()


def test_json_is_what_its_schema_says() -> None:
    picture = frame()
    everything = with_something_unexplained(reading(picture, EVERYTHING))
    checked(
        score_json(score_reading(picture, everything)),
        score_json(score_reading(picture, reading(picture))),
        score_json(score_reading(picture, no_board("There is no board."))),
        score_json(score_unreadable(UnreadablePicture(name="a.txt", reason="Not a picture."))),
    )


@pytest.mark.parametrize("broken", [{"status": "maybe"}, {"discs": [{}]}, {"extra": 1}])
def test_the_schema_refuses_what_is_not_promised(broken: dict) -> None:
    picture = frame()
    entry = score_json(score_reading(picture, reading(picture)))
    with pytest.raises(jsonschema.ValidationError):
        checked(entry | broken)


def test_discs_and_totals_are_told_by_team_from_light_to_dark() -> None:
    picture = frame()
    entry = score_json(score_reading(picture, reading(picture, EVERYTHING)))
    assert [(row["team"], row["zone"]) for row in entry["discs"]] == [
        (0, 15),
        (0, 15),
        (0, 5),
        (0, 0),
        (1, 20),
        (1, 15),
        (1, 10),
    ]
    assert entry["totals"] == [
        {"team": 0, "colour_name": "white", "points": 35, "twenties": 0},
        {"team": 1, "colour_name": "black", "points": 45, "twenties": 1},
    ]
    assert entry["discs"][0]["colour"] == "#ebe8dc"


def test_a_team_without_discs_still_has_a_total() -> None:
    picture = frame()
    entry = score_json(score_reading(picture, reading(picture, (disc(60, 0, WHITE),))))
    assert entry["totals"][1] == {
        "team": 1,
        "colour_name": "black",
        "points": 0,
        "twenties": 0,
    }


def test_pixels_are_of_the_stored_picture_whatever_the_working_size() -> None:
    whole, half = frame(1200, 900), frame(600, 450, scale=0.5)
    discs = (disc(-160.0, -180.0),)
    told = score_json(score_reading(whole, reading(whole, discs)))
    told_half = score_json(score_reading(half, reading(half, discs)))
    assert told_half["camera"]["fx_px"] == pytest.approx(told["camera"]["fx_px"])
    assert told_half["camera"]["cx_px"] == pytest.approx(599.5)
    assert told_half["discs"][0]["foot_px"] == pytest.approx(told["discs"][0]["foot_px"], abs=0.02)
    assert told_half["board"]["hole_px"] == pytest.approx(told["board"]["hole_px"], abs=0.02)
    assert told_half["board"]["residual_px"] == pytest.approx(2 * told["board"]["residual_px"])


def test_the_told_camera_and_pose_put_the_foot_where_it_is_told() -> None:
    picture = frame()
    entry = score_json(score_reading(picture, reading(picture, (disc(-160.0, -180.0),))))
    camera, told = entry["camera"], entry["discs"][0]
    pose = entry["board"]["cam_from_board"]
    point = np.array(pose["R"]) @ (told["x_mm"], told["y_mm"], 0.0) + pose["t_mm"]
    xy = point[:2] / point[2]
    r2 = xy @ xy
    xy = xy * (1 + camera["k1"] * r2 + camera["k2"] * r2 * r2)
    pixel = xy * (camera["fx_px"], camera["fy_px"]) + (camera["cx_px"], camera["cy_px"])
    assert pixel == pytest.approx(told["foot_px"], abs=0.02)


def test_certain_calls_and_nothing_else_need_no_review() -> None:
    picture = frame()
    score = score_reading(picture, reading(picture, (disc(60.0, 0.0), disc(150.0, 0.0, BLACK))))
    assert not score.needs_review
    assert score_json(score)["reason"] is None


def test_a_close_call_needs_review_and_says_so() -> None:
    picture = frame()
    score = score_reading(picture, reading(picture, (disc(84.6, 0.0),)))
    assert score.needs_review
    (asked,) = score.asked
    assert (asked.code, asked.disc) == (QuestionCode.LINE_CALL, 0)
    assert score_json(score)["reason"] == asked.sentence


def test_a_disc_that_may_be_another_sides_is_asked_about_by_its_colour_and_place() -> None:
    picture = frame()
    unclear = replace(disc(-60.0, 0.0), has_clear_team=False, confidence=0.8)
    score = score_reading(picture, reading(picture, (disc(150.0, 0.0), unclear)))
    (whose,) = (asked for asked in score.asked if asked.code is QuestionCode.TEAM)
    assert whose.centre_mm == pytest.approx((-60.0, 0.0))


def test_something_unexplained_needs_review_and_says_where() -> None:
    picture = frame()
    read = with_something_unexplained(reading(picture))
    score = score_reading(picture, read)
    assert score.needs_review
    (asked,), (thing,) = score.asked, read.unexplained
    assert asked.code is QuestionCode.OBJECT
    assert asked.centre_mm == pytest.approx(thing.centre_mm)


def test_places_that_are_unexplained_are_one_sentence_with_the_places_behind_it() -> None:
    picture = frame()
    told = with_something_unexplained(reading(picture))
    (thing,) = told.unexplained
    hidden = replace(thing, reason=UnexplainedReason.REFLECTION)
    at_mm = [np.array([150.0 * np.cos(a), 150.0 * np.sin(a)]) for a in np.arange(10) * np.pi / 5]
    things = tuple(replace((thing, hidden)[k % 2], centre_mm=mm) for k, mm in enumerate(at_mm))
    score = score_reading(picture, replace(told, unexplained=things))
    (asked,) = score.concerns
    assert asked.startswith("Check 10 places: 15 cm from the centre at 2 o'clock, ")
    assert asked.count("o'clock") == 10
    assert (
        asked.count("(there is something the size of a disc here)")
        == asked.count("(a lamp's reflection may hide a disc)")
        == 1
    )


def test_two_unexplained_things_in_one_place_are_told_once() -> None:
    picture = frame()
    told = with_something_unexplained(reading(picture))
    (thing,) = told.unexplained
    beside = replace(thing, centre_mm=thing.centre_mm + 1.0)
    score = score_reading(picture, replace(told, unexplained=(thing, beside)))
    assert len(score.concerns) == 1


@pytest.mark.parametrize("source", ["frame", "reading"])
def test_a_note_needs_review(source: str) -> None:
    picture, note = frame(), "Two boards; the most central one is scored."
    read = reading(picture)
    if source == "frame":
        picture = replace(picture, notes=(note,))
    else:
        read = replace(read, notes=(note,))
    score = score_reading(picture, read)
    assert score.needs_review
    assert score_json(score)["reason"] == note


def test_no_board_tells_the_reason_and_needs_review() -> None:
    score = score_reading(frame(), no_board("Only one ring was found."))
    assert score.status is ScoreStatus.NO_BOARD
    assert score.reason == "Only one ring was found."
    assert score.needs_review


@pytest.mark.parametrize(
    ("missing_px", "status"),
    [((0, 890, 1200, 900), ScoreStatus.SCORED), ((0, 600, 1200, 900), ScoreStatus.NO_BOARD)],
    ids=["below the board", "through the board"],
)
def test_a_truncated_picture_is_scored_only_if_the_board_is_whole(missing_px, status) -> None:
    note = "The file is truncated."
    picture = replace(frame(), missing_px=missing_px, notes=(note,))
    score = score_reading(picture, reading(picture, (disc(60.0, 0.0),)))
    assert score.status is status
    assert score.needs_review
    entry = score_json(score)
    assert note in entry["reason"]
    checked(entry)


def test_the_table_shows_zone_margin_and_call_of_every_disc() -> None:
    picture = frame()
    text = printed(score_reading(picture, reading(picture, EVERYTHING)))
    assert "example.jpg" in text
    assert "Total: white 35 · black 45 (20s: 1)" in text
    assert "close: 15 or 10" in text
    assert "in the hole" in text
    assert "overhanging" in text
    assert "+0.1 ± 0.3" in text
    assert "Needs review." in text


def test_the_table_of_an_empty_board_says_so() -> None:
    picture = frame()
    text = printed(score_reading(picture, reading(picture)))
    assert "No discs on the board." in text
    assert "Needs review" not in text


def test_several_twenties_are_counted() -> None:
    picture = frame()
    twice = (disc(0.0, 0.0, state=DiscState.IN_HOLE), disc(0.4, 0.0, state=DiscState.IN_HOLE))
    assert "white 40 (20s: 2)" in printed(score_reading(picture, reading(picture, twice)))


def test_a_board_that_is_partly_outside_the_picture_is_looked_at() -> None:
    picture = frame()
    part = replace(picture, image=picture.image[:, :600], width_px=600)
    told = score_reading(part, reading(picture, (disc(60.0, 20.0),)))
    assert told.needs_review
    assert told.asked[0].code is QuestionCode.OUTSIDE
    assert not score_reading(picture, reading(picture, (disc(60.0, 20.0),))).needs_review
