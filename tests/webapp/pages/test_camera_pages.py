"""Frames sent by a phone's page: accepted and refused ones."""

from __future__ import annotations

import io

import cv2
import numpy as np
import pytest
from flask import Flask
from werkzeug.test import TestResponse

from webapp.services import services_of

JPEG = cv2.imencode(".jpg", np.zeros((9, 16, 3), np.uint8))[1].tobytes()


def send_frames(
    app: Flask, times: list[str], jpegs: list[bytes], *, is_scorer: bool = True, phone: str = ""
) -> TestResponse:
    """Send a form of frames as the scorer's page does."""
    token = services_of(app).secret.token if is_scorer else "another"
    files = [(io.BytesIO(jpeg), "frame.jpg") for jpeg in jpegs]
    answer = app.test_client().post(
        "/camera/frames",
        data={"phone": phone, "captured_ms": times, "frame": files},
        headers={"Authorization": f"Bearer {token}", "Accept": "application/json"},
    )
    answer.request.environ["wsgi.input"].close()  # a file, if the form is large
    return answer


def test_frames_that_nobody_asked_for_are_told_to_be_unwanted(app: Flask) -> None:
    answer = send_frames(app, ["1700000000000.0", "1700000000033.3"], [JPEG, JPEG])
    assert answer.status_code == 200
    assert answer.json is not None
    assert answer.json["is_wanted"] is False
    assert answer.json["frames_sent"] == 0


@pytest.mark.parametrize(
    ("times", "jpegs", "status"),
    [
        (["1", "2"], [JPEG], 400),
        ([], [JPEG], 400),
        (["soon"], [JPEG], 400),
        (["soon"], [], 400),
        (["nan"], [JPEG], 400),
        (["1"], [b"GIF89a"], 400),
        (["1"], [JPEG + bytes(2**21)], 413),
    ],
    ids=[
        "a time too many",
        "no time",
        "a word",
        "a word alone",
        "no number",
        "no JPEG",
        "too large",
    ],
)
def test_what_is_no_timed_frame_is_refused(
    app: Flask, times: list[str], jpegs: list[bytes], status: int
) -> None:
    assert send_frames(app, times, jpegs).status_code == status


def test_frames_of_somebody_who_is_not_the_scorer_are_refused(app: Flask) -> None:
    assert send_frames(app, ["1"], [JPEG], is_scorer=False).status_code == 401


def test_the_phone_that_began_last_films_alone(app: Flask) -> None:
    client, token = app.test_client(), services_of(app).secret.token
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
    for phone in ("one", "other"):
        client.post("/camera/start", data={"phone": phone}, headers=headers)
    answers = [send_frames(app, ["1"], [JPEG], phone=phone).json for phone in ("one", "other")]
    assert [answer["is_wanted"] for answer in answers] == [False, True]
