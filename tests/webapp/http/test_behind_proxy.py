"""Behind a trusted proxy, under a path and with its TLS: links, cookies, codes and streams fit."""

from __future__ import annotations

import contextlib
import http.client
import os
import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from served_thread import serve_in_thread

from webapp.config import Config
from webapp.factory import close_app, create_app
from webapp.http.asgi import find_sender
from webapp.http.tls import keep_certificate
from webapp.server import RunningServer
from webapp.services import services_of

FORWARDED = {
    "X-Forwarded-For": "203.0.113.9",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Host": "club.example",
    "X-Forwarded-Prefix": "/club",
}
PAGES = (
    "/",
    "/boards",
    "/boards/1",
    "/matches",
    "/match/1",
    "/match/new",
    "/players",
    "/player?name=Ann",
    "/practice",
    "/score",
    "/referee",
    "/camera",
    "/calibrate",
    "/overlay",
    "/overlay/choose",
    "/tournaments",
    "/tournaments/new",
    "/join",
    "/help",
    "/api/v1/docs",
    "/nothing",
    "/?tv",
)


@contextmanager
def opened(folder: Path, **settings: Any) -> Iterator[tuple[Flask, FlaskClient]]:
    app = create_app(Config(database=str(folder / "m.db"), **settings))
    client = app.test_client()
    headers = {"Authorization": f"Bearer {services_of(app).secret.token}"}
    setup = {"rules": "nca", "players": ["Ann", "Bob"], "colours": ["red", "black"]}
    assert client.post("/api/v1/matches", json=setup, headers=headers).status_code == 201
    services_of(app).boards.add_board("")
    yield app, client
    close_app(app)


def test_every_link_script_and_form_lies_under_the_proxy_s_path(tmp_path: Path) -> None:
    with opened(tmp_path, is_behind_proxy=True) as (app, client):
        token = {"Authorization": f"Bearer {services_of(app).secret.token}"}
        seen = 0
        for page in PAGES:
            text = client.get(page, headers=FORWARDED | token).text
            links = re.findall(r'(?:href|src|action|data-words|value)="(/[^"]*)"', text)
            strays = [link for link in links if not link.startswith("/club/")]
            shown = page.partition("?")[0]
            assert [stray for stray in strays if stray.partition("?")[0] != shown] == [], page
            seen += len(links)
            if "<html" in text:
                assert 'data-root="/club"' in text, page
        assert seen > 200


def test_redirections_cookies_codes_and_documents_go_by_what_the_browser_asked_for(
    tmp_path: Path,
) -> None:
    with opened(tmp_path, is_behind_proxy=True) as (app, client):
        page = client.get("/join", headers=FORWARDED)
        assert "https://club.example/club/" in page.text
        cookie = page.headers["Set-Cookie"]
        assert "Secure" in cookie
        assert "Path=/club" in cookie
        assert client.get("/match", headers=FORWARDED).location == "/club/match/1"
        manifest = client.get("/manifest.webmanifest", headers=FORWARDED).json
        assert manifest["start_url"] == "/club/"
        assert all(icon["src"].startswith("/club/") for icon in manifest["icons"])
        document = client.get("/api/v1/openapi.json", headers=FORWARDED).json
        assert document["servers"] == [{"url": "https://club.example/club"}]
        csrf = re.findall(r'name="csrf" content="([^"]+)"', page.text)[0]
        sender = app.test_client(use_cookies=False)
        sent = FORWARDED | {"Cookie": cookie.partition(";")[0]}
        places = {"/help": "/club/help", "/club/help": "/club/help", "//e": "/club/"}
        for back, place in places.items():
            form = {"csrf": csrf, "language": "de", "back": back}
            answer = sender.post("/language", data=form, headers=sent)
            assert (answer.status_code, answer.location) == (303, place)
        chosen = answer.headers["Set-Cookie"]
        assert "Secure" in chosen
        assert "Path=/club" in chosen


def test_a_header_with_an_underscore_is_not_taken_for_the_proxy_s(tmp_path: Path) -> None:
    config = Config(port=0, database=str(tmp_path / "m.db"), is_behind_proxy=True)
    with serve_in_thread(config) as server:
        visit = http.client.HTTPConnection(server.address.removeprefix("http://"))
        visit.putrequest("GET", "/match")
        for name, content in FORWARDED.items():
            visit.putheader(name, content)
        visit.putheader("X_Forwarded_Prefix", "/evil")
        visit.endheaders()
        assert visit.getresponse().headers["Location"] == "/club/matches"
        visit.close()


@pytest.mark.parametrize("settings", [{}, {"proxies": 1}])
def test_nobody_s_word_is_taken_without_the_option(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    with opened(tmp_path, **settings) as (_, client):
        page = client.get("/join", headers=FORWARDED)
        assert "club" not in page.text.replace("club-sandwich", "")
        assert "Secure" not in page.headers["Set-Cookie"]
        assert client.get("/match", headers=FORWARDED).location == "/match/1"


@pytest.mark.parametrize(
    ("forwarded", "hops", "sender"),
    [
        (None, 1, "10.0.0.1"),
        ("203.0.113.9", 0, "10.0.0.1"),
        ("203.0.113.9", 1, "203.0.113.9"),
        ("6.6.6.6, 203.0.113.9", 1, "203.0.113.9"),
        ("6.6.6.6, 203.0.113.9, 10.0.0.2", 2, "203.0.113.9"),
        ("203.0.113.9", 2, "10.0.0.1"),
    ],
)
def test_who_asks_is_whom_the_first_trusted_proxy_saw(
    forwarded: str | None, hops: int, sender: str
) -> None:
    headers = [] if forwarded is None else [(b"x-forwarded-for", forwarded.encode())]
    assert find_sender({"headers": headers, "client": ("10.0.0.1", 1)}, hops) == sender


NGINX = """
daemon off; pid {folder}/pid; error_log stderr;
events {{ worker_connections 64; }}
http {{
  access_log off;
  client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  server {{
    listen 127.0.0.1:{port} ssl;
    ssl_certificate {folder}/tls.pem; ssl_certificate_key {folder}/tls-key.pem;
    client_max_body_size 80m;
    location /club/ {{
      proxy_pass http://127.0.0.1:{inner}/;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-Host $http_host;
      proxy_set_header X-Forwarded-Prefix /club;
      proxy_buffering off;
      proxy_read_timeout 1h;
    }}
  }}
}}
"""

CADDY = """
{{
  admin off
  auto_https disable_redirects
  skip_install_trust
  storage file_system {folder}
}}
https://:{port} {{
  bind 127.0.0.1
  tls {folder}/tls.pem {folder}/tls-key.pem
  handle_path /club/* {{
    reverse_proxy 127.0.0.1:{inner} {{
      header_up X-Forwarded-Prefix /club
      flush_interval -1
    }}
  }}
}}
"""
#: The proxies in the guide, with their configuration and the arguments before its file.
PROXIES = {
    "nginx": (NGINX, ("-e", "stderr", "-c")),
    "caddy": (CADDY, ("run", "--adapter", "caddyfile", "--config")),
}


@pytest.fixture(params=PROXIES)
def proxied(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[tuple[RunningServer, int, ssl.SSLContext]]:
    """A server behind a proxy, the proxy's port, and a context that trusts its certificate."""
    program = shutil.which(request.param)
    if program is None:
        pytest.skip(f"{request.param} is not installed")
    content, arguments = PROXIES[request.param]
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    keep_certificate(tmp_path / "tls.pem", tmp_path / "tls-key.pem", ("localhost", "127.0.0.1"))
    config = Config(
        database=str(tmp_path / "m.db"),
        port=0,
        is_behind_proxy=True,
        host_names=("localhost",),
        is_rate_limit_off=True,
    )
    with serve_in_thread(config) as running:
        inner = running.address.rpartition(":")[2]
        written = tmp_path / "proxy.conf"
        written.write_text(content.format(folder=tmp_path, port=port, inner=inner))
        home = os.environ | {"XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
        with subprocess.Popen([program, *arguments, str(written)], env=home) as proxy:
            try:
                until_s = time.monotonic() + 20
                while time.monotonic() < until_s:
                    with socket.socket() as probe:
                        if probe.connect_ex(("127.0.0.1", port)) == 0:
                            break
                    time.sleep(0.05)
                trusted = ssl.create_default_context(cafile=str(tmp_path / "tls.pem"))
                yield running, port, trusted
            finally:
                proxy.terminate()


def test_a_proxy_serves_it_under_a_path_with_tls_and_its_stream_at_once(
    proxied: tuple[RunningServer, int, ssl.SSLContext],
) -> None:
    running, port, trusted = proxied
    with contextlib.ExitStack() as held:
        _check_through_proxy(running, port, trusted, held)


def _check_through_proxy(
    running: RunningServer, port: int, trusted: ssl.SSLContext, held: contextlib.ExitStack
) -> None:

    def ask(path: str, method: str = "GET", body: str | None = None, **headers: str) -> Any:
        asked = http.client.HTTPSConnection("localhost", port, timeout=30, context=trusted)
        held.callback(asked.close)
        asked.request(method, path, body, headers)
        answer = asked.getresponse()
        held.callback(answer.close)
        return answer

    joined = ask("/club/join")
    assert "Secure" in joined.headers["Set-Cookie"]
    assert f"https://localhost:{port}/club/" in joined.read().decode()
    assert ask("/club/match").headers["Location"] == "/club/matches"
    assert ask("/club/static/base.css").status == 200
    assert ask("/club/join", Host="evil.example").status == 421
    stream = ask("/club/events")
    assert [stream.readline() for _ in range(2)] == [b"retry: 1000\n", b"\n"]
    setup = '{"rules": "nca", "players": ["Ann", "Bob"], "colours": ["red", "black"]}'
    token = {"Authorization": f"Bearer {running.token}", "Content-Type": "application/json"}
    assert ask("/club/api/v1/matches", "POST", setup, **token).status == 201
    began_s = time.monotonic()
    lines = iter(stream.readline, b"")
    assert any(b"match_started" in line for line in lines)
    assert time.monotonic() - began_s < 5.0  # and not only once the proxy has filled a buffer
