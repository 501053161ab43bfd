"""Many sources at once: one line per source, and a failure affects only its source."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
import pytest
from many_sources_work import measure_name
from paths import ROOT

from calibration.user_error import Trouble
from webapp.cli.main import main
from webapp.cli.many_sources import ManySources

STILLS = ROOT / "sample_images" / "stills"


def _read(path: Path) -> dict[str, dict[str, object]]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return {line["source"]: line for line in lines}


def test_a_source_that_fails_costs_only_itself(tmp_path: Path) -> None:
    lines = tmp_path / "lines.jsonl"
    many = ManySources(jobs=2, lines=lines)
    problems = many.run(["ann", "bad", "worse", "bob", "ann"], measure_name)
    assert sorted(problems) == [
        "bad: The program failed on this file. Please report it and attach the file.",
        "worse: Its process ended (exit code 7).",
    ]
    done = _read(lines)
    assert {name: row["status"] for name, row in done.items()} == {
        "ann": "measured",
        "bad": "failed",
        "worse": "failed",
        "bob": "measured",
    }
    assert "it is bad" in str(done["bad"]["trace"])
    assert len(lines.read_text().splitlines()) == 4


def test_work_goes_on_where_it_was_left_and_a_line_cut_short_is_done_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"source": "ann", "letters": 99}\n{"source": "bob", "let')
    many = ManySources(jobs=1, lines=lines)
    assert many.run(["ann", "bob"], measure_name) == []
    assert {name: row["letters"] for name, row in _read(lines).items()} == {"ann": 99, "bob": 3}
    assert "1 is already done" in capsys.readouterr().err


def test_without_a_file_lines_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    many = ManySources(jobs=1)
    assert many.run(["ann"], measure_name) == []
    assert json.loads(capsys.readouterr().out)["letters"] == 3


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    many = ManySources(jobs=1, lines=tmp_path / "none" / "lines.jsonl")
    with pytest.raises(FileNotFoundError, match=r"lines\.jsonl"):
        many.run(["ann"], measure_name)


def test_several_pictures_are_scored_into_lines(tmp_path: Path) -> None:
    lines, missing = tmp_path / "lines.jsonl", str(tmp_path / "none.jpg")
    picture = str(sorted(STILLS.glob("*.jpg"))[0])
    assert main(["score", picture, missing, "--jobs", "2", "--lines", str(lines)]) == 1
    told = [json.loads(line) for line in lines.read_text().splitlines()]
    done = {row["image"]: row for row in told}
    assert (done[picture]["status"], done[missing]["status"]) == ("scored", "unreadable")


def test_a_cluster_does_the_same_work(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    lines = tmp_path / "lines.jsonl"
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0"
    ) as cluster:
        many = ManySources(lines=lines, cluster=cluster.scheduler_address)
        problems = many.run(["ann", "bad", "bob"], measure_name)
    assert problems == ["bad: It failed (ValueError: it is bad)."]
    assert {name: row["status"] for name, row in _read(lines).items()} == {
        "ann": "measured",
        "bad": "failed",
        "bob": "measured",
    }


def test_a_cluster_that_is_not_there_is_told_by_its_address() -> None:
    pytest.importorskip("distributed")
    many = ManySources(cluster="foo")
    with pytest.raises(click.UsageError, match="foo is no scheduler's address"):
        many.run(["ann"], measure_name)


def test_a_cluster_that_cannot_be_used_is_told_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "dask.distributed", None)  # Python's way to forbid an import
    many = ManySources(cluster="tcp://127.0.0.1:1")
    with pytest.raises(Trouble, match=r"crokinole-referee\[cluster\]"):
        many.run(["ann"], measure_name)
