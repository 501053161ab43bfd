"""Numbers with thousands of digits are refused without a failure, wherever numbers are read."""

from __future__ import annotations

import http.client
from pathlib import Path

import pytest
from served_thread import serve_in_thread

from scorer.match.events import MatchError
from webapp.config import Config
from webapp.factory import close_app, create_app
from webapp.http.parse_number import read_whole_number, require_whole_number
from webapp.services import services_of

LONG = "9" * 5000


@pytest.mark.parametrize(
    ("text", "number"),
    [("0", 0), (" 42 ", 42), ("999999", 999_999), ("1000000", None), (LONG, None)]
    + [(text, None) for text in ("", "-1", "٣", "²", "1e3", "0x1", None)],
)
def test_a_whole_number_has_a_few_digits(text: str | None, number: int | None) -> None:
    assert read_whole_number(text) == number


@pytest.mark.parametrize(
    ("text", "is_signed", "number"),
    [
        (" 42 ", False, 42),
        ("-1", True, -1),
        ("- 5", True, -5),
        ("-1", False, None),
        ("--1", True, None),
        ("", True, None),
        (LONG, True, None),
    ],
)
def test_a_number_that_cannot_be_read_is_refused_in_words(
    text: str, is_signed: bool, number: int | None
) -> None:
    if number is not None:
        assert require_whole_number(text, "this field", MatchError, is_signed=is_signed) == number
        return
    with pytest.raises(MatchError, match="is not valid for this field"):
        require_whole_number(text, "this field", MatchError, is_signed=is_signed)


@pytest.mark.parametrize(
    ("address", "form"),
    [
        ("/tournaments/1/undo", {"events": LONG}),
        ("/tournaments/1/pair", {"events": LONG, "stage": LONG}),
        ("/match/1/round", {"seen": LONG, "points_0": LONG, "key": "a"}),
        ("/practice/1/shot", {"seen": LONG, "outcome": "twenty"}),
        ("/match/1/move", {"board": LONG}),
    ],
)
def test_a_form_with_a_number_without_end_is_no_failure(
    tmp_path: Path, address: str, form: dict[str, str]
) -> None:
    app = create_app(Config(database=str(tmp_path / "m.db")))
    client = app.test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {services_of(app).secret.token}"
    begun = {
        "/tournaments/new": {
            "name": "Club",
            "entries": "Ann\nBob\nCid\nDee",
            "boards": "2",
            "plan": "club",
            "rules": "nca",
            "kind": "swiss",
            "rounds": "2",
            "criteria": "nca",
        },
        "/practice": {"name": "Ann", "drill": "open_twenties"},
    }
    for page, typed in begun.items():
        assert client.post(page, data=typed).status_code == 303
    setup = {"rules": "nca", "players": ["Ann", "Bob"], "colours": ["red", "black"]}
    assert client.post("/api/v1/matches", json=setup).status_code == 201
    assert client.post(address, data=form).status_code < 500
    close_app(app)


def test_a_length_without_end_is_no_failure(tmp_path: Path) -> None:
    with serve_in_thread(Config(database=str(tmp_path / "m.db"), port=0)) as running:
        port = int(running.address.rpartition(":")[2])
        asked = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        asked.request("POST", "/score", headers={"Content-Length": LONG}, body=b"")
        assert asked.getresponse().status in (400, 413)
        asked.close()
