"""The published schemas match the models, and accept and refuse the same values."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from paths import SCHEMAS
from write_schemas import FORMS, format_schema

from webapp.formats.form import FormError, check_form

FLICK = {"speed_mm_s": 1500, "direction_deg": 91}
SCENE = {
    "board": {"post_count": 8, "line_centres_mm": [[0, 0], [0, 1], [0, 0]]},
    "physics": {"friction": 0.09},
    "discs": [{"id": 1, "x_mm": 0, "y_mm": 200}],
    "shot": {"id": "s", "x_mm": 0, "y_mm": -300, "spin_rad_s": 1, **FLICK},
}
BEFORE = [{"id": "s", "x_mm": 0, "y_mm": -300}, {"id": 2, "x_mm": 0, "y_mm": 150}]
AFTER = [
    {"id": "s", "x_mm": 0, "y_mm": 100, "state": "flat"},
    {"id": 2, "state": "ditch", "x_mm": None, "y_mm": None},
]
BOARDS = {"before": BEFORE, "after": AFTER, "shooter_id": "s"}
TRACK = [{"id": "s", "t_s": 0.1, "x_mm": 0, "y_mm": -200, "sigma_mm": 1.5}]
SCENARIO = {
    **BOARDS,
    "after": [{**AFTER[0], "sigma_mm": 0.5}, AFTER[1]],
    "rules": "nca",
    "options": {"contact": "shooter-only"},
    "shooter_team": "white",
    "teams": {"s": "white", "2": 1},
    "contacts": [["s", 2], [2, "outside"]],
    "shooter_quadrant": 3,
    "first_shot": False,
    "crossed": ["s"],
}
DISC = {"team": 0, "colour": "#c0282d", "colour_name": "red", "x_mm": 1.0, "y_mm": 55.0}
CALL = {"state": "flat", "zone": 15, "margin_mm": 3.0, "sigma_mm": 0.2, "call": "certain"}
UNSCORED = {"reason": "No board.", "needs_review": True, "camera": None, "board": None}
EXAMPLES: dict[str, list[Any]] = {
    "advise": [
        [
            {
                **FLICK,
                "points": 5.0,
                "p_twenty": 0.1,
                "p_stays": 0.9,
                "p_foul": 0.0,
                "target": None,
                "words": "Flick it hard.",
                "scene": SCENE,
            }
        ]
    ],
    "event": [
        {"t_s": 1.0, "type": "motion"},
        {"t_s": 1.0, "type": "bumped", "shift_mm": None},
        {"t_s": 1.0, "type": "twenty", "team": 0, "disc": "red 1", "count": 1},
    ],
    "pair": [{**BOARDS, "teams": {"s": 0, "2": 1}, "track": TRACK, "contacts": None}],
    "position": [{"discs": [{**BEFORE[1], "team": 0}], "start": {"x_mm": 0, "y_mm": -300}}],
    "scenario": [SCENARIO],
    "scene": [SCENE],
    "score": [
        [{"image": "a.jpg", "status": "no_board", **UNSCORED, "discs": [], "totals": []}],
        [
            {
                "image": "a.jpg",
                "status": "scored",
                "reason": None,
                "needs_review": False,
                "camera": {
                    "fx_px": 900.0,
                    "fy_px": 900.0,
                    "cx_px": 500.0,
                    "cy_px": 500.0,
                    "k1": 0.0,
                    "k2": 0.0,
                    "tilt_deg": 30.0,
                },
                "board": {
                    "cam_from_board": {"R": [[1.0, 0.0, 0.0]] * 3, "t_mm": [0.0, 0.0, 900.0]},
                    "residual_px": 0.5,
                    "line_radii_mm": [101.6, 203.2, 304.8],
                    "hole_px": [500.0, 500.0],
                },
                "discs": [{**DISC, **CALL, "foot_px": [500.0, 400.0]}],
                "totals": [{"team": 0, "colour_name": "red", "points": 15, "twenties": 0}],
            }
        ],
    ],
    "shots": [{"shots": [{**BOARDS, "flick": FLICK, "track": TRACK}] * 4}],
}
#: Replacements for values. Whole numbers replace numbers, because no schema distinguishes 1.0 from
#: 1.
OTHERS = (True, -1, 70, "x", "", [], {}, [1], {"a": 1})


@pytest.mark.parametrize("name", FORMS)
def test_a_schema_file_is_what_its_model_says(name: str) -> None:
    """If this fails, run `make schemas`."""
    path = SCHEMAS / f"{name}.schema.json"
    assert json.loads(path.read_text("utf-8")) == json.loads(format_schema(name))


def test_every_schema_file_has_a_form_and_is_a_schema() -> None:
    assert {path.name.split(".")[0] for path in SCHEMAS.glob("*.json")} == set(FORMS)
    for path in SCHEMAS.glob("*.json"):
        jsonschema.Draft202012Validator.check_schema(json.loads(path.read_text("utf-8")))


def _paths(content: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(content, dict | list):
        keys = content if isinstance(content, dict) else range(len(content))
        for key in keys:
            yield from _paths(content[key], (*path, key))


def _change(content: Any, path: tuple[Any, ...]) -> Iterator[tuple[str, Any]]:
    """The content with another value at a place, without it, or with an addition."""
    *above, key = path
    for value in OTHERS:
        changed = copy.deepcopy(content)
        _find(changed, above)[key] = value
        yield f"{path} is {value!r}", changed
    changed = copy.deepcopy(content)
    del _find(changed, above)[key]
    yield f"{path} is left out", changed
    changed = copy.deepcopy(content)
    more = _find(changed, path)
    if isinstance(more, dict):
        more["stray"] = 1
    elif isinstance(more, list) and more:
        more += [more[0]] * 70
    yield f"{path} has more", changed


def _find(content: Any, path: Any) -> Any:
    for key in path:
        content = content[key]
    return content


@pytest.mark.parametrize("name", EXAMPLES)
def test_schema_and_model_take_and_refuse_the_same(name: str) -> None:
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text("utf-8"))
    checker, (_, form) = jsonschema.Draft202012Validator(schema), FORMS[name]
    differing = []
    for example in EXAMPLES[name]:
        checker.validate(example)
        check_form(form, example)
        for path in [path for path in _paths(example) if path]:
            for words, changed in _change(example, path):
                try:
                    check_form(form, changed)
                    is_taken = True
                except FormError:
                    is_taken = False
                if checker.is_valid(changed) != is_taken:
                    differing.append(words)
    assert differing == []
