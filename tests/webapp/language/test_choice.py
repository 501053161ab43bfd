"""The language of a page; programs are answered in English."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.datastructures import LanguageAccept

from webapp.config import Config
from webapp.factory import close_app, create_app
from webapp.language import choice
from webapp.language.choice import LANGUAGE_COOKIE


@pytest.fixture(scope="module")
def app_client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlaskClient]:
    folder: Path = tmp_path_factory.mktemp("language")
    app = create_app(Config(database=str(folder / "m.db"), profiles=folder / "profiles"))
    yield app.test_client()
    close_app(app)


@pytest.fixture
def client(app_client: FlaskClient) -> FlaskClient:
    return app_client.application.test_client()


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("fr-CA,fr;q=0.9,en;q=0.5", "fr"),
        ("de-AT", "de"),
        ("nl,de;q=0.5", "de"),
        ("nl", "en"),
        ("*", "en"),
        (None, "en"),
        ("\x7f;;q=x", "en"),
        (f"{'nl,' * 7}de", "de"),
        (f"{'nl,' * 8}de", "en"),
    ],
)
def test_browser_asks_for_its_language(
    client: FlaskClient, accepted: str | None, language: str
) -> None:
    headers = {} if accepted is None else {"Accept-Language": accepted}
    page = client.get("/help", headers=headers)
    assert f'<html lang="{language}"' in page.get_data(as_text=True)


def test_choice_is_kept_and_goes_before_the_browser(client: FlaskClient) -> None:
    client.get("/help")
    with client.session_transaction() as session:
        csrf = session["csrf"]
    sent = {"csrf": csrf, "language": "de", "back": "/help"}
    answer = client.post("/language", data=sent)
    assert (answer.status_code, answer.location) == (303, "/help")
    page = client.get("/help", headers={"Accept-Language": "fr"}).get_data(as_text=True)
    assert '<html lang="de"' in page
    assert "Menü" in page
    assert '<html lang="fr"' in client.get("/help?lang=fr").get_data(as_text=True)


def test_choice_of_no_language_is_refused(client: FlaskClient) -> None:
    client.get("/help")
    with client.session_transaction() as session:
        csrf = session["csrf"]
    assert client.post("/language", data={"csrf": csrf, "language": "xx"}).status_code == 400
    client.set_cookie(LANGUAGE_COOKIE, "xx")
    assert '<html lang="en"' in client.get("/help").get_data(as_text=True)


def test_programs_are_answered_in_english(client: FlaskClient) -> None:
    headers = {"Accept-Language": "fr", "Accept": "application/json"}
    answer = client.get("/api/v1/matches/7", headers=headers)
    assert answer.get_json()["error"] == client.get("/api/v1/matches/7").get_json()["error"]


def test_words_for_scripts_are_kept_under_their_version(client: FlaskClient) -> None:
    page = client.get("/help?lang=fr").get_data(as_text=True)
    address = page.split('data-words="')[1].split('"')[0]
    answer = client.get(address)
    assert answer.get_json()["decimal"] == ","
    compressed = client.get(address, headers={"Accept-Encoding": "gzip"})
    assert compressed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(compressed.data) == answer.data
    assert "immutable" in answer.headers["Cache-Control"]
    assert client.get("/static/words/en-.json").status_code == 404
    assert client.get("/static/words/xx-1.json").status_code == 404


def test_the_languages_of_a_browser_are_matched_once_a_page(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    matched = []

    class Counted(LanguageAccept):
        def best_match(self, *args: Any, **settings: Any) -> Any:
            matched.append(len(self))
            return super().best_match(*args, **settings)

    monkeypatch.setattr(choice, "LanguageAccept", Counted)
    answer = client.get("/help", headers={"Accept-Language": "nl;q=0.5," * 2500 + "de"})
    assert (answer.status_code, matched) == (200, [8])
