"""Connections that send nothing, send slowly or do not read: others are always answered."""

from __future__ import annotations

import contextlib
import http.client
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import send_file
from served_thread import serve_in_thread

from webapp.config import Config
from webapp.http import connection
from webapp.server import RunningServer

#: A slow shared computer answers within this time, s.
PATIENCE_S = 20.0


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunningServer]:
    """A server that allows half a second for a request's head and for a reader."""
    monkeypatch.setattr(connection, "_HEAD_S", 0.5)
    monkeypatch.setattr(connection, "_READ_S", 0.5)
    config = Config(database=str(tmp_path / "m.db"), port=0, is_rate_limit_off=True)
    with serve_in_thread(config) as running:
        yield running


def port_of(server: RunningServer) -> int:
    return int(server.address.rpartition(":")[2])


def connect(server: RunningServer, sent: bytes = b"") -> socket.socket:
    opened = socket.create_connection(("127.0.0.1", port_of(server)), timeout=PATIENCE_S)
    opened.sendall(sent)
    return opened


def is_well(server: RunningServer) -> bool:
    asked = http.client.HTTPConnection("127.0.0.1", port_of(server), timeout=PATIENCE_S)
    with contextlib.closing(asked):
        asked.request("GET", "/healthz")
        return asked.getresponse().status == 200


def is_closed(opened: socket.socket) -> bool:
    """Whether the server closes it in time."""
    try:
        while opened.recv(65536):
            continue
    except ConnectionResetError:
        return True
    except TimeoutError:
        return False
    return True


@pytest.mark.parametrize(
    "sent",
    [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: [::]\r\nX: ", b"\r\n", b"POST /join HTTP/1.1\r\n"],
)
def test_a_half_sent_head_is_closed_in_time(server: RunningServer, sent: bytes) -> None:
    with connect(server, sent) as opened:
        assert is_closed(opened)


def test_a_head_that_drips_is_closed_in_time(server: RunningServer) -> None:
    with connect(server, b"GET / HTTP/1.1\r\n") as opened:
        until_s = time.monotonic() + PATIENCE_S
        with contextlib.suppress(OSError):
            while time.monotonic() < until_s:
                opened.sendall(b"X")
                time.sleep(0.05)
        assert time.monotonic() < until_s


def test_a_second_head_on_a_connection_has_its_time_too(server: RunningServer) -> None:
    with connect(server, b"GET /healthz HTTP/1.1\r\nHost: [::]\r\n\r\n") as opened:
        assert opened.recv(65536).startswith(b"HTTP/1.1 200")
        time.sleep(0.2)
        opened.sendall(b"GET /heal")
        assert is_closed(opened)


def test_a_head_without_end_is_refused(server: RunningServer) -> None:
    with connect(server) as opened, contextlib.suppress(OSError):
        for _ in range(1000):
            opened.sendall(b"GET / HTTP/1.1\r\nX: " + b"x" * 10_000)
        pytest.fail("10 MB of head were taken")
    assert is_well(server)


def test_a_large_body_that_comes_with_its_head_is_no_long_head(server: RunningServer) -> None:
    """Head and body arrive in one piece, on a connection with an earlier request, as browsers send
    them.
    """
    body = b"x" * 60_000
    first = b"GET /healthz HTTP/1.1\r\nHost: [::]\r\n\r\n"
    second = b"POST /score HTTP/1.1\r\nHost: [::]\r\nContent-Length: %d\r\n\r\n" % len(body)
    opened = connect(server, first)
    with contextlib.closing(opened):
        assert b" 200 " in opened.recv(65536)
        opened.sendall(second + body)
        assert b"too long" not in opened.recv(65536)


def test_a_whole_request_after_a_while_is_answered(server: RunningServer) -> None:
    with connect(server) as opened:
        time.sleep(0.2)
        opened.sendall(b"GET /healthz HTTP/1.1\r\nHost: [::]\r\nConnection: close\r\n\r\n")
        assert opened.recv(65536).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\nHost: [::]\r\n",
        b"POST /score HTTP/1.1\r\nHost: [::]\r\nContent-Length: 1000000\r\n\r\nx",
    ],
    ids=["heads", "bodies"],
)
def test_many_half_sent_requests_keep_nobody_from_an_answer(tmp_path: Path, sent: bytes) -> None:
    config = Config(database=str(tmp_path / "m.db"), port=0, is_rate_limit_off=True)
    with serve_in_thread(config) as server, contextlib.ExitStack() as opened:
        for number in range(1100):
            opened.enter_context(connect(server, sent))
            if number % 100 == 99:
                assert is_well(server)
        assert is_well(server)


def test_readers_that_do_not_read_keep_nobody_from_an_answer(server: RunningServer) -> None:
    with contextlib.ExitStack() as opened:
        for _ in range(20):
            asked = opened.enter_context(socket.socket())
            asked.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            asked.settimeout(PATIENCE_S)
            asked.connect(("127.0.0.1", port_of(server)))
            wanted = b"GET /static/icon-512.png HTTP/1.1\r\nHost: [::]\r\n\r\n"
            asked.sendall(wanted * 200)
        assert is_well(server)


def test_a_slow_reader_of_a_large_answer_gets_all_of_it(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server has the complete answer long before it is read, while the connection is idle."""
    monkeypatch.setattr(connection, "_READ_S", PATIENCE_S)
    monkeypatch.setattr(connection, "KEEP_ALIVE_S", 0.2)
    server.app.add_url_rule("/large", view_func=lambda: b"x" * 20_000_000)
    with connect(server, b"GET /large HTTP/1.1\r\nHost: [::]\r\n\r\n") as opened:
        got = len(opened.recv(1000))
        time.sleep(0.6)
        while piece := opened.recv(1_000_000):
            got += len(piece)
    assert got > 20_000_000


def test_a_film_that_is_read_for_longer_than_one_piece_may_take_arrives_whole(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(connection, "_READ_S", 1.5)
    film = tmp_path / "film.mp4"
    film.write_bytes(b"x" * 20_000_000)
    server.app.add_url_rule("/film", view_func=lambda: send_file(film))
    began_s, got = time.monotonic(), 0
    asked = b"GET /film HTTP/1.1\r\nHost: [::]\r\nConnection: close\r\n\r\n"
    with connect(server, asked) as opened:
        while piece := opened.recv(250_000):
            got += len(piece)
            time.sleep(0.04)
    assert got > 20_000_000
    assert time.monotonic() - began_s > 2.0


def test_a_long_head_in_one_piece_is_refused(server: RunningServer) -> None:
    head = b"GET /healthz HTTP/1.1\r\nHost: [::]\r\nX: " + b"x" * 40_000 + b"\r\n\r\n"
    with connect(server, head) as opened:
        assert opened.recv(65536).startswith(b"HTTP/1.1 400")


def test_connections_of_one_address_are_bounded_and_others_are_let_in() -> None:
    bounds = connection.ConnectionBounds(most=6, most_of_one=4, most_waiting=2)

    class Opened:
        def __init__(self, address: str) -> None:
            self.address, self.is_open = address, True
            self.is_open = bounds.admit(self)  # type: ignore[arg-type]

        def close_now(self) -> None:
            self.is_open = False
            bounds.leave(self)  # type: ignore[arg-type]

    first, second, third = (Opened("a") for _ in range(3))
    assert [link.is_open for link in (first, second, third)] == [False, True, True]
    for link in (second, third):
        bounds.serve(link)  # type: ignore[arg-type]
    busy = [Opened("a") for _ in range(2)]
    for link in busy:
        bounds.serve(link)  # type: ignore[arg-type]
    assert not Opened("a").is_open
    others = [Opened("b") for _ in range(2)]
    assert all(other.is_open for other in others)
    newest = Opened("c")
    assert newest.is_open
    assert not others[0].is_open
