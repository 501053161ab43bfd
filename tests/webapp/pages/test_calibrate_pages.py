"""The wizard over HTTP: permissions, refusals, and several views of one board."""

from __future__ import annotations

import io
from time import monotonic, sleep
from typing import Any

import cv2
import numpy as np
import pytest
from drawn_board import draw_board, view_of
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.datastructures import FileStorage, MultiDict

from calibration.profile import parse_profile
from calibration.wizard.steps import Step
from scorer.rules.sets import rule_set
from webapp.jobs.calibration_sessions import CalibrationSession
from webapp.jobs.job_services import job_services_of
from webapp.live.referee_process import RefereeTask
from webapp.sample_clips import list_clips
from webapp.services import services_of

PATIENCE_S = 90.0


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """The scorer's."""
    made = app.test_client()
    token = services_of(app).secret.token
    made.post("/join", data={"csrf": csrf(made), "token": token})
    return made


@pytest.fixture(scope="module")
def views() -> list[tuple[str, bytes]]:
    """Pictures of one drawn board from three sides, as files."""
    made = []
    for name, tilt, roll in (("front", 25.0, 0.0), ("left side", 38.0, 90.0), ("../up", 33.0, 200)):
        grey = np.clip(draw_board(view_of(tilt, 8.0, roll_deg=roll), noise=1.0), 0, 255).astype(
            np.uint8
        )
        made.append((f"{name}.jpg", cv2.imencode(".jpg", grey)[1].tobytes()))
    return made


def csrf(client: FlaskClient) -> str:
    return client.get("/score").text.split('name="csrf" content="')[1].split('"')[0]


def sent(client: FlaskClient, address: str, files: list[tuple[str, bytes]], **form: str) -> Any:
    data: MultiDict[str, Any] = MultiDict({"csrf": csrf(client), **form})
    for name, content in files:
        data.add("photo", FileStorage(io.BytesIO(content), filename=name))
    return client.post(address, data=data)


def held(app: Flask, address: str) -> CalibrationSession:
    """The calibration at an address, once its jobs are finished."""
    calibrations = job_services_of(app).calibrations
    found = calibrations.get(address.rsplit("/", 1)[1])
    assert found is not None
    found.worker.wait(found.task, PATIENCE_S)
    return calibrations.get(found.key) or found


def test_several_views_become_one_profile_with_a_lens(
    app: Flask, client: FlaskClient, views: list[tuple[str, bytes]]
) -> None:
    address = sent(client, "/calibrate", views[:1]).location
    assert held(app, address).state.step is Step.FIT
    no_disc = "disc sizes will be measured in every photo"
    sent(client, address, [], what="accept")
    assert no_disc in " ".join(client.get(address).text.split())
    for _ in range(2):
        sent(client, address, [], what="accept")
    sent(client, address, views[1:], what="views")
    state = held(app, address).state
    assert (state.step, len(state.views), state.advice) == (Step.LENS, 3, ())
    assert "focal length 9" in client.get(address).text
    sent(client, address, [], what="accept")
    assert sent(client, f"{address}/keep", [], name="Three\nviews").location == "/calibrate"
    sent(client, f"{address}/keep", [], name="Again")
    (kept,) = job_services_of(app).profiles.all()
    assert kept.name == "Threeviews"
    file = client.get(f"/calibrate/profiles/{kept.key}.json")
    assert parse_profile(file.text) == kept.profile
    assert kept.profile.disc is None
    assert no_disc in client.get("/calibrate").text
    assert kept.profile.camera is not None
    assert kept.profile.camera.fx_px == pytest.approx(900.0, rel=0.02)


def test_answers_out_of_step_or_without_sense_change_nothing(
    app: Flask, client: FlaskClient, views: list[tuple[str, bytes]]
) -> None:
    address = sent(client, "/calibrate", views[:1]).location
    before = held(app, address).state
    assert sent(client, address, [], what="disc", x="5", y="5").status_code == 303
    assert sent(client, address, [], what="disc", x="nan", y="5").status_code == 400
    assert sent(client, address, [], what="drag", x0="1").status_code == 400
    assert sent(client, address, [], what="conquer").status_code == 400
    assert sent(client, f"{address}/keep", [], name="Early").status_code == 303
    after = held(app, address).state
    assert after.step is before.step
    assert job_services_of(app).profiles.all() == ()


def test_a_file_that_is_no_picture_asks_for_another(app: Flask, client: FlaskClient) -> None:
    address = sent(client, "/calibrate", [("notes.txt", b"words")]).location
    assert held(app, address).state.step is Step.PICTURE
    assert "Choose a different photo" in client.get(address).text
    assert "choose a photo" in client.get(sent(client, "/calibrate", []).location).text


def test_a_source_gives_the_picture(app: Flask, client: FlaskClient) -> None:
    address = sent(client, "/calibrate", [], kind="clip", clip="round").location
    assert held(app, address).state.main is not None


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"kind": "url", "url": "/etc/passwd"}, "Enter the camera"),
        ({"kind": "clip", "clip": "../stills/x"}, "Video not found"),
        ({"kind": "referee"}, "The referee has no picture"),
    ],
)
def test_a_source_that_may_not_be_is_refused(
    client: FlaskClient, told: dict[str, str], words: str
) -> None:
    answer = sent(client, "/calibrate", [], back="/calibrate", **told)
    assert answer.location.startswith("/calibrate?")
    page = client.get(answer.location).text
    assert words in page
    assert told.get("url", "") in page  # the typed values are still there


def test_the_referees_own_picture_is_used_while_it_holds_the_camera(
    app: Flask, client: FlaskClient
) -> None:
    runtime = services_of(app).supervisor
    runtime.start(RefereeTask(source=str(list_clips()["round"]), rules=rule_set("nca")))
    try:
        until_s = monotonic() + PATIENCE_S
        while runtime.picture() is None and monotonic() < until_s:
            sleep(0.05)
        for told in ({"kind": "referee"}, {"kind": "clip", "clip": "round"}):
            address = "/calibrate"
            while "/calibrate/" not in address and monotonic() < until_s:  # a busy computer is slow
                address = sent(client, "/calibrate", [], **told).location
            state = held(app, address).state
            assert state.main is not None
            assert state.main.picture == "1_referee.png"
    finally:
        runtime.stop()


@pytest.mark.parametrize("path", ["/calibrate/gone", "/calibrate/gone/keep"])
def test_a_wizard_that_ended_with_the_server_says_so_and_begins_again(
    client: FlaskClient, path: str
) -> None:
    answer = sent(client, path, [], what="accept")
    assert answer.location == "/calibrate"
    assert "is no longer available" in client.get(answer.location).text
    assert client.get("/calibrate/gone/progress").json == {"is_done": True, "words": ""}


def test_a_clip_that_tells_no_speed_says_what_to_film(
    app: Flask, client: FlaskClient, views: list[tuple[str, bytes]]
) -> None:
    address = sent(client, "/calibrate", views[:1]).location
    assert held(app, address).state.step is Step.FIT
    for _ in range(2):
        sent(client, address, [], what="accept")
    sent(client, address, [("flicks.mp4", b"no clip")], what="speed")
    state = held(app, address).state
    assert (state.step, state.speed) == (Step.SPEED, None)
    assert "flicks.mp4 cannot be opened" in client.get(address).text


def test_only_the_scorer_calibrates(app: Flask, views: list[tuple[str, bytes]]) -> None:
    spectator = app.test_client()
    assert sent(spectator, "/calibrate", views[:1]).status_code == 401
    assert spectator.get("/calibrate/none").status_code == 401
    assert spectator.get("/calibrate/profiles/none.json").status_code == 404
    assert spectator.get("/calibrate/profiles/..%2fsecret.jpg").status_code == 404


def test_a_full_queue_says_that_it_is_busy(
    app: Flask, client: FlaskClient, views: list[tuple[str, bytes]], monkeypatch
) -> None:
    monkeypatch.setattr(job_services_of(app).worker, "_most_waiting", 0)
    answer = sent(client, "/calibrate", views[:1])
    assert "again in a minute" in client.get(answer.location).text


def test_measuring_is_given_up(app: Flask, client: FlaskClient) -> None:
    slow = job_services_of(app).worker.submit(_sleep, 60.0)
    session = job_services_of(app).calibrations.begin([("a.jpg", b"none")])
    address = f"/calibrate/{session.key}"
    assert "Cancel" in client.get(address).text
    answer = client.post(f"{address}/cancel", data={"csrf": csrf(client)})
    assert answer.location == "/calibrate"
    assert session.task is not None
    assert session.task.is_done
    job_services_of(app).worker.cancel(slow)


def _sleep(_report_progress: object, seconds: float) -> None:
    sleep(seconds)
