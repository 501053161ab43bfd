"""The API for programs: its document, published events, other sites, and the quickstart."""

from __future__ import annotations

import http.client
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jsonschema
import pytest
from flask import Flask
from paths import ROOT
from served_thread import serve_in_thread
from watch_events import BLACK, RED, blind_event, board_event, in_zone, shot_event

from scorer.match.events import Disputed, MatchStarted
from scorer.practice.events import Drill, PracticeStarted
from scorer.rules.choices import Format
from webapp.api.match_events import _MODELS
from webapp.api.published_events import PublishedEvent
from webapp.config import Config
from webapp.factory import close_app, create_app
from webapp.http.cross_origin import check_site
from webapp.live.end_reason import EndCode, EndReason
from webapp.server import RunningServer
from webapp.services import services_of

SITE = "https://club.example"
MATCH = MatchStarted(
    rules="nca", format=Format.TWO, players=("Ann", "Bob"), colours=("red", "black")
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    database = str(tmp_path_factory.mktemp("api") / "m.db")
    with serve_in_thread(Config(port=0, database=database, sites=(SITE,))) as running:
        yield running


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    made = create_app(Config(database=str(tmp_path / "matches.db")))
    yield made
    close_app(made)


def test_the_document_has_events_as_unions_and_what_webhooks_are_sent(app: Flask) -> None:
    document = app.test_client().get("/api/v1/openapi.json").json
    assert document["openapi"] == "3.1.0"
    assert document["servers"] == [{"url": "http://localhost"}]
    schemas = document["components"]["schemas"]
    for union in (
        schemas["MatchEvent"],
        schemas["Log"]["properties"]["events"]["items"],
        schemas["PublishedEvent"],
    ):
        assert union["discriminator"]["propertyName"] == "type"
        assert len(union["oneOf"]) == len(union["discriminator"]["mapping"]) > 10
    body = document["webhooks"]["event"]["post"]["requestBody"]["content"]["application/json"]
    assert body["schema"] == {"$ref": "#/components/schemas/HookMessage"}
    named = set(re.findall(r"#/components/schemas/(\w+)", str(document)))
    assert named <= set(schemas)


def test_every_event_of_a_match_has_its_model() -> None:
    for kind, model in _MODELS.items():
        assert set(model.model_fields) == {"type", *kind.__dataclass_fields__}


def test_what_is_published_and_logged_is_as_the_document_says(app: Flask) -> None:
    published: list[dict[str, Any]] = []
    parts = services_of(app)
    parts.boards.add_listener(published.append)
    number = parts.scoreboard.begin(MATCH)
    parts.recorder.on_start("clip")
    shown = in_zone("a", RED, 15)
    for event in (
        board_event(),
        shot_event(0, RED, shown),
        shot_event(1, BLACK, shown, in_zone("b", BLACK, 5), before=[shown]),
        blind_event("A hand", "Wait."),
    ):
        parts.recorder.on_event(event)
    parts.recorder.on_restart(EndReason(EndCode.SOURCE_FAILED, "It fell."))
    parts.recorder.on_end(EndReason(EndCode.SOURCE_FAILED, "The film ended."))
    parts.boards.first().practice.begin(PracticeStarted(player="Ann", drill=Drill.OPEN_TWENTIES))
    parts.scoreboard.append(number, Disputed(about="Was it a 20?"))
    kinds = {event["type"] for event in published}
    assert kinds == {"match", "referee", "board", "shot", "not_refereeing"}
    for event in (*published, {"type": "practice", "practice": 1}):
        PublishedEvent.validate_python(event)
    document = app.test_client().get("/api/v1/openapi.json").json
    schema = {"$ref": "#/components/schemas/Log", "components": document["components"]}
    log = app.test_client().get(f"/api/v1/matches/{number}/events").json
    assert any(event.get("seen") for event in log["events"])
    jsonschema.Draft202012Validator(schema).validate(log)


def ask(server: RunningServer, method: str, path: str, **headers: str) -> Any:
    place = urlsplit(server.address)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=30)
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, headers=names)
    answer = connection.getresponse()
    connection.close()
    return answer


def test_only_an_allowed_site_may_use_the_api_and_nothing_else(server: RunningServer) -> None:
    allowed = ask(server, "GET", "/api/v1/state", Origin=SITE)
    assert (allowed.status, allowed.headers["Access-Control-Allow-Origin"]) == (200, SITE)
    assert allowed.headers["Access-Control-Allow-Credentials"] is None
    assert "Origin" in allowed.headers.get_all("Vary")
    stream = ask(server, "GET", "/api/v1/events", Origin=SITE)
    assert stream.headers["Access-Control-Allow-Origin"] == SITE
    asked = {"Origin": SITE, "Access_Control_Request_Method": "POST"}
    preflight = ask(server, "OPTIONS", "/api/v1/matches", **asked)
    assert preflight.status == 204
    assert "Authorization" in preflight.headers["Access-Control-Allow-Headers"]
    for path, origin in (("/api/v1/state", "https://other.example"), ("/", SITE)):
        assert (
            ask(server, "GET", path, Origin=origin).headers["Access-Control-Allow-Origin"] is None
        )
    refused = ask(server, "OPTIONS", "/api/v1/matches", **asked | {"Origin": "null"})
    assert refused.headers["Access-Control-Allow-Origin"] is None


SITES = {
    "https://Club.example/": "https://club.example",
    "http://127.0.0.1:5173": "http://127.0.0.1:5173",
    "http://[::1]:80": "http://[::1]:80",
    "*": None,
    "null": None,
    "club.example": None,
    "https://club.example/page": None,
    "https://a.example https://b.example": None,
}


@pytest.mark.parametrize(("text", "origin"), SITES.items(), ids=SITES)
def test_a_site_is_an_origin(text: str, origin: str | None) -> None:
    if origin is None:
        with pytest.raises(ValueError, match="not a site"):
            check_site(text)
    else:
        assert check_site(text) == origin


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("bash")), reason="needs curl")
def test_the_quickstart_works_as_it_is_pasted(server: RunningServer, tmp_path: Path) -> None:
    page = (ROOT / "docs/reference/http.md").read_text("utf-8")
    place, *commands = re.findall(r"```bash\n(.*?)```", page, re.DOTALL)
    assert "SERVER=" in place
    place = f"SERVER={server.address}\nTOKEN={server.token}\n"
    script = "set -e\n" + place + "".join(commands)
    done = subprocess.run(
        ["bash"], input=script, capture_output=True, text=True, timeout=60, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert '"type":"undone"' in done.stdout.replace(" ", "")
    assert "event: state" in done.stdout


def test_the_referee_is_paused_and_goes_on_with_what_it_watched(app: Flask) -> None:
    client, token = app.test_client(), services_of(app).secret.token
    assert client.post("/api/v1/referee/pause").status_code == 401
    headers = {"Authorization": f"Bearer {token}"}
    refused = client.post("/api/v1/referee/resume", headers=headers)
    assert (refused.status_code, "First" in refused.json["error"]) == (409, True)
    lent = client.post("/api/v1/referee", headers=headers, json={"kind": "phone"})
    assert lent.json["is_running"]
    paused = client.post("/api/v1/referee/pause", headers=headers)
    assert (paused.json["status"], paused.json["is_running"]) == ("paused", False)
    resumed = client.post("/api/v1/referee/resume", headers=headers)
    assert (resumed.json["status"], resumed.json["is_running"]) == ("starting", True)
