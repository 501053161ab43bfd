"""A request that a program repeats because it got no answer counts once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from match_database import take_back_to_1_2

from scorer.store import Store
from webapp.config import Config
from webapp.factory import close_app, create_app
from webapp.services import services_of

SETUP = {"rules": "nca", "players": ["Ann", "Bob"], "colours": ["red", "black"]}
ROUND = {"type": "round_scored", "points": [40, 0]}


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    made = create_app(Config(database=str(tmp_path / "m.db"), is_rate_limit_off=True))
    yield made
    close_app(made)


def post(app: Flask, path: str, sent: dict[str, Any], key: str | None = None) -> Any:
    headers = {"Authorization": f"Bearer {services_of(app).secret.token}"}
    if key is not None:
        headers["Idempotency-Key"] = key
    return app.test_client().post(f"/api/v1/{path}", json=sent, headers=headers)


def test_a_round_that_is_sent_again_counts_once(app: Flask) -> None:
    post(app, "matches", SETUP)
    with ThreadPoolExecutor(4) as programs:
        sent = [programs.submit(post, app, "matches/1/events", ROUND, "a") for _ in range(8)]
        answers = [task.result() for task in sent]
    assert {answer.status_code for answer in answers} == {201}
    assert {answer.json["events"] for answer in answers} == {2}
    small = {"type": "twenty_counted", "side": 0}
    keys = ("b", "b", None, None)
    events = [post(app, "matches/1/events", small, key).json["events"] for key in keys]
    assert events == [3, 3, 4, 5]


def test_a_match_that_is_begun_again_is_the_same_one(app: Flask) -> None:
    numbers = [post(app, "matches", SETUP, key).json["id"] for key in ("a", "a", "b", None, None)]
    assert numbers == [1, 1, 2, 3, 4]
    # a key of a match is no key of an entry, and no key of another match
    events = [post(app, f"matches/{number}/events", ROUND, "a").json["events"] for number in (1, 2)]
    assert events == [2, 2]


def test_a_move_that_is_sent_again_moves_once(app: Flask) -> None:
    services_of(app).boards.add_board("")
    post(app, "matches", SETUP)
    move = {"type": "match_moved", "at_board": 2}
    answers = [post(app, "matches/1/events", move, "a") for _ in range(2)]
    assert [(answer.status_code, answer.json["at_board"]) for answer in answers] == [(201, 2)] * 2
    assert answers[1].json["events"] == 2


def test_the_same_holds_after_the_server_has_ended(tmp_path: Path) -> None:
    config = Config(database=str(tmp_path / "m.db"))
    for _ in range(2):
        app = create_app(config)
        assert post(app, "matches", SETUP, "begin").json["id"] == 1
        assert post(app, "matches/1/events", ROUND, "round").json["events"] == 2
        close_app(app)


def test_matches_that_are_taken_in_again_are_the_same_ones(app: Flask) -> None:
    post(app, "matches", SETUP, "a")
    whole = app.test_client().get("/api/v1/matches/1/export").text
    headers = {"Authorization": f"Bearer {services_of(app).secret.token}"}

    def take_in(text: str, key: str | None) -> Any:
        sent = headers if key is None else headers | {"Idempotency-Key": key}
        return app.test_client().post("/api/v1/matches/import", data=text, headers=sent).json

    keys = ("a", "a", "b", None, None)
    numbers = [take_in(whole, key)["matches"][0] for key in keys]
    assert numbers == [2, 2, 3, 4, 5]
    for _ in range(4):
        post(app, "matches/1/events", ROUND)
    game = app.test_client().get("/api/v1/matches/1/export?format=cmn").json
    batch = json.dumps({"cmn": "1.0", "batch": True, "matches": [game, game]})
    twice = [take_in(batch, "c")["matches"] for _ in range(2)]
    assert twice == [[6, 7], [6, 7]]


def test_a_practice_that_is_sent_again_is_begun_and_shot_once(app: Flask) -> None:
    drill = {"player": "Ann", "drill": "open_twenties", "shots": 3}
    keys = ("a", "a", "b", None, None)
    assert [post(app, "practices", drill, key).json["id"] for key in keys] == [1, 1, 2, 3, 4]
    shot = {"type": "practice_shot", "outcome": "twenty"}
    with ThreadPoolExecutor(4) as programs:
        sent = [programs.submit(post, app, "practices/1/events", shot, "a") for _ in range(8)]
        answers = [task.result() for task in sent]
    assert {answer.status_code for answer in answers} == {201}
    made = [len(post(app, "practices/1/events", shot, key).json["outcomes"]) for key in "abb"]
    assert made == [1, 2, 2]
    assert len(post(app, "practices/2/events", shot, "a").json["outcomes"]) == 1


def test_a_practice_that_is_begun_again_takes_no_shot_of_a_newer_one(app: Flask) -> None:
    drill = {"player": "Ann", "drill": "open_twenties"}
    for key in ("a", "b", "a"):
        post(app, "practices", drill, key)
    assert services_of(app).boards.first().practice.number == 2


@pytest.mark.parametrize("key", ["", "a b", "x" * 65, "é"])
def test_a_key_that_cannot_be_is_refused_and_enters_nothing(app: Flask, key: str) -> None:
    post(app, "matches", SETUP)
    assert post(app, "matches/1/events", ROUND, key).status_code == 422
    assert len(services_of(app).store.log(1)) == 1


def test_the_document_names_the_key(app: Flask) -> None:
    paths = app.test_client().get("/api/v1/openapi.json").json["paths"]
    logs = ("matches/{number}/events", "practices/{number}/events")
    for path in ("matches", "matches/import", "practices", *logs):
        named = [parameter["name"] for parameter in paths[f"/api/v1/{path}"]["post"]["parameters"]]
        assert "Idempotency-Key" in named


def test_a_database_from_before_finds_what_was_begun_by_its_key(tmp_path: Path) -> None:
    path = str(tmp_path / "m.db")
    Store(path).close()
    take_back_to_1_2(path)
    app = create_app(Config(database=path))
    drill = {"player": "Ann", "drill": "open_twenties"}
    assert [post(app, "practices", drill, "a").json["id"] for _ in range(2)] == [1, 1]
    assert [post(app, "matches", SETUP, "a").json["id"] for _ in range(2)] == [1, 1]
    close_app(app)
