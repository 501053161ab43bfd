"""A tournament run only by programs: from sign-up to podium, exported and imported."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from flask import Flask

from webapp.api.published_events import PublishedEvent
from webapp.config import Config
from webapp.factory import close_app, create_app
from webapp.services import services_of

NAMES = [[f"Player {k + 1}"] for k in range(12)]


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    made = create_app(Config(database=str(tmp_path / "matches.db"), is_rate_limit_off=True))
    yield made
    close_app(made)


class Program:
    """A program with the scorer's token."""

    def __init__(self, app: Flask) -> None:
        self.client = app.test_client()
        self.headers = {"Authorization": f"Bearer {services_of(app).secret.token}"}

    def get(self, path: str) -> Any:
        answer = self.client.get(f"/api/v1/tournaments{path}")
        assert answer.status_code == 200, answer.text
        return answer.json

    def post(self, path: str, content: object = None, code: int = 201) -> Any:
        more = {} if content is None else {"json": content}
        answer = self.client.post(f"/api/v1/tournaments{path}", headers=self.headers, **more)
        assert answer.status_code == code, answer.text
        return answer.json

    def enter(self, type_: str, **fields: object) -> Any:
        return self.post("/1/events", {"type": type_, **fields})


def _begin(program: Program, **more: object) -> Any:
    stage = {"kind": "swiss", "rounds": 4, "criteria": ["points", "twenties", "buchholz"]}
    setup = {
        "name": "Club night",
        "boards": [f"Board {k + 1}" for k in range(4)],
        "entries": NAMES,
        "stage": stage,
    }
    return program.post("", setup | more)


def _play_round(program: Program, stage: int, rng: random.Random) -> list[dict[str, Any]]:
    told = program.post(f"/1/stages/{stage}/pair")
    while True:
        ready = [
            k
            for k, m in enumerate(told["matches"])
            if m["points"] is None and m["board"] is not None
        ]
        if not ready:
            return told["matches"]
        first = rng.choice([5, 6, 7, 8, 2, 1] if stage else range(9))
        twenties = [rng.randrange(9), rng.randrange(9)]
        told = program.enter(
            "result_reported", match=ready[0], points=[first, 8 - first], twenties=twenties
        )


def test_an_evening_by_programs_alone_from_sign_up_to_podium(app: Flask) -> None:
    rng, program = random.Random(45), Program(app)
    told = _begin(program)
    assert [len(told["entries"]), told["stages"][0]["kind"], told["plan"]["rounds"]] == [
        12,
        "swiss",
        4,
    ]
    _play_round(program, 0, rng)
    program.enter("entry_added", players=["Late", "Larry"], stage=0)
    program.enter("entry_renamed", entry=1, players=["Bob"])
    program.enter("round_sat_out", entry=2)
    told = program.post("/1/stages/0/pair")
    last = [m for m in told["matches"] if m["round"] == 2]
    assert "Player 3" not in {name for m in last for name in (m["first"], m["second"])}
    numbers = {" & ".join(e["players"]): k for k, e in enumerate(told["entries"])}
    one, other = (numbers[m["first"]] for m in last[:2])
    swapped = program.enter("entries_swapped", stage=0, first=one, second=other)
    assert swapped["matches"][-len(last)]["first"] == last[1]["first"]
    program.enter("undone")
    assert program.get("/1")["matches"] == told["matches"]
    open_match = next(k for k, m in enumerate(told["matches"]) if m["points"] is None)
    claim = {"match": open_match, "points": [6, 2], "twenties": [3, 1]}
    told = program.enter("result_reported", **claim, by="first", device="a")
    assert told["matches"][open_match]["reports"] == [
        {"by": "first", "points": [6, 2], "twenties": [3, 1]}
    ]
    told = program.enter("report_refused", match=open_match, by="second")
    assert told["matches"][open_match]["disputed"]
    program.enter("result_reported", **claim)
    while waiting := [
        k
        for k, m in enumerate(program.get("/1")["matches"])
        if m["points"] is None and m["board"] is not None
    ]:
        program.enter("result_reported", match=waiting[0], points=[4, 4], twenties=[1, 2])
    program.enter("entry_withdrawn", entry=5)
    program.enter("entry_withdrawn", entry=6)
    program.enter("entry_returned", entry=6)
    for _ in range(2):
        _play_round(program, 0, rng)
    program.enter("result_reported", match=0, points=[8, 0], twenties=[9, 9])
    told = program.get("/1")
    assert told["stages"][0]["is_over"]
    (table,) = told["stages"][0]["standings"]
    points = dict.fromkeys((row["name"] for row in table), 0)
    for match in told["matches"]:
        for name, made in zip((match["first"], match["second"]), match["points"], strict=True):
            points[name] = points.get(name, 0) + made if name else 0
    assert {row["name"]: row["points"] for row in table} == {
        name: made for name, made in points.items() if name
    }
    assert [row["points"] for row in table] == sorted((r["points"] for r in table), reverse=True)
    best = [row["entry"] for row in table if not told["entries"][row["entry"]]["has_left"]][:4]
    program.enter(
        "stage_started", kind="single_knockout", name="Finals", entries=best, third_place=True
    )
    for _ in range(2):
        _play_round(program, 1, rng)
    told = program.get("/1")
    assert told["stages"][1]["is_over"]
    final, third = told["matches"][-2:]
    winner = final["first"] if final["points"][0] > final["points"][1] else final["second"]
    better = third["first"] if third["points"][0] > third["points"][1] else third["second"]
    loser = ({final["first"], final["second"]} - {winner}).pop()
    assert told["podium"] == [
        {"rank": 1, "name": winner},
        {"rank": 2, "name": loser},
        {"rank": 3, "name": better},
    ]


def test_a_tournament_goes_out_and_comes_in_again_without_a_loss(app: Flask) -> None:
    rng, program = random.Random(2), Program(app)
    _begin(program)
    _play_round(program, 0, rng)
    program.enter("entry_withdrawn", entry=3)
    out = program.get("/1/export")
    assert program.post("/import", out) == {"tournament": 2}
    back = program.get("/2/export")
    assert back | {"id": 1} == out
    assert {len(out["log"]), out["events"]} == {out["events"]}
    file = program.client.get("/tournaments/1/export.json").json
    assert file == out
    for damaged in ({}, {"log": []}, {"log": [1]}, {"log": out["log"][1:]}):
        assert "export" in program.post("/import", damaged, code=409)["error"].lower()
    assert len(program.get("")["tournaments"]) == 2


def test_a_request_that_is_sent_twice_enters_once(app: Flask) -> None:
    program = Program(app)
    told = _begin(program)
    after = told["events"]
    program.post(f"/1/stages/0/pair?after={after}")
    program.post(f"/1/stages/0/pair?after={after}", code=409)
    assert len(program.get("/1")["matches"]) == 6


@pytest.mark.parametrize(
    "event",
    [
        {"type": "result_reported", "match": 0},
        {"type": "result_reported", "match": -1, "points": [4, 4]},
        {"type": "no_such"},
        {"type": "entry_added", "players": []},
        [],
        {"type": "entry_withdrawn", "entry": 0, "results": "burnt"},
    ],
)
def test_what_is_no_event_is_refused_in_one_sentence(app: Flask, event: object) -> None:
    program = Program(app)
    _begin(program)
    sentence = program.post("/1/events", event, code=422)["error"]
    assert "\n" not in sentence
    assert program.get("/1")["events"] == 14


def test_only_the_scorer_writes_and_what_is_not_there_is_404(app: Flask) -> None:
    program = Program(app)
    _begin(program)
    stranger = app.test_client()
    for path in ("", "/1/events", "/1/stages/0/pair", "/import"):
        answer = stranger.post(f"/api/v1/tournaments{path}", json={"type": "undone"})
        assert answer.status_code in (401, 422)
    for path in ("/9", "/9/export"):
        assert stranger.get(f"/api/v1/tournaments{path}").status_code == 404
    program.post("/9/events", {"type": "undone"}, code=404)


def test_answers_are_as_the_document_says(app: Flask) -> None:
    program = Program(app)
    _begin(program)
    _play_round(program, 0, random.Random(1))
    document = app.test_client().get("/api/v1/openapi.json").json
    schemas = document["components"]["schemas"]
    assert "entries_swapped" in str(schemas["TournamentEntry"])
    for path, name in (
        ("", "Tournaments"),
        ("/season", "Season"),
        ("/1", "Tournament"),
        ("/1/export", "TournamentFile"),
    ):
        schema = {"$ref": f"#/components/schemas/{name}", "components": document["components"]}
        jsonschema.validate(program.get(path), schema)


def test_programs_are_told_which_match_is_on_which_board(app: Flask) -> None:
    program, told = Program(app), []
    services_of(app).boards.add_listener(told.append)
    _begin(program)
    program.post("/1/stages/0/pair")
    called = [event for event in told if event["type"] == "pairing"]
    assert sorted(event["at_board"] for event in called) == [1, 2, 3, 4]
    assert {len(event["sides"]) for event in called} == {2}
    for event in called:
        PublishedEvent.validate_python(event)
    told.clear()
    program.enter("result_reported", match=called[0]["match"], points=[8, 0])
    (moved,) = [event for event in told if event["type"] == "pairing"]
    assert moved["at_board"] == called[0]["at_board"]
    assert moved["match"] != called[0]["match"]
