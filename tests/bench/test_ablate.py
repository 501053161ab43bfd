"""A stage can be disabled by the values of its parameters, and totals show the effect."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import cv2
import pytest
from lamp_reflection import add_ring_light
from paths import STILLS
from plain_wall import write_wall

from bench import ablate
from calibration.parameters import check_value
from vision.board.find_board import DetectedBoard, find_board
from vision.io.frame import Frame, read_frame
from webapp.cli.main import main
from webapp.varied_parameters import import_stages


@pytest.mark.parametrize("stage", ablate.ABLATIONS)
def test_a_stage_is_left_out_by_values_that_its_parameters_may_have(stage: str) -> None:
    import_stages()
    for name, value in ablate.ABLATIONS[stage].items():
        check_value(name, value)


def test_without_its_search_a_lamp_on_an_empty_board_is_not_asked_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = read_frame(STILLS / "empty_cherry_board.jpg")
    assert isinstance(frame, Frame)
    found = find_board(frame)
    assert isinstance(found, DetectedBoard)
    lit = add_ring_light(frame.image, found.fit.view, (120.0, 60.0), 0.0, 120.0, 1.5)
    cv2.imwrite(str(tmp_path / "empty_cherry_board.jpg"), lit)
    shutil.copy(STILLS / "empty_cherry_board.json", tmp_path)
    arguments = ["bench", "--ablate", "reflections", "--truth", str(tmp_path)]
    assert main(arguments) == 0
    _, usual, without = capsys.readouterr().out.splitlines()
    assert usual == "1 0 1 0 with all stages"
    assert without == "1 1 0 0 without reflections"


def test_stages_are_left_out_in_turn_as_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_wall(tmp_path)
    shutil.copy(STILLS / "no_board_rubber_duck.json", tmp_path / "wall.json")
    some = {name: ablate.ABLATIONS[name] for name in ("flat_field", "faint_side")}
    monkeypatch.setattr(ablate, "ABLATIONS", some)
    assert main(["bench", "--ablate", "--truth", str(tmp_path), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["without"] for row in rows] == ["", "flat_field", "faint_side"]
    assert rows[0].keys() == {
        "without",
        "exact_totals",
        "settled",
        "asked_needlessly",
        "silently_wrong",
    }


def test_an_unknown_stage_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--ablate", "nothing"]) == 2
    assert "reflections" in capsys.readouterr().err


def test_a_folder_without_pictures_is_reported(tmp_path: Path) -> None:
    assert main(["bench", "--ablate", "faint_side", "--truth", str(tmp_path)]) == 1
