"""Hosts: requests for the server's names are answered, and any other gets 421 (DNS rebinding)."""

from __future__ import annotations

import http.client
import socket
from collections.abc import Iterator

import pytest
from served_thread import serve_in_thread

from webapp.cli.main import main
from webapp.config import Config
from webapp.http.known_hosts import KnownHosts, check_host_name, list_own_names
from webapp.server import RunningServer

OWN = socket.gethostname().lower()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    database = str(tmp_path_factory.mktemp("hosts") / "m.db")
    config = Config(database=database, port=0, host_names=("board.club.example",))
    with serve_in_thread(config) as running:
        yield running


def ask(server: RunningServer, path: str, *hosts: str, method: str = "GET") -> int:
    port = int(server.address.rpartition(":")[2])
    asked = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    asked.putrequest(method, path, skip_host=True)
    for host in hosts:
        asked.putheader("Host", host)
    asked.endheaders()
    status = asked.getresponse().status
    asked.close()
    return status


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LocalHost:8000",
        "127.0.0.1:8000",
        "[::1]:8000",
        "192.168.7.20:8000",
        "[fe80::1]",
        OWN,
        f"{OWN.partition('.')[0]}.local:8000",
        "board.club.example",
        "board.club.example.:443",
    ],
)
def test_a_host_that_the_server_goes_by_is_answered(server: RunningServer, host: str) -> None:
    assert ask(server, "/healthz", host) == 200


@pytest.mark.parametrize("path", ["/", "/api/v1/state", "/events", "/referee/picture.jpg", "/join"])
def test_a_foreign_host_reaches_nothing(server: RunningServer, path: str) -> None:
    assert ask(server, path, "evil.example") == 421
    assert ask(server, path, "localhost", "evil.example") == 421


@pytest.mark.parametrize(
    "host",
    [
        "a..b",
        ".a",
        f"{'a' * 64}.b",
        "localhost:80:80",
        "localhost:999999",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "evil.example#localhost",
        "evil.example@localhost",
        "[::1",
        "löcalhost".encode().decode("latin-1"),
        "a" * 300,
    ],
)
def test_what_is_no_host_is_refused_and_no_failure(server: RunningServer, host: str) -> None:
    assert ask(server, "/", host) == 421


def test_a_request_without_a_host_is_a_health_check_s(server: RunningServer) -> None:
    assert ask(server, "/healthz") == 200


@pytest.mark.parametrize(
    ("host", "is_known"),
    [("club.example", True), ("10.0.0.1", True), ("a..b", False), (f"{'a' * 64}.b", False)],
)
def test_a_trusted_proxy_may_let_any_name_through_that_is_one(host: str, is_known: bool) -> None:
    assert KnownHosts(None, list_own_names(), is_any_known=True).knows(host) is is_known


def test_a_name_is_given_without_a_port(capsys: pytest.CaptureFixture[str]) -> None:
    assert check_host_name(" Board.Club.example. ") == "board.club.example"
    assert main(["serve", "--host-name", "club.example:80"]) == 2
    assert "without a port" in capsys.readouterr().err
