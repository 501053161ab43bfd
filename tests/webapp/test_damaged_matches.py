"""A database with one damaged match: every page and command still works, and names the damage."""

from __future__ import annotations

import html
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from match_database import NOW, ROUND, SETUP, run_statement

from scorer.match.events import event_json
from scorer.store import Store
from webapp.cli.main import main
from webapp.config import Config
from webapp.factory import close_app, create_app
from webapp.services import services_of


@pytest.fixture
def database(tmp_path: Path) -> str:
    """A database of three matches, of which the second and the third are damaged."""
    path = str(tmp_path / "m.db")
    with Store(path) as store:
        for _ in range(3):
            store.append(store.create(SETUP, now=NOW), ROUND, now=NOW)
    body = json.dumps(event_json(SETUP)).replace("Ann", r"A\ud800")
    for number in (2, 3):
        run_statement(
            path, f"UPDATE events SET body = '{body}' WHERE match_id = {number} AND number = 0"
        )
    return path


@pytest.mark.parametrize("address", ["/", "/match", "/matches", "/overlay", "/score", "/healthz"])
def test_every_page_is_shown_beside_a_damaged_match(database: str, address: str) -> None:
    app = create_app(Config(database=database))
    answer = app.test_client().get(address, follow_redirects=True)
    assert answer.status_code == 200
    if address == "/matches":
        rows = re.findall(r'<td class="who name">(.*?)</td>', answer.text, re.DOTALL)
        assert [re.findall(r"\d|Ann – Bob", row) for row in rows] == [
            ["3"],
            ["2"],
            ["1", "Ann – Bob"],
        ]
    close_app(app)


def test_the_api_lists_a_damaged_match_and_refuses_it_in_a_sentence(database: str) -> None:
    app = create_app(Config(database=database))
    client = app.test_client()
    assert client.get("/api/v1/state").json["match"] is None
    rows = client.get("/api/v1/matches").json["matches"]
    assert [row["damage"] is None for row in rows] == [True, False, False]
    for address in ("/api/v1/matches/2", "/api/v1/matches/2/events", "/match/2/export.json"):
        answer = client.get(address)
        assert answer.status_code == 409
        damage = next(row["damage"] for row in rows if row["id"] == 2)
        assert damage in (answer.json["error"] if answer.is_json else html.unescape(answer.text))
    headers = {"Authorization": f"Bearer {services_of(app).secret.token}"}
    setup = {"rules": "nca", "players": ["Cid", "Dee"]}
    assert client.post("/api/v1/matches", json=setup, headers=headers).status_code == 201
    assert client.get("/api/v1/state").json["match"]["sides"][0]["name"] == "Cid"
    close_app(app)


def test_commands_name_a_damaged_match_and_show_the_others(
    database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["match", "--db", database, "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [re.findall(r"Ann - Bob|Match \d", line) for line in lines[:2]] == [
        ["Ann - Bob"],
        ["Match 2"],
    ]
    assert main(["match", "--db", database, "show", "--match", "1"]) == 0
    for action in (["show"], ["export"], ["add", "60", "45"]):
        assert main(["match", "--db", database, *action]) == 1
        assert re.findall(r"Match \d", capsys.readouterr().err) == ["Match 3"]


def import_file(client: FlaskClient, content: bytes) -> str:
    page = client.get("/join").text
    csrf = page.split('name="csrf" content="')[1].split('"')[0]
    sent = {"csrf": csrf, "back": "/matches", "file": (io.BytesIO(content), "m.json")}
    return client.post("/matches", data=sent, follow_redirects=True).text


def test_an_import_with_a_name_that_cannot_be_shown_changes_nothing(tmp_path: Path) -> None:
    app = create_app(Config(database=str(tmp_path / "m.db")))
    client = app.test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {services_of(app).secret.token}"
    setup = event_json(SETUP) | {"players": ["A\ud800", "Bob"]}
    content = {"format": "crokinole-match", "version": 1, "events": [setup]}
    page = import_file(client, json.dumps(content).encode())
    assert '<p class="note problem" role="alert">' in page
    assert services_of(app).store.count() == 0
    close_app(app)


def test_a_stray_byte_in_a_name_on_the_command_line_is_refused(tmp_path: Path) -> None:
    database = str(tmp_path / "m.db")
    told = [sys.executable, "-m", "webapp", "match", "--db", database, "new", b"A\xff", "Bob"]
    refused = subprocess.run(told, capture_output=True, env=os.environ, check=False)
    assert refused.returncode == 1
    assert b"cannot be shown" in refused.stderr
    assert refused.stderr.count(b"\n") == 1
    with Store(database) as store:
        assert store.count() == 0
