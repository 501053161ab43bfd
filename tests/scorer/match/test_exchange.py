"""Matches as JSON, CSV and Crokinole Match Notation, there and back."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from match_database import NOW, ROUND, SETUP
from read_log import match_from_csv, match_from_json

from scorer.match.events import (
    Disputed,
    MatchError,
    MatchStarted,
    RoundScored,
    Ruled,
    ShootoutPlayed,
    StarterChosen,
    Undone,
)
from scorer.match.exchange import (
    match_as_cmn,
    match_as_csv,
    match_as_json,
    read_matches,
)
from scorer.match.fold import fold
from scorer.rules.choices import Format

LOG = (
    SETUP,
    ROUND,
    Undone(),
    RoundScored(points=(30, 45), twenties=(0, 1)),
    Disputed(about="a line, “close”"),
    Ruled(dispute=1, decision="no"),
)


def test_json_holds_the_whole_log() -> None:
    assert match_from_json(match_as_json(LOG)) == LOG


def test_csv_holds_the_rounds() -> None:
    log = match_from_csv(match_as_csv(LOG))
    assert fold(log).rounds == fold(LOG).rounds
    assert fold(log).setup == fold(LOG).setup
    assert match_as_csv(log) == match_as_csv(LOG)


def test_csv_of_a_match_without_rounds_holds_its_setup() -> None:
    assert match_from_csv(match_as_csv(LOG[:1])) == LOG[:1]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        '{"format": "chess"}',
        '{"format": "crokinole-match", "version": 9, "events": []}',
        '{"format": "crokinole-match", "version": 1, "events": 3}',
        '{"format": "crokinole-match", "version": 1, "events": []}',
        '{"format": "crokinole-match", "version": 1, "events": [{"type": "undone"}]}',
    ],
)
def test_json_that_holds_no_match_is_refused(content: str) -> None:
    with pytest.raises(MatchError):
        match_from_json(content)


@pytest.mark.parametrize("wrong", ["", "a,b\n1,2\n", "x", "cut", "text", "format"])
def test_csv_that_holds_no_match_is_refused(wrong: str) -> None:
    content = match_as_csv(LOG)
    if wrong == "cut":
        content = "\n".join(content.splitlines()[:2])
    elif wrong == "text":
        content = content.replace(",30,", ",thirty,")
    elif wrong == "format":
        content = content.replace(",two,", ",solo,")
    else:
        content = wrong
    with pytest.raises(MatchError):
        match_from_csv(content)


def finished(**options: Any) -> list[Any]:
    setup = MatchStarted(
        rules="nca",
        format=Format.TWO,
        players=("Ann", "Bob"),
        options=tuple({"round_score": "match-play", "match_points": 4, **options}.items()),
    )
    level = RoundScored(points=(20, 20), twenties=(0, 1))
    return [setup, ROUND, level, RoundScored(points=(15, 5), twenties=(0, 0))]


def test_match_notation_tells_scores_twenties_and_who_shot_first() -> None:
    told = json.loads(match_as_cmn(finished(), created=NOW, version="1"))
    match = told["match"]
    assert (told["cmn"], match["date"], match["format"]) == ("1.0", NOW[:-6] + "Z", "singles")
    assert match["teams"][1] == {"players": [{"name": "Bob"}]}
    assert match["gameFormat"] == {"type": "first_to", "target": 4}
    assert match["winner"] == 0
    assert match["games"] == [
        {"winner": 0, "hammer": 0, "scores": [60, 45], "twenties": [1, 0]},
        {"winner": None, "hammer": 1, "scores": [20, 20], "twenties": [0, 1]},
        {"winner": 0, "hammer": 0, "scores": [15, 5], "twenties": [0, 0]},
    ]


def test_match_notation_tells_how_long_a_match_was_to_be() -> None:
    log = finished(game_end="rounds", game_rounds=3)
    told = json.loads(match_as_cmn(log, created=NOW, version="1"))
    assert told["match"]["gameFormat"] == {"type": "fixed", "count": 3}


def test_match_notation_of_a_match_has_one_name_for_good() -> None:
    one, again = (match_as_cmn(finished(), created=NOW, version="1") for _ in range(2))
    assert one == again


@pytest.mark.parametrize(
    ("log", "words"),
    [
        (finished()[:2], "only finished matches"),
        (
            [MatchStarted(rules="nca", format=Format.THREE_SETS, players=("A", "B", "C"))],
            "only singles and doubles",
        ),
    ],
    ids=["not over", "three alone"],
)
def test_match_notation_refuses_what_it_has_no_words_for(log, words) -> None:
    with pytest.raises(MatchError, match=words):
        match_as_cmn(log, created=NOW, version="1")


LEVEL_GAME = [
    MatchStarted(
        rules="nca",
        format=Format.TWO,
        players=("Ann", "Bob"),
        options=(("game_end", "rounds"), ("game_rounds", 1), ("next_starter", "loser-decides")),
        games=3,
    ),
    RoundScored(points=(20, 20), twenties=(1, 0)),
    ShootoutPlayed(twenties=(2, 2)),
    ShootoutPlayed(twenties=(1, 3)),
    RoundScored(points=(45, 30), twenties=(0, 0)),
    StarterChosen(player=1),
    RoundScored(points=(45, 30), twenties=(2, 0)),
]
FORMS = {
    "csv": lambda log: match_as_csv(log, NOW),
    "json": lambda log: match_as_json(log, (NOW,) * len(log)),
    "cmn": lambda log: match_as_cmn(log, created=NOW, version="1"),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_keeps_shoot_outs_starters_and_the_date(form: str) -> None:
    (record,) = read_matches(FORMS[form](LEVEL_GAME), f"match.{form}")
    assert record.log == tuple(LEVEL_GAME)
    assert {datetime.fromisoformat(time) for time in record.times} == {datetime.fromisoformat(NOW)}
    assert len(record.times) == len(LEVEL_GAME)


def test_match_notation_of_another_program_is_read_by_what_it_says() -> None:
    game = {"winner": 0, "scores": [60, 25], "twenties": [1, 0], "extra": 1}
    match = {
        "date": "2026-02-11T19:30:00Z",
        "format": "doubles",
        "teams": [
            {"players": [{"name": "Ann", "cid": "1"}, {"name": "Cid"}]},
            {"players": [{"name": "Bob"}, {"name": "Dee"}]},
        ],
        "gameFormat": {"type": "first_to", "target": 4},
        "games": [game, {"winner": None, "scores": [20, 20]}, game],
        "winner": 0,
    }
    batch = {"cmn": "1.0", "batch": True, "matches": [{"id": "a", "match": match}] * 2}
    one, other = read_matches(json.dumps(batch), "batch.json")
    state = fold(one.log)
    assert one == other
    assert state.setup.sides == ("Ann & Cid", "Bob & Dee")
    assert (state.totals, state.winners, state.twenties) == ((5, 1), (0,), (2, 0))
    assert one.times[0].startswith("2026-02-11T19:30")
    for wrong in (
        {"games": [{"winner": 0}]},
        {"teams": 3},
        {"date": "today"},
        {"winner": 1, "games": 0},
    ):
        with pytest.raises(MatchError):
            read_matches(json.dumps({"cmn": "1.0", "match": match | wrong}), "a.json")


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ('{"cmn": "1.0", "match": {}}', "a.json", "it has no teams"),
        (match_as_csv(LOG).replace(",Bob,", ",Cid,"), "a.csv", "one line for each side: Ann, Bob."),
        (match_as_csv(LOG).replace('"[""Ann""', '"[3'), "a.csv", "cannot be read (3 is not text)"),
        (
            '{"format": "crokinole-match", "version": 1, "events": [{"type": "foul_called"}]}',
            "a.json",
            "foul_called cannot be read (it has no player)",
        ),
    ],
    ids=["no teams", "another side", "no names", "no player"],
)
def test_what_is_wrong_with_a_file_is_told_in_words(text: str, name: str, words: str) -> None:
    with pytest.raises(MatchError, match=re.escape(words)) as error:
        read_matches(text, name)
    assert not re.search(r"Error|__init__|\('", str(error.value))


@pytest.mark.parametrize("read", [match_from_json, match_from_csv])
def test_a_file_that_no_match_fills_is_refused_before_it_is_read(read: Any) -> None:
    with pytest.raises(MatchError, match="Export fewer matches"):
        read("[" * 10_000_001)


@pytest.mark.parametrize("name", ["=1+1", "+49", "-2", "@SUM(A1)", "'quoted"])
def test_a_name_in_csv_is_no_formula_and_comes_back_as_it_was(name: str) -> None:
    log = (replace(SETUP, players=(name, "Bob")), ROUND)
    text = match_as_csv(log)
    cells = [row["side"] for row in csv.DictReader(io.StringIO(text))]
    assert not any(cell[:1] in "=+-@" for cell in cells)
    assert match_from_csv(text) == log
    assert match_from_csv(text.replace("'" + name, name)) == log  # as earlier versions wrote it
