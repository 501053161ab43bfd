"""JSON for scripts has its sentences in the page's language; programs get it as it was made."""

from __future__ import annotations

import json
from pathlib import Path

from flask.testing import FlaskClient

from calibration.phrase import Phrase, term
from scorer.match.events import MatchStarted, RoundScored
from scorer.rules.choices import Format
from webapp.config import Config
from webapp.factory import close_app, create_app
from webapp.language.template_texts import translate_into
from webapp.language.translated_json import word_json, word_message
from webapp.services import services_of

CALL = {
    "kind": "win",
    "title": Phrase("%(who)s wins the match", who="Foul"),
    "words": Phrase("%(name)s %(value)s", name="Foul", value=60),
    "side": 0,
}


def test_phrases_are_worded_and_codes_names_and_numbers_stay() -> None:
    match = {"players": ["Foul", "Bob"], "turn": "Foul", "totals": [1, 2], "stage": "Swiss"}
    worded = word_json({"call": CALL, "match": match}, "de")
    assert worded["call"] == CALL | {"title": "Foul gewinnt das Match"} != CALL
    assert worded["match"] == match


def test_lists_of_phrases_are_worded_and_nothing_stays_nothing() -> None:
    told = {"doubts": [Phrase("no contact")], "question": None, "stage": 2}
    doubts = [translate_into("de", "no contact")]
    assert word_json(told, "de") == told | {"doubts": doubts} != told


def test_an_event_to_be_sent_back_stays_as_it_is() -> None:
    words = Phrase("no contact")
    choices = [{"words": words, "event": {"type": "disputed", "about": words}}]
    (worded,) = word_json(choices, "de")
    assert worded == choices[0] | {"words": translate_into("de", words)}


def test_discs_without_paint_are_light_wood_in_english_too() -> None:
    removal = Phrase("Remove %(discs)s.", discs=term("natural"))
    assert word_json({"removal": removal}, "en") == {"removal": "Remove light wood."}


def test_message_of_a_stream_is_worded_where_its_phrases_were() -> None:
    encoded = b'event: event\ndata: {"players":["no contact"],"words":"no contact"}\n\n'
    listed = json.dumps([{"path": ["words"], "template": "no contact", "arguments": {}}])
    _, data = word_message(encoded, listed, "de").decode().split("\ndata: ")
    worded = translate_into("de", Phrase("no contact"))
    assert json.loads(data) == {"players": ["no contact"], "words": worded}


def test_message_of_a_stream_keeps_its_name_and_its_kind() -> None:
    encoded = b'id: ab-7\nevent: event\ndata: {"event":{"reason":"x"},"state":{"call":null}}\n\n'
    head, data = word_message(encoded, "[]", "fr").decode().split("\ndata: ")
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
    assert calls["de"]["title"] == translate_into("de", Phrase("%(who)s wins the round", who="Ann"))
    assert calls["de"]["id"] == calls[""]["id"]
