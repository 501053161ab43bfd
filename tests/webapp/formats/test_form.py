"""A fault of a file is one sentence with its place, the expected value and the actual one."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.formats.form import (
    FormError,
    InputFileError,
    check_form,
    name_file_in_errors,
    read_object,
)
from webapp.formats.scenario import ScenarioForm
from webapp.formats.scene import SceneForm, parse_scene
from webapp.formats.shot_boards import PairForm

DISC = {"id": "a", "x_mm": 0, "y_mm": 100}
SHOT = {"id": "s", "x_mm": 0, "y_mm": -300, "speed_mm_s": 1500, "direction_deg": 91}
NAME = "must be a whole number or a text of 1 to 60 characters"

SCENES: dict[str, tuple[Any, str]] = {
    "no object": ([], "it must be a JSON object, not a list"),
    "a key left out": ({}, "shot: is missing; add it"),
    "a key left out below": ({"shot": {**SHOT, "discs": [{}]}}, "shot.discs: is unknown"),
    "an unknown key": ({"shots": 1}, "shots: is unknown; remove it or correct its name"),
    "a text for a number": (
        {"shot": SHOT, "discs": [DISC, {**DISC, "x_mm": "left"}]},
        "discs[1].x_mm: must be a number, not 'left'",
    ),
    "a truth value for a number": (
        {"shot": {**SHOT, "x_mm": True}},
        "shot.x_mm: must be a number, not true",
    ),
    "no finite number": (
        {"shot": {**SHOT, "x_mm": float("inf")}},
        "shot.x_mm: must be a number, not Infinity",
    ),
    "a number that no double holds": (
        {"shot": {**SHOT, "x_mm": 10**400}},
        "shot.x_mm: must be a number, not a very large number",
    ),
    "too much": (
        {"shot": {**SHOT, "speed_mm_s": 1e6}},
        "shot.speed_mm_s: must be at most 20000, not 1e+06",
    ),
    "an object for a name": ({"shot": {**SHOT, "id": {}}}, f"shot.id: {NAME}, not an object"),
    "a truth value for a name": ({"shot": {**SHOT, "id": True}}, f"shot.id: {NAME}, not true"),
    "an empty name": ({"shot": {**SHOT, "id": ""}}, f"shot.id: {NAME}, not ''"),
    "a long name": ({"shot": {**SHOT, "id": "a" * 500}}, f"shot.id: {NAME}, not '{'a' * 59}…'"),
    "a name over lines": (
        {"shot": {**SHOT, "x_mm": "a\nb"}},
        "shot.x_mm: must be a number, not 'a\\nb'",
    ),
    "half a post": (
        {"shot": SHOT, "board": {"post_count": 2.5}},
        "board.post_count: must be a whole number, not 2.5",
    ),
    "a line too few": (
        {"shot": SHOT, "board": {"line_radii_mm": [101.6, 203.2]}},
        "board.line_radii_mm[2]: is missing; add it",
    ),
    "a centre that is no point": (
        {"shot": SHOT, "board": {"line_centres_mm": [[0, "x"], [0, 0], [0, 0]]}},
        "board.line_centres_mm[0][1]: must be a number, not 'x'",
    ),
    "friction out of its range": (
        {"shot": SHOT, "physics": {"friction": 0}},
        "physics.friction: must be at least 0.005, not 0",
    ),
    "sizes that do not fit": (
        {"shot": SHOT, "board": {"hole_radius_mm": 200}},
        "board: board radii must grow outward",
    ),
}


@pytest.mark.parametrize(("content", "sentence"), list(SCENES.values()), ids=list(SCENES))
def test_a_fault_is_named_with_its_place(content: Any, sentence: str) -> None:
    with pytest.raises(FormError) as error:
        parse_scene(content)
    assert str(error.value).startswith(sentence)


def test_a_near_choice_is_offered() -> None:
    with pytest.raises(FormError, match=r"not 'ncaa'; did you mean nca\?$"):
        check_form(ScenarioForm, {"rules": "ncaa"})


def test_an_alternative_is_named_by_what_the_file_says() -> None:
    """A disc after a shot has one of two models, whose names must not be in the sentence."""
    for state, words in (
        ("gone", "after[0].state: must be one of flat, leaning, overhanging, in_hole, ditch, not"),
        ([], "after[0].state: must be one of flat"),
        ("leaning", "after[0].x_mm: is missing; add it"),
    ):
        content = {"before": [], "after": [{"id": "a", "state": state}], "shooter_id": "a"}
        with pytest.raises(FormError) as error:
            check_form(PairForm, {**content, "teams": {}})
        assert str(error.value).startswith(words)


def test_a_list_without_end_is_refused_before_its_entries_are_looked_at() -> None:
    many = [{**DISC, "id": k} for k in range(200_000)]
    began = time.perf_counter()
    with pytest.raises(FormError, match="discs: must have at most 24 entries, not 200000"):
        parse_scene({"shot": SHOT, "discs": many})
    assert time.perf_counter() - began < 0.1  # one at a time, they take a second


def test_8_posts_may_be_written_with_a_point_and_null_leaves_a_place_out() -> None:
    shot = {**SHOT, "id": "a", "x_mm": None, "y_mm": None}
    scene = parse_scene({"discs": [DISC], "shot": shot, "board": {"post_count": 8.0}})
    assert scene.table.board.post_count == 8
    assert (scene.shot.x_mm, scene.shot.y_mm) == (0.0, 100.0)


def test_other_commands_keys_of_a_disc_are_not_read() -> None:
    disc = {**DISC, "team": 1, "zone": 15}
    assert parse_scene({"shot": SHOT, "discs": [disc]}).discs[0].id == "a"


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


@settings(max_examples=150)
@given(ANYTHING, st.sampled_from([*SHOT, "discs", "board", "physics", "shot", "other"]))
def test_any_value_anywhere_is_read_or_refused_in_one_short_line(value: Any, key: str) -> None:
    content = {"discs": [DISC], "shot": {**SHOT, key: value} if key in SHOT else SHOT}
    content = content if key in SHOT else {**content, key: value}
    try:
        sentence = repr(check_form(SceneForm, content).shot.id)
    except FormError as error:
        sentence = str(error)
    assert len(sentence) < 220
    assert sentence.isprintable()


@pytest.mark.parametrize("content", [b"", b"{", b"[" * 100_000, b"[1]"])
def test_a_file_that_holds_no_object_is_named(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "notes.json"
    path.write_bytes(content)
    with pytest.raises(InputFileError) as error:
        read_object(path)
    assert str(error.value).startswith(f"{path}: it ")
    assert str(error.value).endswith(".")
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputFileError, match="not a text file"):
        read_object(path)


def test_what_is_wrong_with_a_files_content_is_one_line_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "shot.json"
    for raised, told in (("a\nb", "a b."), ("Mend it.", "Mend it."), ("did you?", "did you?")):
        with pytest.raises(InputFileError) as error, name_file_in_errors(path):
            raise ValueError(raised)
        assert str(error.value) == f"{path}: {told}"


def test_asking_for_help_loads_no_forms() -> None:
    program = (
        "import sys; from webapp.cli.main import main; main(['judge', '--help']);"
        "sys.exit('pydantic' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_scene_survives_the_trip_through_text() -> None:
    content = {"discs": [DISC], "shot": SHOT, "physics": {"friction": 0.09}}
    form = check_form(SceneForm, content)
    again = json.loads(form.model_dump_json(exclude_unset=True, serialize_as_any=True))
    assert again == content
