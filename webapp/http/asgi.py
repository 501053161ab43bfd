"""The outermost ASGI application: it writes event streams itself; all else goes to Flask.

A stream is a coroutine and costs no thread, so hundreds can watch. A request's body is read whole,
within a size and a time, before a thread of Flask's gets it, so a slow sender holds nobody up. What
does not fit is refused in one sentence: 413 for too much, 408 for too slow, 503 past the bound on
streams.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
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
#: Silence on a stream after which a comment is sent, so that nobody on the way cuts it.
_HEARTBEAT_S = 15.0
#: Streams at once. A hall has some 200 spectators; the others are told to come back.
_MAX_STREAMS = 1000

_STREAM_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-accel-buffering", b"no"),
]
#: How long a browser waits before it comes back, milliseconds.
_RETRY = b"retry: 1000\n\n"


class AsgiApp:
    """An ASGI application around a Flask one; ``upload_bytes`` bounds a request's body."""

    def __init__(self, app: Flask, broker: EventBroker, *, upload_bytes: int) -> None:
        """Serve these pages, and this broker's messages."""
        pages: Any = app.wsgi_app  # two packages each have a type of their own for this
        self._pages: Any = WSGIMiddleware(pages, workers=_THREADS)
        self._broker, self._upload_bytes = broker, upload_bytes

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
        try:
            body = await asyncio.wait_for(_read_body(receive, self._upload_bytes), _BODY_S)
        except TimeoutError:
            await _refuse(send, 408, "That took too long; send it again.")
            return
        if body is None:
            await _refuse(send, 413, "That is too much; send a smaller file.")
            return
        scope["headers"] = [
            *(each for each in scope["headers"] if each[0] != b"content-length"),
            (b"content-length", str(len(body)).encode()),
        ]
        await self._pages(scope, _replay_body(body), send)

    async def _write_stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._broker.listeners >= _MAX_STREAMS:
            await _refuse(send, 503, "Too many are watching; come back in a minute.")
            return
        loop, ready = asyncio.get_running_loop(), asyncio.Event()
        listener = self._broker.listen(
            lambda: _call_if_open(loop, ready.set), _last_event_id(scope)
        )
        ready.set()
        gone = asyncio.ensure_future(_wait_for_disconnect(receive, ready))
        await send({"type": "http.response.start", "status": 200, "headers": _STREAM_HEADERS})
        try:
            await _write(send, _RETRY)
            while not (gone.done() or listener.is_closed):
                await _wait_for_message(ready)
                ready.clear()
                taken = b"".join(each.encoded for each in self._broker.take(listener))
                await _write(send, taken or b": still here\n\n")
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            self._broker.leave(listener)
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


async def _read_body(receive: Receive, limit: int) -> bytes | None:
    """The body; None when it is larger than the limit, or its sender left in the middle."""
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > limit or message["type"] == "http.disconnect":
            return None
        if not message.get("more_body", False):
            return bytes(body)


def _replay_body(body: bytes) -> Receive:
    """A receiver that hands out a body that is already here."""

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


def _header(scope: Scope, name: bytes) -> str | None:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), None)


def _last_event_id(scope: Scope) -> str | None:
    """The id of the last message that a listener had, from its header or the query; or None."""
    after = parse_qs(scope["query_string"].decode("latin-1")).get("after")
    return _header(scope, b"last-event-id") or (after[0] if after else None)


def _declared_length(scope: Scope) -> int:
    declared = _header(scope, b"content-length") or "0"
    return int(declared) if declared.isascii() and declared.isdigit() else 0


async def _refuse(send: Send, status: int, sentence: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": sentence.encode()})
