"""Limited connections: how long a request may take to arrive, and how many connections an address
may hold.

uvicorn waits endlessly for a half-sent request, and does not limit connections, so one computer
could use up all file handles. Here a connection is closed if it does not send a request, or read
its answer, in time. If too many connections from one address have not sent a request yet, the
oldest is closed first. A computer that sends incomplete requests closes only its own connections.

A connection stands between asyncio's transport and the HTTP protocol, and learns the progress of a
request from the application (``BoundedRequests``). So it depends only on asyncio and ASGI.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field

from webapp.http.asgi_messages import Application, Message, Receive, Scope, Send, refuse
from webapp.process_limits import raise_open_files

#: The head of a request must arrive within this time; from a phone on a poor network it takes a
#: second.
_HEAD_S = 10.0
#: A piece of an answer must be read within this time: for 2 MB of a replay over a slow phone
#: network.
_READ_S = 120.0
#: A connection without requests is kept this long.
KEEP_ALIVE_S = 20
#: Longest head of a request; heads from browsers are less than half as long.
_HEAD_BYTES = 32 * 1024

_CONNECTION: ContextVar[BoundedConnection] = ContextVar("connection")


@dataclass(kw_only=True)
class ConnectionBounds:
    """The open connections of one server; only for its event loop's thread.

    most           connections at once: enough for a hall, and within the limit on file handles
    most_of_one    connections of one address: a club's phones behind one router, with a stream
                   and a few requests each
    most_waiting   connections of one address without a complete request
    """

    most: int = 4096
    most_of_one: int = 1500
    most_waiting: int = 128
    _open: Counter[str] = field(default_factory=Counter)
    _waiting: dict[str, OrderedDict[BoundedConnection, None]] = field(default_factory=dict)

    def admit(self, connection: BoundedConnection) -> bool:
        """Whether a new connection may stay; an older one without a request may be closed for
        it.
        """
        if self._open[connection.address] >= self.most_of_one:
            return False
        if self._open.total() >= self.most and not self._close_longest_waiting():
            return False
        self._open[connection.address] += 1
        self.wait(connection)
        return True

    def wait(self, connection: BoundedConnection) -> None:
        """Count a connection as one without a complete request."""
        waiting = self._waiting.setdefault(connection.address, OrderedDict())
        waiting[connection] = None
        if len(waiting) > self.most_waiting:
            next(iter(waiting)).close_now()

    def serve(self, connection: BoundedConnection) -> None:
        """Count a connection as one that is being answered."""
        waiting = self._waiting.get(connection.address, OrderedDict())
        waiting.pop(connection, None)
        if not waiting:
            self._waiting.pop(connection.address, None)

    def leave(self, connection: BoundedConnection) -> None:
        """Stop counting a connection."""
        self.serve(connection)
        self._open[connection.address] -= 1
        if self._open[connection.address] <= 0:
            del self._open[connection.address]

    def _close_longest_waiting(self) -> bool:
        """Close the oldest waiting connection of the address that has most of them."""
        if not self._waiting:
            return False
        most = max(self._waiting, key=lambda address: len(self._waiting[address]))
        next(iter(self._waiting[most])).close_now()
        return True


class BoundedConnection(asyncio.Protocol):
    """One connection within its server's limits; ``speaker`` is the HTTP protocol."""

    def __init__(self, bounds: ConnectionBounds, speaker: asyncio.Protocol) -> None:
        """A connection of that server."""
        self.address = ""
        self._bounds, self._speaker, self._is_counted = bounds, speaker, False
        self._context = copy_context()
        self._context.run(_CONNECTION.set, self)
        self._timer: asyncio.TimerHandle | None = None
        self._is_answered = self._is_idle = self._is_unread = False
        self._head_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request, unless there are too many connections."""
        self._transport = transport
        self.address = (transport.get_extra_info("peername") or ("",))[0]
        self._speaker.connection_made(transport)
        self._is_counted = self._bounds.admit(self)
        if self._is_counted:
            self._restart_timer()
        else:
            self.close_now()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop counting this connection."""
        self._leave()
        self._speaker.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Continue reading, unless the request's head is too large."""
        if self._is_idle:
            self._is_idle, self._head_bytes = False, 0
            self._restart_timer()
        if not self._is_answered and self._head_bytes > _HEAD_BYTES:
            self.close_now()
            return
        self._head_bytes += len(data)
        self._context.run(self._speaker.data_received, data)

    def eof_received(self) -> bool | None:
        """Let the speaker decide whether to stay open."""
        return self._speaker.eof_received()

    def pause_writing(self) -> None:
        """The reader has stopped reading: start its timer."""
        self._is_unread = True
        self._restart_timer()
        self._speaker.pause_writing()

    def resume_writing(self) -> None:
        """The reader has read: stop its timer."""
        self._is_unread = False
        self._restart_timer()
        self._speaker.resume_writing()

    def begin_answer(self) -> None:
        """The head has arrived: stop its timer."""
        self._is_answered, self._is_idle = True, False
        self._restart_timer()

    def serve(self) -> None:
        """The whole request has arrived."""
        self._bounds.serve(self)

    def end_answer(self) -> None:
        """Note that the answer is complete, so the next request may come."""
        self._is_answered, self._is_idle = False, True
        if self._is_counted:
            self._bounds.wait(self)
            self._restart_timer()

    def close_now(self) -> None:
        """Close, even with unfinished answers."""
        self._leave()
        self._transport.abort()

    def _leave(self) -> None:
        if self._is_counted:
            self._is_counted = False
            self._bounds.leave(self)
        if self._timer is not None:
            self._timer.cancel()

    def _restart_timer(self) -> None:
        """Restart the sender's time for its next step."""
        if self._timer is not None:
            self._timer.cancel()
        if self._is_unread or not self._is_answered:
            wait_s = _READ_S if self._is_unread else KEEP_ALIVE_S if self._is_idle else _HEAD_S
            self._timer = asyncio.get_running_loop().call_later(wait_s, self.close_now)


class BoundedRequests:
    """An ASGI application that informs connections about the progress of their requests."""

    def __init__(self, inside: Application) -> None:
        """``inside`` answers the requests."""
        self._inside = inside

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request of a connection."""
        connection = _CONNECTION.get()
        connection.begin_answer()

        async def receive_piece() -> Message:
            piece = await receive()
            if not piece.get("more_body"):
                connection.serve()
            return piece

        try:
            if sum(len(name) + len(value) for name, value in scope["headers"]) > _HEAD_BYTES:
                await refuse(send, 400, "The head of the request is too long.")
            else:
                await self._inside(scope, receive_piece, send)
        finally:
            connection.end_answer()


#: File handles that are not for connections: the database, pipes, the log, pictures.
_OTHER_HANDLES = 256
#: A connection's handles: its socket, and the file that is sent over it.
_HANDLES_PER_CONNECTION = 2


def raise_handle_limit(wanted: int) -> int:
    """The number of connections with file handles, at most ``wanted``, after raising the limit as
    far as allowed.
    """
    allowed = raise_open_files(_HANDLES_PER_CONNECTION * wanted + _OTHER_HANDLES)
    if allowed is None:
        return wanted
    return min(wanted, max(allowed - _OTHER_HANDLES, allowed // 2) // _HANDLES_PER_CONNECTION)
