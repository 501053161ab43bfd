"""``/api/v1``: its effects, and that no request makes it fail."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
import schemathesis
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from jpeg_film import draw_film, read_level
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from watch_events import PLACES_MM, RED, disc, shot_event

from calibration.board import BoardSpec
from calibration.disc import DiscSpec
from calibration.profile import CalibrationProfile, Origin
from scorer.photo.rectified_image import RectifiedBoardImage
from scorer.referee.events import ShotEvent, from_json
from scorer.rules.checks import Fault
from scorer.rules.fault_codes import FaultCode
from scorer.rules.judge_shot import Verdict
from webapp.config import Config
from webapp.factory import close_app, create_app
from webapp.jobs.job_services import job_services_of
from webapp.live.clip_store import ShotRecord
from webapp.services import services_of

#: Number of requests per operation and mode; `CROKINOLE_FUZZ=1000 make test` sends more. Most
#: operations take one number or a few words, and `tests/fuzz` sends 40 more to all together.
EXAMPLES = int(os.environ.get("CROKINOLE_FUZZ", "4"))

PLAN = RectifiedBoardImage(
    jpeg=b"from above", half_mm=355.0, foot_mm=15.4, lines=("1,2 3,4",), hole=(0.0, 0.0, 17.5)
)

CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    folder = tmp_path_factory.mktemp("api")
    app = create_app(Config(database=str(folder / "m.db"), is_rate_limit_off=True))
    yield app
    close_app(app)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    client = app.test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {services_of(app).secret.token}"
    return client


def begin(client: FlaskClient, **more: Any) -> int:
    told = {"rules": "nca", "players": ["Ann", "Bob"], **more}
    answer = client.post("/api/v1/matches", json=told)
    assert answer.status_code == 201, answer.text
    return int(answer.json["id"])


def test_match_is_run_over_the_api(client: FlaskClient) -> None:
    number = begin(client, colours=["natural", "black"], options={"game_points": 50})
    events = f"/api/v1/matches/{number}/events"
    told = {"type": "round_scored", "points": [70, 15], "twenties": [2, 0]}
    after = client.post(events, json=told)
    assert after.status_code == 201
    assert after.json["winners"] == ["Ann"]
    assert client.get("/api/v1/state").json["match"]["sides"][0]["total"] == 55
    assert client.post(events, json={"type": "undone"}).json["winners"] == []
    assert [event["type"] for event in client.get(events).json["events"]] == [
        "match_started",
        "round_scored",
        "undone",
    ]
    players = client.get(f"/api/v1/matches/{number}/players").json["players"]
    assert players[0]["fouls"] == {"total": 0, "n": 0, "mean": None}


@pytest.mark.parametrize(
    ("told", "code", "words"),
    [
        ({"type": "round_scored", "points": [7, 0]}, 409, "multiple of 5"),
        ({"type": "danced"}, 422, "type"),
        ({"type": "round_scored", "points": "many"}, 422, "points"),
        ({"type": "undone", "surprise": 1}, 422, "surprise"),
        ({"type": "foul_called", "player": 0, "foul": "sneezing"}, 409, "cannot be read"),
    ],
)
def test_what_cannot_be_is_told_in_one_sentence(
    client: FlaskClient, told: dict[str, Any], code: int, words: str
) -> None:
    answer = client.post(f"/api/v1/matches/{begin(client)}/events", json=told)
    assert (answer.status_code, words in answer.json["error"]) == (code, True), answer.text


def test_reading_is_open_and_writing_is_not(app: Flask) -> None:
    anybody = app.test_client()
    assert anybody.get("/api/v1/state").status_code == 200
    told = {"rules": "nca", "players": ["A", "B"]}
    assert anybody.post("/api/v1/matches", json=told).status_code == 401
    assert anybody.get("/api/v1/hooks").status_code == 401


def test_missing_match_is_not_found(client: FlaskClient) -> None:
    assert client.get("/api/v1/matches/99999").json == {"error": "Page not found."}


def test_source_may_not_be_a_file_of_the_machine(client: FlaskClient) -> None:
    for url in ("/etc/passwd", "file:///etc/passwd", "relative.mp4"):
        answer = client.post("/api/v1/referee", json={"kind": "url", "url": url})
        assert answer.status_code == 409, url
    answer = client.post("/api/v1/referee", json={"kind": "clip", "clip": "../stills/x"})
    assert answer.status_code == 409
    second = {"kind": "url", "url": "/etc/passwd"}
    answer = client.post("/api/v1/referee", json={"kind": "camera", "beside": second})
    assert answer.status_code == 409


def hand_in(client: FlaskClient, route: str) -> dict[str, Any]:
    """The result of a photo, once it was read."""
    picture = Path(str(files("sample_images"))) / "stills" / "twenty_in_the_hole.jpg"
    handed = client.post(f"/api/v1/{route}", data=picture.read_bytes())
    assert handed.status_code == 202, handed.text
    address, until_s = f"/api/v1/{route}/{handed.json['key']}", monotonic() + 240
    told: dict[str, Any] = {"is_done": False}
    while not told["is_done"] and monotonic() < until_s:
        told = client.get(address).json
        sleep(0.05)
    assert client.post(f"/api/v1/{route}", data=b"").status_code == 400
    assert client.get(f"/api/v1/{route}/guess").status_code == 404
    return told


def test_photograph_is_scored_over_the_api(client: FlaskClient) -> None:
    told = hand_in(client, "photos")
    assert told["problem"] is None
    assert (told["score"]["status"], told["score"]["image"]) == ("scored", "photo")


def test_board_is_measured_and_kept_over_the_api(client: FlaskClient) -> None:
    told = hand_in(client, "calibrations")
    assert (told["problem"], "painted lines" in told["words"][0]) == (None, True)
    kept = client.post("/api/v1/profiles", json={"name": "Hall", "calibration": told["key"]})
    assert (kept.status_code, kept.json["key"]) == (201, "hall"), kept.text
    again = client.post("/api/v1/profiles", json={"name": "Attic", "profile": told["profile"]})
    assert again.json["profile"]["board"] == kept.json["profile"]["board"]
    assert {profile["name"] for profile in client.get("/api/v1/profiles").json["profiles"]} >= {
        "Hall",
        "Attic",
    }
    for key in ("attic", "hall"):
        left = client.delete(f"/api/v1/profiles/{key}").json["profiles"]
        assert key not in {row["key"] for row in left}
    refused = client.post("/api/v1/profiles", json={"profile": {"version": 99}})
    assert (refused.status_code, "version is 99" in refused.json["error"]) == (409, True)


def test_matches_leave_and_enter_as_files_and_rows_come_in_pages(client: FlaskClient) -> None:
    number = begin(client, options={"game_points": 50})
    events = f"/api/v1/matches/{number}/events"
    export = f"/api/v1/matches/{number}/export?format="
    assert client.get(f"{export}cmn").status_code == 409  # it exports only finished matches
    for points in ([60, 20], [60, 20]):
        client.post(events, json={"type": "round_scored", "points": points, "twenties": [2, 0]})
    for form in ("json", "csv", "cmn"):
        file = client.get(f"{export}{form}")
        taken = client.post("/api/v1/matches/import", data=file.data, content_type=file.mimetype)
        assert taken.status_code == 201, taken.text
        (copy,) = taken.json["matches"]
        match = client.get(f"/api/v1/matches/{copy}").json
        assert ([side["total"] for side in match["sides"]], match["winners"]) == ([80, 0], ["Ann"])
    part = client.get(f"{events}?after=1&limit=1").json
    assert ([event["type"] for event in part["events"]], part["total"]) == (["round_scored"], 3)
    shots = client.get(f"/api/v1/shots?match={number}&page=7").json
    assert (shots["shots"], shots["page"], shots["total"]) == ([], 1, 0)


def test_practice_is_run_over_the_api(client: FlaskClient) -> None:
    begun = client.post("/api/v1/practices", json={"player": "Ann", "drill": "open_twenties"})
    address = f"/api/v1/practices/{begun.json['id']}"
    missed = {"outcome": "on_board", "right_mm": 12, "beyond_mm": -40}
    for told in ({"outcome": "twenty"}, missed, missed):
        after = client.post(f"{address}/events", json={"type": "practice_shot", **told})
        assert after.status_code == 201, after.text
    client.post(f"{address}/events", json={"type": "practice_shot_undone"})
    refused = client.post(f"{address}/events", json={"type": "practice_shot", "outcome": "out"})
    assert refused.status_code == 409
    after = client.post(f"{address}/events", json={"type": "practice_ended"}).json
    assert (after["outcomes"], after["is_over"]) == (["twenty", "on_board"], True)
    assert after["rate"]["share"] == 0.5
    assert after["rate"]["interval"][1] < 1
    listed = client.get("/api/v1/practices?player=Ann&page=1").json
    assert (listed["practices"][0]["id"], listed["total"]) == (begun.json["id"], 1)


def test_shot_is_told_with_its_evidence_and_pictures(app: Flask, client: FlaskClient) -> None:
    number, shots = begin(client), services_of(app).shots
    shots.keep_plan("seen", PLAN)
    fault = Fault(code=FaultCode.NO_CONTACT, rule="Touch one.", evidence={"touched": []})
    doubtful = disc("a", RED, PLACES_MM[15], confidence=0.6)
    event = from_json(shot_event(0, RED, doubtful, verdict=Verdict.FOUL, faults=[fault]))
    assert isinstance(event, ShotEvent)
    told = ShotRecord(
        key="seen",
        match=number,
        round=1,
        number=1,
        at="2026-01-02T03:04:05.000+00:00",
        event=event,
        times_s=(0.5,),
    )
    shots.keep(told, draw_film((0.5,)))
    listed = client.get(f"/api/v1/shots?match={number}").json["shots"]
    assert [(row["key"], row["verdict"]) for row in listed] == [("seen", "foul")]
    shot = client.get("/api/v1/shots/seen").json
    assert shot["told"]["faults"][0]["evidence"] == "touched: none"
    assert [(row["zone"], row["is_close"]) for row in shot["discs"]] == [(15, True)]
    assert read_level(client.get(shot["pictures"][0]["address"]).data) == 0
    video = client.get(shot["video"], buffered=True)
    assert (video.status_code, video.content_type) == (200, "video/mp4")
    assert video.content_length == len(video.data)
    part = client.get(shot["video"], headers={"Range": "bytes=4-7"}, buffered=True)
    assert (part.status_code, part.data) == (206, b"ftyp")
    assert "immutable" in part.headers["Cache-Control"]
    assert part.headers["Content-Range"] == f"bytes 4-7/{video.content_length}"
    past = client.get(shot["video"], headers={"Range": f"bytes={video.content_length}-"})
    assert past.status_code == 416
    assert client.get("/shots/other.mp4").status_code == 404
    assert client.get(shot["plan"]["picture"]).data == b"from above"
    assert client.get("/api/v1/plans/seen").json == shot["plan"]
    assert client.get("/api/v1/plans/other").status_code == 404
    assert client.get("/shots/seen/7.jpg").status_code == 404


def test_profiles_are_told_and_chosen_by_their_key(app: Flask, client: FlaskClient) -> None:
    made = CalibrationProfile(
        board=BoardSpec(), disc=DiscSpec(), origin=Origin(name="Club", made="2026")
    )
    key = job_services_of(app).profiles.keep(made, b"picture")
    assert client.get("/api/v1/profiles").json["profiles"][0]["key"] == key
    assert client.get(f"/api/v1/profiles/{key}").json["profile"]["origin"]["name"] == "Club"
    assert client.get("/api/v1/profiles/other").status_code == 404
    answer = client.post("/api/v1/referee", json={"kind": "camera", "profile": "other"})
    assert answer.status_code == 409
    assert "Profile not found" in answer.json["error"]


def test_document_names_every_route(app: Flask, client: FlaskClient) -> None:
    paths = client.get("/api/v1/openapi.json").json["paths"]
    routes = {
        str(rule).replace("<int:", "{").replace("<", "{").replace(">", "}")
        for rule in app.url_map.iter_rules()
        if str(rule).startswith("/api/")
    }
    assert routes - {"/api/v1/openapi.json", "/api/v1/docs"} == set(paths) - {"/api/v1/events"}


def test_new_token_locks_out_programs_with_the_old_one(tmp_path: Path) -> None:
    app = create_app(Config(database=str(tmp_path / "m.db")))
    old = services_of(app).secret.token
    client = app.test_client()
    answer = client.post("/api/v1/token", headers={"Authorization": f"Bearer {old}"})
    assert answer.json["token"] == services_of(app).secret.token != old
    again = client.post("/api/v1/token", headers={"Authorization": f"Bearer {old}"})
    assert again.status_code == 401


WRITING = ("matches", "matches/1/events", "referee", "hooks")


@pytest.mark.parametrize("route", WRITING)
@pytest.mark.parametrize(
    ("content", "kind", "code"),
    [
        (b"--x--", "multipart/form-data; boundary=x", 415),
        (b"rules=nca", "application/x-www-form-urlencoded", 415),
        (b"{}", "text/plain", 415),
        (b"{}", None, 415),
        (b"", "application/json", 400),
        (b"{", "application/json", 400),
        (b"\xff", "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b'{"a":' * 50_000, "application/json", 400),
        (b'{"games": 1' + b"0" * 5000 + b"}", "application/json", 400),
        (b"[1]", "application/json", 422),
        (b"null", "application/json", 422),
        (b'{"%s": 1}' % (b"x" * 100_000), "application/json", 422),
        (b'{"players": ["\\ud800", "B"], "rules": "nca"}', "application/json", 422),
    ],
)
def test_a_body_that_is_no_json_of_the_route_is_refused_in_a_short_sentence(
    client: FlaskClient, route: str, content: bytes, kind: str | None, code: int
) -> None:
    begin(client)
    answer = client.post(f"/api/v1/{route}", data=content, content_type=kind)
    assert answer.status_code == code, answer.text
    assert len(answer.json["error"]) < 700


def operations(app: Flask) -> list[Any]:
    """The operations of the document, without those that start other processes or sign the test
    out.
    """
    told = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", app)
    told = told.exclude(path="/api/v1/token").exclude(path="/api/v1/events")
    told = told.exclude(path="/api/v1/photos", method="POST")
    told = told.exclude(path="/api/v1/calibrations", method="POST")
    told = told.exclude(path="/api/v1/referee", method="POST")
    return [operation.ok() for operation in told.get_all_operations()]


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_nothing_that_is_sent_makes_it_fall(
    app: Flask, client: FlaskClient, mode: GenerationMode
) -> None:
    begin(client)  # so that some numbers belong to a match
    headers = {"Authorization": f"Bearer {services_of(app).secret.token}"}
    tried = 0
    for operation in operations(app):
        asks_by_key = operation.method == "get" and operation.path.endswith("{key}")
        if asks_by_key and mode is GenerationMode.NEGATIVE:
            # any text is a key: the search for an unknown one takes long and finds nothing
            continue

        @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy(generation_mode=mode))
        def send(case: Any) -> None:
            nonlocal tried
            tried += 1
            case.call_and_validate(headers=headers, checks=CHECKS)

        # some operations have no input that could be wrong
        with contextlib.suppress(Unsatisfiable):
            send()
    assert tried > 5 * EXAMPLES
