"""The outermost ASGI application: it writes event streams itself and passes other requests to
Flask.

A stream is a coroutine and needs no thread, so hundreds can watch. A request's body is read
completely, within limits of size and time, before it waits for a Flask thread. The thread returns
the answer with its first piece. A long answer, such as a film, is read from disk piece by piece as
its reader takes them. So slow senders and readers delay nobody, and no large file is held in
memory. A request whose sender has left before its turn is dropped. Excess requests are refused in
one sentence: 413 for too much, 408 for too slow, 503 beyond the limits on streams, on bodies held
at once and on waiting requests.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, cast
from urllib.parse import parse_qs

from flask import Flask
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from webapp.http.asgi_messages import Message, Receive, Scope, Send, make_environ, refuse
from webapp.http.event_broker import EventBroker
from webapp.http.held_bodies import BodyRefusedError, HeldBodies
from webapp.http.lanes import Lane, LaneFullError, LaneName, lane_of
from webapp.http.logs import LOG
from webapp.http.parse_number import read_whole_number
from webapp.http.stream_places import StreamPlaces
from webapp.language.choice import LANGUAGES
from webapp.language.translated_json import word_message

STREAM_PATHS = frozenset({"/events", "/api/v1/events"})

#: After this silence on a stream a comment is sent, so that no proxy on the way closes it.
_HEARTBEAT_S = 15.0
#: Largest number of open streams. A hall has some 200 spectators; further ones are asked to try
#: again.
MAX_STREAMS = 1000

_STREAM_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-accel-buffering", b"no"),
]
#: A long answer is read and sent in pieces of this size.
_PIECE_BYTES = 64 * 1024
#: How long a browser waits before it reconnects, milliseconds.
_RETRY = b"retry: 1000\n\n"


class EventChannels(Protocol):
    """The brokers of a server by their names in addresses, as in ``?board=3``."""

    def find_broker(self, wanted: str) -> EventBroker | None:
        """The broker of that name, the default one for ""; None if there is none."""


class AsgiApp:
    """An ASGI application around a Flask one.

    upload_bytes       limits a request's body
    max_streams        limits the number of open event streams
    comes_from_scorer  whether a scorer, who is served first, sends a request
    hops               number of trusted proxies in front
    """

    def __init__(
        self,
        app: Flask,
        channels: EventChannels,
        *,
        upload_bytes: int,
        max_streams: int = MAX_STREAMS,
        comes_from_scorer: Callable[[Scope], bool] = lambda _scope: False,
        hops: int = 0,
    ) -> None:
        """Serve these pages, and these brokers' messages."""
        self._app, self._views = app, app.url_map.bind("")
        self._threads = {name: ThreadPoolExecutor(name.value, name.name) for name in LaneName}
        self._lanes = {name: Lane(name.value) for name in LaneName}
        self._bodies = {is_scorer: HeldBodies(upload_bytes) for is_scorer in (False, True)}
        self._channels, self._streams = channels, StreamPlaces(max_streams)
        self._comes_from_scorer, self._hops = comes_from_scorer, hops

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one connection."""
        if scope["path"] in STREAM_PATHS and scope["method"] == "GET":
            await self._write_stream(scope, receive, send)
        elif not scope["query_string"].isascii():
            await refuse(send, 400, "The address contains invalid characters.")
        else:
            await self._answer_page(scope, receive, send)

    async def _answer_page(self, scope: Scope, receive: Receive, send: Send) -> None:
        sender = find_sender(scope, self._hops)
        is_scorer = self._comes_from_scorer(scope)
        bodies = self._bodies[is_scorer]
        try:
            declared = read_whole_number(_header(scope, b"content-length"), digits=18) or 0
            body = await bodies.read(receive, sender, declared)
        except BodyRefusedError as refusal:
            await refuse(send, refusal.status, refusal.sentence)
            return
        name = self._choose_lane(scope, is_scorer=is_scorer)
        lane, threads = self._lanes[name], self._threads[name]
        loop = asyncio.get_running_loop()
        with _watch_for_disconnect(receive) as gone:
            try:
                if not await _wait_for_turn(lane.enter(sender, is_first=is_scorer), gone):
                    return
                try:
                    environ = make_environ(scope, bytes(body.content))
                    answer, pieces, piece = await loop.run_in_executor(threads, self._run, environ)
                finally:
                    lane.leave()
            except LaneFullError:
                LOG.warning(
                    "limit", extra={"what": "too many requests in the queue", "who": sender}
                )
                await refuse(send, 503, "The server is busy. Try again in a minute.")
                return
            finally:
                bodies.release(body)
            with contextlib.closing(answer):
                await send(_begin(answer))
                while not gone.done() and len(piece) >= _PIECE_BYTES:
                    await _write(send, piece)
                    piece = await loop.run_in_executor(threads, next, pieces)
                await send({"type": "http.response.body", "body": piece})

    def _run(self, environ: dict[str, object]) -> tuple[Response, Iterator[bytes], bytes]:
        """Flask's answer, the pieces of its content, and the first of them; runs in a thread."""
        answer = Response.from_app(self._app.wsgi_app, environ)
        pieces = _read_pieces(answer)
        return answer, pieces, next(pieces)

    def _choose_lane(self, scope: Scope, *, is_scorer: bool) -> LaneName:
        """The lane of the page at an address."""
        try:
            endpoint, _ = self._views.match(scope["path"], scope["method"])
        except HTTPException:  # no page, or a redirection
            endpoint = ""
        name = lane_of(self._app.view_functions.get(endpoint))
        return LaneName.SCORER if is_scorer and name is LaneName.PAGES else name

    async def _write_stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        broker = self._channels.find_broker(_query(scope, "board"))
        if broker is None:
            await refuse(send, 404, "There is no such board here.")
            return
        loop, ready = asyncio.get_running_loop(), asyncio.Event()
        is_scorer = self._comes_from_scorer(scope)
        sender = find_sender(scope, self._hops)
        place = None if is_scorer else self._streams.take(sender, ready)
        if place is None and not is_scorer:
            LOG.warning("limit", extra={"what": "too many spectators", "who": sender})
            await refuse(send, 503, "Too many people are watching. Try again in a minute.")
            return
        last_id = _header(scope, b"last-event-id") or _query(scope, "after") or None
        language = _query(scope, "lang")  # the language of a page; programs name none
        listener = broker.listen(lambda: _call_if_open(loop, ready.set), last_id)
        ready.set()
        try:
            with _watch_for_disconnect(receive, ready.set) as gone:
                start = {"type": "http.response.start", "status": 200, "headers": _STREAM_HEADERS}
                await send(start)
                await _write(send, _RETRY)
                while not (gone.done() or listener.is_closed or (place and place.is_lost)):
                    await _wait_for_message(ready)
                    ready.clear()
                    taken = [
                        word_message(message.encoded, message.phrases, language)
                        if language in LANGUAGES
                        else message.encoded
                        for message in broker.take(listener)
                    ]
                    await _write(send, b"".join(taken) or b": still here\n\n")
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            broker.leave(listener)
            if place is not None:
                self._streams.leave(place)


def _call_if_open(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(call)


async def _wait_for_message(ready: asyncio.Event) -> None:
    """Return once a message is ready or a heartbeat is due."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(ready.wait(), _HEARTBEAT_S)


@contextlib.contextmanager
def _watch_for_disconnect(
    receive: Receive, on_gone: Callable[[], None] = lambda: None
) -> Iterator[asyncio.Future[None]]:
    """A future that is done once the sender of a whole request has left, while the block runs."""

    async def wait() -> None:
        while (await receive())["type"] != "http.disconnect":
            continue
        on_gone()

    gone = asyncio.ensure_future(wait())
    try:
        yield gone
    finally:
        gone.cancel()


def _begin(answer: Response) -> Message:
    headers = [(key.lower().encode(), value.encode("latin-1")) for key, value in answer.headers]
    return {"type": "http.response.start", "status": answer.status_code, "headers": headers}


def _read_pieces(answer: Response) -> Iterator[bytes]:
    """An answer's content in pieces of at least ``_PIECE_BYTES``, then a shorter one."""
    piece = bytearray()
    for part in answer.response:
        piece += cast(bytes, part)
        if len(piece) >= _PIECE_BYTES:
            yield bytes(piece)
            piece.clear()
    yield bytes(piece)


async def _write(send: Send, body: bytes) -> None:
    await send({"type": "http.response.body", "body": body, "more_body": True})


async def _wait_for_turn(entering: Awaitable[None], gone: asyncio.Future[None]) -> bool:
    """Whether the turn came; False if the sender left before. Raises ``LaneFullError``."""
    turn = asyncio.ensure_future(entering)
    try:
        await asyncio.wait({turn, gone}, return_when=asyncio.FIRST_COMPLETED)
        if turn.done():
            turn.result()
            return True
        return False
    finally:
        turn.cancel()


def _header(scope: Scope, name: bytes) -> str | None:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), None)


def find_sender(scope: Scope, hops: int) -> str:
    """The address from which a request comes, as seen by the first of ``hops`` trusted proxies."""
    values = [value for name, value in scope["headers"] if name == b"x-forwarded-for"]
    seen = b",".join(values).decode("latin-1").split(",")
    if hops and values and len(seen) >= hops:
        return seen[-hops].strip()
    return str(scope["client"][0]) if scope.get("client") else ""


def _query(scope: Scope, name: str) -> str:
    """A value in the address; "" if missing."""
    return parse_qs(scope["query_string"].decode("latin-1")).get(name, [""])[0]
