"""The settings in an overlay's address; nothing else from it gets into the page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from webapp.config import Config
from webapp.factory import close_app, create_app


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlaskClient]:
    folder: Path = tmp_path_factory.mktemp("overlay")
    app = create_app(Config(database=str(folder / "m.db"), profiles=folder / "profiles"))
    yield app.test_client()
    close_app(app)


def body_of(client: FlaskClient, query: str) -> str:
    return re.findall(r"<body[^>]*>", client.get(f"/overlay?{query}").get_data(as_text=True))[0]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("", 'class="bottom-left stack look-dark" data-scale="1.0"'),
        ("corner=top-right&layout=bar&look=stage", 'class="top-right bar look-stage"'),
        ("corner=middle&layout=round&look=pink", 'class="bottom-left stack look-dark"'),
        ("scale=99&hold=0", 'data-scale="6.0" data-hold="1.0"'),
        ("scale=nan&hold=long", 'data-scale="1.0" data-hold="7.0"'),
        ("colour=4fd1FF", 'data-colour="#4fd1ff"'),
        ('colour=red"onload', 'data-colour=""'),
    ],
)
def test_address_chooses_among_what_there_is(client: FlaskClient, query: str, words: str) -> None:
    assert words in body_of(client, query)


def test_logo_from_elsewhere_may_be_loaded_from_its_host_alone(client: FlaskClient) -> None:
    answer = client.get("/overlay?logo=https://club.example:8443/logo.png")
    assert 'src="https://club.example:8443/logo.png"' in answer.get_data(as_text=True)
    policy = answer.headers["Content-Security-Policy"]
    assert "img-src 'self' data: https://club.example:8443;" in policy
    assert "script-src 'self';" in policy


@pytest.mark.parametrize(
    "logo",
    ["javascript:alert(1)", "data:image/svg+xml,x", "https://a.example; script-src *", "//a"],
)
def test_logo_that_is_no_address_on_the_web_is_left_out(client: FlaskClient, logo: str) -> None:
    answer = client.get("/overlay", query_string={"logo": logo})
    assert 'id="logo" alt="" hidden' in answer.get_data(as_text=True)
    assert "frame-src 'self'" in answer.headers["Content-Security-Policy"]


def test_page_to_choose_offers_every_part(client: FlaskClient) -> None:
    page = client.get("/overlay/choose").get_data(as_text=True)
    for part in ("score", "verdict", "clock", "board", "replay"):
        assert f'value="{part}"' in page
