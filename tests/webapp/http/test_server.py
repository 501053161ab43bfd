"""The server as a program: it starts, prints its address, and stops at a signal."""

from __future__ import annotations

import json
import logging
import signal
import socket
import ssl
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from served_thread import serve_in_thread

from bench.spectators import measure_delays
from webapp import server
from webapp.cli.main import main
from webapp.config import Config
from webapp.http.logs import LOG
from webapp.sample_clips import DEMO_CLIP, list_clips


def test_serve_says_where_and_stops_gracefully(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "webapp", "serve", "--port", "0", "--db", "m.db"]
    command += ["--data", "kept"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        address = program.stdout.readline().split()[-1]
        secret = program.stdout.readline().split("#")[-1].strip()
        with urllib.request.urlopen(f"{address}healthz") as answer:
            assert json.load(answer)["status"] == "well"
        stream = urllib.request.urlopen(f"{address}events")
        assert stream.readline() == b"retry: 1000\n"
        program.send_signal(signal.SIGTERM)
        stream.read()  # it ends because the server closes its streams
        _, log = program.communicate(timeout=30)
    assert program.returncode == 0
    assert secret not in log
    assert all(json.loads(line)["event"] for line in log.splitlines())
    assert {path.name for path in tmp_path.iterdir()} == {"m.db", "kept"}
    assert (tmp_path / "kept").stat().st_mode & 0o777 == 0o700
    (token,) = (tmp_path / "kept").glob("m.db-*.secret")
    assert token.stat().st_mode & 0o777 == 0o600


def test_taken_port_is_told_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert main(["serve", "--port", str(taken.getsockname()[1])]) == 1
    assert "is in use by another program. Choose another --port" in capsys.readouterr().err


@pytest.mark.parametrize("host", ["foo..bar", "no-such-host.invalid"])
def test_host_that_is_no_address_here_is_told_in_one_sentence(
    host: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["serve", "--port", "0", "--host", host]) == 1
    assert f"{host} is not an address of this computer." in capsys.readouterr().err


def test_two_servers_on_one_sqlite_file_are_warned_of(tmp_path: Path) -> None:
    config = Config(port=0, database=str(tmp_path / "m.db"), secret=tmp_path / "m.secret")
    warned: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: warned.append(record.getMessage())  # type: ignore[method-assign]
    LOG.addHandler(handler)
    try:
        with serve_in_thread(config):
            assert warned == []
            with serve_in_thread(config):
                assert warned == ["another server"]
        with serve_in_thread(config):
            assert warned == ["another server"]
    finally:
        LOG.removeHandler(handler)


def test_tls_serves_with_a_certificate_of_its_own(tmp_path: Path) -> None:
    path, key = tmp_path / "server.pem", tmp_path / "server.key"
    config = Config(
        port=0, database=str(tmp_path / "m.db"), tls=True, tls_certificate=path, tls_key=key
    )
    for _ in range(2):  # the second time, with the stored certificate
        with serve_in_thread(config) as running:
            trusted = ssl.create_default_context(cafile=str(path))
            with urllib.request.urlopen(f"{running.address}/healthz", context=trusted) as answer:
                assert answer.status == 200
            _check_plain_http_is_redirected(running.address, trusted)
    assert key.stat().st_mode & 0o077 == 0


def test_a_tls_handshake_that_nobody_goes_on_with_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_HANDSHAKE_S", 0.2)
    path, key = tmp_path / "tls.pem", tmp_path / "tls-key.pem"
    config = Config(
        port=0, database=str(tmp_path / "m.db"), tls=True, tls_certificate=path, tls_key=key
    )
    with serve_in_thread(config) as running:
        port = int(running.address.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=30) as silent:
            assert silent.recv(1) == b""


def _check_plain_http_is_redirected(address: str, trusted: ssl.SSLContext) -> None:
    """A request without the s of https is redirected, and other bytes are refused."""
    port = int(address.rpartition(":")[2])
    host = f"127.0.0.1:{port}"
    # a head that arrives in pieces, unlike a browser's, has no address for a redirection
    for head, status in (
        (b"GET /a?b=1 HTTP/1.1\r\nHost: " + host.encode(), b"307"),
        (b"G", b"400"),
    ):
        with socket.create_connection(("127.0.0.1", port), timeout=30) as plain:
            plain.sendall(head + b"\r\n\r\n")
            answer = plain.recv(1000)
        assert answer.startswith(b"HTTP/1.1 " + status)
        assert (b"Location: https://" + host.encode() + b"/a?b=1\r\n" in answer) == (
            status == b"307"
        )
    with urllib.request.urlopen(f"http://{host}/healthz", context=trusted) as answer:
        assert (answer.status, answer.url) == (200, f"https://{host}/healthz")


def test_every_spectator_gets_every_event() -> None:
    load = measure_delays(20, 5, with_referee=False)
    assert load.missing == 0
    assert len(load.delays_s) == 100


def test_watch_that_serves_says_that_its_source_failed_and_fails_in_the_end(
    tmp_path: Path,
) -> None:
    told = ["watch", "nowhere.mp4", "--serve", "--port", "0", "--data", str(tmp_path)]
    with subprocess.Popen(
        [sys.executable, "-m", "webapp", *told],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stderr is not None
        address = program.stderr.readline().split()[-1]
        said = next(line for line in program.stderr if "The pages stay" in line)
        with urllib.request.urlopen(f"{address}api/v1/state") as answer:
            live = json.load(answer)["live"]
        program.send_signal(signal.SIGINT)
        program.communicate(timeout=60)
    assert live["status"] == "failed"
    assert "nowhere.mp4" in live["reason"]
    assert f"{live['reason']} The pages stay" in said
    assert program.returncode == 1


def test_watch_serves_too_and_writes_its_events(tmp_path: Path) -> None:
    clip = list_clips()[DEMO_CLIP]
    told = ["watch", str(clip), "--serve", "--port", "0", "--events", "events.jsonl", "--json"]
    with subprocess.Popen(
        [sys.executable, "-m", "webapp", *told],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        address = program.stderr.readline().split()[-1]
        first = json.loads(program.stdout.readline())
        assert first["t_s"] == 0.0
        with urllib.request.urlopen(f"{address}api/v1/state") as answer:
            assert json.load(answer)["live"]["status"] in ("starting", "refereeing")
        program.send_signal(signal.SIGTERM)
        program.communicate(timeout=60)
    assert program.returncode == 0
    assert json.loads((tmp_path / "events.jsonl").read_text().splitlines()[0]) == first
