"""Connections under bounds: how long one may take to ask, and how many an address may hold.

uvicorn waits without end for a request that is half sent, and has no bound on connections, so that
one machine could take every file handle. Here a connection that does not ask in time is closed, as
is one that does not read what it asked for. Of too many from one address that have asked nothing
yet, the oldest goes first: a machine that sends halves of requests closes its own, and never
somebody else's.

A connection stands between asyncio's transport and whatever speaks HTTP, and learns from the
application (``BoundedRequests``) how far a request is. So it relies on asyncio and ASGI alone.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field

from webapp.http.asgi_messages import Application, Message, Receive, Scope, Send, refuse
from webapp.process_limits import raise_open_files

#: A request's head comes within this time: a phone's on a poor network takes a second.
_HEAD_S = 10.0
#: What is sent is read within this time: 2 MB of a replay over a slow phone network.
_READ_S = 120.0
#: A connection without requests is kept this long.
KEEP_ALIVE_S = 20
#: No head of a browser is half as large.
_HEAD_BYTES = 32 * 1024

_CONNECTION: ContextVar[BoundedConnection] = ContextVar("connection")


@dataclass(kw_only=True)
class ConnectionBounds:
    """The open connections of one server; for its event loop's thread alone.

    most           at once: a hall's, and what the machine has handles for
    most_of_one    of one address: a club's phones behind one router, with a stream and some
                   requests each
    most_waiting   of one address, that have not sent a whole request
    """

    most: int = 4096
    most_of_one: int = 1500
    most_waiting: int = 128
    _open: Counter[str] = field(default_factory=Counter)
    _waiting: dict[str, OrderedDict[BoundedConnection, None]] = field(default_factory=dict)

    def admit(self, connection: BoundedConnection) -> bool:
        """Whether a new connection may stay; an older one that asks nothing may go for it."""
        if self._open[connection.address] >= self.most_of_one:
            return False
        if self._open.total() >= self.most and not self._close_longest_waiting():
            return False
        self._open[connection.address] += 1
        self.wait(connection)
        return True

    def wait(self, connection: BoundedConnection) -> None:
        """Count a connection as one that has not sent a whole request."""
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
        """Count a connection no more."""
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
    """One connection within its server's bounds; ``speaker`` is the protocol that speaks HTTP."""

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
        """Count this connection no more."""
        self._leave()
        self._speaker.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, unless the head has no end."""
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
        """Nothing is read so far: its time begins."""
        self._is_unread = True
        self._restart_timer()
        self._speaker.pause_writing()

    def resume_writing(self) -> None:
        """It is read: its time stops."""
        self._is_unread = False
        self._restart_timer()
        self._speaker.resume_writing()

    def begin_answer(self) -> None:
        """The head is here: its time stops."""
        self._is_answered, self._is_idle = True, False
        self._restart_timer()

    def serve(self) -> None:
        """The whole request is here."""
        self._bounds.serve(self)

    def end_answer(self) -> None:
        """The next request may come."""
        self._is_answered, self._is_idle = False, True
        if self._is_counted:
            self._bounds.wait(self)
            self._restart_timer()

    def close_now(self) -> None:
        """Close, even with answers half sent."""
        self._leave()
        self._transport.abort()

    def _leave(self) -> None:
        if self._is_counted:
            self._is_counted = False
            self._bounds.leave(self)
        if self._timer is not None:
            self._timer.cancel()

    def _restart_timer(self) -> None:
        """Give the sender the time of what it is to do next."""
        if self._timer is not None:
            self._timer.cancel()
        if self._is_unread or not self._is_answered:
            wait_s = _READ_S if self._is_unread else KEEP_ALIVE_S if self._is_idle else _HEAD_S
            self._timer = asyncio.get_running_loop().call_later(wait_s, self.close_now)


class BoundedRequests:
    """An ASGI application that lets connections know how far their requests are."""

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


#: File handles that are not connections: the database, pipes, the log, pictures.
_OTHER_HANDLES = 256


def raise_handle_limit(wanted: int) -> int:
    """How many connections there are file handles for, at most ``wanted``, once all are allowed."""
    allowed = raise_open_files(wanted + _OTHER_HANDLES)
    if allowed is None:
        return wanted
    return min(wanted, max(allowed - _OTHER_HANDLES, allowed // 2))
