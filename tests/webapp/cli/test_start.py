"""A command starts without what it does not need, and can be found, completed and named."""

from __future__ import annotations

import gc
import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from paths import STILLS

from webapp.cli.main import COMMANDS, main

#: Each takes a tenth of a second or more to load, or comes with something that does.
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
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out == f"crokinole {version('crokinole-referee')}\n"


def test_help_lists_every_command_in_80_columns(capsys, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main(["--help"])
    told = capsys.readouterr().out
    listed = re.findall(r"^    ([a-z]+)", told, flags=re.MULTILINE)
    assert listed == list(COMMANDS)
    assert max(len(line) for line in told.splitlines()) <= 80


def test_bash_completes_commands_and_options(capsys, tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        main(["--completion", "bash"])
    script = tmp_path / "completion"
    script.write_text(capsys.readouterr().out, encoding="utf-8")

    def complete(*words: str) -> str:
        line = (
            f"source {script}; COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1};"
            "_shtab_crokinole; echo ${COMPREPLY[@]}"
        )
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    assert complete("crokinole", "sc") == "score"
    assert complete("crokinole", "score", "--ov") == "--overlay"
