"""Parameters are listed with their sources, and a sweep shows the effect of one on accuracy."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from paths import STILLS

from bench.parameter_list import select_stages
from bench.sweep import parse_sweep
from calibration.parameters import ParameterError
from webapp.cli.main import main
from webapp.varied_parameters import import_stages

#: Two pictures with many discs.
PICTURES = ("octagon_blue_board_with_digits", "oblique_birch_red_and_blue")


@pytest.fixture
def two_pictures(tmp_path: Path) -> str:
    for name in PICTURES:
        for suffix in (".jpg", ".json"):
            shutil.copy(STILLS / (name + suffix), tmp_path)
    return str(tmp_path)


def test_a_sweep_shows_that_an_absurd_value_loses_discs(two_pictures, capsys) -> None:
    sweep = "discs.detector_input.min_separation_diameters=8"
    assert main(["bench", "--sweep", sweep, "--truth", two_pictures, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["parameter"] == "discs.detector_input.min_separation_diameters"
    usual, absurd = told["rows"]
    assert (usual["is_default"], usual["value"]) == (True, 0.85)
    assert (absurd["is_default"], absurd["value"]) == (False, 8.0)
    assert usual["figures"]["exact_totals"] == usual["figures"]["boards_found"] == 2
    assert usual["figures"]["missed"] == 0
    assert absurd["figures"]["boards_found"] == 2
    assert absurd["figures"]["missed"] > absurd["figures"]["discs"] / 2


def test_a_value_that_breaks_the_reading_is_told_beside_the_others(
    two_pictures, capsys, monkeypatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    for name in PICTURES[1:]:
        Path(two_pictures, f"{name}.json").unlink()
    assert (
        main(
            [
                "bench",
                "--sweep",
                "discs.detector_input.rectified_mm_per_px=1000",
                "--truth",
                two_pictures,
            ]
        )
        == 1
    )
    out, err = capsys.readouterr()
    header, usual, broken = out.strip().splitlines()
    assert header.split()[:3] == ["discs.detector_input.rectified_mm_per_px", "boards", "exact"]
    assert usual.split()[:4] == ["1.0", "(default)", "1", "1"]
    assert broken.split()[:2] == ["1000.0", "–"]
    assert err.startswith(
        "crokinole: discs.detector_input.rectified_mm_per_px=1000.0: Nothing could be read: "
    )
    assert len(err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("sweep", "sentence"),
    [
        ("board.find_board.small_px", "STAGE.FIELD=V1,V2"),
        ("board.nowhere.steps=3", "There is no stage 'board.nowhere'"),
        ("board.azimuth.nothing=3", "board.azimuth has no 'nothing'"),
        ("board.find_board.small_px=", "must be numbers with commas"),
        ("board.find_board.small_px=many", "must be numbers with commas"),
        ("board.find_board.small_px=2.5", "takes whole numbers"),
        ("board.find_board.small_px=true", "takes numbers"),
        ("board.azimuth.clear_mm=NaN", "takes numbers"),
        ('board.azimuth.clear_mm="8"', "takes numbers"),
        ("board.azimuth.clear_mm=-8", "board.azimuth.clear_mm must be above 0 mm, not -8."),
        ("board.azimuth.plateau_level=1.08", "(share) must be from 0 to 1, not 1.08."),
        ("board.features.border_range_mm=8", "takes lists of 2 numbers"),
        ("board.features.border_range_mm=[8,9,10]", "takes lists of 2 numbers"),
    ],
)
def test_a_wrong_sweep_is_told_in_one_sentence(sweep: str, sentence: str, capsys) -> None:
    assert main(["bench", "--sweep", sweep]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert sentence in err


def test_values_have_their_defaults_type_and_the_default_comes_first() -> None:
    sweep = parse_sweep("board.features.border_range_mm=[8,9],[9,60],[8,9]")
    assert sweep.values == ((9.0, 60.0), (8.0, 9.0))
    assert sweep.default == (9.0, 60.0)
    assert [type(value) for value in sweep.values[1]] == [float, float]


@pytest.mark.parametrize(
    ("name", "is_about_clips"),
    [("track.follow", True), ("referee.shot.judge_hypotheses", True), ("board.rings", False)],
)
def test_stages_of_tracker_and_referee_are_about_clips(name: str, is_about_clips: bool) -> None:
    field, declared = next(iter(import_stages()[name].declared.items()))
    value = json.dumps(declared.default)
    assert parse_sweep(f"{name}.{field}={value}").is_about_clips is is_about_clips


def test_a_stage_about_clips_is_not_swept_over_pictures(two_pictures, capsys) -> None:
    field, declared = next(iter(import_stages()["track.follow"].declared.items()))
    sweep = f"track.follow.{field}={json.dumps(declared.default)}"
    assert main(["bench", "--sweep", sweep, "--truth", two_pictures]) == 1
    assert "is about clips" in capsys.readouterr().err


def test_the_listing_shows_every_field_of_every_stage(capsys) -> None:
    assert main(["bench", "--parameters", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    stages = import_stages()
    assert len(stages) > 60
    for name, kind in stages.items():
        if kind.__module__.startswith(("vision.", "calibration.", "scorer.", "webapp.")):
            assert list(listed[name]) == list(kind.declared)
            assert {tuple(row) for row in listed[name].values()} == {("default", "unit", "source")}
            assert all(row["source"] for row in listed[name].values())


def test_a_person_reads_a_stage_as_a_table(capsys) -> None:
    assert main(["bench", "--parameters", "discs.vote_peaks"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("discs.vote_peaks")
    assert "min_vote_share" in out
    assert "board.azimuth" not in out


def test_a_group_of_stages_is_listed_by_its_name() -> None:
    assert all(name.startswith("board.") for name in select_stages("board"))
    assert len(select_stages("board")) > 5


def test_an_unknown_stage_is_wrong_usage(capsys) -> None:
    with pytest.raises(ParameterError):
        select_stages("nowhere")
    assert main(["bench", "--parameters", "nowhere"]) == 2
    assert "no stage 'nowhere'" in capsys.readouterr().err
