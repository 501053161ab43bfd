"""The command line, for people and for programs."""

from __future__ import annotations

import inspect
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from pkgutil import resolve_name

import jsonschema
import pytest
from command_lines import list_commands, parse
from paths import SCHEMAS, read_documentation
from PIL import Image
from plain_wall import write_wall

import sample_images
from bench.photos import measure_photos, print_figures, stills_folder
from calibration.board import BoardSpec
from calibration.disc import DiscSpec
from calibration.profile import CalibrationProfile, save_profile
from sample_images.renderer.picture_truth import load_pictures_with_truth
from webapp.cli.command import Command
from webapp.cli.commands import bench
from webapp.cli.main import main

STILLS = sorted((Path(sample_images.__file__).parent / "stills").glob("*.jpg"))
DOCUMENTATION = read_documentation()


@pytest.fixture
def board_picture() -> str:
    """A sample picture with discs on its board that is read quickly."""
    return str(stills_folder() / "twenty_in_the_hole.jpg")


@pytest.fixture
def plain_picture(tmp_path: Path) -> str:
    """A readable picture without a board."""
    return str(write_wall(tmp_path))


def test_json_output_is_json_by_its_schema_and_nothing_else(board_picture, capsys) -> None:
    assert main(["score", board_picture, "--json"]) == 0
    out, err = capsys.readouterr()
    schema = SCHEMAS / "score.schema.json"
    entries = json.loads(out)
    jsonschema.validate(entries, json.loads(schema.read_text(encoding="utf-8")))
    assert [entry["image"] for entry in entries] == [board_picture]
    assert err == ""


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_a_picture_from_standard_input_is_scored(name: str, board_picture: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "webapp", "score", name, "--json"],
        input=Path(board_picture).read_bytes(),
        capture_output=True,
        check=True,
    )
    (entry,) = json.loads(done.stdout)
    assert (entry["image"], entry["status"]) == (name, "scored")


@pytest.mark.parametrize("line", ["simulate - --json", "match import -"])
def test_a_file_of_text_from_standard_input_is_read(line: str, tmp_path: Path, capsys) -> None:
    if line.startswith("match"):
        database = ["match", "--db", str(tmp_path / "m.db")]
        main([*database, "new", "Ann", "Bob"])
        capsys.readouterr()
        main([*database, "export"])
        given, line = capsys.readouterr().out, f"match --db {tmp_path}/other.db import -"
    else:
        given = json.dumps(
            {
                "discs": [],
                "shot": {
                    "id": "s",
                    "x_mm": 0,
                    "y_mm": -300,
                    "speed_mm_s": 1000,
                    "direction_deg": 90,
                },
            }
        )
    done = subprocess.run(
        [sys.executable, "-m", "webapp", *shlex.split(line)],
        input=given,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ("imported" if "import" in line else '"discs"') in done.stdout


def test_two_pictures_of_a_board_make_one_score(
    board_picture, plain_picture, tmp_path, capsys
) -> None:
    folder = tmp_path / "calls"
    command = ["score", board_picture, "--beside", plain_picture, "--overlay", str(folder)]
    assert main(command) == 1  # the second shows no board, and the first is scored anyway
    out, err = capsys.readouterr()
    assert "Total: " in out
    assert "was left out" in out
    assert plain_picture in err
    assert len(list(folder.iterdir())) == 1


def test_a_table_is_what_a_person_gets(board_picture, capsys) -> None:
    assert main(["score", board_picture]) == 0
    out, _ = capsys.readouterr()
    assert "margin, mm" in out
    assert "Total: " in out


def test_bad_images_are_named_and_the_others_still_scored(
    board_picture, plain_picture, tmp_path, capsys
) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("twenty!", encoding="utf-8")
    images = [str(tmp_path / "nowhere.jpg"), str(text), board_picture, str(tmp_path), plain_picture]
    assert main(["score", *images, "--json"]) == 1
    out, err = capsys.readouterr()
    assert [entry["status"] for entry in json.loads(out)] == [
        "unreadable",
        "unreadable",
        "scored",
        "unreadable",
        "no_board",
    ]
    sentences = err.strip().splitlines()
    assert len(sentences) == 4
    for image, sentence in zip([*images[:2], *images[3:]], sentences, strict=True):
        assert sentence.startswith(f"crokinole: {image}: ")
        assert sentence.endswith(".")


def test_overlays_are_written_each_under_its_own_name(board_picture, tmp_path, capsys) -> None:
    folder = tmp_path / "calls" / "today"
    assert main(["score", board_picture, board_picture, "--overlay", str(folder)]) == 0
    stem = Path(board_picture).stem
    written = sorted(path.name for path in folder.iterdir())
    assert written == sorted([f"{stem}_scored.jpg", f"{stem}_2_scored.jpg"])
    with Image.open(folder / written[0]) as picture:
        assert max(picture.size) <= 2000
    assert f"{stem}_2_scored.jpg" in capsys.readouterr().out.replace("\n", "")


def test_text_in_a_pipe_is_not_wrapped_and_tables_obey_columns(monkeypatch, capsys) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    assert main(["rules", "nca"]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) > 100
    assert main(["rules", "nca", "mayday"]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 50
    monkeypatch.delenv("COLUMNS")
    assert main(["rules", "nca", "mayday"]) == 0
    assert 80 < max(map(len, capsys.readouterr().out.splitlines())) <= 160


def test_a_picture_without_a_board_gets_no_overlay(plain_picture, tmp_path) -> None:
    folder = tmp_path / "calls"
    assert main(["score", plain_picture, "--overlay", str(folder)]) == 1
    assert list(folder.iterdir()) == []


def test_an_overlay_folder_that_cannot_be_made_is_told(plain_picture, capsys) -> None:
    assert main(["score", plain_picture, "--overlay", plain_picture]) == 1
    assert "cannot be created" in capsys.readouterr().err


def test_a_profile_is_used(board_picture, tmp_path, capsys) -> None:
    path = tmp_path / "profile.json"
    save_profile(CalibrationProfile(board=BoardSpec(), disc=DiscSpec()), path)
    assert main(["score", board_picture, "--profile", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["status"] == "scored"


def test_a_profile_that_cannot_be_used_stops_the_command(board_picture, tmp_path, capsys) -> None:
    path = tmp_path / "profile.json"
    path.write_text('{"version": 99}', encoding="utf-8")
    assert main(["score", board_picture, "--profile", str(path)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "version is 99" in err


@pytest.mark.parametrize("name", ["mayday", "cogitate", "traditional", "family", "nca"])
def test_all_five_rule_sets_are_known_by_name(name: str, plain_picture) -> None:
    assert main(["score", plain_picture, "--rules", name]) == 1  # there is no board in it


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["score"],
        ["score", "a.jpg", "--rules", "calvinball"],
        ["score", "a.jpg", "--frobnicate"],
        ["referee"],
    ],
)
def test_wrong_usage_exits_with_two(arguments: list[str], capsys) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Score every disc in a photo of the board"),
        (["match"], "Undo the last entry"),
        (["scroe"], "Try 'crokinole --help' for help."),
        (["scroe"], "No such command 'scroe'. Did you mean 'score'?"),
        (["score", "a.jpg", "--rules", "bridge"], "'bridge' is not one of 'mayday', 'cogitate'"),
    ],
)
def test_wrong_usage_is_told_what_was_meant(arguments: list[str], words: str, capsys) -> None:
    assert main(arguments) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("score a b --beside c", "Leave out the others"),
        ("score a --jobs 2 --overlay calls", "cannot be used with --jobs"),
        (
            "score a --jobs 2 --cluster tcp://host:1",
            "--cluster cannot be used with --jobs",
        ),
        ("watch a b", "--jobs"),
        ("watch a --beside-offset 1", "Give it with --second-camera"),
        ("watch a b --jobs 2 --beside c", "--second-camera"),
        ("watch a --overlay-video b.mp4 --serve", "--overlay-video and --serve cannot"),
        ("review a --video out.avi", "must end in .mp4"),
        ("review a --no-video --video x.mp4", "--no-video and --video cannot"),
        ("rules foo", "There is no rule set 'foo'"),
        ("rules nca mayday cogitate", "at most two rule sets"),
        ("serve --allow-site foo", "https://club.example"),
        ("serve --beside 1", "--source"),
        ("match --db m.db new Ann Bob --option nope=1", "nope"),
        ("match --db m.db new Ann Bob --option nope", "Use NAME=VALUE"),
        ("match --db m.db add --foul Ann rude", "There is no foul rude"),
        ("match --db m.db add --ruling one so", "must be a whole number, not 'one'"),
        ("match --db m.db shot foul --fault rude", "There is no fault 'rude'"),
        ("bench --parameters nosuch", "board, camera"),
        ("bench --parameters zone", "did you mean zones?"),
    ],
)
def test_arguments_that_cannot_go_together_are_wrong_usage(
    line: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    if line.startswith("match"):
        main(["match", "--db", "m.db", "new", "Ann", "Bob"])
    code = main(line.split())
    told = capsys.readouterr().err
    assert (code, " … " in told) == (2, False), told
    assert words in told


@pytest.mark.parametrize("command", ["score", "bench"])
def test_every_command_explains_itself(command: str, capsys) -> None:
    assert main([command, "--help"]) == 0
    assert f"Usage: crokinole {command} " in capsys.readouterr().out


def test_bench_tells_accuracy_and_speed_of_a_folder_as_json(tmp_path, capsys) -> None:
    write_wall(tmp_path, "wall.jpg")
    shutil.copy(stills_folder() / "no_board_rubber_duck.json", tmp_path / "wall.json")
    assert main(["bench", "--truth", str(tmp_path), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert len(result["images"]) == result["summary"]["images"] == 1
    assert result["speed"]["peak_memory_mb"] > 0
    assert result["speed"]["phone_ratio"] is None


def test_bench_times_the_fullest_board_as_a_phone_takes_it(board_picture, capsys) -> None:
    work = [
        picture
        for picture in load_pictures_with_truth(stills_folder())
        if str(picture[0]) == board_picture
    ]
    figures = measure_photos(work, phone_runs=1)
    print_figures(figures, as_json=True)
    told = json.loads(capsys.readouterr().out)["speed"]
    assert told["phone_ratio"] > 0
    assert min(told["phone_ms"], told["median_ms"]) > 0
    print_figures(figures, as_json=False)
    out = capsys.readouterr().out
    for words in ("exact totals", "stage decode, median", "times decoding it", "peak memory"):
        assert words in out


def test_bench_outside_a_copy_of_the_repository_says_where_it_works(
    tmp_path, monkeypatch, capsys
) -> None:
    monkeypatch.setattr(bench, "_BENCHES_FOLDER", tmp_path)
    assert main(["bench"]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "copy of the repository" in printed.err


def test_bench_knows_where_the_sample_pictures_are() -> None:
    assert len(STILLS) >= 10
    assert [path for path, _ in load_pictures_with_truth(stills_folder())] == STILLS


@pytest.mark.parametrize("kind", ["missing", "empty"])
def test_bench_says_what_a_folder_lacks(kind: str, tmp_path, capsys) -> None:
    folder = tmp_path / "nowhere" if kind == "missing" else tmp_path
    assert main(["bench", "--truth", str(folder)]) == 1
    assert str(folder) in capsys.readouterr().err


def test_the_installed_command_runs(plain_picture) -> None:
    done = subprocess.run(
        [Path(sys.executable).parent / "crokinole", "score", plain_picture, "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert json.loads(done.stdout)[0]["status"] == "no_board"
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(("asked", "used"), [(None, "1"), ("3", "3")])
def test_matrices_are_not_shared_out_over_threads_unless_asked(
    asked: str | None, used: str
) -> None:
    told = {key: value for key, value in os.environ.items() if key != "OPENBLAS_NUM_THREADS"}
    said = (
        "import webapp, os, sys; print(os.environ['OPENBLAS_NUM_THREADS'], 'numpy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", said],
        env=told | ({"OPENBLAS_NUM_THREADS": asked} if asked else {}),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [used, "False"]


@pytest.mark.parametrize(
    "line",
    [
        "score none.jpg",
        f"score {STILLS[0]} --profile none.json",
        "watch none.mp4",
        "review none.mp4",
        "calibrate none.jpg --out my.json",
        "judge none.json",
        "match --db m.db import none.json",
        "simulate none.json",
        "explain none.json",
        "advise none.json --team red",
        "speed none.json",
        "bench --truth none.folder",
        "serve --profile none.json",
        "watch none.mp4 --serve --profile none.json",
    ],
)
def test_a_missing_file_is_told_in_the_same_words_everywhere(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(line.split()) == 1
    told = capsys.readouterr().err
    assert re.fullmatch(r"crokinole: none\.\w+: (File|Folder) not found\. .+\.\n", told)


def test_every_example_of_the_documentation_is_understood() -> None:
    examples = re.findall(
        r"^crokinole (?!--)(.+?)(?:\s+[#>].*)?$", DOCUMENTATION, flags=re.MULTILINE
    )
    assert len(examples) >= 5
    for example in examples:
        parse(shlex.split(example))


def _examples() -> list[tuple[str, str]]:
    return [
        (ctx.command_path, typed)
        for ctx in list_commands()
        for typed, _ in getattr(ctx.command, "examples", ())
    ]


@pytest.mark.parametrize(("path", "typed"), _examples())
def test_an_example_of_a_help_is_of_that_command_and_is_understood(path: str, typed: str) -> None:
    words = shlex.split(typed.partition("| ")[2] or typed.partition(" > ")[0])
    assert " ".join(words).startswith(path)
    if "--help" not in words:
        parse(words[1:])


@pytest.mark.parametrize("path", ["crokinole judge", "crokinole advise"])
def test_the_first_example_of_a_help_works_as_it_is_typed(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    typed = next(typed for of, typed in _examples() if of == path)
    assert main(shlex.split(typed)[1:]) == 0
    assert capsys.readouterr().out.startswith(("Foul.", "1. Place the disc at "))
    (tmp_path / "example_shot.json").write_text("{}")  # a user's own file takes precedence
    assert main(["judge", "example_shot.json"]) == 1


def test_every_help_has_examples_and_exit_codes_in_80_columns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for ctx in list_commands():
        told = ctx.get_help()
        assert "Examples:\n  crokinole " in told
        assert "Exit codes: 0 success; 1 failure" in told
        assert [line for line in told.splitlines() if len(line) > 80] == []


def test_what_a_command_does_is_there_and_takes_what_its_options_give() -> None:
    commands = [ctx.command for ctx in list_commands() if isinstance(ctx.command, Command)]
    assert len(commands) > 20
    for command in commands:
        work = resolve_name(f"webapp.cli.commands.{command.work}")
        signature = inspect.signature(inspect.unwrap(work))
        given = {param.name: None for param in command.params if param.expose_value}
        signature.bind(**given)


def test_every_option_stands_in_the_documentation() -> None:
    options = {
        name
        for ctx in list_commands()
        for param in ctx.command.params
        for name in param.opts
        if name.startswith("--")
    }
    assert [name for name in sorted(options) if name not in DOCUMENTATION] == []
