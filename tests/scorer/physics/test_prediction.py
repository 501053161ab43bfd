"""What a flick is likely to do, and which are best."""

from __future__ import annotations

import json
import math
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from paths import SCHEMAS

from scorer.physics.prediction import Skill, advise, forecast
from scorer.physics.scene import TableSpec
from webapp.cli.main import main

START = np.array([0.0, -304.8])
BOARD = {
    "discs": [
        {"id": "a", "team": "red", "x_mm": 0, "y_mm": -60},
        {"id": "b", "team": "blue", "x_mm": 150, "y_mm": 50},
    ]
}


def schema(name: str) -> dict[str, object]:
    content: dict[str, object] = json.loads(
        (SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8")
    )
    return content


def straight(speed: float) -> np.ndarray:
    return np.array([*START, speed, math.pi / 2, 0.0])


def test_a_steady_hand_makes_the_twenty_that_a_shaky_one_misses() -> None:
    places, own = START[None], np.array([True])
    steady = forecast(TableSpec(), places, own, straight(950), Skill(aim_mrad=1, speed_ratio=0.01))
    shaky = forecast(TableSpec(), places, own, straight(950), Skill(aim_mrad=60))
    assert steady.twenty > 0.95
    assert shaky.twenty < steady.twenty - 0.3


def test_a_shot_that_meets_no_opponent_is_a_foul() -> None:
    places, own = np.array([START, [250.0, 0.0]]), np.array([True, False])
    assert forecast(TableSpec(), places, own, straight(700), Skill()).foul == 1.0


def test_on_an_open_board_the_best_shot_goes_for_the_hole() -> None:
    best = advise(TableSpec(), np.empty((0, 2)), np.zeros(0, dtype=bool), START, Skill(aim_mrad=3))[
        0
    ]
    assert best.twenty > 0.5
    assert best.points > 15


def advised(folder: Path, board: object, *more: str, team: str = "blue") -> int:
    path = folder / "board.json"
    path.write_text(json.dumps(board), encoding="utf-8")
    return main(["advise", str(path), "--team", team, *more])


def test_what_advise_prints_is_simulated_as_it_is_told(tmp_path, capsys) -> None:
    plot, drawn = tmp_path / "best.png", tmp_path / "shot.png"
    assert advised(tmp_path, BOARD, "--json", "--plot", str(plot)) == 0
    text = capsys.readouterr().out
    shots = json.loads(text)
    jsonschema.validate(shots, schema("advise"))
    assert 1 <= len(shots) <= 3
    assert shots == sorted(shots, key=lambda shot: -shot["points"])
    assert shots[0]["p_foul"] < 0.5
    advice = tmp_path / "advice.json"
    advice.write_text(text, encoding="utf-8")
    scene = shots[0]["scene"]
    jsonschema.validate(scene, schema("scene"))
    assert (scene["shot"]["x_mm"], scene["shot"]["y_mm"]) == tuple(START)
    assert main(["simulate", str(advice), "--json", "--plot", str(drawn)]) == 0
    met = {contact["b"] for contact in json.loads(capsys.readouterr().out)["contacts"]}
    assert shots[0]["target"] in met
    assert drawn.read_bytes() == plot.read_bytes()
    assert main(["simulate", str(advice), "--shot", "9"]) == 1
    assert f"--shot must lie between 1 and {len(shots)}, not 9" in capsys.readouterr().err


def test_advice_says_where_to_place_the_disc_and_at_what_to_aim(tmp_path, capsys) -> None:
    assert advised(tmp_path, BOARD, team="red") == 0
    words = " ".join(capsys.readouterr().out.split())
    assert (
        "1. Place the disc on the line in the middle of your quadrant: (0.0, -304.8) mm." in words
    )
    assert "Aim at b (blue)," in words
    assert "right of the centre" in words
    assert advised(tmp_path, BOARD | {"start": {"x_mm": 60, "y_mm": -298}}, team="red") == 0
    words = " ".join(capsys.readouterr().out.split())
    assert "60 mm right of your quadrant's middle: (60.0, -298.0) mm." in words


def test_a_team_that_nobody_has_is_refused_with_those_that_play(tmp_path, capsys) -> None:
    assert advised(tmp_path, BOARD, team="green") == 1
    told = capsys.readouterr().err
    assert "--team green has no disc on this board; choose from blue, red." in told


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"start": 3}, "start"),
        ({"start": {"x_mm": 0, "y_mm": 900}}, "900"),
        ({"discs": [{"id": "a", "x_mm": 0, "y_mm": 90}]}, "team"),
        ({"colour": 1}, "colour"),
    ],
)
def test_a_wrong_board_is_one_sentence(change, words, tmp_path, capsys) -> None:
    assert advised(tmp_path, BOARD | change, team="red") == 1
    assert words in capsys.readouterr().err
