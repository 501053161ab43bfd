"""The tables of the accuracy page and README contain the measurements, with every picture once."""

from __future__ import annotations

import importlib.util
from types import ModuleType
from typing import Any

import pytest
from paths import ROOT


@pytest.fixture(scope="module")
def make_accuracy() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_accuracy", ROOT / "docs/make_accuracy.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def grade(end: str, tilt_deg: float | None = 20.0, discs: int = 2) -> dict[str, Any]:
    """A picture's grade with one of the outcomes, including a board that was not found."""
    return {
        "discs": discs,
        "missed": discs if end == "refused" else 0,
        "extra": 0,
        "close": 1 if end == "right, but asked" else 0,
        "is_found": end != "refused",
        "is_exact": end in ("settled", "right, but asked"),
        "is_settled": end == "settled",
        "is_needless": end == "right, but asked",
        "is_silently_wrong": end == "wrong without asking",
        "foot_errors_mm": (0.2, 0.4),
        "tilt_deg": None if end == "refused" else tilt_deg,
    }


CLIPS = {"shots": 9, "found": 8, "invented": 1, "right": 6, "needs_review": 2, "wrong": 0}
CLIPS |= {"finals": 4, "finals_exact": 2, "finals_settled": 1, "finals_silently_wrong": 1}


def cells(line: str) -> list[str]:
    return [cell.strip().partition(" (")[0] for cell in line.strip("|").split("|")]


def test_a_row_counts_every_picture_under_one_end(make_accuracy) -> None:
    ends = ["settled"] * 4 + ["right, but asked"] * 3 + ["wrong, but asked", "refused"]
    grades = [grade(end) for end in (*ends, "wrong without asking")]
    lines = list(make_accuracy.describe_pictures(grades))
    assert cells(lines[0])[3:7] == list(make_accuracy.OUTCOMES)
    (whole,) = [cells(line) for line in lines if line.startswith("| **all**")]
    assert whole[1:7] == ["10", "9", "4", "3", "2", "1"]
    (refused,) = [cells(line) for line in lines if line.startswith("| no board found")]
    assert refused[1:7] == ["1", "0", "0", "0", "1", "0"]
    assert "In 3 of the boards that were *right, but asked*, a person" in lines[-1]


def test_pictures_without_a_board_are_not_counted_among_boards(make_accuracy) -> None:
    nothing = grade("settled", None, discs=0) | {"is_found": False}
    lines = list(make_accuracy.describe_pictures([grade("settled"), nothing]))
    assert [cells(line)[1] for line in lines if line.startswith("| **all**")] == ["1"]
    assert lines[-1].startswith("In 1 more pictures there is no board")


def test_last_scores_of_clips_come_to_one_end_too(make_accuracy) -> None:
    _, _, row = make_accuracy.describe_clips(CLIPS)
    assert cells(row) == ["9", "8", "1", "6", "2", "0", "4", "1", "1", "1", "1"]


def test_readme_counts_what_nobody_saw_as_wrong_without_asking(make_accuracy) -> None:
    pictures = {name: [grade("settled")] for name in ("photos", "samples", "steep", "stills")}
    lines = list(make_accuracy.describe_outcomes({**pictures, "clips": CLIPS, "films": CLIPS}))
    assert cells(lines[-1])[1:] == ["6", "–", "2", "1"]
    assert cells(lines[2])[1:] == ["1", "0", "0", "0"]


def test_a_table_is_put_between_its_marks_and_nowhere_else(make_accuracy) -> None:
    page = "a\n<!-- x -->\nold\n<!-- /x -->\nb\n"
    assert make_accuracy.put_table(page, "x", ["new"]) == "a\n<!-- x -->\n\nnew\n\n<!-- /x -->\nb\n"
    with pytest.raises(SystemExit, match="no place for y"):
        make_accuracy.put_table(page, "y", [])
