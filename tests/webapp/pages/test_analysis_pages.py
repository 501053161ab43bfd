"""A match shot by shot: its page, its JSON and its lines in a terminal."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask
from simulated_match import simulate_match

from scorer.match.events import Disputed, Event, MatchStarted
from scorer.rules.choices import Format
from webapp.cli.main import main
from webapp.config import Config
from webapp.factory import close_app, create_app
from webapp.services import services_of


@pytest.fixture(scope="module")
def log() -> list[Event]:
    return simulate_match(2, discs=4)


@pytest.fixture
def app(tmp_path: Path, log: list[Event]) -> Iterator[Flask]:
    made = create_app(Config(database=str(tmp_path / "matches.db")))
    board = services_of(made).scoreboard
    setup, *entries = log
    assert isinstance(setup, MatchStarted)
    number = board.begin(setup)
    for event in entries:
        board.append(number, event)
    yield made
    close_app(made)


def test_the_page_says_who_was_winning_and_what_the_biggest_swings_were(app: Flask) -> None:
    client = app.test_client()
    assert "/match/1/analysis" in client.get("/match/1").text
    page = client.get("/match/1/analysis").text
    assert "Who was winning" in page
    assert page.count("chance of winning was") == 6  # three swings, listed and drawn
    assert 'class="odds"' in page
    assert "have not been checked against real rounds" in page
    strong = client.get("/match/1/analysis?skill=strong").text
    assert '<option value="strong" selected>' in strong
    assert client.get("/match/9/analysis").status_code == 404


def test_a_match_that_no_camera_saw_has_no_figures_and_its_page_says_so(app: Flask) -> None:
    setup = MatchStarted(rules="nca", format=Format.TWO, players=("Eve", "Kim"))
    services_of(app).scoreboard.begin(setup)
    page = app.test_client().get("/match/2/analysis")
    assert page.status_code == 200
    assert "There is nothing to analyse." in page.text


def test_programs_get_every_shot_with_its_chances(app: Flask) -> None:
    found = app.test_client().get("/api/v1/matches/1/analysis").json
    assert len(found["shots"]) == 16
    assert len(found["swings"]) == 3
    first = found["shots"][0]
    assert first["before"]["win"] == pytest.approx([0.5, 0.5], abs=0.06)
    assert re.match(r"Ann's chance of winning was (4|5)\d%, and the ", first["words"])
    change = first["after"]["win"][0] - first["before"]["win"][0]
    assert first["change"] == pytest.approx(change, abs=0.002)
    assert sum(row["shots"] for row in found["kinds"]) == 16
    assert app.test_client().get("/api/v1/matches/1/analysis?skill=x").status_code == 422


@pytest.mark.usefixtures("app")
def test_the_command_prints_the_swings(
    tmp_path: Path, log: list[Event], capsys: pytest.CaptureFixture[str]
) -> None:
    database = ["--db", str(tmp_path / "matches.db")]
    assert main(["analyse", "1", *database]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "The biggest swings:"
    assert all("chance of winning was" in line for line in lines[2:5])
    assert "fitted to simulated players only." in " ".join(lines[-2:])
    assert main(["analyse", *database, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["shots"]) == len(log) - 3


def test_screens_get_the_chances_now_and_none_while_a_question_is_open(app: Flask) -> None:
    client, board = app.test_client(), services_of(app).scoreboard
    now = client.get("/match/1/chances").json["now"]
    assert sum(now["win"]) + now["tie"] == pytest.approx(1.0, abs=0.002)
    board.append(1, Disputed(about="Did it touch?"))
    assert client.get("/match/1/chances").json == {"now": None}


def test_chances_of_a_tournament_match_are_for_the_organiser_and_the_organisers_overlay(
    app: Flask, log: list[Event]
) -> None:
    setup = log[0]
    assert isinstance(setup, MatchStarted)
    parts = services_of(app)
    number = parts.scoreboard.begin(replace(setup, tournament=(1, 0)))
    anyone, organiser = app.test_client(), app.test_client()
    assert anyone.get(f"/match/{number}/chances").json == {"now": None}
    assert anyone.get(f"/api/v1/matches/{number}/analysis").status_code == 404
    assert "shown once it is over" in anyone.get(f"/match/{number}/analysis").text
    assert parts.secret.stream_code not in anyone.get("/overlay/choose").text
    csrf = organiser.get("/join").text.split('name="csrf" content="')[1].split('"')[0]
    organiser.post("/join", data={"csrf": csrf, "token": parts.secret.token})
    code = parts.secret.stream_code
    assert code in organiser.get("/overlay/choose").text
    for client, address in ((organiser, ""), (anyone, f"?odds={code}")):
        assert client.get(f"/match/{number}/chances{address}").json["now"]["win"][0] > 0.3


def test_scoreboard_and_overlay_show_chances_only_where_they_are_asked_for(app: Flask) -> None:
    client = app.test_client()
    assert 'data-odds=""' in client.get("/").text
    assert 'data-odds="shown"' in client.get("/?odds=shown").text
    assert 'id="odds"' not in client.get("/overlay").text
    assert 'id="odds"' in client.get("/overlay?parts=score,odds").text
