"""The sample clips and their truth agree with each other, with the rules, and with their seeds."""

from __future__ import annotations

import json
import math
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from paths import CLIPS

from sample_images.clip_maker.__main__ import main
from sample_images.clip_maker.make_clip import Clip, make_clip
from sample_images.clip_maker.options import ClipOptions
from sample_images.clip_maker.play.shot_choice import INTENTS
from sample_images.clip_maker.presets import KINDS, SAMPLES

MOST_BYTES = 1_500_000
#: The truth rounds places to a thousandth of a mm; twice that allows for differences between
#: processors.
ROUNDED = 0.002
#: Levels by which a video codec and noise may change a disc's colour, mean of the channels.
COLOUR_LEVELS = 45
#: The inner part of a disc is compared, and no hand is near for this time.
INNER, QUIET_S = 0.6, 0.12


def by_name(path: Path) -> str:
    return path.stem


def clips() -> list[Path]:
    return sorted(CLIPS.glob("*.mp4"))


@cache
def truth_of(clip: Path) -> dict[str, Any]:
    return json.loads(clip.with_suffix(".json").read_text())


@cache
def remade(name: str) -> Clip:
    seed, wishes = SAMPLES[name]
    return make_clip(name, seed, wishes)


def frame_at(clip: Path, t_s: float) -> np.ndarray:
    """The frame (h, w, 3) that is shown at a time, red first."""
    video = cv2.VideoCapture(str(clip))
    video.set(cv2.CAP_PROP_POS_FRAMES, round(t_s * truth_of(clip)["fps"]))
    ok, frame = video.read()
    video.release()
    assert ok
    return frame[..., ::-1]


def pose_at(truth: dict[str, Any], t_s: float) -> dict[str, Any]:
    return [pose for pose in truth["camera_poses"] if pose["t_from"] <= t_s][-1]


def project(truth: dict[str, Any], t_s: float, point_mm: np.ndarray) -> np.ndarray:
    """Pixels (n, 2) of board points (n, 3), by OpenCV."""
    pose, camera = pose_at(truth, t_s), truth["camera"]
    turn, _ = cv2.Rodrigues(np.array(pose["R"]))
    distortion = np.array(camera["distortion"], dtype=float)
    matrix = np.array(camera["K"], dtype=float)
    px, _ = cv2.projectPoints(point_mm, turn, np.array(pose["t"]), matrix, distortion)
    return px.reshape(-1, 2)


def zone_by_rule(truth: dict[str, Any], disc: dict[str, Any]) -> int:
    if disc["state"] == "in_hole":
        return 20
    reach = math.hypot(disc["x"], disc["y"]) + truth["disc"]["bottom_radius"]
    edges = [r - truth["board"]["line_width"] / 2 for r in truth["board"]["line_radii"]]
    return next((v for v, e in zip((15, 10, 5), edges, strict=True) if reach < e), 0)


def is_quiet(truth: dict[str, Any], t_s: float) -> bool:
    return not any(h["t0"] - QUIET_S < t_s < h["t1"] + QUIET_S for h in truth["hand_intervals"])


def quiet_time(truth: dict[str, Any], shot: dict[str, Any]) -> float | None:
    """A time after the shot at which everything has stopped and no hand has come yet."""
    last = shot["t_first_removal_hand"] or shot["t_settled_after_removal"] + 0.5
    times = np.arange(shot["t_rest"], last, 1 / truth["fps"])
    return next((float(t) for t in times if is_quiet(truth, t)), None)


def test_every_sample_is_there_with_its_truth() -> None:
    assert {clip.stem for clip in clips()} == set(SAMPLES)
    assert all(clip.with_suffix(".json").exists() for clip in clips())


@pytest.mark.parametrize("clip", clips(), ids=by_name)
def test_clip_is_small_and_as_long_as_its_truth_says(clip: Path) -> None:
    truth, video = truth_of(clip), cv2.VideoCapture(str(clip))
    assert clip.stat().st_size <= MOST_BYTES
    size = video.get(cv2.CAP_PROP_FRAME_WIDTH), video.get(cv2.CAP_PROP_FRAME_HEIGHT)
    assert size == tuple(truth["size"])
    assert video.get(cv2.CAP_PROP_FPS) == truth["fps"]
    assert video.get(cv2.CAP_PROP_FRAME_COUNT) == truth["frames"]
    video.release()


def test_demo_round_shows_a_twenty_a_removed_foul_and_a_takeout() -> None:
    shots = truth_of(CLIPS / "round.mp4")["shots"]
    assert any(shot["twenties"] for shot in shots)
    assert any(not shot["valid"] and shot["removed_by_rule"] for shot in shots)
    taken = [set(shot["went_to_ditch"]) & set(shot["opponents_touched"]) for shot in shots]
    assert any(taken)


@pytest.mark.parametrize("clip", clips(), ids=by_name)
def test_truth_leads_from_shot_to_shot_and_to_its_totals(clip: Path) -> None:
    truth = truth_of(clip)
    for shot, following in pairwise(truth["shots"]):
        left = {disc["id"]: (disc["x"], disc["y"]) for disc in shot["state_after_removal"]}
        assert {disc["id"]: (disc["x"], disc["y"]) for disc in following["before"]} == left
        assert shot["t_hand_in"] < shot["t_place"] < shot["t_release"] < shot["t_rest"]
        assert shot["t_settled_after_removal"] < following["t_hand_in"]
    last = {disc["id"] for disc in truth["shots"][-1]["state_after_removal"]}
    for colour, final in truth["final"]["per_colour"].items():
        twenties = sum(t["colour"] == colour for s in truth["shots"] for t in s["twenties"])
        points = sum(zone_by_rule(truth, disc) for disc in final["discs"])
        assert {disc["id"] for disc in final["discs"]} <= last
        assert (final["twenties"], final["board_points"]) == (twenties, points)
        assert final["total"] == points + 20 * twenties


@pytest.mark.parametrize("clip", clips(), ids=by_name)
def test_verdicts_of_truth_follow_the_rule_of_contact(clip: Path) -> None:
    truth = truth_of(clip)
    line = truth["board"]["line_radii"][0] + truth["board"]["line_width"] / 2
    for shot in truth["shots"]:
        opponents = {d["id"] for d in shot["before"] if d["colour"] != shot["colour"]}
        touched = {n for c in shot["contacts"] for n in (c["a"], c["b"])} & opponents
        moved = {n for c in shot["contacts"] for n in (c["a"], c["b"])} | {shot["id"]}
        inside = [
            d["id"] in moved
            and d["state"] != "ditch"
            and math.hypot(d["x"], d["y"]) - truth["disc"]["bottom_radius"] < line
            for d in shot["after_rest"]
        ]
        assert shot["valid"] == (bool(touched) if opponents else any(inside))
        assert set(shot["opponents_touched"]) == touched


@pytest.mark.parametrize("clip", clips(), ids=by_name)
def test_every_disc_is_seen_in_its_colour_where_truth_says(clip: Path) -> None:
    truth, seen = truth_of(clip), 0
    for shot in truth["shots"]:
        t_s = quiet_time(truth, shot)
        if t_s is None:
            continue
        frame = frame_at(clip, t_s)
        for disc in shot["after_rest"]:
            if disc["state"] == "ditch":
                continue
            colour = np.array(truth["colours_rgb"][disc["colour"]], dtype=float)
            top = disc["z_bottom"] + truth["disc"]["thickness"]
            around = truth["disc"]["radius"] * INNER
            corners = [(0, 0), (around, 0), (-around, 0), (0, around), (0, -around)]
            points = np.array([(disc["x"] + x, disc["y"] + y, top) for x, y in corners])
            for x, y in np.round(project(truth, t_s, points)).astype(int):
                assert np.abs(frame[y, x] - colour).mean() < COLOUR_LEVELS
            seen += 1
    assert seen >= 6


def assert_alike(told: Any, again: Any, where: str = "truth") -> None:
    """Assert that two truths are equal, except for the last digits of numbers."""
    if isinstance(told, dict):
        assert told.keys() == again.keys(), where
        for key in told:
            assert_alike(told[key], again[key], f"{where}.{key}")
    elif isinstance(told, list):
        assert len(told) == len(again), where
        for index, (a, b) in enumerate(zip(told, again, strict=True)):
            assert_alike(a, b, f"{where}[{index}]")
    elif isinstance(told, float):
        assert again == pytest.approx(told, abs=ROUNDED), where
    else:
        assert told == again, where


@pytest.mark.parametrize("clip", clips(), ids=by_name)
def test_remaking_from_the_seed_gives_the_same_truth(clip: Path) -> None:
    again = json.loads(json.dumps(remade(clip.stem).truth))
    assert_alike(truth_of(clip), again)


def test_remaking_a_frame_gives_the_frame_of_the_clip() -> None:
    clip = CLIPS / "bumped_and_flickering.mp4"  # the smaller one
    frame = next(remade(clip.stem).frames())[..., ::-1].astype(float)
    shown = frame_at(clip, 0.0).astype(float)
    assert np.abs(frame - shown).mean() < 4  # the codec removes most of the noise


def test_kinds_and_samples_wish_for_intents_that_exist() -> None:
    wishes = [*KINDS.values(), *(wish for _, wish in SAMPLES.values())]
    assert all(set(wish.intents) <= set(INTENTS) for wish in wishes)


@pytest.mark.parametrize("error", ["foul_stays", "disc_nudged", "wrong_side"])
def test_mistakes_of_people_are_told_in_the_truth(error: str) -> None:
    wishes = ClipOptions(intents=("stop_short", "miss", "hit"), errors=(error,))
    truth = make_clip("mistaken", 3, wishes).truth
    if error == "wrong_side":
        players = [shot["player"] for shot in truth["shots"]]
        assert any(a == b for a, b in pairwise(players))
    else:
        assert error in {error["kind"] for error in truth["human_errors"]}


def test_leaner_lies_tilted_at_the_hole_and_counts_fifteen() -> None:
    truth = make_clip("leaner", 1, KINDS["leaners"]).truth
    last = truth["shots"][-1]
    leaner = next(disc for disc in last["after_rest"] if disc["id"] == last["id"])
    final = truth["final"]["per_colour"][last["colour"]]
    assert leaner["state"] == "leaning"
    assert leaner["tilt_deg"] > 10
    assert math.hypot(leaner["x"], leaner["y"]) < truth["board"]["hole_diameter"] / 2 + 3
    assert final["board_points"] == 15
    assert not last["twenties"]


def test_company_beside_the_board_is_there_as_wished() -> None:
    wishes = ClipOptions(discs_per_side=2, resting_hand=True, person=True, gestures=1.0)
    clip = make_clip("company", 6, wishes)
    purposes = {interval["purpose"] for interval in clip.truth["hand_intervals"]}
    assert {"rest", "gesture", "shot"} <= purposes
    middle = clip.frame_plan.timeline.at(clip.frame_plan.timeline.end_s / 2)
    assert middle.people
    assert any(hand.shape == "flat" for hand in middle.hands)


def test_tracks_hold_every_disc_where_the_truth_says_it_rests(tmp_path: Path) -> None:
    assert main([str(tmp_path), "--samples", "--only", "round", "--truth", "--tracks"]) == 0
    tracks = np.load(tmp_path / "round_tracks.npz")
    truth = json.loads((tmp_path / "round.json").read_text())
    ids = tracks["ids"].tolist()
    assert tracks["pos"].shape == (truth["frames"], len(ids), 3)
    for shot in truth["shots"]:
        frame = math.ceil((shot["t_rest"] + 0.001) * truth["fps"])
        for disc in shot["after_rest"]:
            place = (disc["x"], disc["y"], disc["z_bottom"])
            assert tracks["pos"][frame, ids.index(disc["id"])] == pytest.approx(place, abs=0.01)


def test_cuts_shorten_a_clip_and_hide_no_shot() -> None:
    whole = make_clip("whole", 4, ClipOptions(discs_per_side=2)).truth
    cut = make_clip("cut", 4, ClipOptions(discs_per_side=2, cuts=True)).truth
    assert cut["duration_s"] < whole["duration_s"] - 1
    for a, b in zip(whole["shots"], cut["shots"], strict=True):
        length = a["t_rest"] - a["t_release"]
        assert b["t_rest"] - b["t_release"] == pytest.approx(length, abs=ROUNDED)


def test_broadcast_shows_inserts_and_every_live_moment_at_its_time() -> None:
    wishes = ClipOptions(discs_per_side=3, cuts=True, inserts=True)
    clip = make_clip("broadcast", 4, wishes)
    edits, fps = clip.frame_plan.edits, wishes.fps
    assert {insert.rate < 1 for insert in edits.inserts} == {True, False}  # replays and close-ups
    for insert in edits.inserts:
        t_s, shown = edits.shown(edits.clock(insert.at_s) + insert.length_s / 2)
        assert shown is insert
        assert t_s == pytest.approx((insert.from_s + insert.to_s) / 2)
    for shot in clip.frame_plan.timeline.times:
        for t_s in (shot.place, shot.release, shot.rest):
            assert edits.shown(edits.clock(t_s)) == (pytest.approx(t_s, abs=1 / fps), None)
    views = {id(take.view) for take in clip.frame_plan.frame_specs()}
    assert len(views) == 3


def test_sun_comes_and_goes() -> None:
    clip = make_clip("sunlit", 4, ClipOptions(discs_per_side=3, sun=True))
    strengths = [
        take.sun.strength for take in clip.frame_plan.frame_specs() if take.sun is not None
    ]
    assert len(strengths) == clip.frame_plan.frames
    assert max(strengths) > 0.3
    assert min(strengths) < 0.05
