"""The live referee on clips with truth, run through its command."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from itertools import islice
from pathlib import Path

import cv2
import jsonschema
import numpy as np
import pytest
from json_referee import JsonReferee, keep_json
from paths import CLIPS, SCHEMAS

from bench.grading.clip_grade import grade_clip
from scorer.referee.event_sentences import describe_event
from scorer.referee.events import EndedEvent
from scorer.referee.frame_queue import LeftOut
from scorer.referee.watch import watch
from scorer.rules.sets import rule_set
from vision.io.sources import SourceError, TimedFrame, open_source
from vision.io.timed_frame import CameraImage
from vision.track.events import BoardMoved, TrackingLost
from vision.track.tracker import BoardTracker
from webapp.cli.main import main

#: Tolerance of a shot's start, s: a frame or two.
_START_S = 0.2
#: Tolerance of discs' places, mm, up to a quarter turn of the board.
_PLACE_MM = 3.0
#: The sample round until its fourth shot, a foul, is called and its disc removed.
_FOUR_SHOTS_S = 18.3


def watched(clip: Path, folder: Path, *, exit_code: int = 0) -> list[dict]:
    """Events of a clip."""
    events = folder / "events.jsonl"
    assert main(["watch", str(clip), "--events", str(events)]) == exit_code
    return [json.loads(line) for line in events.read_text().splitlines()]


@pytest.fixture(scope="module")
def round_events(tmp_path_factory) -> list[dict]:
    return watched(CLIPS / "round.mp4", tmp_path_factory.mktemp("round"))


@pytest.fixture(scope="module")
def round_truth() -> dict:
    return json.loads((CLIPS / "round.json").read_text())


def shots_of(events: list[dict]) -> list[dict]:
    return [event for event in events if event["type"] == "shot"]


def call_of(event: dict) -> tuple:
    """The call of an event for people: its verdict, or its totals."""
    return event["type"], event.get("disc"), event.get("verdict"), event.get("totals")


def test_the_demos_recorded_calls_are_those_of_the_referee(round_events):
    """If this fails, record again: crokinole watch CLIP --events sample_images/clips/...jsonl."""
    lines = (CLIPS / "round_events.jsonl").read_text().splitlines()
    called = [
        [call_of(event) for event in events if event["type"] in {"shot", "twenty", "round"}]
        for events in (map(json.loads, lines), round_events)
    ]
    assert called[0] == called[1]
    assert len(called[0]) == 9


def test_every_shot_is_found_at_its_time_and_none_is_invented(round_events, round_truth):
    found = [shot["t_start_s"] for shot in shots_of(round_events)]
    told = [shot["t_release"] for shot in round_truth["shots"]]
    assert found == pytest.approx(told, abs=_START_S)


def test_every_verdict_is_right(round_events, round_truth):
    found = [shot["verdict"] for shot in shots_of(round_events)]
    assert found == ["legal" if shot["valid"] else "foul" for shot in round_truth["shots"]]


def test_sides_are_told_apart_as_they_alternate(round_events, round_truth):
    teams = {total["team"]: total["colour_name"] for total in round_events[-1]["totals"]}
    found = [teams[shot["team"]] for shot in shots_of(round_events)]
    assert found == [shot["colour"] for shot in round_truth["shots"]]


def test_a_verdict_comes_within_half_a_second_of_rest(round_events, round_truth):
    for found, told in zip(shots_of(round_events), round_truth["shots"], strict=True):
        assert found["t_s"] - told["t_rest"] < 0.5


def test_every_disc_lies_where_the_truth_has_it_after_every_shot(round_events, round_truth):
    quarter = min(range(4), key=lambda turn: _worst_mm(round_events, round_truth, turn))
    assert _worst_mm(round_events, round_truth, quarter) < _PLACE_MM


def _worst_mm(events: list[dict], truth: dict, quarter: int) -> float:
    angle = quarter * np.pi / 2
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    worst = 0.0
    for found, told in zip(shots_of(events), truth["shots"], strict=True):
        there = [d for d in told["after_rest"] if np.hypot(d["x"], d["y"]) < 330]
        places = np.array([[d["x_mm"], d["y_mm"]] for d in found["after"]]).reshape(-1, 2) @ turn.T
        assert len(places) == len(there)
        for disc in there:
            away = np.linalg.norm(places - (disc["x"], disc["y"]), axis=1)
            worst = max(worst, float(away.min()))
    return worst


def test_what_a_foul_removes_is_told_and_seen_to_go(round_events, round_truth):
    fouls = [shot for shot in shots_of(round_events) if shot["verdict"] == "foul"]
    told = [shot for shot in round_truth["shots"] if not shot["valid"]]
    assert [len(foul["remove"]) for foul in fouls] == [len(t["removed_by_rule"]) for t in told]
    removed = [d["id"] for e in round_events if e["type"] == "removal" for d in e["removed"]]
    assert all(disc["id"] in removed for foul in fouls for disc in foul["remove"])
    assert not [w for e in round_events if e["type"] == "removal" for w in e["warnings"]]


def test_twenties_are_counted_for_their_owner(round_events, round_truth):
    told = round_truth["final"]["per_colour"]
    totals = round_events[-1]["totals"]
    assert {total["colour_name"]: total["twenties"] for total in totals} == {
        colour: row["twenties"] for colour, row in told.items()
    }


def test_the_round_ends_with_the_true_score(round_events, round_truth):
    assert round_events[-1]["type"] == "round"
    told = round_truth["final"]["per_colour"]
    assert {row["colour_name"]: row["points"] for row in round_events[-1]["totals"]} == {
        colour: score["total"] for colour, score in told.items()
    }


def test_every_event_is_as_the_published_schema_has_it(round_events):
    schema = json.loads((SCHEMAS / "event.schema.json").read_text())
    checker = jsonschema.Draft202012Validator(schema)
    for event in round_events:
        checker.validate(event)
    assert {"board", "shot", "removal", "twenty", "round"} <= {
        event["type"] for event in round_events
    }


@pytest.fixture(scope="module")
def bumped_events(tmp_path_factory) -> list[dict]:
    return watched(CLIPS / "bumped_and_flickering.mp4", tmp_path_factory.mktemp("bumped"))


def test_a_bumped_camera_is_noticed_and_fitted_again(bumped_events):
    bump_s = json.loads((CLIPS / "bumped_and_flickering.json").read_text())["camera_poses"][1][
        "t_from"
    ]
    kinds = [event["type"] for event in bumped_events]
    bumped = bumped_events[kinds.index("bumped")]
    again = bumped_events[kinds.index("recalibrated")]
    assert bump_s < bumped["t_s"] <= again["t_s"] < bump_s + 2
    assert again["residual_mm"] < 0.5


def test_a_flickering_bumped_round_is_called_right(bumped_events):
    grade = grade_clip(CLIPS / "bumped_and_flickering.json", bumped_events)
    assert (grade.found, grade.invented, grade.wrong) == (grade.shots, 0, 0)
    assert grade.finals_exact == 1


def test_what_was_told_is_kept_when_the_clip_breaks_off(tmp_path, capsys, round_events):
    whole = (CLIPS / "round.mp4").read_bytes()
    part = tmp_path / "part.mp4"
    part.write_bytes(whole[: 2 * len(whole) // 5])
    events = watched(part, tmp_path, exit_code=1)
    assert shots_of(events)[0] == shots_of(round_events)[0]
    assert events[-1]["type"] == "round"
    (end,) = [event for event in events if event["type"] == "ended"]
    assert end["has_failed"]
    assert "part.mp4 ends early at" in end["reason"]
    assert "part.mp4 ends early" in capsys.readouterr().err


def test_at_five_frames_a_second_no_verdict_is_wrong_and_no_shot_is_silent(round_truth):
    tracker, referee, events = BoardTracker(), JsonReferee(rule_set("nca")), []
    clip = open_source(str(CLIPS / "round.mp4"))
    for index, shown in enumerate(clip.frames(threading.Event(), print)):
        if shown.t_s > _FOUR_SHOTS_S:
            break
        if index % 6 == 0:
            for tracker_event in tracker.process_frame(shown.picture, shown.t_s):
                events += referee.handle_event(tracker_event)
    verdicts = [shot["verdict"] for shot in shots_of(events)]
    told = ["legal" if shot["valid"] else "foul" for shot in round_truth["shots"][:4]]
    assert len(verdicts) == len(told)
    assert all(v in (t, "needs_review") for v, t in zip(verdicts, told, strict=True))
    assert all(shot["question"] for shot in shots_of(events) if shot["doubts"])
    lost = [event for event in events if event["type"] == "not_refereeing"]
    assert [(event["over"], "too few frames" in event["reason"]) for event in lost] == [
        (False, True)
    ]


def test_a_clip_without_a_board_is_said_to_be_none(tmp_path):
    clip = tmp_path / "fog.avi"
    writer = cv2.VideoWriter(str(clip), cv2.VideoWriter.fourcc(*"MJPG"), 30, (320, 240))
    for _ in range(20):
        writer.write(np.full((240, 320, 3), 120, np.uint8))
    writer.release()
    events = watched(clip, tmp_path)
    assert [event["type"] for event in events] == ["not_refereeing", "ended"]
    assert "board" in events[0]["reason"]


def test_events_never_go_back_in_time(round_events):
    times = [event["t_s"] for event in round_events]
    assert times == sorted(times)


def cut_away(first_s: float, last_s: float, end_s: float = 5.0) -> list[tuple[np.ndarray, float]]:
    """The sample round's first seconds, with a close-up of the board cut in between."""
    shown = []
    for frame in open_source(str(CLIPS / "round.mp4")).frames(threading.Event(), print):
        if frame.t_s > end_s:
            break
        image = frame.image
        if first_s <= frame.t_s < last_s:
            height, width = image.shape[:2]
            middle = image[height // 4 : 3 * height // 4, width // 4 : 3 * width // 4]
            image = cv2.resize(middle, (width, height), interpolation=cv2.INTER_CUBIC)
        shown.append((image, frame.t_s))
    return shown


def test_a_cut_to_a_close_up_is_said_and_nothing_is_read_into_it(round_events):
    tracker, referee, events = BoardTracker(), JsonReferee(rule_set("nca")), []
    for image, t_s in cut_away(0.5, 2.0):
        for tracker_event in tracker.process_frame(image, t_s):
            events += referee.handle_event(tracker_event)
    lost = [
        (event["over"], event["reason"]) for event in events if event["type"] == "not_refereeing"
    ]
    assert lost == [(over, "the picture changed to another view") for over in (False, True)]
    assert not [event for event in events if event["type"] in ("bumped", "recalibrated")]
    assert [s["verdict"] for s in shots_of(events)] == [
        s["verdict"] for s in shots_of(round_events) if s["t_s"] < 5.0
    ]


def in_the_sun(image: np.ndarray) -> np.ndarray:
    """The frame with sun on its left third."""
    lit = image.copy()
    part = slice(image.shape[1] // 4, image.shape[1] // 2)
    lit[:, part] = np.clip(1.35 * image[:, part], 0, 255).astype(np.uint8)
    return lit


def test_a_view_that_comes_back_in_another_light_was_not_bumped():
    tracker, tracker_events = BoardTracker(), []
    for image, t_s in cut_away(0.5, 1.2, end_s=3.0):
        tracker_events += tracker.process_frame(in_the_sun(image) if t_s >= 1.2 else image, t_s)
    assert not [event for event in tracker_events if isinstance(event, BoardMoved)]
    assert [event.over for event in tracker_events if isinstance(event, TrackingLost)] == [
        False,
        True,
    ]


def test_a_clip_that_begins_with_a_disc_in_the_hole_calls_what_follows_right(round_truth):
    first, second = round_truth["shots"][:2]
    assert first["twenties"]
    tracker, referee, events = BoardTracker(), JsonReferee(rule_set("nca")), []
    for frame in open_source(str(CLIPS / "round.mp4")).frames(threading.Event(), print):
        if frame.t_s > second["t_rest"] + 1.0:
            break
        if frame.t_s > first["t_rest"] - 0.1:
            for tracker_event in tracker.process_frame(frame.picture, frame.t_s):
                events += referee.handle_event(tracker_event)
    (shot,) = shots_of(events)
    assert shot["verdict"] == ("legal" if second["valid"] else "foul")
    assert len(shot["after"]) == 1


def test_a_twenty_stays_one_when_the_picture_changes_its_size_meanwhile(round_truth):
    first = round_truth["shots"][0]
    tracker, referee, events = BoardTracker(), JsonReferee(rule_set("nca")), []
    for frame in open_source(str(CLIPS / "round.mp4")).frames(threading.Event(), print):
        if frame.t_s > first["t_settled_after_removal"] + 1.0:
            break
        is_small = frame.t_s > first["t_rest"] + 0.5
        image = cv2.resize(frame.image, None, fx=0.8, fy=0.8) if is_small else frame.image
        for tracker_event in tracker.process_frame(image, frame.t_s):
            events += referee.handle_event(tracker_event)
    events += referee.end(6.0)
    assert [event["type"] for event in events].count("recalibrated") == 1
    assert [len(event["removed"]) for event in events if event["type"] == "removal"] == [1]
    assert not [words for event in events for words in event.get("warnings", ())]
    assert [row["twenties"] for row in events[-1]["totals"]] == [1]


def test_what_lies_still_over_the_board_is_said_once_and_then_looked_at_afresh():
    tracker, tracker_events = BoardTracker(), []
    film = open_source(str(CLIPS / "round.mp4")).frames(threading.Event(), print)
    for frame in islice(film, 0, None, 2):
        if frame.t_s > 9.5:
            break
        image = frame.image.copy()
        if frame.t_s > 1.0:
            height, width = image.shape[:2]
            place = (width // 2 + 60, height // 4)
            cv2.rectangle(image, place, (place[0] + 150, place[1] + 120), (120, 60, 200), -1)
        tracker_events += tracker.process_frame(image, frame.t_s)
    lost = [event for event in tracker_events if isinstance(event, TrackingLost)]
    assert [(event.over, "other than a disc is over" in event.reason) for event in lost] == [
        (False, True),
        (True, True),
    ]


class Crumbling:
    """A source that shows a frame and then fails with a driver's error."""

    name, is_live = "crumbling", False

    def __init__(self, *errors: Exception) -> None:
        self._errors = errors

    def frames(self, _stop, _report):
        yield TimedFrame(picture=CameraImage(np.full((120, 160, 3), 90, np.uint8)), t_s=0.0)
        for error in self._errors:
            raise error


@pytest.mark.parametrize("error", [cv2.error("chatter of a decoder"), OverflowError(), OSError()])
def test_a_source_that_fails_in_any_way_ends_with_a_reason_and_an_error(error: Exception) -> None:
    events: list[dict] = []
    with pytest.raises(SourceError, match="crumbling can no longer be read") as failure:
        watch(Crumbling(error), on_event=keep_json(events))
    (end,) = [event for event in events if event["type"] == "ended"]
    assert (end["has_failed"], end["frames"]) == (True, 1)
    assert end["reason"] == str(failure.value)
    assert "chatter" not in end["reason"]
    assert type(error).__name__ not in end["reason"]


def test_a_source_that_ends_or_is_stopped_says_so() -> None:
    events: list[dict] = []
    watch(Crumbling(), on_event=keep_json(events))
    stop = threading.Event()
    stop.set()
    watch(Crumbling(), on_event=keep_json(events), stop=stop)
    ends = [event for event in events if event["type"] == "ended"]
    assert [end["has_failed"] for end in ends] == [False, False]
    assert [end["reason"] for end in ends] == [
        "The video has ended.",
        "The referee was stopped.",
    ]
    assert ends[0]["left_out"] == {"still": 0, "moving": 0, "thinned": 0}


def test_frames_that_a_busy_machine_left_out_are_told_in_words() -> None:
    left_out = LeftOut(still=9, moving=12, thinned=40)
    end = EndedEvent(t_s=3.0, reason="Over.", frames=80, left_out=left_out, has_failed=False)
    assert any(
        "Skipped: 12 with movement, 9 that looked like the one before" in line
        for line in describe_event(end)
    )
    end = replace(end, left_out=LeftOut(still=9))
    assert len(list(describe_event(end))) == 1


def one_frame_clip(folder: Path) -> Path:
    path = folder / "one.mp4"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 30, (320, 240))
    writer.write(np.full((240, 320, 3), 90, np.uint8))
    writer.release()
    return path


@pytest.mark.parametrize(
    "source", ["99999999999", "nowhere.mp4", "rtsp://[", "http://x:99999/", "\0", "a" * 5000]
)
def test_a_source_that_cannot_be_opened_is_one_sentence_and_exit_code_1(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    events = tmp_path / "events.jsonl"
    assert main(["watch", source, "--events", str(events)]) == 1
    (said,) = capsys.readouterr().err.splitlines()
    assert len(said) < 700
    (end,) = [json.loads(line) for line in events.read_text().splitlines()]
    assert (end["type"], end["has_failed"]) == ("ended", True)


def test_a_clip_of_one_frame_says_that_it_ended(tmp_path: Path, capsys) -> None:
    assert main(["watch", str(one_frame_clip(tmp_path))]) == 0
    assert "The video has ended. 1 frame was checked." in capsys.readouterr().out


def test_events_that_cannot_be_written_are_one_sentence(tmp_path: Path, capsys) -> None:
    clip = one_frame_clip(tmp_path)
    assert main(["watch", str(clip), "--events", "/dev/full"]) == 1
    (said,) = capsys.readouterr().err.splitlines()
    assert "/dev/full cannot be written (No space left on device)" in said
