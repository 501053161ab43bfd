"""A clip's last score has one of four outcomes, and a real film's truth is read by frames."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.grading.clip_grade import ClipGrade, clips_with_truth, grade_clip

DISCS = [{"c": "red", "zone": 10}, {"c": "black", "zone": 10}, {"c": "black", "zone": 5}]
#: A black shot at 2 s that knocked the red disc off, in a film of 25 frames a second.
SHOT = {
    "id": "hit",
    "shooter": "black",
    "flick_frame": 50,
    "all_at_rest_frame": 75,
    "before": {"discs": DISCS},
    "after": {"discs": DISCS[1:]},
}


def write_truth(folder: Path, *shots: dict[str, Any]) -> Path:
    path = folder / "truth.json"
    path.write_text(json.dumps({"clips": {"a.mp4": {"fps": 25, "shots": shots}}}), encoding="utf-8")
    return path


def events(points: int, *, needs_review: bool) -> list[dict[str, Any]]:
    shot = {"type": "shot", "t_start_s": 2.1, "t_s": 3.5, "team": 1, "verdict": "legal"}
    totals = [{"team": 0, "points": 0}, {"team": 1, "points": points}]
    return [shot, {"type": "round", "needs_review": needs_review, "totals": totals}]


@pytest.mark.parametrize(
    ("points", "needs_review", "ends"),
    [
        (15, False, (1, 1, 0)),
        (15, True, (1, 0, 0)),
        (10, True, (0, 0, 0)),
        (10, False, (0, 0, 1)),
    ],
    ids=["settled", "right, but asked", "wrong, but asked", "silently wrong"],
)
def test_a_last_score_comes_to_one_end(tmp_path: Path, points, needs_review, ends) -> None:
    truth = write_truth(tmp_path, SHOT)
    grade = grade_clip(truth, events(points, needs_review=needs_review), "a.mp4")
    assert (grade.finals_exact, grade.finals_settled, grade.finals_silently_wrong) == ends


def test_a_real_film_is_graded_by_what_a_person_saw_in_its_frames(tmp_path: Path) -> None:
    grade = grade_clip(write_truth(tmp_path, SHOT), events(15, needs_review=False), "a.mp4")
    assert grade == ClipGrade(
        shots=1,
        found=1,
        invented=0,
        right=1,
        needs_review=0,
        wrong=0,
        finals=1,
        finals_exact=1,
        finals_settled=1,
        finals_silently_wrong=0,
        delay_s=0.5,
    )


def test_a_shot_whose_frames_do_not_say_whether_it_was_legal_is_no_truth(tmp_path: Path) -> None:
    truth = write_truth(tmp_path, SHOT | {"after": SHOT["before"]})
    with pytest.raises(ValueError, match="whether it was legal"):
        grade_clip(truth, [], "a.mp4")


def test_clips_are_found_by_a_truth_of_their_own_or_a_shared_one(tmp_path: Path) -> None:
    shared = write_truth(tmp_path, SHOT)
    for name in ("a.mp4", "b.mp4", "c.mp4", "b.json"):
        (tmp_path / name).touch()
    found = [(clip.name, truth.name) for clip, truth in clips_with_truth(tmp_path)]
    assert found == [("b.mp4", "b.json"), ("a.mp4", shared.name)]
