"""HTTP inputs: the API by its document, pages by their forms, and plain bytes on a socket."""

from __future__ import annotations

import atexit
import contextlib
import functools
import io
import json
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import schemathesis
from flask import Flask
from hypothesis import strategies as st
from mutations import mutated_bytes, mutated_json_text, odd_text
from schemathesis import GenerationMode
from targets import MATCH, Target

from webapp.config import Config
from webapp.factory import close_app, create_app
from webapp.services import services_of

#: Longest time for an answer, s, on a slow computer.
_PATIENCE_S = 20.0
#: Routes that would start processes, reach other computers, or sign the scorer out.
_LEFT_OUT = (
    ("/api/v1/token", "POST"),
    ("/api/v1/events", "GET"),
    ("/api/v1/photos", "POST"),
    ("/api/v1/referee", "POST"),
    ("/api/v1/hooks", "POST"),
    ("/token", "POST"),
    ("/leave", "POST"),
    ("/camera/start", "POST"),
    ("/referee/start", "POST"),
    ("/referee/<any(stop, pause, resume):what>", "POST"),
    ("/calibrate", "POST"),
    ("/score", "GET"),
)


class ServerError(AssertionError):
    """An answer with a status from 500 on."""


def check_status(status: int, words: str) -> None:
    """Assert that the server did not fail."""
    if status >= 500:
        raise ServerError(f"{status}: {words[:300]}")


@functools.cache
def _application() -> Flask:
    """An application with a match, for the program's lifetime."""
    folder = tempfile.TemporaryDirectory()
    app = create_app(Config(database=str(Path(folder.name) / "m.db"), is_rate_limit_off=True))
    client = app.test_client()
    setup = {"rules": "nca", "players": ["Ann", "Bob"], "colours": ["natural", "black"]}
    client.post("/api/v1/matches", json=setup, headers=_scorer(app))
    atexit.register(folder.cleanup)
    atexit.register(close_app, app)
    return app


def _scorer(app: Flask) -> dict[str, str]:
    return {"Authorization": f"Bearer {services_of(app).secret.token}"}


# The API by its document


def _cases() -> st.SearchStrategy[Any]:
    document = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", _application())
    for path, method in _LEFT_OUT:
        document = document.exclude(path=path, method=method)
    operations = [operation.ok() for operation in document.get_all_operations()]
    strategies = [
        operation.as_strategy(generation_mode=GenerationMode.POSITIVE) for operation in operations
    ]
    strategies += [
        operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)
        for operation in operations
        if operation.body or operation.query
    ]
    return st.one_of(strategies)


def check_api(case: Any) -> None:
    """The API answers allowed and other requests without failing."""
    answer = case.call(headers=_scorer(_application()))
    check_status(answer.status_code, answer.text)


# JSON of the API's routes, and pages with their forms

_BODIES = (
    {"rules": "nca", "players": ["Ann", "Bob"], "options": {"game_points": 50}, "colours": []},
    {"type": "round_scored", "points": [60, 45], "twenties": [1, 0]},
    {"type": "shot_played", "player": 0, "verdict": "legal", "twenties": [0, 0],
     "board": [{"id": "a", "side": 0, "zone": 15}]},
    {"type": "disputed", "about": "a line"},
    {"type": "foul_called", "player": 0, "foul": "delay"},
)  # fmt: skip
_KINDS = (
    "application/json",
    "multipart/form-data; boundary=x",
    "text/plain",
    "",
    "application/json; charset=x",
)
_json_posts = st.tuples(
    st.sampled_from(["/api/v1/matches", "/api/v1/matches/1/events", "/api/v1/matches/9/events"]),
    mutated_json_text(_BODIES),
    st.sampled_from(_KINDS),
)


def check_json_post(sent: tuple[str, bytes, str]) -> None:
    """A body that does not fit its route is refused."""
    path, body, kind = sent
    app = _application()
    answer = app.test_client().post(path, data=body, content_type=kind, headers=_scorer(app))
    check_status(answer.status_code, answer.text)
    assert len(answer.json.get("error", "")) <= 800


_FIELDS = (
    "player0", "player1", "format", "rules", "games", "starter", "colour0", "colour1", "count0_20",
    "count1_5", "by", "points0", "points1", "twenties0", "round", "disc", "zone", "side", "about",
    "shot", "dispute", "decision", "player", "foul", "change", "minutes", "token", "back", "x_mm",
    "y_mm", "what", "value", "team", "match", "option_game_points", "key", "name", "csrf",
    "captured_ms",
)  # fmt: skip
_plain = st.sampled_from(("0", "1", "2", "15", "20", "-1", "two", "nca", "Ann", "delay", "/", "a"))


def _addresses() -> list[tuple[str, str]]:
    """Every route with a method, as Flask has it."""
    rules = _application().url_map.iter_rules()
    found = [(str(rule), method) for rule in rules for method in rule.methods or ()]
    return sorted(route for route in found if route not in _LEFT_OUT and route[1] != "OPTIONS")


@st.composite
def _requests(draw: st.DrawFn, addresses: list[tuple[str, str]]) -> dict[str, Any]:
    """A request to a page: an address with its gaps filled, a query, a form, odd headers."""
    rule, method = draw(st.sampled_from(addresses))
    path = re.sub(r"<[^>]+>", lambda _: draw(_plain | odd_text)[:2000] or "0", rule)
    fields = st.dictionaries(st.sampled_from(_FIELDS), _plain | odd_text, max_size=8)
    names = st.sampled_from(("Accept", "Sec-Fetch-Site", "X-CSRF-Token", "Cookie", "Host", "Range"))
    values = st.text(st.characters(min_codepoint=33, max_codepoint=255), max_size=30)
    return {
        "path": path,
        "method": method,
        "query": draw(fields),
        "form": draw(fields),
        "headers": draw(st.dictionaries(names, values, max_size=2)),
        "file": draw(st.none() | mutated_json_text([MATCH])),
    }


def check_request(sent: dict[str, Any]) -> None:
    """A page is shown, or the request is refused on a page; no input makes the server fail."""
    app = _application()
    form: dict[str, Any] = {name: _encodable(value) for name, value in sent["form"].items()}
    if sent["file"] is not None and sent["method"] == "POST":
        form["file"] = (io.BytesIO(sent["file"]), "match.json")
    with app.test_client().open(
        quote(_encodable(sent["path"])),
        method=sent["method"],
        query_string={name: _encodable(value) for name, value in sent["query"].items()},
        data=form if sent["method"] == "POST" else None,
        headers=_scorer(app) | sent["headers"],
    ) as answer:
        check_status(answer.status_code, answer.get_data(as_text=True))


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


# Bytes on a socket

_RAW = (
    b"GET / HTTP/1.1\r\nHost: [::]\r\n\r\n",
    b"GET /api/v1/state HTTP/1.1\r\nHost: [::]\r\nAccept: application/json\r\n\r\n",
    b"POST /join HTTP/1.1\r\nHost: [::]\r\nContent-Length: 7\r\n\r\ntoken=x",
    b"POST /join HTTP/1.1\r\nHost: [::]\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    b"GET /healthz HTTP/1.0\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n",
    b"GET /events HTTP/1.1\r\nHost: [::]\r\nLast-Event-ID: 1-1\r\n\r\n",
    b"PUT /%ff%00/../x?a=%ff HTTP/1.1\r\nHost: \xff\r\nExpect: 100-continue\r\n\r\n",
    b"OPTIONS * HTTP/1.1\r\nHost: [::]\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nX: " + b"y" * 9000 + b"\r\n\r\n",
)  # fmt: skip


@functools.cache
def _port() -> int:
    """The port of a server that runs until the program ends."""
    folder = tempfile.TemporaryDirectory()
    server = subprocess.Popen(
        [sys.executable, "-m", "webapp", "serve", "--port", "0", "--data", folder.name],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    atexit.register(folder.cleanup)
    atexit.register(server.wait)
    atexit.register(server.terminate)
    assert server.stdout is not None
    return int(server.stdout.readline().strip().rstrip("/").rpartition(":")[2])


def check_bytes(content: bytes) -> None:
    """For any input, the server closes the connection, has not failed, and is healthy."""
    with socket.create_connection(("127.0.0.1", _port()), timeout=_PATIENCE_S) as opened:
        with contextlib.suppress(OSError):
            opened.sendall(content)
            opened.shutdown(socket.SHUT_WR)
        heads = b"".join(_read_until_closed(opened))
    for status in re.findall(rb"HTTP/1\.[01] (\d{3}) ", heads):
        check_status(int(status), heads.decode("latin-1"))
    with socket.create_connection(("127.0.0.1", _port()), timeout=_PATIENCE_S) as asked:
        asked.sendall(b"GET /healthz HTTP/1.1\r\nHost: [::]\r\nConnection: close\r\n\r\n")
        answer = b"".join(_read_until_closed(asked))
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["status"] == "well"


def _read_until_closed(opened: socket.socket) -> Iterator[bytes]:
    with contextlib.suppress(ConnectionResetError):
        while piece := opened.recv(65536):
            yield piece


def http_targets() -> tuple[Target, ...]:
    """The targets for HTTP; the application is created with the first."""
    return (
        Target(name="api", inputs=_cases(), check=check_api),
        Target(name="json", inputs=_json_posts, check=check_json_post),
        Target(name="pages", inputs=_requests(_addresses()), check=check_request),
        Target(name="socket", inputs=mutated_bytes(_RAW), check=check_bytes),
    )
