"""Films over HTTP: distinguished from photos, reviewed in another process, and refused in a
sentence.
"""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient
from paths import CLIPS, STILLS

from vision.io.encode_video import VideoFormat, encode_video
from vision.io.file_kind import is_film
from webapp.jobs.job_services import job_services_of
from webapp.pages.review.review_page import build_review

PATIENCE_S = 120.0


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


def send(client: FlaskClient, content: bytes, name: str = "shot.mp4") -> Any:
    csrf = client.get("/join").text.split('name="csrf" content="')[1].split('"')[0]
    data = {"csrf": csrf, "photo": (io.BytesIO(content), name)}
    return client.post("/score", data=data, headers={"Accept": "application/json"})


def outcome(app: Flask, client: FlaskClient, content: bytes) -> tuple[str, str]:
    """The address of an uploaded film, and its page once it was reviewed."""
    address = send(client, content).json["address"]
    session = job_services_of(app).reviews.get(address.rsplit("/", 1)[1])
    assert session is not None
    assert session.worker.wait(session.task, PATIENCE_S)
    return address, client.get(address).text


@pytest.mark.parametrize(
    ("begin", "expected"),
    [
        (b"\x00\x00\x00\x20ftypisom", True),
        (b"\x00\x00\x00\x14ftypqt  ", True),
        (b"\x1aE\xdf\xa3\x01\x00\x00\x00", True),
        (b"RIFF\x00\x00\x00\x00AVI LIST", True),
        (b"\x00\x00\x00\x18ftypheic", False),
        (b"\x00\x00\x00\x1cftypavif", False),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", False),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF", False),
        (b"", False),
    ],
)
def test_a_film_is_told_from_a_photograph_by_its_first_bytes(begin: bytes, expected: bool) -> None:
    assert is_film(begin) is expected


def test_the_samples_are_what_they_are() -> None:
    assert is_film((CLIPS / "round.mp4").read_bytes())
    assert not is_film((STILLS / "twenty_in_the_hole.jpg").read_bytes())


def test_a_film_without_a_board_gets_no_verdict_but_what_to_do(
    app: Flask, client: FlaskClient, tmp_path: Path
) -> None:
    grey = [np.full((120, 160, 3), 80 + k, np.uint8) for k in range(4)]
    small = VideoFormat(size=(160, 120), stored=(160, 120), fps=30.0, quality=23)
    encode_video(grey, tmp_path / "grey.mp4", small)
    address, page = outcome(app, client, (tmp_path / "grey.mp4").read_bytes())
    assert address.startswith("/review/")
    assert "No decision" in page
    assert "no crokinole board was found" in page.lower()
    assert client.get(f"{address}/progress").json["is_done"]
    assert client.get(f"{address}/review.mp4").status_code == 404


def test_a_film_that_breaks_off_says_where_and_names_no_file_of_the_server(
    app: Flask, client: FlaskClient, tmp_path: Path
) -> None:
    noise = np.random.default_rng(2)
    grey = [noise.integers(90, 96, (120, 160, 3), dtype=np.uint8) for _ in range(40)]
    small = VideoFormat(size=(160, 120), stored=(160, 120), fps=20.0, quality=10)
    encode_video(grey, tmp_path / "cut.mp4", small)
    whole = (tmp_path / "cut.mp4").read_bytes()
    _, page = outcome(app, client, whole[: len(whole) // 2])
    assert re.search(r"shot\.mp4 ends early at \d\.\d of 2\.0 s", page)
    assert "/tmp" not in page


def test_a_broken_film_is_refused_in_a_sentence_that_names_no_file_of_the_server(
    app: Flask, client: FlaskClient
) -> None:
    address, page = outcome(app, client, b"\x00\x00\x00\x20ftypisom" + bytes(400))
    assert "This video cannot be reviewed" in page
    assert "shot.mp4 cannot be opened as a video." in page
    assert "/tmp" not in page
    german = client.get(address, headers={"Accept-Language": "de"}).text
    assert "shot.mp4 cannot be opened" not in german
    assert "shot.mp4" in german


def test_a_film_that_is_gone_says_so(client: FlaskClient) -> None:
    gone = client.get("/review/unknown", follow_redirects=True)
    assert "This video" in gone.text
    assert client.get("/review/unknown/progress").json["is_done"]


def test_a_film_is_given_up(app: Flask, client: FlaskClient) -> None:
    address = send(client, b"\x00\x00\x00\x20ftypisom" + bytes(400)).json["address"]
    csrf = client.get("/join").text.split('name="csrf" content="')[1].split('"')[0]
    answer = client.post(f"{address}/cancel", data={"csrf": csrf}, follow_redirects=True)
    assert "Cancelled" in answer.text
    assert job_services_of(app).reviews.get(address.rsplit("/", 1)[1]) is None


@pytest.mark.parametrize(
    ("kind", "gap_mm", "words"),
    [
        ("touch", -0.1, "Red touches black at 3 o'clock."),
        ("gap", 2.34, "Red passes black at 3 o'clock with a gap of 2.3 mm."),
        (
            "gap",
            0.5,
            "Red passes too close to black at 3 o'clock to call. Watch the video together.",
        ),
        ("line", 4.0, "Red ends 4.0 mm short of the 15 line."),
        ("line", -4.0, "Red ends 4.0 mm over the 15 line."),
        ("line", -0.4, "Red ends too close to the 15 line to call. Check it together."),
    ],
)
def test_the_nearest_moment_is_told_in_players_words(kind: str, gap_mm: float, words: str) -> None:
    nearest = {"kind": kind, "disc": "red 1", "other": "black 2", "gap_mm": gap_mm}
    nearest |= {"sigma_mm": 0.3, "t_s": 1.5, "x_mm": 80.0, "y_mm": 2.0}
    review: dict[str, Any] = dict.fromkeys(("shot", "physics", "registration"))
    review |= {"reason": None, "nearest": nearest, "shots": 1, "notes": []}
    shown = build_review(review)
    assert shown["nearest"] == words
    assert shown["figures"] == [
        (
            "Closest approach: 1.50 s into the video, "
            f"gap {gap_mm:+.2f} ± 0.30 mm (one standard deviation)."
        )
    ]
