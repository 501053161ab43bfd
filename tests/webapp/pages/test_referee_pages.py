"""The referee's page: a person's own video is watched, and named as the person knows it."""

from __future__ import annotations

import io
from time import monotonic, sleep

from flask import Flask

from calibration.json_text import to_plain
from webapp.services import services_of

PATIENCE_S = 60.0


def test_an_uploaded_video_that_cannot_be_opened_is_named_as_its_owner_knows_it(app: Flask) -> None:
    client, board = app.test_client(), services_of(app).scoreboard
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {services_of(app).secret.token}"
    film = (io.BytesIO(b"\x00\x00\x00\x20ftypisom" + bytes(400)), "../Club night.mp4")
    client.post("/referee/start", data={"kind": "file", "film": film})
    until = monotonic() + PATIENCE_S
    while (live := to_plain(board.state)["live"])["status"] != "failed" and monotonic() < until:
        sleep(0.05)
    assert live["reason"].startswith("Club night.mp4 cannot be opened as a video.")
    assert live["source"] == "Club night.mp4"
