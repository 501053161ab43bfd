"""JSON for scripts has its sentences in the page's language; programs get it as it was made."""

from __future__ import annotations

import json
from pathlib import Path

from flask.testing import FlaskClient

from scorer.match.events import MatchStarted, RoundScored
from scorer.rules.choices import Format
from webapp.config import Config
from webapp.factory import close_app, create_app
from webapp.language.page_words import translate_into
from webapp.language.worded_json import word_json, word_message
from webapp.services import services_of

CALL = {"kind": "win", "title": "Ann wins the match", "words": "Ann 60, Bob 40", "side": 0}


def test_sentences_are_worded_and_codes_names_and_numbers_stay() -> None:
    state = {"call": CALL, "match": {"players": ["Foul", "Bob"], "turn": "Foul", "totals": [1, 2]}}
    worded = word_json(state, "de")
    title = translate_into("de", "Ann wins the match")
    assert worded["call"] == CALL | {"title": title} != CALL
    assert worded["match"] == state["match"]


def test_lists_of_sentences_are_worded_and_nothing_stays_nothing() -> None:
    told = {"doubts": ["no contact"], "question": None, "stage": 2}
    doubts = [translate_into("de", "no contact")]
    assert word_json(told, "de") == told | {"doubts": doubts} != told


def test_a_tournament_keeps_the_title_that_its_organiser_gave() -> None:
    pairing = {"title": "Foul", "stage": "Knock-out", "round": 1}
    stage = translate_into("de", "Knock-out")
    assert word_json(pairing, "de") == pairing | {"stage": stage} != pairing


def test_an_event_to_be_sent_back_stays_as_it_is() -> None:
    choices = [{"words": "no contact", "event": {"type": "disputed", "about": "no contact"}}]
    (worded,) = word_json(choices, "de")
    assert worded == choices[0] | {"words": translate_into("de", "no contact")}


def test_discs_without_paint_are_light_wood_in_english_too() -> None:
    assert word_json({"removal": "Remove natural."}, "en") == {"removal": "Remove light wood."}


def test_message_of_a_stream_keeps_its_name_and_its_kind() -> None:
    encoded = b'id: ab-7\nevent: event\ndata: {"event":{"reason":"x"},"state":{"call":null}}\n\n'
    head, data = word_message(encoded, "fr").decode().split("\ndata: ")
    assert head == "id: ab-7\nevent: event"
    assert json.loads(data) == {"event": {"reason": "x"}, "state": {"call": None}}


def test_a_script_gets_the_language_that_it_names_and_a_program_english(tmp_path: Path) -> None:
    app = create_app(Config(database=str(tmp_path / "m.db"), profiles=tmp_path / "profiles"))
    board = services_of(app).scoreboard
    number = board.begin(MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob")))
    board.append(number, RoundScored(points=(45, 20), twenties=(1, 0)))
    client: FlaskClient = app.test_client()
    told = {
        language: client.get(
            "/api/v1/state", headers={"Accept-Language": "fr", "X-Page-Language": language}
        )
        for language in ("", "de", "en")
    }
    calls = {language: answer.get_json()["call"] for language, answer in told.items()}
    close_app(app)
    assert calls[""]["title"] == calls["en"]["title"] == "Ann wins the round"
    assert calls["de"]["title"] == translate_into("de", "Ann wins the round")
    assert calls["de"]["id"] == calls[""]["id"]
