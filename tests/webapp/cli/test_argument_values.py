"""Impossible arguments are refused in a sentence with the remedy."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_lines import parse

from webapp.cli.argument_values import expand_patterns
from webapp.cli.main import main


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["score", "a.jpg", "--jobs", "0"], "'--jobs': must be 1 or more, not 0."),
        (["score", "a.jpg", "--jobs", "two"], "'--jobs': must be a whole number, not 'two'."),
        (["serve", "--port", "99999"], "'--port': must be 65535 or less, not 99999."),
        (["serve", "--workers", "-1"], "'--workers': must be 0 or more, not -1."),
        (["match", "add", "sixty"], "'[POINTS]...': must be a whole number, not 'sixty'."),
        (["match", "add", "60", "--twenties"], "'--twenties' requires an argument."),
        (
            ["advise", "a.json", "--team", "red", "--aim", "good"],
            "'--aim': must be a number, not 'good'.",
        ),
        (["score", ""], "'IMAGE...': must be a file name, but it is empty."),
        (["score", "a.jpg", "--overlai", "b"], "'--overlai'. Did you mean '--overlay'?"),
        (["match", "show", "--mach", "3"], "'--mach'. Did you mean '--match'?"),
        (["match", "export", "--csv", "--cmn"], "--cmn cannot be used with --csv. Leave one out."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_usage_is_one_sentence_of_the_command_that_was_named(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    usage, hint, _, sentence = capsys.readouterr().err.splitlines()
    command = " ".join(arguments[: 2 if arguments[0] == "match" else 1])
    assert usage.startswith(f"Usage: crokinole {command} ")
    assert hint == f"Try 'crokinole {command} --help' for help."
    assert told in sentence


@pytest.mark.parametrize(
    ("line", "given"),
    [
        ("add 60 45 --twenties 1 0", {"points": (60, 45), "twenties": (1, 0)}),
        ("add --twenties 1 0 --match 3", {"twenties": (1, 0), "number": 3}),
        ("add --twenties 1 -- 60 45", {"points": (60, 45), "twenties": (1,)}),
        ("add --twenties=1 60", {"points": (60,), "twenties": (1,)}),
        ("shot legal --board a1:Ann:15 b1:Bob:5", {"board": ("a1:Ann:15", "b1:Bob:5")}),
        ("shot legal --board --twenties 1 0", {"board": ("",), "twenties": (1, 0)}),
        ("new Ann Bob --colours white black --games 3", {"colours": ("white", "black")}),
        ("add --fou Ann wax", {"foul": ("Ann", "wax")}),
    ],
)
def test_an_option_takes_every_word_up_to_the_next_option(
    line: str, given: dict[str, object]
) -> None:
    assert given.items() <= parse(["match", *line.split()]).items()


def test_a_pattern_that_no_shell_expanded_stands_for_its_files(tmp_path: Path) -> None:
    for name in ("b.jpg", "a.jpg", "c.png", "odd[1].jpg"):
        (tmp_path / name).touch()
    names = [str(tmp_path / name) for name in ("*.jpg", "odd[1].jpg", "none*.jpg")]
    assert [Path(pattern).name for pattern in expand_patterns(names)] == [
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
    assert main([str(given) if argument == "GIVEN" else argument for argument in arguments]) == 1
    assert "Choose another output file" in capsys.readouterr().err
    assert given.read_bytes() == b"all there is"
