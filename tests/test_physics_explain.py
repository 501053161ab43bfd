"""Which flick turns one board into another, held by known shots and boards moved by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from test_physics import random_board

import webapp
from scorer.physics.engine import simulate_many
from scorer.physics.inverse import NOISE_MM, BoardPair, Verdict, explain
from scorer.physics.parameters import PhysicsSpec
from scorer.physics.scene import Table
from webapp.cli import main

PAIR: dict[str, Any] = {
    "rules": "nca",
    "options": {},
    "shooter_team": 0,
    "shooter_id": "s",
    "teams": {"s": 0, "a": 1, "b": 1},
    "before": [
        {"id": "s", "x_mm": 0.0, "y_mm": -300.0},
        {"id": "a", "x_mm": 0.0, "y_mm": 200.0},
        {"id": "b", "x_mm": 150.0, "y_mm": -100.0},
    ],
    "after": [
        {"id": "s", "x_mm": -38.8, "y_mm": 188.8, "state": "flat"},
        {"id": "a", "state": "ditch"},
        {"id": "b", "x_mm": 150.0, "y_mm": -100.0, "state": "flat"},
    ],
}


def seen_pair(seed: int) -> tuple[BoardPair, bool]:
    """A shot with the spreads that boards have, seen with noise; and whether it met an opponent."""
    rng = np.random.default_rng(seed)
    _, places, shot = random_board(rng, 8)
    physics = PhysicsSpec(
        friction=0.1 * math.exp(rng.normal(0, 0.05)),
        restitution=float(np.clip(rng.normal(0.85, 0.02), 0, 1)),
        post_restitution=rng.normal(0.75, 0.05),
    )
    shot[4] = rng.normal(0, 5)
    result = simulate_many(Table(physics=physics), places, shot[None])
    opponents = np.arange(8) % 2 == 1
    met = {int(disc) for disc in result.contacts[0, : result.counts[0]].ravel() if disc < 8}
    pair = BoardPair(
        before_mm=places + rng.normal(0, NOISE_MM, places.shape),
        after_mm=result.places_mm[0] + rng.normal(0, NOISE_MM, places.shape),
        states=result.states[0],
        opponents=opponents,
    )
    return pair, any(opponents[disc] for disc in met)


@pytest.fixture(scope="module")
def verdicts() -> list[tuple[Verdict, bool]]:
    pairs = [seen_pair(seed) for seed in range(10)]
    return [(explain(Table(), pair), met) for pair, met in pairs]


def test_most_shots_are_explained_through_noise_and_an_inexact_board(verdicts) -> None:
    # 90% of 200 are asked for; two of 10 leave room for chance.
    assert sum(verdict.explained for verdict, _ in verdicts) >= 8


def test_contact_with_an_opponent_is_called_as_it_was(verdicts) -> None:
    called = [(verdict.p_contact, met) for verdict, met in verdicts if verdict.explained]
    assert sum((p > 0.5) == met for p, met in called) >= len(called) - 1


def test_a_board_moved_by_hand_is_not_explained() -> None:
    explained = 0
    for seed in range(4):
        pair, _ = seen_pair(seed)
        # Two discs that lay apart from each other change places by 40 mm in opposite directions.
        after, flat = pair.after_mm.copy(), np.flatnonzero(pair.states == 0)
        after[flat[-1]] += [40.0, 0.0]
        after[flat[-2]] -= [40.0, 0.0]
        moved = BoardPair(
            before_mm=pair.before_mm,
            after_mm=after,
            states=pair.states,
            opponents=pair.opponents,
        )
        explained += explain(Table(), moved).explained
    assert explained == 0


def test_nothing_moved_is_no_shot() -> None:
    places = np.array([[0.0, -300.0], [0.0, 200.0]])
    pair = BoardPair(
        before_mm=places,
        after_mm=places + 0.3,
        states=np.zeros(2, dtype=np.int8),
        opponents=np.array([False, True]),
    )
    verdict = explain(Table(), pair)
    assert not verdict.explained
    assert verdict.p_contact is None


def written(folder: Path, content: Any) -> str:
    path = folder / "pair.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return str(path)


def test_explain_prints_json_by_its_schema_and_the_same_each_time(tmp_path, capsys) -> None:
    path = written(tmp_path, PAIR)
    assert main(["explain", path, "--json"]) == 0
    first = capsys.readouterr().out
    found = json.loads(first)
    schema = Path(webapp.__file__).parent / "schemas" / "explain.schema.json"
    jsonschema.validate(found, json.loads(schema.read_text(encoding="utf-8")))
    assert found["explained"]
    assert found["p_contact"] > 0.9
    assert ["s", "a"] in found["shots"][0]["contacts"]
    assert found["shots"][0]["misfit_mm"] <= found["shots"][0]["tolerance_mm"]
    assert main(["explain", path, "--json"]) == 0
    assert capsys.readouterr().out == first


def test_explain_tells_a_person(tmp_path, capsys) -> None:
    assert main(["explain", written(tmp_path, PAIR)]) == 0
    assert "An opponent's disc was touched" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"shooter_id": "x"}, ["shooter_id", "'x'"]),
        ({"after": PAIR["after"][:2]}, ["after", "'b'"]),
        ({"teams": {"s": 0}}, ["teams", "'a'"]),
        ({"teams": None}, ["teams", "null"]),
        ({"before": 7}, ["before", "7"]),
        ({"after": 7}, ["after", "7"]),
        ({"colour": 7}, ["colour"]),
        ({"after": [{"id": "q", "state": "flat"}]}, ["after[0].id", "'q'"]),
        ({"after": [{"id": "s", "state": "gone"}]}, ["after[0].state", "'gone'"]),
    ],
)
def test_a_wrong_pair_is_one_sentence_with_field_and_value(
    change: dict[str, Any], words: list[str], tmp_path, capsys
) -> None:
    assert main(["explain", written(tmp_path, PAIR | change), "--json"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.strip().splitlines()) == 1
    for word in words:
        assert word in err
