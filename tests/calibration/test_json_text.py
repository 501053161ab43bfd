"""JSON output: no zero has a sign, and every writer uses this module."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from paths import ROOT

from calibration.json_text import format_json
from webapp.cli.main import main
from webapp.config import Config
from webapp.factory import close_app, create_app

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
#: Files that quote a value in a sentence, store a secret or a list of their own, or write logs.
NO_OUTPUT = {
    "calibration/json_text.py",
    "calibration/profile.py",
    "scorer/match/exchange/csv_file.py",
    "webapp/formats/form.py",
    "webapp/http/logs.py",
    "webapp/http/token.py",
    "webapp/http/webhooks.py",
    "webapp/language/catalogue.py",
    "webapp/language/translated_json.py",
    "webapp/pages/overlay/overlay.py",
}


@settings(max_examples=100)
@given(VALUES)
def test_values_come_back_and_no_zero_has_a_sign(value: Any) -> None:
    text = format_json(value)
    assert json.loads(text) == value
    assert not re.search(r"(?<![\w.\"-])-0\.0\b(?!\")", re.sub(r'"(\\.|[^"\\])*"', '""', text))


def test_every_program_s_json_is_written_this_way() -> None:
    folders = [ROOT / folder for folder in ("calibration", "scorer/match/exchange", "webapp")]
    tools = {"bench", "training", "synthetic"}
    written = {
        str(file.relative_to(ROOT))
        for folder in folders
        for file in folder.rglob("*.py")
        if "json.dumps(" in file.read_text(encoding="utf-8")
        and not tools & set(file.relative_to(ROOT).parts)
    }
    assert written == NO_OUTPUT


SCENE = {
    "discs": [{"id": "x", "x_mm": -0.0, "y_mm": 60.0}],
    "shot": {"id": "s", "x_mm": -0.0, "y_mm": -304.8, "speed_mm_s": 900, "direction_deg": 90},
}
BEFORE = [{"id": "s", "x_mm": -0.0, "y_mm": -304.8}, {"id": "x", "x_mm": 0.0, "y_mm": 150.0}]
SHOT = {
    "rules": "nca",
    "shooter_team": "a",
    "shooter_id": "s",
    "teams": {"s": "a", "x": "b"},
    "before": BEFORE,
    "contacts": None,
    "after": [
        {"id": "s", "x_mm": -0.0, "y_mm": 100.0, "state": "flat"},
        {"id": "x", "x_mm": 200.0, "y_mm": -0.0, "state": "flat"},
    ],
}


@pytest.mark.parametrize(("command", "content"), [("judge", SHOT), ("simulate", SCENE)])
def test_a_command_prints_no_signed_zero(
    command: str, content: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "in.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    assert main([command, "--json", str(file)]) == 0
    printed = capsys.readouterr().out
    assert json.loads(printed)
    assert not re.search(r"-0\.0\b(?!\d)", printed)


def test_the_server_answers_with_no_signed_zero(tmp_path: Path) -> None:
    app = create_app(Config(database=str(tmp_path / "matches.db")))
    try:
        assert json.loads(app.json.dumps({"x_mm": [-0.0, 1.5]})) == {"x_mm": [0.0, 1.5]}
        assert "-0.0" not in app.json.dumps({"x_mm": [-0.0, 1.5]})
    finally:
        close_app(app)
