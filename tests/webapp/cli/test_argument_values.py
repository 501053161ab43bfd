"""Arguments that cannot be meant so are refused in a sentence that says what would be right."""

from __future__ import annotations

from pathlib import Path

import pytest

from webapp.cli.argument_values import expand_patterns
from webapp.cli.main import main


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["score", "a.jpg", "--jobs", "0"], "--jobs: 0 is too little; 1 at the least"),
        (["score", "a.jpg", "--jobs", "two"], "--jobs: 'two' is no whole number"),
        (["serve", "--port", "99999"], "--port: 99999 is too much; 65535 at most"),
        (["serve", "--workers", "-1"], "--workers: -1 is too little"),
        (["match", "add", "sixty"], "points: 'sixty' is no whole number"),
        (["advise", "a.json", "--team", "red", "--aim", "good"], "--aim: 'good' is no number"),
        (["score", ""], "IMAGE: an empty name names no file"),
        (["score", "a.jpg", "--jsn"], "--jsn is not known here (did you mean --json?)"),
        (["match", "show", "--mach", "3"], "--mach is not known here (did you mean --match?)"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_usage_is_one_sentence_of_the_command_that_was_named(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    usage, *_, sentence = capsys.readouterr().err.splitlines()
    command = " ".join(arguments[: 2 if arguments[0] == "match" else 1])
    assert usage.startswith(f"usage: crokinole {command} ")
    assert told in sentence
    assert sentence.endswith(f"`crokinole {command} --help` says what it takes.")


def test_a_pattern_that_no_shell_expanded_stands_for_its_files(tmp_path: Path) -> None:
    for name in ("b.jpg", "a.jpg", "c.png", "odd[1].jpg"):
        (tmp_path / name).touch()
    names = [str(tmp_path / each) for each in ("*.jpg", "odd[1].jpg", "none*.jpg")]
    assert [Path(each).name for each in expand_patterns(names)] == [
        "a.jpg",
        "b.jpg",
        "odd[1].jpg",
        "odd[1].jpg",
        "none*.jpg",
    ]


@pytest.mark.parametrize("is_before", [True, False], ids=["before", "behind"])
def test_a_database_is_named_before_an_action_or_behind_it(
    is_before: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = ["--db", str(tmp_path / "club.db")]
    assert main(["match", *database, "new", "Ann", "Bob"]) == 0
    capsys.readouterr()
    arguments = [*database, "list"] if is_before else ["list", *database]
    assert main(["match", *arguments]) == 0
    assert "Ann" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["calibrate", "GIVEN", "--out", "GIVEN"],
        ["watch", "GIVEN", "--events", "GIVEN"],
        ["watch", "GIVEN", "--overlay-video", "GIVEN"],
        ["watch", "other.mp4", "--beside", "GIVEN", "--events", "GIVEN"],
        ["score", "GIVEN", "--lines", "GIVEN"],
        ["review", "GIVEN", "--video", "GIVEN"],
        ["speed", "GIVEN", "--out", "GIVEN"],
    ],
    ids=" ".join,
)
def test_what_is_read_is_never_written_over(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = tmp_path / "given.mp4"
    given.write_bytes(b"all there is")
    assert main([str(given) if each == "GIVEN" else each for each in arguments]) == 1
    assert "name another file to write" in capsys.readouterr().err
    assert given.read_bytes() == b"all there is"
