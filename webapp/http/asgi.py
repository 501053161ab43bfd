"""The outermost ASGI application: it writes event streams itself; all else goes to Flask.

A stream is a coroutine and costs no thread, so hundreds can watch. A request's body is read whole,
within a size and a time, before a thread of Flask's gets it, and the answer is taken whole from the
thread before it is sent, so that neither a slow sender nor a slow reader holds anybody up. What
does not fit is refused in one sentence: 413 for too much, 408 for too slow, 503 past the bounds on
streams and on bodies that are held at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Protocol
from urllib.parse import parse_qs

from a2wsgi import WSGIMiddleware
from flask import Flask

from webapp.http.event_broker import EventBroker

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]

STREAM_PATHS = frozenset({"/events", "/api/v1/events"})

#: Threads for pages: two at work a core, the others waiting for the database.
_THREADS = 8
#: A body comes within this time, or the sender is let go: 32 MB over a slow phone network.
_BODY_S = 60.0
#: Bodies that are being sent, all together: eight of the largest.
_HELD_BYTES = 256 * 1024 * 1024
#: Silence on a stream after which a comment is sent, so that nobody on the way cuts it.
_HEARTBEAT_S = 15.0
#: Streams at once. A hall has some 200 spectators; the others are told to come back.
MAX_STREAMS = 1000

_STREAM_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-accel-buffering", b"no"),
]
#: How long a browser waits before it comes back, milliseconds.
_RETRY = b"retry: 1000\n\n"


class EventChannels(Protocol):
    """The brokers of a server by the names that addresses give them, as ``?board=3``."""

    @property
    def listeners(self) -> int:
        """How many listen to all of them together."""

    def find_broker(self, wanted: str) -> EventBroker | None:
        """The broker of that name, the usual one for ""; None where there is none."""


class AsgiApp:
    """An ASGI application around a Flask one.

    upload_bytes  bounds a request's body
    max_streams   bounds the event streams that are open at once
    """

    def __init__(
        self,
        app: Flask,
        channels: EventChannels,
        *,
        upload_bytes: int,
        max_streams: int = MAX_STREAMS,
    ) -> None:
        """Serve these pages, and these brokers' messages."""
        pages: Any = app.wsgi_app  # two packages each have a type of their own for this
        self._pages: Any = WSGIMiddleware(pages, workers=_THREADS)
        self._channels, self._upload_bytes = channels, upload_bytes
        self._max_streams, self._held_bytes = max_streams, 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one connection."""
        if scope["type"] != "http":
            await self._pages(scope, receive, send)
        elif scope["path"] in STREAM_PATHS and scope["method"] == "GET":
            await self._write_stream(scope, receive, send)
        elif not scope["query_string"].isascii():
            await _refuse(send, 400, "The address holds letters that no address has.")
        else:
            await self._answer_page(scope, receive, send)

    async def _answer_page(self, scope: Scope, receive: Receive, send: Send) -> None:
        if _declared_length(scope) > self._upload_bytes:
            await _refuse(send, 413, "That is too much; send a smaller file.")
            return
        body = bytearray()
        try:
            await asyncio.wait_for(self._read_body(receive, body), _BODY_S)
            scope["headers"] = [
                *(each for each in scope["headers"] if each[0] != b"content-length"),
                (b"content-length", str(len(body)).encode()),
            ]
            answer: list[Any] = []
            await self._pages(scope, _replay_body(bytes(body)), _append_to(answer))
        except _RefusedBody as refusal:
            await _refuse(send, refusal.status, refusal.sentence)
            return
        except TimeoutError:
            await _refuse(send, 408, "That took too long; send it again.")
            return
        finally:
            self._held_bytes -= len(body)
        for message in answer:
            await send(message)

    async def _read_body(self, receive: Receive, body: bytearray) -> None:
        """Fill the body. Raises ``_RefusedBody`` for one too large, or that breaks off."""
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise _RefusedBody(400, "That broke off; send it again.")
            piece = message.get("body", b"")
            if len(body) + len(piece) > self._upload_bytes:
                raise _RefusedBody(413, "That is too much; send a smaller file.")
            if self._held_bytes + len(piece) > _HELD_BYTES:
                raise _RefusedBody(503, "Too much is being sent at once; come back in a minute.")
            body += piece
            self._held_bytes += len(piece)
            if not message.get("more_body", False):
                return

    async def _write_stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._channels.listeners >= self._max_streams:
            await _refuse(send, 503, "Too many are watching; come back in a minute.")
            return
        broker = self._channels.find_broker(_query(scope, "board"))
        if broker is None:
            await _refuse(send, 404, "There is no such board here.")
            return
        loop, ready = asyncio.get_running_loop(), asyncio.Event()
        listener = broker.listen(lambda: _call_if_open(loop, ready.set), _last_event_id(scope))
        ready.set()
        gone = asyncio.ensure_future(_wait_for_disconnect(receive, ready))
        await send({"type": "http.response.start", "status": 200, "headers": _STREAM_HEADERS})
        try:
            await _write(send, _RETRY)
            while not (gone.done() or listener.is_closed):
                await _wait_for_message(ready)
                ready.clear()
                taken = b"".join(each.encoded for each in broker.take(listener))
                await _write(send, taken or b": still here\n\n")
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            broker.leave(listener)
            gone.cancel()


def _call_if_open(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(call)


async def _wait_for_message(ready: asyncio.Event) -> None:
    """Return once something is ready or a heartbeat is due."""
    try:
        await asyncio.wait_for(ready.wait(), _HEARTBEAT_S)
    except TimeoutError:
        return


async def _wait_for_disconnect(receive: Receive, ready: asyncio.Event) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue
    ready.set()


async def _write(send: Send, body: bytes) -> None:
    await send({"type": "http.response.body", "body": body, "more_body": True})


class _RefusedBody(Exception):  # noqa: N818  # no error of this program's
    """Why a body is not taken: a status and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


def _append_to(messages: list[Any]) -> Send:
    """A sender that keeps what is sent."""

    async def send(message: Any) -> None:
        messages.append(message)

    return send


def _replay_body(body: bytes) -> Receive:
    """A receiver that hands out a body that is already here."""

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


def _header(scope: Scope, name: bytes) -> str | None:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), None)


def _last_event_id(scope: Scope) -> str | None:
    """The id of the last message that a listener had, from its header or the query; or None."""
    return _header(scope, b"last-event-id") or _query(scope, "after") or None


def _query(scope: Scope, name: str) -> str:
    """A value of the address; "" where it has none."""
    return parse_qs(scope["query_string"].decode("latin-1")).get(name, [""])[0]


def _declared_length(scope: Scope) -> int:
    declared = _header(scope, b"content-length") or "0"
    return int(declared) if declared.isascii() and declared.isdigit() else 0


async def _refuse(send: Send, status: int, sentence: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": sentence.encode()})
