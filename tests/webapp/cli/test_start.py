"""A command starts without unneeded modules, and can be found, completed and abbreviated."""

from __future__ import annotations

import gc
import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from paths import ROOT, STILLS

from webapp.cli.main import CROKINOLE, main

#: Modules that take a tenth of a second or more to load, or load one that does.
HEAVY = ("numpy", "cv2", "scipy", "numba", "av", "flask", "pydantic", "sqlalchemy", "rich")
PICTURE = str(STILLS / "empty_cherry_board.jpg")


@pytest.mark.parametrize(
    ("arguments", "needed"),
    [
        (["--help"], ()),
        (["--version"], ()),
        (["rules", "nca"], ("rich",)),
        (["match", "list"], ("sqlalchemy",)),
        (["match", "new", "--help"], ()),
        (["watch", "--help"], ()),
        (["score", PICTURE], ("numpy", "cv2", "rich")),
    ],
    ids=lambda value: value[0] if value else None,
)
def test_a_command_loads_only_what_it_needs(
    arguments: list[str], needed: tuple[str, ...], tmp_path: Path
) -> None:
    program = (
        "import atexit, sys; from webapp.cli.main import main;"
        f"atexit.register(lambda: print(*(set({HEAVY}) & set(sys.modules)), file=sys.stderr));"
        f"sys.exit(main({arguments}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"CROKINOLE_DATA": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(done.stderr.split()) == set(needed)


def test_what_a_command_loaded_is_not_looked_through_for_garbage(monkeypatch) -> None:
    monkeypatch.setattr(sys, "argv", ["crokinole", "rules", "nca"])
    try:
        assert main() == 0
        assert gc.isenabled()
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()


def test_the_version_is_the_installed_one(capsys) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"crokinole {version('crokinole-referee')}\n"


def test_help_lists_every_command_in_80_columns(capsys, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["--help"]) == 0
    told = capsys.readouterr().out
    listed = re.findall(r"^  ([a-z]+)  ", told.partition("Commands:")[2], flags=re.MULTILINE)
    assert listed == list(CROKINOLE.commands)
    assert max(len(line) for line in told.splitlines()) <= 80


@pytest.mark.parametrize(
    ("shell", "words"),
    [
        ("bash", "complete -o nosort"),
        ("zsh", "#compdef crokinole"),
        ("fish", "complete --no-files"),
        ("powershell", "Register-ArgumentCompleter"),
        ("tcsh", "complete crokinole 'p@*@"),
    ],
)
def test_every_shell_gets_its_script(shell: str, words: str, capsys) -> None:
    assert main(["--completion", shell]) == 0
    assert words in capsys.readouterr().out


def test_bash_completes_commands_options_and_choices(capsys, tmp_path: Path) -> None:
    main(["--completion", "bash"])
    script, program = tmp_path / "completion", tmp_path / "crokinole"
    script.write_text(capsys.readouterr().out, encoding="utf-8")
    program.write_text(f"#!/bin/sh\ncd {ROOT} && exec {sys.executable} -m webapp\n")
    program.chmod(0o755)

    def complete(*words: str) -> str:
        line = (
            f"source {script}; COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1};"
            "_crokinole_completion crokinole; echo ${COMPREPLY[@]}"
        )
        done = subprocess.run(
            ["bash", "-c", line],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
        )
        return done.stdout.strip()

    assert complete("crokinole", "sc") == "score"
    assert complete("crokinole", "score", "--ov") == "--overlay"
    assert complete("crokinole", "match", "shot", "l") == "legal"


@pytest.mark.parametrize(
    ("line", "words"),
    [("crokinole sc", "score"), ("crokinole match ", "new"), ("crokinole score --ov", "--overlay")],
)
def test_tcsh_completes_the_line_that_it_hands_over(
    line: str, words: str, capsys, monkeypatch
) -> None:
    monkeypatch.setenv("_CROKINOLE_COMPLETE", "tcsh_complete")
    monkeypatch.setenv("COMMAND_LINE", line)
    with pytest.raises(SystemExit) as stop:
        main([])
    assert stop.value.code == 0
    assert capsys.readouterr().out.splitlines()[0] == words
