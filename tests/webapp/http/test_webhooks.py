"""Webhooks: sent events, and allowed and forbidden receivers."""

from __future__ import annotations

import hashlib
import hmac
import json
import queue
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from scorer.match.events import MatchError
from webapp.http.webhooks import Webhooks, post

PATIENCE_S = 30.0


class Receiver(ThreadingHTTPServer):
    """A program that receives events, and may fail at first."""

    def __init__(self, failures: int = 0) -> None:
        self.got: queue.Queue[tuple[dict[str, str], bytes]] = queue.Queue()
        self.failures = failures
        super().__init__(("127.0.0.1", 0), Answer)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/hook?x=1"


class Answer(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:  # the name that http.server requires
        body = self.rfile.read(int(self.headers["Content-Length"]))
        is_failing = self.server.failures > 0
        self.server.failures -= is_failing
        self.send_response(500 if is_failing else 204)
        self.end_headers()
        if not is_failing:
            self.server.got.put((dict(self.headers), body))

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_wanted_events_arrive_signed(receiver: Receiver) -> None:
    hooks = Webhooks(None, may_reach_inside=True)
    hook = hooks.add(receiver.url, ["shot"])
    hooks.send({"type": "motion"})
    hooks.send({"type": "shot", "index": 3})
    headers, body = receiver.got.get(timeout=PATIENCE_S)
    assert json.loads(body)["event"] == {"type": "shot", "index": 3}
    signed = hmac.new(hook.key.encode(), body, hashlib.sha256).hexdigest()
    assert headers["X-Crokinole-Signature"] == f"sha256={signed}"
    hooks.close()


def test_receiver_that_fails_once_gets_it_again(receiver: Receiver) -> None:
    receiver.failures = 1
    hooks = Webhooks(None, may_reach_inside=True)
    hooks.add(receiver.url, [])
    hooks.send({"type": "shot"})
    assert json.loads(receiver.got.get(timeout=PATIENCE_S)[1])["event"] == {"type": "shot"}
    hooks.close()


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/x",
        "http://localhost:8000/x",
        "http://10.1.2.3/x",
        "http://192.168.0.9/x",
        "http://169.254.169.254/latest",
        "http://[::1]/x",
        "http://[::ffff:127.0.0.1]/x",
        "http://[fd00::1]/x",
        "http://0.0.0.0/x",
        "http://printer.local/x",
        "http://127.1/x",
        "http://0x7f000001/x",
        "http://0177.0.0.1/x",
        "http://2130706433/x",
        "http://localhost./x",
        "http://LocalHost/x",
        "http://127.0.0.1./x",
        "http://printer.local./x",
        "http://[::ffff:7f00:1]/x",
        "http://[2002:7f00:1::]/x",
        "http://[64:ff9b::7f00:1]/x",
        "http://[fe80::1%25eth0]/x",
    ],
)
def test_addresses_inside_are_refused(url: str) -> None:
    with pytest.raises(MatchError, match="inside this network"):
        Webhooks(None, may_reach_inside=False).add(url, [])


@pytest.mark.parametrize(
    "url",
    ["ftp://example.org/x", "https://", "https://a b/", "https://u:p@example.org/", "file:///etc"],
)
def test_other_addresses_are_no_addresses(url: str) -> None:
    with pytest.raises(MatchError, match="Enter an address"):
        Webhooks(None, may_reach_inside=False).add(url, [])


@pytest.mark.parametrize("host", ["127.1", "2130706433", "0x7f.0.0.1", "localhost"])
def test_inside_is_refused_however_it_is_written(host: str) -> None:
    """A resolver accepts more spellings of an address than a check of the text does."""
    with pytest.raises((MatchError, OSError)):
        post(urlsplit(f"http://{host}:9/"), b"", {}, may_reach_inside=False)


def test_hooks_outlive_a_restart_and_can_be_removed(tmp_path: Path) -> None:
    path = tmp_path / "hooks"
    hooks = Webhooks(path, may_reach_inside=False)
    kept = hooks.add("https://example.org/hook", ["round"])
    hooks.close()
    assert path.stat().st_mode & 0o077 == 0
    again = Webhooks(path, may_reach_inside=False)
    assert again.all() == [kept]
    assert again.remove(kept.id)
    assert not again.remove(kept.id)
    assert Webhooks(path, may_reach_inside=False).all() == []
    again.close()
