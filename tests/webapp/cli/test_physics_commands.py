"""The physics on the command line, for people and for programs."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import numba
import pytest
from paths import SCHEMAS
from PIL import Image

from bench import physics as bench_physics
from calibration.board import BoardSpec
from calibration.disc import DiscSpec
from calibration.profile import CalibrationProfile, save_profile
from webapp.cli.compile_notice import announce_compilation
from webapp.cli.main import main

SCENE: dict[str, Any] = {
    "physics": {"friction": 0.09},
    "discs": [{"id": 1, "x_mm": 0, "y_mm": 200}, {"id": "b", "x_mm": 100, "y_mm": -100}],
    "shot": {"id": "s", "x_mm": 0, "y_mm": -300, "speed_mm_s": 1500, "direction_deg": 91},
}


def schema(name: str) -> Any:
    return json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))


def written(folder: Path, content: Any) -> str:
    path = folder / "scene.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return str(path)


def test_simulate_prints_json_by_its_schema(tmp_path, capsys) -> None:
    jsonschema.validate(SCENE, schema("scene"))
    assert main(["simulate", written(tmp_path, SCENE), "--json"]) == 0
    outcome = json.loads(capsys.readouterr().out)
    jsonschema.validate(outcome, schema("simulate"))
    assert {disc["id"] for disc in outcome["discs"]} == {"s", "1", "b"}
    assert any(contact["b"] == "1" for contact in outcome["contacts"])


def test_simulate_tells_a_person_what_happens(tmp_path, capsys) -> None:
    assert main(["simulate", written(tmp_path, SCENE)]) == 0
    out = capsys.readouterr().out
    assert "s hits 1" in out
    assert "disc b: flat at (100.0, -100.0) mm" in out


def test_simulate_says_so_where_the_profile_knows_no_disc(tmp_path, capsys) -> None:
    profile = tmp_path / "board.json"
    for disc, words in ((None, "has no disc sizes"), (DiscSpec(), "")):
        save_profile(CalibrationProfile(board=BoardSpec(), disc=disc), profile)
        scene = written(tmp_path, SCENE)
        assert main(["simulate", scene, "--json", "--profile", str(profile)]) == 0
        told = capsys.readouterr()
        assert json.loads(told.out)["discs"]
        assert words in told.err
        assert ("31.8 ± 2.4 mm across" in told.err) == bool(words)


def test_simulate_draws_the_shot_and_its_animation(tmp_path) -> None:
    plot, film = tmp_path / "shot.png", tmp_path / "shot.gif"
    scene = written(tmp_path, SCENE)
    assert main(["simulate", scene, "--plot", str(plot), "--animate", str(film)]) == 0
    with Image.open(plot) as picture:
        assert picture.size == (1000, 1000)
        quadrant_line = [picture.getpixel((x, 1000 - x)) for x in (740, 741, 742)]
        assert min(sum(pixel) for pixel in quadrant_line) < 400
    with Image.open(film) as frames:
        assert frames.n_frames > 20


def test_discs_are_drawn_in_their_sides_colours(tmp_path) -> None:
    plot = tmp_path / "shot.png"
    discs = [{**SCENE["discs"][0], "team": "green"}, {**SCENE["discs"][1], "team": "black"}]
    scene = SCENE | {"discs": discs, "shot": SCENE["shot"] | {"team": "green"}}
    assert main(["simulate", written(tmp_path, scene), "--plot", str(plot)]) == 0
    with Image.open(plot) as picture:
        red, green, blue = picture.getpixel((635, 650))  # the upper edge of b, next to its name
        assert max(red, green, blue) < 60
        red, green, blue = picture.getpixel((27, 53))  # the legend's second side
        assert green > red + 40


def test_compilation_is_announced_when_it_happens_and_never_else(capsys) -> None:
    once = numba.njit(lambda value: value + 1)
    for words in (
        "Preparing the physics engine. This happens once and takes up to 30 seconds.\n",
        "",
    ):
        with announce_compilation():
            assert once(1) == 2
        assert capsys.readouterr().err == words


def wrong(**changes: Any) -> dict[str, Any]:
    scene = copy.deepcopy(SCENE)
    for key, value in changes.items():
        part, _, field = key.partition("__")
        if field:
            scene.setdefault(part, {})[field] = value
        else:
            scene[part] = value
    return scene


def disc(name: Any, x: Any, y: Any) -> dict[str, Any]:
    return {"id": name, "x_mm": x, "y_mm": y}


@pytest.mark.parametrize(
    ("scene", "words"),
    [
        (wrong(discs=[disc("a", 0, 100), disc("b", 20, 100)]), ["a", "overlaps", "b", "11.8"]),
        (wrong(discs=[disc("a", 400, 0)]), ["disc a", "(400, 0)", "330.2"]),
        (wrong(discs=[disc("a", float("nan"), 0)]), ["discs[0].x_mm", "NaN"]),
        (wrong(discs=[disc("a", "left", 0)]), ["discs[0].x_mm", "left"]),
        (wrong(discs=[disc("a", 0, 100), disc("a", 0, 200)]), ["'a'", "2 times"]),
        (wrong(discs=[disc(k, 0, 0) for k in range(40)]), ["discs: ", "24", "40"]),
        (wrong(disc__radius_mm=-15), ["disc.radius_mm", "-15"]),
        (wrong(board__post_radius_mm=-4), ["board.post_radius_mm", "-4"]),
        (wrong(board__post_count=2.5), ["board.post_count", "2.5"]),
        (wrong(physics__friction=0), ["friction", "not 0"]),
        (wrong(physics__fricton=0.1), ["fricton", "unknown"]),
        (wrong(shot__speed_mm_s=1e6), ["shot.speed_mm_s", "1e+06"]),
        (wrong(shot__spin_rad_s=1e6), ["shot.spin_rad_s", "1e+06"]),
        (wrong(shot__direction_deg=None), ["shot.direction_deg"]),
        (wrong(shot={"id": "x", "speed_mm_s": 1, "direction_deg": 0}), ["shooter", "'x'"]),
        (wrong(shot=3), ["shot"]),
        (wrong(discs=3), ["discs", "3"]),
        ([], ["JSON object"]),
    ],
)
def test_a_wrong_scene_is_one_sentence_with_field_and_value(
    scene: Any, words: list[str], tmp_path, capsys
) -> None:
    assert main(["simulate", written(tmp_path, scene), "--json"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.strip().splitlines()) == 1
    for word in words:
        assert word in err


@pytest.mark.parametrize("content", ["", "{", "[1]"])
def test_a_file_that_is_no_scene_is_named(content: str, tmp_path, capsys) -> None:
    path = tmp_path / "notes.json"
    path.write_text(content, encoding="utf-8")
    assert main(["simulate", str(path)]) == 1
    assert str(path) in capsys.readouterr().err
    assert main(["simulate", str(tmp_path / "none.json")]) == 1


def test_bench_physics_says_how_fast_and_what_it_lacks(monkeypatch, capsys) -> None:
    monkeypatch.setattr(bench_physics, "_BOARDS", 1)
    monkeypatch.setattr(bench_physics, "_SHOTS", 20)
    monkeypatch.setitem(sys.modules, "pymunk", None)
    assert main(["bench", "physics", "--json"]) == 0
    out, err = capsys.readouterr()
    assert [line["discs"] for line in json.loads(out)] == [2, 12, 24]
    assert "witness" in err


def test_bench_explain_says_how_many_shots_are_explained(capsys) -> None:
    assert main(["bench", "explain", "--shots", "1", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["shots"] == 1
    assert figures["explained"] == 1.0
    assert figures["hand_explained"] == 0
    assert all(0 <= row["happened"] <= 1 for row in figures["contact"] + figures["grazes"])


def test_bench_explain_needs_a_shot(capsys) -> None:
    assert main(["bench", "explain", "--shots", "0"]) == 2
    assert "'--shots': must be 1 or more, not 0." in capsys.readouterr().err


def test_no_help_loads_the_compiler() -> None:
    program = (
        "import sys; from webapp.cli.main import CROKINOLE, main;"
        "[main([name, '--help']) for name in CROKINOLE.commands];"
        "sys.exit('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.DEVNULL, check=False)
    assert done.returncode == 0
