"""What a flick is likely to do, and which are best."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

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


def test_advise_prints_the_best_shots_and_draws_one(tmp_path, capsys) -> None:
    path, plot = tmp_path / "board.json", tmp_path / "best.png"
    path.write_text(json.dumps(BOARD), encoding="utf-8")
    assert main(["advise", str(path), "--team", "blue", "--json", "--plot", str(plot)]) == 0
    shots = json.loads(capsys.readouterr().out)
    assert 1 <= len(shots) <= 3
    assert shots == sorted(shots, key=lambda shot: -shot["points"])
    assert shots[0]["p_foul"] < 0.5
    assert plot.exists()


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
    path = tmp_path / "board.json"
    path.write_text(json.dumps(BOARD | change), encoding="utf-8")
    assert main(["advise", str(path), "--team", "red"]) == 1
    assert words in capsys.readouterr().err
